import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { listBundledPacks } from '../bundled/bundled-packs.ts';
import { HOOK_CATALOG } from '../catalog.ts';
import { KNOWN_EVENTS } from './unknown-events.ts';

const text = readFileSync(new URL('../../../docs/hooks.md', import.meta.url), 'utf8');
const section = (from: string, to: string) => text.slice(text.indexOf(from), text.indexOf(to));

/** The names in the first column of a table. */
function namesIn(table: string): string[] {
  const cells = table.split('\n').flatMap((line) => /^\| (`[^|]*) \|/.exec(line)?.slice(1) ?? []);
  return cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name));
}

describe('docs/hooks.md', () => {
  it('has a row for every event that hook packs can listen to', () => {
    const events = KNOWN_EVENTS.filter((event) => event.includes(':'));
    expect(namesIn(section('### The events', '### Bundled packs')).sort()).toEqual([...events].sort());
    expect([...new Set(events.map((event) => event.split(':')[0]))].sort()).toEqual(
      KNOWN_EVENTS.filter((event) => !event.includes(':')).sort(),
    );
  });

  it('has a row for every pack that comes with the product', () => {
    expect(namesIn(section('### Bundled packs', '### The handler'))).toEqual(
      listBundledPacks('/').map(({ name }) => name),
    );
  });

  it('says rightly how long a handler may take', () => {
    expect(text).toContain(`(\`timeoutMs\`, default ${HOOK_CATALOG['command:new'].deadlineMs})`);
  });
});
