import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { HOOK_CATALOG, type HookRow } from './catalog.ts';

const text = readFileSync(new URL('../../docs/hooks.md', import.meta.url), 'utf8');
const section = text.slice(text.indexOf('## The catalog'), text.indexOf('## The bundled handlers'));

describe('docs/hooks.md', () => {
  it('has the rows of the catalog, in its order and in its words', () => {
    const rows = section.split('\n').filter((line) => line.startsWith('| `'));
    expect(rows).toEqual(Object.entries<HookRow>(HOOK_CATALOG).map(([name, row]) => formatRow(name, row)));
  });

  it('has the sentence of each hook', () => {
    const sentences = section.split('\n').filter((line) => line.startsWith('- `'));
    expect(sentences).toEqual(
      Object.entries<HookRow>(HOOK_CATALOG).map(([name, { summary }]) => `- \`${name}\`: ${summary}`),
    );
  });
});

function formatRow(name: string, row: HookRow): string {
  const cells = [
    `\`${name}\``,
    row.kind,
    `\`${row.event}\``,
    Object.entries(row.combine)
      .map(([field, combinator]) => `\`${field}\`: ${combinator}`)
      .join(', '),
    row.order.replace('-', ' '),
    row.defaultPriority,
    `${row.deadlineMs} ms`,
    row.onFailure === 'skip' ? 'its change is dropped' : 'the gate stays closed',
    row.permission,
  ];
  return `| ${cells.join(' | ')} |`;
}
