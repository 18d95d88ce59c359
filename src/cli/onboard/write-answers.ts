// Writes what onboarding was told: the settings in one replacement of the configuration file, a key that was typed into
// `<state>/.env`, and the agent's name into its workspace. Each file is replaced as a whole, so a crash leaves old or new.

import { randomUUID } from 'node:crypto';
import { chmod, mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { agentPathOf, resolveAgentDefaults, resolveDefaultAgentId } from '../../config/agents.ts';
import { type ConfigPath, withValueAt } from '../../config/config-path.ts';
import { resolveConfigFileToEdit, setConfigValues } from '../../config/edit-config.ts';
import type { Environment } from '../../config/environment.ts';
import { loadConfig } from '../../config/load-config.ts';
import type { Config } from '../../config/schema.ts';
import { initWorkspace } from '../agents/agents.ts';
import { resolveAgent } from '../agents/resolve-agent.ts';
import type { Answers, ModelAnswer } from './gather-answers.ts';

export interface SettingEdit {
  readonly at: ConfigPath;
  readonly value: unknown;
}

/** The settings of a choice of model. What is configured already is not written again. */
export function modelEdits({ name, provider }: ModelAnswer, config: Config): readonly SettingEdit[] {
  const model = config.agents?.defaults?.model;
  const current = typeof model === 'string' ? model : (model as { primary?: unknown } | undefined)?.primary;
  return [
    ...(provider ? [{ at: ['models', 'providers', provider.name], value: provider.settings }] : []),
    ...(name === undefined || name === current ? [] : [{ at: ['agents', 'defaults', 'model'], value: name }]),
  ];
}

export function withEdits(config: Config, edits: readonly SettingEdit[]): Config {
  return edits.reduce((value: unknown, edit) => withValueAt(value, edit.at, edit.value), config) as Config;
}

/** Returns the files that were written. */
export async function writeAnswers(
  { model, name, channel }: Answers,
  config: Config,
  environment: Environment,
  now: Date,
): Promise<readonly string[]> {
  const edits = [
    ...modelEdits(model, config),
    ...(channel
      ? Object.entries({ ...channel.tokens, enabled: true }).map(([key, value]) => ({
          at: ['channels', channel.row.id, key],
          value,
        }))
      : []),
    ...(name === undefined ? [] : [nameEdit(name, config)]),
  ];
  const location = { environment };
  const byFile = new Map<string, SettingEdit[]>();
  for (const edit of edits) {
    const file = await resolveConfigFileToEdit(location, edit.at);
    byFile.set(file, [...(byFile.get(file) ?? []), edit]);
  }
  const written: string[] = [];
  if (model.key) written.push(await keepKey(environment.stateDir, model.key));
  for (const [file, wanted] of byFile) {
    // A configuration that no gateway could use is refused before it is written.
    await setConfigValues(file, wanted, (draft) => loadConfig({ ...location, draft }));
    written.push(file);
  }
  if (name !== undefined) written.push(...(await nameInWorkspace(name, environment, now)));
  return written;
}

function nameEdit(name: string, config: Config): SettingEdit {
  const id = resolveDefaultAgentId(config);
  const path = agentPathOf(config, id);
  return path === undefined
    ? { at: ['agents', 'list'], value: [{ id, default: true, name }] }
    : { at: [...path, 'name'], value: name };
}

/** The agent reads its name in IDENTITY.md. A file that has no line for it is left as it is. */
async function nameInWorkspace(name: string, environment: Environment, now: Date): Promise<readonly string[]> {
  const { config } = await loadConfig({ environment });
  const agent = resolveAgent(config, environment, resolveDefaultAgentId(config));
  const isSkipped = resolveAgentDefaults(config).skipBootstrap === true;
  if (isSkipped) return [];
  await initWorkspace(agent, isSkipped, now);
  const file = join(agent.workspaceDir, 'IDENTITY.md');
  const text = await readFile(file, 'utf8').catch(() => undefined);
  const line = text === undefined ? null : /^(- \*\*Name:\*\*)[^\r\n]*$/m.exec(text);
  if (text === undefined || line === null) return [];
  const named = `${line[1]} ${name}`;
  if (line[0] === named) return [];
  await replaceFile(file, text.slice(0, line.index) + named + text.slice(line.index + line[0].length), 0o600);
  return [file];
}

async function keepKey(stateDir: string, { variable, value }: NonNullable<ModelAnswer['key']>): Promise<string> {
  const file = join(stateDir, '.env');
  const before = await readFile(file, 'utf8').catch(() => '');
  const others = before.split('\n').filter((each) => !each.trimStart().startsWith(`${variable}=`));
  const kept = others.join('\n').trimEnd();
  await replaceFile(file, `${kept === '' ? '' : `${kept}\n`}${variable}=${value}\n`, 0o600);
  return file;
}

async function replaceFile(file: string, text: string, mode: number): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${randomUUID()}.tmp`;
  try {
    const handle = await open(draft, 'wx', mode);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await chmod(draft, mode);
    await rename(draft, file);
  } finally {
    await rm(draft, { force: true });
  }
}
