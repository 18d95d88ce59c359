import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import type { CliCommand } from './command.ts';
import { GROUPS } from './command-groups.ts';
import { COMMANDS } from './commands.ts';
import { loadCommandsOf } from './commands-of-word.ts';

const here = fileURLToPath(new URL('.', import.meta.url));
const paths = COMMANDS.map(({ path }) => path as string);

/** Every value that a file of this folder exports, alone or in a list. */
async function exportedCommands(): Promise<readonly CliCommand[]> {
  const names = await readdir(here, { recursive: true });
  const files = names.filter((name) => /(?<!\.test|main|run-process)\.ts$/.test(name) && !name.startsWith('fixtures'));
  const modules: Record<string, unknown>[] = await Promise.all(files.map((name) => import(join(here, name))));
  return modules.flatMap((module) => Object.values(module).flat()).filter(isCommand);
}

function isCommand(value: unknown): value is CliCommand {
  return typeof value === 'object' && value !== null && 'path' in value && 'summary' in value && 'run' in value;
}

it('lists every command that there is, once', async () => {
  const written = new Set((await exportedCommands()).map(({ path }) => path));
  expect([...written].sort()).toEqual([...paths].sort());
});

it('has a sentence for every group, and no group without a command', () => {
  const groups = new Set(paths.filter((path) => path.includes(' ')).map((path) => path.split(' ')[0]));
  expect([...groups].sort()).toEqual(Object.keys(GROUPS).sort());
});

it('finds the commands of every first word without reading the others, in the same order', async () => {
  for (const word of new Set(paths.map((path) => path.split(' ')[0] ?? ''))) {
    expect(await loadCommandsOf(word)).toEqual(COMMANDS.filter(({ path }) => path.split(' ')[0] === word));
  }
  expect(await loadCommandsOf('toString')).toBeUndefined();
});

it.each(paths)('tells in docs/cli.md about atrium %s', async (path) => {
  const text = await readFile(join(here, '../../docs/cli.md'), 'utf8');
  const [group, name] = path.split(' ');
  const section = text
    .split(/^## /m)
    .find((each) => each.startsWith(`atrium ${path}\n`) || each.startsWith(`atrium ${group}\n`));
  expect(section).toBeDefined();
  if (name && !section?.startsWith(`atrium ${path}`))
    expect(section).toMatch(new RegExp(`\`(?:(?:atrium )?${group} )?${name}\\b`));
});
