// What "How to add" in ARCHITECTURE.md names and no type would miss: a part that was written and then not put into its list, its
// suite or its document.

import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { configJsonSchema } from './src/config/schema.ts';
import { TAXONOMIES } from './src/context/taxonomy.ts';
import { WORKSPACE_TEMPLATES } from './src/context/workspace/templates/workspace-templates.ts';
import { ROUTES } from './src/gateway/http/routes/all-routes.ts';
import { SESSION_END_REASONS } from './src/protocol/live-event.ts';
import { COMPANIONS, groupsOf } from './src/tools/policy/tool-groups.ts';

const root = import.meta.dirname;
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const foldersIn = (path: string): string[] =>
  readdirSync(join(root, path)).filter((name) => statSync(join(root, path, name)).isDirectory() && name !== 'fixtures');
const filesIn = (path: string): string[] =>
  readdirSync(join(root, path), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts') && !name.includes('fixtures'))
    .map((name) => join(path, name));

it('names files that there are, in at most four lines each', () => {
  const section = read('ARCHITECTURE.md').split('\n## How to add\n')[1] ?? '';
  const entries = section.split(/^(?=- \*\*)/m).slice(1);
  expect(entries.length).toBeGreaterThan(12);
  for (const entry of entries) {
    expect([entry, entry.trim().split('\n').length <= 4]).toEqual([entry, true]);
    for (const [, path = ''] of entry.matchAll(/`((?:src|docs|scripts|console)\/[\w./-]+)`/g))
      expect([path, existsSync(join(root, path))]).toEqual([path, true]);
  }
});

it.each(foldersIn('src/channels'))('the channel %s is built, and its promise is in docs/delivery.md', (id) => {
  expect(read('src/gateway/gateway-delivery.ts')).toContain(`'../channels/${id}/`);
  expect(read('docs/delivery.md')).toMatch(new RegExp(`^\\| \`${id}\` \\| (exactly|at-least|at-most)-once \\|`, 'm'));
  expect(read('src/channels/delivery-docs.test.ts')).toContain(`'./${id}/`);
  // Clients of the API read their answers from the run, so nothing is received or sent there.
  if (id !== 'api') expect(read(`src/channels/${id}/${id}-channel.test.ts`)).toContain('describeChannel(');
});

// `sql` builds the statements that the stores share, `blobs` keeps bytes, and `move` brings rows from one to another.
const BESIDE_STORES = ['sql', 'blobs', 'move'];
it.each(
  foldersIn('src/store').filter((name) => !BESIDE_STORES.includes(name)),
)('the store %s passes the suite, and the gateway can open it', (name) => {
  const tests = readdirSync(join(root, 'src/store', name)).filter((file) => file.endsWith('.test.ts'));
  expect(tests.map((file) => read(`src/store/${name}/${file}`)).join()).toContain('describeStore(');
  expect(read('src/store/open-store.ts')).toContain(`'./${name}/`);
});

it('every tool that is written is offered, is in a group, and is in docs/tools.md', () => {
  const builders = filesIn('src/tools').flatMap((file) => {
    const text = read(file);
    const names = [...text.matchAll(/^export function (create\w+Tool)\(/gm)].map(([, name = '']) => name);
    return names.map((name) => ({ name, tool: /^\s+name: '(\w+)',$/m.exec(text)?.[1] ?? '' }));
  });
  const offered = ['src/tools/toolset.ts', 'src/tools/memory/memory-tools.ts', 'src/gateway/parts/create-exec-tools.ts']
    .map(read)
    .join();
  expect(builders.length).toBeGreaterThan(10);
  for (const { name, tool } of builders) {
    expect(offered).toContain(`${name}(`);
    expect([tool, groupsOf(COMPANIONS.get(tool) ?? tool)]).not.toEqual([tool, []]);
    expect(read('docs/tools.md')).toContain(`\`${tool}\``);
  }
});

it('every route that is written is in the list', async () => {
  const listed = new Set(ROUTES);
  for (const file of filesIn('src/gateway/http/routes')) {
    const module: Record<string, unknown> = await import(join(root, file));
    for (const [name, value] of Object.entries(module)) {
      if (name.endsWith('_ROUTES'))
        for (const route of value as typeof ROUTES) expect([name, listed.has(route)]).toEqual([name, true]);
    }
  }
});

it('every setting is in docs/config.md, or where that says, and something reads it', () => {
  const docs = ['config.md', 'hooks.md', 'plugins.md'].map((name) => read(`docs/${name}`)).join();
  const code = filesIn('src')
    .filter((file) => !file.endsWith('config/schema.ts'))
    .map(read)
    .join();
  const isIn = (text: string) => (key: string) => new RegExp(`(?<![\\w-])${key}(?![\\w-])`).test(text);
  const keys = keysOf(configJsonSchema());
  expect(keys.length).toBeGreaterThan(100);
  expect(keys.filter((key) => !isIn(docs)(key))).toEqual([]);
  expect(keys.filter((key) => !isIn(code)(key))).toEqual([]);
});

it.each(
  Object.values(TAXONOMIES),
)('every file of $id has a template or is left to people, and is in docs/workspace.md', ({ id, files }) => {
  const docs = read('docs/workspace.md');
  for (const { name, required, listed } of files) {
    expect(docs).toContain(name);
    expect(read('src/protocol/bootstrap-file.ts')).toContain(`  | '${name}'`);
    if (required || listed === 'always')
      expect([id, name, WORKSPACE_TEMPLATES[id][name] !== undefined]).toEqual([id, name, true]);
  }
});

it('every limit of a run is kept by the agent and told to the operator', () => {
  const settings = /interface RunSettings \{([^}]*)\}/.exec(read('src/agent/run-parts.ts'))?.[1] ?? '';
  const limits = [...settings.matchAll(/readonly (\w+)/g)].map(([, name = '']) => name);
  expect(limits.length).toBeGreaterThan(2);
  const code = filesIn('src/agent')
    .filter((file) => !file.endsWith('run-parts.ts'))
    .map(read)
    .join();
  for (const limit of limits) expect([limit, code.includes(limit)]).toEqual([limit, true]);
});

it('every reason for the end of a session is held to the one order, and is in docs/lifecycle.md', () => {
  // The contract has two more words, for ends that do not happen here.
  const reasons = SESSION_END_REASONS.filter((reason) => reason !== 'compaction' && reason !== 'unknown');
  for (const reason of reasons) {
    expect(read('src/sessions/session-ends.slow.test.ts')).toContain(`'${reason}'`);
    expect(read('docs/lifecycle.md')).toMatch(new RegExp(`\\b${reason}\\b`));
  }
});

function keysOf(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const { properties = {}, items, anyOf = [], additionalProperties } = schema as Record<string, never>;
  const below = [items, additionalProperties, ...(anyOf as unknown[])].flatMap(keysOf);
  return [...new Set([...Object.entries(properties).flatMap(([key, value]) => [key, ...keysOf(value)]), ...below])];
}
