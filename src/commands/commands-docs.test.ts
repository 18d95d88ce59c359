// docs/commands.md names every row of the catalog, and no row that does not exist.

import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { COMMAND_CATALOG } from './catalog.ts';
import { usageOf } from './format-help.ts';

const text = readFileSync(new URL('../../docs/commands.md', import.meta.url), 'utf8');

it('docs/commands.md has the rows of the catalog, word for word and in order', () => {
  const [table = ''] = text.split('\n\n').filter((part) => part.startsWith('| command |'));
  expect(table.trim().split('\n').slice(2)).toEqual(
    COMMAND_CATALOG.map((command) => {
      const usage = usageOf(command).replaceAll('|', '\\|');
      return `| \`${usage}\` | ${command.help} | ${command.who} | ${command.when} |`;
    }),
  );
});

it('no two rows share a name', () => {
  const names = COMMAND_CATALOG.flatMap(({ name, aliases = [] }) => [name, ...aliases]);
  expect(new Set(names).size).toBe(names.length);
});
