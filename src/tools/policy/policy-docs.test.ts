import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { PROFILE_NAMES, resolveToolProfile } from './resolve-tool-policy.ts';
import { expandToolGroups, TOOL_GROUPS } from './tool-groups.ts';

const page = readFileSync(new URL('../../../docs/tools.md', import.meta.url), 'utf8');

/** The rows below a heading: the first cell, and the names in the second. */
function rowsUnder(heading: string): ReadonlyMap<string, readonly string[]> {
  const section = page.slice(page.indexOf(`\n### ${heading}\n`) + 1).split(/\n#{2,3} /)[0] ?? '';
  const rows = [...section.matchAll(/^\| `([^`]+)` \| (.+) \|$/gm)];
  return new Map(
    rows.map(([, name = '', cell = '']) => [name, [...cell.matchAll(/`([^`]+)`/g)].map(([, each = '']) => each)]),
  );
}

it('docs/tools.md has the profiles and groups that there are', () => {
  const profiles = rowsUnder('Profiles');
  expect([...profiles.keys()]).toEqual(PROFILE_NAMES);
  for (const [name, entries] of profiles) expect(expandToolGroups(entries)).toEqual(resolveToolProfile(name)?.allow);
  const groups = [...TOOL_GROUPS].filter(([name]) => name !== 'group:openclaw');
  expect([...rowsUnder('Groups')]).toEqual(groups);
  const left = ['group:fs', 'exec', 'process', 'canvas'];
  const rest = expandToolGroups(groups.map(([name]) => name)).filter((name) => !expandToolGroups(left).includes(name));
  expect(TOOL_GROUPS.get('group:openclaw')).toEqual(rest);
});
