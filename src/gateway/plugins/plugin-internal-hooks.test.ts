// What plugins register for the events of hook packs, in the same list as the packs, and gone when the plugin is.

import { expect, it } from 'vitest';
import { readEnvironment } from '../../config/environment.ts';
import type { InternalHandlerAnswer, PluginRegistration } from '../../plugins/registration.ts';
import type { InternalHookEvent } from '../../protocol/bootstrap-event.ts';
import { workspaceForEachTest } from '../../testkit/for-each-test.ts';
import { HANDLERS_IN_THIS_THREAD } from '../../testkit/handlers-in-this-thread.ts';
import { registryOf } from '../../testkit/registry-of.ts';
import { SCRATCH_TIME } from '../../testkit/scratch-workspace.ts';
import { ContextEngine } from '../composer/context-engine.ts';

const scratch = workspaceForEachTest({ 'AGENTS.md': 'Be brief.' });

/** In its own words, as it would come back from a worker: it never touches the event that it was given. */
function handler(events: string[], handle: (event: InternalHookEvent) => InternalHandlerAnswer): PluginRegistration {
  return { kind: 'internal-hook', name: 'notes', events, handler: async (event) => handle(structuredClone(event)) };
}

const SAYS = (word: string) => handler(['command:new'], () => ({ messages: [word] }));
const APPENDS = (text: string) =>
  handler(['agent:bootstrap'], (event) => {
    const files = event.context.bootstrapFiles as { name: string; content?: string }[];
    const bootstrapFiles = files.map((file) =>
      file.name === 'AGENTS.md' ? { ...file, content: `${file.content}\n${text}` } : file,
    );
    return { messages: [], bootstrapFiles: bootstrapFiles as never };
  });

function engineWith(plugins: ReturnType<typeof registryOf>, statuses: readonly object[] = []) {
  const env = { HOME: scratch.root, OPENCLAW_STATE_DIR: scratch.stateDir, TZ: 'UTC' };
  const environment = readEnvironment(env, () => scratch.root, scratch.root);
  const source = { ...plugins, list: () => statuses as never };
  const config = { agents: { defaults: { workspace: scratch.workspaceDir } } };
  const engine = new ContextEngine({ environment, config, plugins: source, handlers: HANDLERS_IN_THIS_THREAD });
  const event = { type: 'command', action: 'new', sessionKey: 'agent:main:main', context: {}, timestamp: SCRATCH_TIME };
  const fire = async () => {
    const { runner } = await engine.prepare({ agentId: 'main', at: SCRATCH_TIME });
    return (await runner.announce('command:new', event)).messages;
  };
  return { engine, fire };
}

it('are called with the packs, and follow their plugin when it is loaded again and when it goes', async () => {
  const plugins = registryOf({ id: 'diary', registrations: [SAYS('one'), SAYS('two')] });
  const { fire } = engineWith(plugins);
  expect(await fire()).toEqual(['one', 'two']);
  for (let count = 0; count < 5; count++) await plugins.load({ id: 'diary', registrations: [SAYS(`again ${count}`)] });
  expect(await fire()).toEqual(['again 4']);
  await plugins.unload('diary');
  expect(await fire()).toEqual([]);
});

it('edit the bootstrap files in the name of their plugin', async () => {
  const plugins = registryOf({ id: 'diary', registrations: [APPENDS('Write it down.')] });
  const { engine } = engineWith(plugins);
  const compose = () => engine.compose({ agentId: 'main', at: SCRATCH_TIME });
  const { files, report } = await compose();
  expect(files.find(({ name }) => name === 'AGENTS.md')?.content).toBe('Be brief.\nWrite it down.');
  expect(report.handlers).toContainEqual(expect.objectContaining({ id: 'hook:diary/notes', owner: 'diary' }));
  await plugins.unload('diary');
  expect((await compose()).files.find(({ name }) => name === 'AGENTS.md')?.content).toBe('Be brief.');
});

it('may come as packs in the folder of a plugin, inside of which they stay', async () => {
  const dir = `${scratch.root}/plugins/diary`;
  const metadata = JSON.stringify({ openclaw: { events: ['command:new'] } });
  const files = {
    'plugins/diary/openclaw.plugin.json': JSON.stringify({ id: 'diary', hooks: ['packs', '../../outside', 7] }),
    'plugins/diary/packs/hello/HOOK.md': `---\nname: hello\nmetadata: ${metadata}\n---\n`,
    'plugins/diary/packs/hello/handler.js': 'export default (event) => { event.messages.push("hello from a pack"); };',
    'outside/evil/HOOK.md': `---\nname: evil\nmetadata: ${metadata}\n---\n`,
    'outside/evil/handler.js': 'export default (event) => { event.messages.push("evil"); };',
  };
  for (const [name, text] of Object.entries(files)) await scratch.write(`../${name}`, text);
  const loaded = { id: 'diary', rootDir: dir, state: 'loaded', skills: [] };
  expect(await engineWith(registryOf(), [loaded]).fire()).toEqual(['hello from a pack']);
  expect(await engineWith(registryOf(), [{ ...loaded, state: 'disabled' }]).fire()).toEqual([]);
});

it('leave the prompt alone when the operator does not want the words of their plugin in it, packs included', async () => {
  const metadata = JSON.stringify({ openclaw: { events: ['agent:bootstrap', 'command:new'] } });
  const files = {
    'plugins/diary/openclaw.plugin.json': JSON.stringify({ id: 'diary', hooks: ['packs'] }),
    'plugins/diary/packs/hello/HOOK.md': `---\nname: hello\nmetadata: ${metadata}\n---\n`,
    'plugins/diary/packs/hello/handler.js': `export default (event) => {
      event.messages.push('hello');
      if (event.type === 'agent') for (const file of event.context.bootstrapFiles) file.content += ' From the pack.';
    };`,
  };
  for (const [name, text] of Object.entries(files)) await scratch.write(`../${name}`, text);
  const plugins = registryOf({ id: 'diary', registrations: [APPENDS('Write it down.'), SAYS('one')] });
  const status = { id: 'diary', rootDir: `${scratch.root}/plugins/diary`, state: 'loaded', skills: [] };
  const told = async (promptInjection: boolean) => {
    const permissions = { conversation: false, promptInjection };
    const { engine, fire } = engineWith(plugins, [{ ...status, permissions }]);
    const composed = await engine.compose({ agentId: 'main', at: SCRATCH_TIME });
    return { text: composed.files.find(({ name }) => name === 'AGENTS.md')?.content, said: await fire() };
  };
  const { text, said } = await told(true);
  expect(text).toContain('From the pack.');
  expect(text).toContain('Write it down.');
  expect(said).toEqual(['hello', 'one']);
  expect(await told(false)).toEqual({ text: 'Be brief.', said: ['hello', 'one'] });
});
