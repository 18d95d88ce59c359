// The flags that say what should be different in a replay. `run replay` and `runs replay` take the same.
// Errors: BadFlagError for a value that has no `=`, and for a file that cannot be read.

import { resolveUserPath } from '../../config/user-path.ts';
import { MAX_FILE_BYTES } from '../../context/sources/file-source.ts';
import { BadFlagError } from '../../gateway/errors.ts';
import type { OpenedReplay } from '../../gateway/services/replay/open-replay.ts';
import type { AskedChanges } from '../../gateway/services/replay/replay-changes.ts';
import type { CliIo } from '../cli-io.ts';
import { readRegularFile } from '../read-regular-file.ts';

export const REPLAY_OPTIONS = {
  '--without <author>': {
    text: 'leave out the words of a handler, rule, plugin or file; may be given several times',
    isList: true,
  },
  '--with-file <name=path>': {
    text: 'read this file in place of the recorded one; may be given several times',
    isList: true,
  },
  '--config <file>': 'compose with the budgets, filters and rules of this configuration',
} as const;

export interface ReplayFlags {
  readonly without?: readonly string[] | undefined;
  readonly withFile?: readonly string[] | undefined;
  readonly config?: string | undefined;
}

export async function askedChanges(
  { without = [], withFile = [], config }: ReplayFlags,
  replay: Pick<OpenedReplay, 'otherConfig'>,
  { environment }: CliIo,
): Promise<AskedChanges> {
  const files = new Map<string, string>();
  for (const given of withFile) {
    const [name, ...rest] = given.split('=');
    const path = rest.join('=');
    if (!name || path === '') {
      throw new BadFlagError({ flag: '--with-file', value: given, expected: 'NAME=PATH, such as AGENTS.md=new.md' });
    }
    files.set(name, await readText(given, resolveUserPath(path, environment.home, environment.cwd)));
  }
  const other = config && resolveUserPath(config, environment.home, environment.cwd);
  return { without, files, config: other === undefined || other === '' ? undefined : await replay.otherConfig(other) };
}

async function readText(given: string, path: string): Promise<string> {
  const refuse = (why: string) =>
    new BadFlagError({ flag: '--with-file', value: given, expected: `a file that can be read: ${why}` });
  return (await readRegularFile(path, { largest: MAX_FILE_BYTES, refuse })).toString('utf8');
}
