// What authors of hook packs may rely on holds in the worker as it does in the gateway: the same pack is composed with in
// both places, and the results are compared.

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readEnvironment } from '../config/environment.ts';
import type { Config } from '../config/schema.ts';
import { ContextEngine } from '../gateway/composer/context-engine.ts';
import type { HandlerFiles } from '../gateway/composer/handler-files.ts';
import { HANDLERS_IN_THIS_THREAD } from '../testkit/handlers-in-this-thread.ts';
import { ScratchHome } from '../testkit/scratch-home.ts';
import { ownHandlers } from './own-handlers.ts';

let home: ScratchHome;
beforeEach(async () => {
  home = await ScratchHome.create({ 'workspace/AGENTS.md': 'Be kind.\nBe brief.', 'workspace/TOOLS.md': 'None.' });
});
afterEach(() => home.remove());

const environment = () => readEnvironment({ HOME: home.home, TZ: 'UTC' }, () => home.home, home.home);

async function composeWith(handlers: Pick<HandlerFiles, 'load' | 'refresh' | 'forget'>, config: Config = {}) {
  const engine = new ContextEngine({ environment: environment(), config, handlers });
  const { files, report } = await engine.compose({ at: new Date('2026-05-06T10:00:00Z') });
  return {
    files: files.map(({ name, path, content, missing }) => ({ name, path, content, missing })),
    handlers: report.handlers.map(({ ms: _, ...handler }) => handler),
    spans: report.spans,
    absences: report.absences,
  };
}

it.each([
  ['appends to a file in place', 'event.context.bootstrapFiles[0].content += "\\nBe warm.";'],
  [
    'rewrites a line',
    'const [agents] = event.context.bootstrapFiles; agents.content = agents.content.replace("kind", "bold");',
  ],
  ['adds a file by path alone', 'event.context.bootstrapFiles.push({ path: "/x/NOTES.md", content: "Notes." });'],
  [
    'removes a file',
    'event.context.bootstrapFiles = event.context.bootstrapFiles.filter(({ name }) => name !== "TOOLS.md");',
  ],
  [
    'renames and moves a file',
    'event.context.bootstrapFiles[0].name = "OTHER.md"; event.context.bootstrapFiles.reverse();',
  ],
  [
    'builds the list anew',
    'event.context.bootstrapFiles = event.context.bootstrapFiles.map((file) => ({ ...file, content: file.content?.toUpperCase() }));',
  ],
  [
    'marks a file as missing',
    'event.context.bootstrapFiles[0].missing = true; delete event.context.bootstrapFiles[0].content;',
  ],
  ['replaces the whole context', 'event.context = { bootstrapFiles: event.context.bootstrapFiles.slice(1) };'],
  ['leaves no list', 'event.context.bootstrapFiles = "none";'],
  ['leaves an entry that is none', 'event.context.bootstrapFiles.push(7);'],
  ['leaves a content that is no text', 'event.context.bootstrapFiles[0].content = 5;'],
  ['does nothing', ''],
  [
    'reads what it is told',
    'const { workspaceDir, agentId, sessionType, timeContext, cfg } = event.context; event.context.bootstrapFiles[0].content += JSON.stringify([workspaceDir, agentId, sessionType, timeContext, typeof cfg, event.timestamp.toISOString(), event.signal?.aborted]);',
  ],
  ['throws', 'throw new Error("no ink");'],
  ['throws what is no error', 'throw "no ink";'],
])('a handler that %s', async (_, deed) => {
  await home.writePack('hooks/one', { events: ['agent:bootstrap'] }, `export default async (event) => { ${deed} };`);
  const inWorker = await composeWith(ownHandlers({}, environment()));
  expect(inWorker).toEqual(await composeWith(HANDLERS_IN_THIS_THREAD));
  expect(inWorker.handlers.map(({ id }) => id)).toContain('hook:one');
});

it('the helper of atrium/context names exact authors, and the plugin SDK is there under its names', async () => {
  await home.writePack(
    'hooks/one',
    { events: ['agent:bootstrap'], export: 'edit' },
    `import { BootstrapFileHelper } from 'atrium/context';
     import { normalizeString } from './text.ts';
     import { createSubsystemLogger } from 'openclaw/plugin-sdk/logging-core';
     import { resolveStateDir } from 'atrium/plugin-sdk';
     export const edit = ({ context }) => {
       createSubsystemLogger('one').info('I write.');
       new BootstrapFileHelper(context).appendToFile('AGENTS.md', normalizeString('Kept in ' + resolveStateDir()));
     };`,
  );
  await home.write('hooks/one/text.ts', 'export const normalizeString = (text: string): string => text.trim();');
  const { files, spans, handlers } = await composeWith(ownHandlers({}, environment()));
  expect(handlers.find(({ id }) => id === 'hook:one')).toMatchObject({
    outcome: 'done',
    changes: [{ file: 'AGENTS.md', change: 'appended', addedText: `Kept in ${home.stateDir}` }],
  });
  expect(files[0]?.content).toBe(`Be kind.\nBe brief.\n\n---\n\nKept in ${home.stateDir}`);
  expect(JSON.stringify(spans)).toContain('hook:one');
});

it('a file that two agents use is loaded once, and again when it was written again', async () => {
  const counting = (step: number) =>
    `let count = 0; export default ({ context }) => { count += ${step}; context.bootstrapFiles[0].content += ' ' + count; };`;
  await home.writePack('hooks/one', { events: ['agent:bootstrap'] }, counting(1));
  const config: Config = { agents: { list: [{ id: 'main' }, { id: 'ops', workspace: home.path('workspace') }] } };
  const handlers = ownHandlers(config, environment());
  const engine = new ContextEngine({ environment: environment(), config, handlers });
  const compose = async (agentId: string) =>
    (await engine.compose({ agentId, at: new Date(0) })).files[0]?.content?.split(' ').at(-1);
  expect([await compose('main'), await compose('ops'), await compose('main')]).toEqual(['1', '2', '3']);
  await home.writePack('hooks/one', { events: ['agent:bootstrap'] }, counting(10));
  engine.apply(config);
  expect([await compose('ops'), await compose('main')]).toEqual(['10', '20']);
});

it('a program that composes ends by itself, and a handler that spins costs it a moment', async () => {
  await home.writePack('hooks/one', { events: ['agent:bootstrap'] }, 'export default () => { for (;;) {} };');
  const door = new URL('../../dist/public/context.js', import.meta.url).href;
  const program = `const { compose } = await import(${JSON.stringify(door)});
    const { report } = await compose({ config: { plugins: { worker: { heartbeatMs: 300 } } } });
    console.log(report.handlers.find(({ id }) => id === 'hook:one').error);`;
  const { stdout, stderr } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], {
    env: { HOME: home.home, TZ: 'UTC' },
  });
  expect(stdout).toMatch(/^The hook "one" kept the plugin worker busy/);
  expect(stderr).toContain('The hook "one" kept the plugin worker busy');
});

it('no worker is started where there is no code of others', async () => {
  const handlers: Pick<HandlerFiles, 'load' | 'refresh' | 'forget'> = {
    load: () => Promise.reject(new Error('nothing should be loaded')),
    refresh: () => {},
    forget: () => {},
  };
  expect((await composeWith(handlers)).files[0]?.content).toBe('Be kind.\nBe brief.');
});
