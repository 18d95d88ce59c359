// `atrium config edit`: the configuration in the person's own editor. The editor works on a copy; it replaces the file
// only when a gateway could use it, so that a slip never reaches a gateway that runs. The copy is removed at the end, also
// when the command is stopped; only what a person wrote and gave up stays, until the next edit goes on with it or not.

import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type ConfigLocation, listConfigPaths } from '../../config/config-files.ts';
import { loadConfigSource } from '../../config/config-source.ts';
import { resolveConfigFileToEdit, writeConfigText } from '../../config/edit-config.ts';
import { loadStartableConfig } from '../../gateway/settings/load-startable-config.ts';
import { isAtriumError } from '../../protocol/errors.ts';
import type { CliIo } from '../cli-io.ts';
import { command } from '../command.ts';
import { EDITED_CONFIG_OPTION } from '../common-options.ts';
import { EditGivenUpError, EditNeedsTerminalError, EditorFailedError } from '../errors.ts';
import { line, visibleText } from '../output/text.ts';
import { tellFollowing } from './tell-following.ts';

export const configEdit = command({
  path: 'config edit',
  summary: 'open the configuration in your editor, and check it before it is saved',
  options: EDITED_CONFIG_OPTION,
  examples: ['config edit', 'config edit --config ./draft.yaml'],
  notes: 'The editor is VISUAL, else EDITOR, else vi. Exit code: 1 when nothing was changed.',
  json: false,
  async run({ config }, { io }) {
    const location: ConfigLocation = { environment: io.environment, configPath: config };
    const file = await fileToEdit(location);
    const before = await readText(file);
    const draft = path.join(path.dirname(file), `.edit-${path.basename(file)}`);
    const stopCleaning = cleanWhenStopped(draft);
    try {
      if (!(await goesOnWith(draft, io))) {
        await rm(draft, { force: true });
        await writeFile(draft, before ?? '', { mode: 0o600, flag: 'wx' });
      }
      const text = await editUntilUsable(location, file, draft, io);
      if (text !== before) await writeConfigText({ file, text }, before);
      await rm(draft, { force: true });
      if (text === before) return { text: 'Nothing was changed.\n', ok: false };
      const told = await tellFollowing(io, file, []);
      return { text: [`Wrote ${file}.`, ...told].map(line).join('') };
    } catch (error) {
      if (!(error instanceof EditGivenUpError)) await rm(draft, { force: true });
      throw error;
    } finally {
      stopCleaning();
    }
  },
});

/** Whether the person wants to go on with what an earlier edit left. */
async function goesOnWith(draft: string, io: CliIo): Promise<boolean> {
  if ((await readText(draft)) === undefined) return false;
  const answer = (await io.ask('An earlier edit was given up. Go on with its text? [Y/n] ', false))
    ?.trim()
    .toLowerCase();
  return answer !== undefined && !answer.startsWith('n');
}

/** Ctrl-C in a terminal reaches the editor and this command alike. Returns the undo. */
function cleanWhenStopped(draft: string): () => void {
  const clean = () => {
    rmSync(draft, { force: true });
    process.exit(2);
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.once(signal, clean);
  return () => {
    for (const signal of signals) process.off(signal, clean);
  };
}

/** The strongest file that is there, or the one that would be written first. */
async function fileToEdit(location: ConfigLocation): Promise<string> {
  const file = await resolveConfigFileToEdit({ ...location }, []).catch((error: unknown) => {
    // A file that cannot be read as a configuration is the one that has to be mended.
    if (!isAtriumError(error) || error.code !== 'ATRIUM_CONFIG_SYNTAX') throw error;
    return undefined;
  });
  if (file !== undefined) return file;
  const broken = await Promise.all(
    listConfigPaths(location).map((each) =>
      loadConfigSource(each).then(
        () => [],
        () => [each],
      ),
    ),
  );
  return broken.flat()[0] ?? location.environment.configPath;
}

/** Rejects with EditGivenUpError when the person gives up; what they wrote stays. */
async function editUntilUsable(location: ConfigLocation, file: string, draft: string, io: CliIo): Promise<string> {
  for (;;) {
    await runEditor(draft, io);
    const text = await readFile(draft, 'utf8');
    try {
      await loadStartableConfig({ ...location, draft: { file, text } });
      return text;
    } catch (error) {
      if (!isAtriumError(error)) throw error;
      io.err(`${visibleText(error.message)}\n`);
      const answer = (await io.ask('Edit it again? [Y/n] ', false))?.trim().toLowerCase();
      if (answer === undefined || answer.startsWith('n')) throw new EditGivenUpError({ file, draft });
    }
  }
}

async function runEditor(file: string, { environment, isTerminal }: CliIo): Promise<void> {
  const { VISUAL, EDITOR } = environment.variables;
  // vi would draw the whole file, keys included, into a pipe or a log.
  if (!VISUAL && !EDITOR && !(isTerminal && process.stdin.isTTY)) throw new EditNeedsTerminalError();
  const editor = VISUAL || EDITOR || 'vi';
  // A shell reads the variable, because it may hold flags; the file is handed over as an argument of its own.
  const child = spawn('sh', ['-c', `${editor} "$1"`, 'sh', file], { stdio: 'inherit' });
  const outcome = await new Promise<number | string>((resolve) => {
    child.on('error', (error) => resolve(error.message));
    child.on('close', (status, signal) => resolve(status ?? signal ?? 'no code'));
  });
  if (outcome !== 0) throw new EditorFailedError({ editor, outcome: String(outcome) });
}

async function readText(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
