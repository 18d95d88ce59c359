// What every PluginLoader must do, wherever it runs plugins. A loader's test hands in how to make one and passes, or it
// is no loader. The plugins are real files in a temporary folder, loaded as any other.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type RecordingHost, recordingHost, ScratchPlugins } from '../fixtures/scratch-plugins.ts';
import type { LoadedPlugin, LoadResult, PluginLoader } from '../loaded-plugin.ts';
import type { PluginSetup } from '../plugin-setup.ts';
import type { PluginRegistration, RegistrationKind } from '../registration.ts';

export interface LoaderSettings {
  /** How long a plugin's `register` may take. */
  readonly registerTimeoutMs?: number | undefined;
}

export function describePluginLoader(
  name: string,
  makeLoader: (settings: LoaderSettings) => PluginLoader | Promise<PluginLoader>,
): void {
  describe(`plugins ${name}`, () => {
    let scratch: ScratchPlugins;
    let host: RecordingHost;
    let loader: PluginLoader;

    beforeEach(async () => {
      scratch = await ScratchPlugins.create();
      host = recordingHost();
      loader = await makeLoader({});
    });

    afterEach(async () => {
      await loader.close();
      await scratch.remove();
    });

    /** A plugin whose register function has this body. */
    const write = (body: string, id = 'nice', setup: Partial<PluginSetup> = {}) =>
      scratch.write(id, `export default { id: '${id}', async register(api: any) { ${body} } }`, setup);
    const load = async (body: string, setup: Partial<PluginSetup> = {}, id = 'nice') =>
      loadedOf(await loader.load(await write(body, id, setup), host));

    describe('hands over what a plugin registers', () => {
      it('in the order in which it did', async () => {
        const { registrations, id, notes } = await load(`
          api.on('message_received', () => {});
          api.registerCommand({ name: 'one', description: 'One.', handler: () => ({ text: '1' }) });
          await new Promise((resolve) => setTimeout(resolve, 5));
          api.on('message_received', () => {});
        `);
        expect(id).toBe('nice');
        expect(registrations.map(({ kind }) => kind)).toEqual(['hook', 'command', 'hook']);
        expect(new Set(registrations.map((entry) => entry.kind === 'hook' && entry.id)).size).toBe(3);
        expect(notes.filter(({ level }) => level !== 'info')).toEqual([]);
      });

      it('a hook, which is asked with its event and context and may answer later', async () => {
        const { registrations } = await load(
          `
          api.on('before_tool_call', async (event, context) => {
            await null;
            return { params: { ...event.params, seen: [event.toolName, context.agentId, api.pluginConfig.mood] } };
          }, { priority: 7, timeoutMs: 1234 });
        `,
          { pluginConfig: { mood: 'calm' } },
        );
        const hook = only(registrations, 'hook');
        expect(hook).toMatchObject({ hook: 'before_tool_call', priority: 7, timeoutMs: 1234 });
        expect(await hook.handler({ toolName: 'exec', params: { a: 1 } }, { agentId: 'main' })).toEqual({
          params: { a: 1, seen: ['exec', 'main', 'calm'] },
        });
      });

      it('a function inside an answer', async () => {
        const { registrations } = await load(`
          let heard = 'nothing';
          api.on('before_tool_call', () => ({
            requireApproval: { title: 't', description: 'd', onResolution: (decision) => { heard = decision; } },
          }));
          api.registerGatewayMethod('heard', ({ respond }) => respond(true, { heard }));
        `);
        const answer = (await only(registrations, 'hook').handler({ toolName: 'x', params: {} }, {})) as {
          requireApproval: { onResolution: (decision: string) => unknown };
        };
        await answer.requireApproval.onResolution('allow-once');
        expect(await only(registrations, 'method').handler({}, {})).toEqual({ heard: 'allow-once' });
      });

      it('a handler that is told when its time is over', async () => {
        const { registrations } = await load(`
          api.on('agent_end', (event, context) => new Promise((resolve) => {
            context.signal.addEventListener('abort', () => resolve('told'));
          }));
        `);
        const controller = new AbortController();
        const answer = only(registrations, 'hook').handler({}, { signal: controller.signal });
        controller.abort();
        expect(await answer).toBe('told');
      });

      it('an error as an error', async () => {
        const { registrations } = await load(`
          api.on('before_agent_run', () => { throw new TypeError('not today'); });
          api.on('agent_end', async () => { throw new Error('nor tomorrow'); });
        `);
        const [first, second] = all(registrations, 'hook');
        await expect(asked(() => first?.handler({}, {}))).rejects.toThrow('not today');
        await expect(asked(() => second?.handler({}, {}))).rejects.toThrow('nor tomorrow');
      });

      it('a tool, and what it answers', async () => {
        const { registrations } = await load(`
          api.registerTool({
            name: 'greet',
            description: 'Greets.',
            parameters: { type: 'object', properties: { who: { type: 'string' } } },
            execute: async (id, params, signal) => {
              if (params.who === 'nobody') throw new Error('there is nobody');
              return { content: [{ type: 'text', text: id + ' ' + params.who + ' ' + signal.aborted }], details: { a: 1 } };
            },
          }, { optional: true });
        `);
        const registration = only(registrations, 'tool');
        expect(registration).toMatchObject({ names: ['greet'], optional: true, isDeclared: false });
        const [tool] = await registration.make({});
        expect(tool).toMatchObject({ name: 'greet', description: 'Greets.', parameters: { type: 'object' } });
        const { signal } = new AbortController();
        expect(await tool?.execute('call-1', { who: 'ana' }, signal)).toMatchObject({
          content: [{ type: 'text', text: 'call-1 ana false' }],
          details: { a: 1 },
        });
        await expect(asked(() => tool?.execute('call-2', { who: 'nobody' }, signal))).rejects.toThrow(
          'there is nobody',
        );
      });

      it('a factory of tools, asked for each place', async () => {
        const { registrations } = await load(`
          api.registerTool((scope) => scope.agentId === 'main' ? [
            { name: 'a', description: scope.sessionKey, parameters: { type: 'object' }, execute: async () => ({ content: [] }) },
            { name: 'b', description: 'B', parameters: { type: 'object' }, execute: async () => ({ content: [] }) },
          ] : null, { names: ['a', 'b'] });
        `);
        const { make, names } = only(registrations, 'tool');
        expect(names).toEqual(['a', 'b']);
        const tools = await make({ agentId: 'main', sessionKey: 'agent:main:main' });
        expect(tools.map((tool) => [tool.name, tool.description])).toEqual([
          ['a', 'agent:main:main'],
          ['b', 'B'],
        ]);
        expect(await make({ agentId: 'other' })).toEqual([]);
      });

      it('a command, a service and a method', async () => {
        const { registrations } = await load(`
          const log = [];
          api.registerCommand({ name: 'Log', description: 'Shows it.', acceptsArgs: true, requireAuth: false,
            handler: (context) => ({ text: log.join() + '/' + context.args }) });
          api.registerService({ id: 'worker', start: (context) => { log.push('start', typeof context.stateDir); }, stop: () => { log.push('stop'); } });
          api.registerGatewayMethod('nice.sum', async ({ params, respond }) => {
            if (params.bad) return respond(false, undefined, { code: 'BAD', message: 'that is bad' });
            respond(true, { sum: params.a + params.b });
          });
        `);
        const service = only(registrations, 'service');
        await service.start();
        await service.stop?.();
        const command = only(registrations, 'command');
        expect(command).toMatchObject({ name: 'log', acceptsArgs: true, requireAuth: false });
        expect(
          await command.handler({ channel: 'cli', isAuthorizedSender: true, commandBody: '/log x', args: 'x' }),
        ).toEqual({
          text: 'start,string,stop/x',
        });
        const { method, handler } = only(registrations, 'method');
        expect(method).toBe('nice.sum');
        expect(await handler({ a: 1, b: 2 }, {})).toEqual({ sum: 3 });
        await expect(asked(() => handler({ bad: true }, {}))).rejects.toThrow('that is bad');
      });

      it('an internal hook, with what it left in its event', async () => {
        const { registrations } = await load(`
          api.registerHook(['command:new', 'agent:bootstrap'], (event) => {
            event.messages.push('seen ' + event.action);
            event.context.bootstrapFiles?.push({ name: 'EXTRA.md', path: 'EXTRA.md', content: 'more', missing: false });
          }, { name: 'notes' });
        `);
        const { name, events, handler } = only(registrations, 'internal-hook');
        expect([name, events]).toEqual(['notes', ['command:new', 'agent:bootstrap']]);
        const event = { sessionKey: 'agent:main:main', timestamp: new Date(0), messages: [] };
        expect(await handler({ ...event, type: 'command', action: 'new', context: {} })).toMatchObject({
          messages: ['seen new'],
        });
        const context = { workspaceDir: '/w', bootstrapFiles: [] };
        expect(await handler({ ...event, type: 'agent', action: 'bootstrap', context })).toEqual({
          messages: ['seen bootstrap'],
          bootstrapFiles: [{ name: 'EXTRA.md', path: 'EXTRA.md', content: 'more', missing: false }],
        });
        expect(event.messages).toEqual([]);
      });

      it('what it asks of the gateway, and the answer', async () => {
        host = recordingHost({
          queueInjection: async () => {
            throw new Error('not allowed here');
          },
        });
        const { registrations } = await load(`
          api.logger.warn('loading');
          api.registerGatewayMethod('ask', async ({ respond }) => {
            const run = await api.runtime.subagent.run({ sessionKey: 'agent:main:x', message: 'hi' });
            const refused = await api.enqueueNextTurnInjection({ sessionKey: 'k', text: 't' }).catch((error) => error.message);
            respond(true, { run: run.runId, refused });
          });
        `);
        expect(await only(registrations, 'method').handler({}, {})).toEqual({
          run: 'run-1',
          refused: 'not allowed here',
        });
        expect(host.asked).toMatchObject([
          { name: 'startRun', request: { message: 'hi', sessionKey: 'agent:main:x' } },
        ]);
        expect(host.logged).toContainEqual({ level: 'warn', text: 'loading' });
      });
    });

    describe('loads code', () => {
      it('as TypeScript, ES module, CommonJS, function, and object with activate', async () => {
        const register = `{ api.registerCommand({ name: 'hi', description: 'Hi.', handler: () => ({ text: name }) }); }`;
        const forms: Record<string, Record<string, string>> = {
          typescript: {
            'index.ts': `import { name } from './name.js'; enum E { A } export default { register(api: any): void ${register} }`,
            'name.ts': `export const name: string = 'ts';`,
          },
          module: {
            'index.mjs': `import { name } from './name.mjs'; export default function (api) ${register}`,
            'name.mjs': `export const name = await Promise.resolve('mjs');`,
          },
          common: {
            'index.cjs': `const { name } = require('./name.cjs'); module.exports = { activate(api) ${register} };`,
            'name.cjs': `exports.name = 'cjs';`,
          },
          mixed: {
            'index.js': `const { join } = require('node:path'); const name = join('a', 'b'); export default { register(api) ${register} }`,
            'package.json': '{"type":"module"}',
          },
          entry: {
            'index.ts': `import { definePluginEntry } from 'openclaw/plugin-sdk/plugin-entry';
              import { definePluginEntry as same } from 'atrium/plugin-sdk';
              const name = String(definePluginEntry === same);
              export default definePluginEntry({ id: 'entry', name: 'Entry', description: 'An entry.', register(api) ${register} });`,
          },
        };
        const said: Record<string, unknown> = {};
        for (const [id, files] of Object.entries(forms)) {
          const { registrations } = loadedOf(await loader.load(await scratch.write(id, files), host));
          const answer = await only(registrations, 'command').handler(COMMAND_CONTEXT);
          said[id] = answer?.text;
        }
        expect(said).toEqual({ typescript: 'ts', module: 'mjs', common: 'cjs', mixed: 'a/b', entry: 'true' });
      });

      it('with the packages and data that it brought', async () => {
        const setup = await scratch.write('brings', {
          'index.js': `import data from './data.json'; import { esm } from 'esm-package'; import common from 'common-package'; import { entry } from 'uses-sdk';
            export default { register(api) { api.registerCommand({ name: 'hi', description: 'Hi.', handler: () => ({ text: [data.word, esm, common.word, entry].join() }) }); } }`,
          'package.json': '{"type":"module"}',
          'data.json': '{"word":"json"}',
          'node_modules/esm-package/package.json': '{"type":"module","exports":"./main.js"}',
          'node_modules/esm-package/main.js': `export const esm = 'esm';`,
          'node_modules/common-package/package.json': '{"main":"main.js"}',
          'node_modules/common-package/main.js': `module.exports = { word: 'cjs' };`,
          'node_modules/uses-sdk/package.json': '{"type":"module","exports":"./main.js"}',
          'node_modules/uses-sdk/main.js': `import { definePluginEntry } from 'openclaw/plugin-sdk/core'; export const entry = typeof definePluginEntry;`,
        });
        const { registrations } = loadedOf(await loader.load(setup, host));
        expect(await only(registrations, 'command').handler(COMMAND_CONTEXT)).toEqual({
          text: 'json,esm,cjs,function',
        });
      });

      it('with the typebox of the host when it brings none', async () => {
        const tool = `{ name: 'typed', description: 'Typed.', parameters: Type.Object({ who: Type.String(), often: Type.Optional(Type.Number()) }), execute: async () => ({ content: [] }) }`;
        for (const [id, files] of Object.entries<Record<string, string>>({
          esm: {
            'index.ts': `import { Type } from '@sinclair/typebox'; export default (api: any) => api.registerTool(${tool});`,
          },
          cjs: {
            'index.cjs': `const { Type } = require('typebox'); module.exports = (api) => api.registerTool(${tool});`,
          },
        })) {
          const { registrations } = loadedOf(await loader.load(await scratch.write(id, files), host));
          const [made] = await only(registrations, 'tool').make({});
          expect(made?.parameters, id).toEqual({
            type: 'object',
            required: ['who'],
            properties: { who: { type: 'string' }, often: { type: 'number' } },
          });
        }
      });

      it('afresh each time, so that an edit is seen', async () => {
        const say = (text: string) =>
          `api.registerCommand({ name: 'say', description: 'Says.', handler: () => ({ text: '${text}' }) });`;
        const first = await load(say('old'));
        const second = await load(say('new'));
        expect(await only(second.registrations, 'command').handler(COMMAND_CONTEXT)).toEqual({ text: 'new' });
        await first.unload();
        expect(await only(second.registrations, 'command').handler(COMMAND_CONTEXT)).toEqual({ text: 'new' });
      });
    });

    describe('fails with one sentence', () => {
      const reasonOf = async (setup: PluginSetup) => {
        const result = await loader.load(setup, host);
        if (result.ok || !('reason' in result)) throw new Error('it was expected to fail');
        expect(result.reason).not.toMatch(/[\n\r\u001b]/);
        expect(result.reason.length).toBeLessThan(600);
        return result.reason;
      };

      it('when its code throws, with the place', async () => {
        const setup = await scratch.write('bad', `\n\nthrow new Error('out of\\n order \\u001b[31m');`);
        expect(await reasonOf(setup)).toMatch(/out of order.*index\.ts:3/);
      });

      it('when it cannot be read as code', async () => {
        expect(await reasonOf(await scratch.write('bad', 'const = 1;'))).toContain('index.ts');
      });

      it('when register throws, or rejects, or throws nothing sensible', async () => {
        expect(await reasonOf(await write(`throw new Error('no key');`))).toContain('no key');
        expect(await reasonOf(await scratch.write('bad', `export default () => { throw null; }`))).toContain('null');
        expect(
          await reasonOf(await scratch.write('bad', `export default { register: () => Promise.reject('late') }`)),
        ).toContain('late');
      });

      it('when there is nothing to call', async () => {
        expect(await reasonOf(await scratch.write('bad', 'export const register = 1;'))).toContain('register');
        expect(await reasonOf({ ...(await write('')), entryPath: `${scratch.root}/nowhere.ts` })).toContain(
          'nowhere.ts',
        );
      });

      it('when it imports what does not exist, by name', async () => {
        const importing = (statement: string) => scratch.write('bad', `${statement}\nexport default { register() {} }`);
        expect(await reasonOf(await importing(`import { x } from 'no-such-package'; x();`))).toContain(
          'no-such-package',
        );
        expect(
          await reasonOf(await importing(`import { x } from 'openclaw/plugin-sdk/no-such-thing'; x();`)),
        ).toContain('openclaw/plugin-sdk/no-such-thing');
        // Used in a handler only, and noticed when it loads all the same.
        const setup = await importing(
          `import { definePluginEntry, noSuchThing } from 'openclaw/plugin-sdk/core'; export const f = () => noSuchThing();`,
        );
        expect(await reasonOf(setup)).toContain('openclaw/plugin-sdk/core#noSuchThing');
      });

      it('when something that it registered gets lost on the way, by name', async () => {
        const losing = `
          const { push } = Array.prototype;
          api.on('agent_end', () => {});
          Array.prototype.push = () => 0;
          api.on('before_tool_call', () => ({ block: true }));
          Array.prototype.push = push;
        `;
        expect(await reasonOf(await write(losing))).toContain('It registered hook before_tool_call, and the gateway');
      });

      it('when register does not end in its time', async () => {
        await loader.close();
        loader = await makeLoader({ registerTimeoutMs: 50 });
        expect(await reasonOf(await write('await new Promise(() => {});'))).toContain('50 ms');
        // And no other plugin notices.
        expect((await load(`api.on('agent_end', () => {});`, {}, 'other')).registrations).toHaveLength(1);
      });
    });

    describe('when it is unloaded', () => {
      const EVERYTHING = `
        api.on('agent_end', () => 'alive');
        api.registerHook('command:new', () => {}, { name: 'h' });
        api.registerTool({ name: 't', description: 'T', parameters: { type: 'object' }, execute: async () => ({ content: [] }) });
        api.registerCommand({ name: 'c', description: 'C', handler: () => ({ text: 'alive' }) });
        api.registerService({ id: 's', start() {}, stop() {} });
        api.registerGatewayMethod('m', ({ respond }) => respond(true));
        api.registerSessionExtension({ namespace: 'n', description: 'N', project: () => 1, cleanup() {} });
        api.registerRuntimeLifecycle({ id: 'l', cleanup() {} });
        api.registerMemoryCorpusSupplement({ search: async () => [], get: async () => null });
      `;

      it('rejects every call, whatever it was', async () => {
        const plugin = await load(EVERYTHING);
        const [tool] = await only(plugin.registrations, 'tool').make({});
        await plugin.unload();
        await plugin.unload();
        const calls = plugin.registrations.flatMap((registration) =>
          Object.entries(registration).filter(
            // Whether the worker is busy is asked of the gateway and not of the plugin.
            (entry): entry is [string, () => unknown] => typeof entry[1] === 'function' && entry[0] !== 'isHeldUp',
          ),
        );
        expect(calls.length).toBeGreaterThanOrEqual(11);
        for (const [called, call] of calls) {
          await expect(asked(call), called).rejects.toMatchObject({ code: 'ATRIUM_PLUGIN_GONE' });
        }
        const { signal } = new AbortController();
        await expect(asked(() => tool?.execute('1', {}, signal))).rejects.toMatchObject({ code: 'ATRIUM_PLUGIN_GONE' });
      });

      it('can no longer ask the gateway for anything', async () => {
        const plugin = await load(`
          api.registerGatewayMethod('later', async ({ respond }) => {
            const ask = () => api.enqueueNextTurnInjection({ sessionKey: 'k', text: 't' });
            respond(true, undefined);
            setTimeout(() => { api.logger.info('still here'); ask().catch(() => {}); }, 20);
          });
        `);
        await only(plugin.registrations, 'method').handler({}, {});
        await plugin.unload();
        await new Promise((resolve) => setTimeout(resolve, 60));
        expect(host.asked).toEqual([]);
        expect(host.logged).toEqual([]);
      });

      it('leaves the others alone, and close unloads all of them', async () => {
        const one = await load(EVERYTHING, {}, 'one');
        const two = await load(EVERYTHING, {}, 'two');
        await one.unload();
        expect(await only(two.registrations, 'command').handler(COMMAND_CONTEXT)).toEqual({ text: 'alive' });
        await loader.close();
        await expect(asked(() => only(two.registrations, 'command').handler(COMMAND_CONTEXT))).rejects.toMatchObject({
          code: 'ATRIUM_PLUGIN_GONE',
        });
      });
    });

    it('notes what an operator should know', async () => {
      const { notes, registrations } = await load(`
        api.registerSpeechProvider({ id: 'voice' });
        api.registerSomethingNew({ id: 'x' });
        api.registerTrustedToolPolicy({ id: 'p', description: 'P', evaluate: () => {} });
        api.registerTool({ name: 't', description: 'T', parameters: { type: 'object' }, execute: async () => ({ content: [] }) });
      `);
      expect(registrations.map(({ kind }) => kind)).toEqual(['unused', 'tool']);
      const said = notes.map(({ level, code }) => `${level} ${code}`);
      expect(said).toEqual(['warn unused', 'warn refused', 'warn refused', 'info undeclared-tool']);
      expect(notes[1]?.message).toContain('registerSomethingNew');
    });
  });
}

const COMMAND_CONTEXT = { channel: 'cli', isAuthorizedSender: true, commandBody: '/x' };

function loadedOf(result: LoadResult): LoadedPlugin {
  if (result.ok) return result.plugin;
  throw new Error('reason' in result ? result.reason : `it needs to be inline: ${result.needsInline.join(', ')}`);
}

function all<Kind extends RegistrationKind>(registrations: readonly PluginRegistration[], kind: Kind) {
  return registrations.filter(
    (entry): entry is Extract<PluginRegistration, { readonly kind: Kind }> => entry.kind === kind,
  );
}

function only<Kind extends RegistrationKind>(registrations: readonly PluginRegistration[], kind: Kind) {
  const [found, ...more] = all(registrations, kind);
  if (!found || more.length > 0) throw new Error(`expected one registration of kind ${kind}`);
  return found;
}

/** Whether a function throws or rejects is the loader's to choose. */
async function asked(call: () => unknown): Promise<unknown> {
  return await call();
}
