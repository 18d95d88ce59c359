import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../protocol/json.ts';
import { type RecordingHost, recordingHost } from '../fixtures/scratch-plugins.ts';
import type { PluginNote } from '../loaded-plugin.ts';
import type { PluginSetup } from '../plugin-setup.ts';
import type { PluginRegistration, RegistrationKind } from '../registration.ts';
import { createPluginApi } from './create-plugin-api.ts';

const SETUP: PluginSetup = {
  id: 'nice',
  name: 'Nice',
  origin: 'config',
  entryPath: '/plugins/nice/index.ts',
  rootDir: '/plugins/nice',
  manifest: { id: 'nice', kind: [], enabledByDefault: true, tools: ['declared'], skills: [], raw: {} },
  registrationMode: 'full',
  config: { agents: { list: [] } },
  pluginConfig: { mood: 'calm' },
  hooks: {},
  stateDir: '/state',
  workspaceDir: '/workspace',
  homeDir: '/home/ana',
  holdsMemorySlot: false,
  generation: 1,
};

/** Whatever a plugin may do with it, which is more than its types say. */
// biome-ignore lint/suspicious/noExplicitAny: plugins are not typed
type AnyApi = any;

function apiOf(setup: Partial<PluginSetup> = {}, host: RecordingHost = recordingHost()) {
  const registrations: PluginRegistration[] = [];
  const notes: PluginNote[] = [];
  const collect = {
    register: (registration: PluginRegistration) => void registrations.push(registration),
    note: (note: PluginNote) => void notes.push(note),
  };
  const api: AnyApi = createPluginApi({ ...SETUP, ...setup }, host, collect);
  const only = <Kind extends RegistrationKind>(kind: Kind) => {
    const found = registrations.filter((entry) => entry.kind === kind);
    expect(found, kind).toHaveLength(1);
    return found[0] as Extract<PluginRegistration, { readonly kind: Kind }>;
  };
  return { api, registrations, notes, host, only, said: () => notes.map(({ code }) => code) };
}

const tool = (name: string, more: object = {}) => ({
  name,
  description: 'A tool.',
  parameters: { type: 'object' },
  execute: async () => 'done',
  ...more,
});

describe('the API of a plugin', () => {
  it('says who the plugin is, with copies of its configuration', () => {
    const { api } = apiOf();
    expect(api).toMatchObject({ id: 'nice', source: '/plugins/nice/index.ts', registrationMode: 'full' });
    api.config.agents.list.push('mine');
    api.pluginConfig.mood = 'wild';
    expect(SETUP.config).toEqual({ agents: { list: [] } });
    expect(SETUP.pluginConfig).toEqual({ mood: 'calm' });
    expect(api.runtime.config.current()).toEqual({ agents: { list: [] } });
  });

  it('says which version of the contract is followed, because plugins compare it with dates', () => {
    const { api } = apiOf();
    expect(api.runtime.version).toMatch(/^20\d\d\.\d{1,2}\.\d{1,2}$/);
  });

  it('resolves paths from its folder and from the home of the operator', () => {
    const { api } = apiOf();
    expect([
      api.resolvePath('data/x.json'),
      api.resolvePath('~/x'),
      api.resolvePath('~'),
      api.resolvePath('/x'),
    ]).toEqual(['/plugins/nice/data/x.json', '/home/ana/x', '/home/ana', '/x']);
  });

  it('answers to registrations that nobody has heard of, and to nothing else', () => {
    const { api, notes, registrations } = apiOf();
    expect(typeof api.registerHologram).toBe('function');
    expect(api.registerHologram({ id: 'x' })).toBe(undefined);
    api.registerHologram({ id: 'y' });
    expect(notes).toMatchObject([
      { level: 'warn', code: 'refused', message: expect.stringContaining('registerHologram') },
    ]);
    expect(registrations).toEqual([]);
    expect([api.somethingElse, api.then, api.registered, 'registerHologram' in api]).toEqual([
      undefined,
      undefined,
      undefined,
      false,
    ]);
    expect(String(api)).toBe('[object Object]');
  });

  it('puts aside what has no use here, by name', () => {
    const { api, registrations, notes } = apiOf();
    api.registerSpeechProvider({ id: 'voice' });
    api.registerChannel({ plugin: { id: 'fax' } });
    api.registerContextEngine('engine', () => ({}));
    expect(registrations).toEqual([
      { kind: 'unused', registrar: 'registerSpeechProvider', id: 'voice' },
      { kind: 'unused', registrar: 'registerChannel', id: 'fax' },
      { kind: 'unused', registrar: 'registerContextEngine', id: 'engine' },
    ]);
    expect(notes.map(({ level, code }) => [level, code])).toEqual(Array(3).fill(['warn', 'unused']));
  });

  it('refuses nonsense without throwing, and the rest stands', () => {
    const { api, registrations, notes } = apiOf();
    for (const nonsense of [undefined, null, 1, 'text', {}, [], () => undefined]) {
      api.registerCommand(nonsense);
      api.registerService(nonsense);
      api.registerHttpRoute(nonsense);
      api.registerGatewayMethod(nonsense, nonsense);
      api.registerHook(nonsense, nonsense);
      api.on(nonsense, nonsense);
      api.registerSessionExtension(nonsense);
      api.registerRuntimeLifecycle(nonsense);
      api.registerSessionAction(nonsense);
      api.registerSessionSchedulerJob(nonsense);
      api.registerAgentEventSubscription(nonsense);
      api.registerMemoryCorpusSupplement(nonsense);
      if (typeof nonsense !== 'function') {
        api.registerTool(nonsense);
        api.registerCli(nonsense);
        api.registerHttpHandler(nonsense);
        api.registerMemoryPromptSupplement(nonsense);
      }
    }
    const kinds = new Set(registrations.map(({ kind }) => kind));
    expect([...kinds]).toEqual([]);
    expect(notes.filter(({ code }) => code === 'refused').length).toBeGreaterThan(10);
    api.registerCommand({ name: '/Fine', description: 'Fine.', handler: () => 'fine' });
    expect(registrations).toMatchObject([{ kind: 'command', name: 'fine' }]);
  });

  it('takes each name once', () => {
    const { api, registrations, notes } = apiOf();
    const service = { id: 's', start: () => undefined };
    api.registerService(service);
    api.registerService(service);
    api.registerTool(tool('declared'));
    api.registerTool(() => null, { names: ['declared', 'more'] });
    expect(registrations).toHaveLength(2);
    expect(notes.map(({ message }) => /"(\w+)" already/.exec(message)?.[1])).toEqual(['s', 'declared']);
  });
});

describe('hooks', () => {
  it('have names of their own, and the first has the name of the plugin', () => {
    const { api, registrations } = apiOf();
    api.on('agent_end', () => undefined);
    api.on('agent_end', () => undefined, { priority: 'high', timeoutMs: Number.NaN });
    api.on('session_end', () => undefined);
    expect(registrations.map((entry) => entry.kind === 'hook' && [entry.hook, entry.id, entry.priority])).toEqual([
      ['agent_end', 'nice', undefined],
      ['agent_end', 'nice#2', undefined],
      ['session_end', 'nice', undefined],
    ]);
  });

  it('of the gateway are told where its jobs are, and keep the rest of their context', async () => {
    const { api, only, host } = apiOf();
    api.on('gateway_start', async (_event: object, context: AnyApi) => [
      await context.getCron().list(),
      context.port,
      context.signal,
    ]);
    const { signal } = new AbortController();
    expect(await only('hook').handler({}, Object.freeze({ port: 1, signal }))).toEqual([[], 1, signal]);
    expect(host.asked).toEqual([{ name: 'cron', request: { op: 'list' } }]);
  });

  it('may be registered with registerHook, and find what they look for in their event', async () => {
    const { api, only, said } = apiOf();
    api.registerHook('before_tool_call', (event: AnyApi) => event.context, { name: 'old' });
    expect(said()).toEqual(['legacy']);
    const registration = only('hook');
    expect(registration.hook).toBe('before_tool_call');
    const context = { agentId: 'main' };
    expect(await registration.handler({ toolName: 'x', context: { pluginConfig: { a: 1 } } }, context)).toEqual({
      agentId: 'main',
      pluginConfig: { a: 1 },
    });
  });

  it('of packs are refused for events that nothing fires, with the one that was probably meant, and the others stand', () => {
    const { api, only, notes } = apiOf();
    api.registerHook(['message:recieved', 'message:sent'], () => {});
    expect(only('internal-hook').events).toEqual(['message:sent']);
    expect(notes).toEqual([
      {
        level: 'warn',
        code: 'refused-hook',
        message: expect.stringMatching(/"message:recieved".*"message:received"\?$/),
      },
    ]);
  });

  it('of no pack and no catalog are refused too', () => {
    const { api, registrations, notes } = apiOf();
    api.registerHook('before_tool_cal', () => {});
    expect(registrations).toEqual([]);
    expect(notes.map(({ message }) => message)).toEqual([
      expect.stringMatching(/"before_tool_cal".*"before_tool_call"\?$/),
    ]);
  });

  it('of packs wait for events that come later', () => {
    const { api, only, notes } = apiOf();
    api.registerHook('message:transcribed', () => {});
    expect(only('internal-hook').events).toEqual(['message:transcribed']);
    expect(notes).toMatchObject([{ level: 'info', code: 'pending-hook' }]);
  });

  it('of trusted policies are for plugins that come with the product', () => {
    const policy = { id: 'guard', description: 'guards', evaluate: () => ({ allow: false }) };
    for (const origin of ['config', 'extensions', 'installed'] as const) {
      const { api, registrations, notes } = apiOf({ origin });
      api.registerTrustedToolPolicy(policy);
      expect(registrations).toEqual([]);
      expect(notes).toMatchObject([{ level: 'warn', message: expect.stringContaining('before_tool_call') }]);
    }
    const { api, only } = apiOf({ origin: 'bundled' });
    api.registerTrustedToolPolicy(policy);
    expect(only('trusted-policy')).toMatchObject({ id: 'guard' });
  });

  it('of packs may be registered with on', () => {
    const { api, only, said } = apiOf();
    api.on('command:new', () => undefined);
    expect(only('internal-hook')).toMatchObject({ events: ['command:new'], name: 'nice:command:new' });
    expect(said()).toEqual(['legacy']);
  });
});

describe('tools', () => {
  it('answer in any form', async () => {
    const { api, registrations } = apiOf();
    const forms = {
      text: 'hello',
      object: { a: 1 },
      nothing: undefined,
      result: { content: [{ type: 'text', text: 'x' }], isError: true },
    };
    for (const [name, answer] of Object.entries(forms)) api.registerTool(tool(name, { execute: () => answer }));
    const answers = await Promise.all(
      registrations.map(async (entry) => {
        if (entry.kind !== 'tool') return undefined;
        const [made] = await entry.make({});
        return made?.execute('1', {}, new AbortController().signal);
      }),
    );
    expect(answers).toEqual([
      { content: [{ type: 'text', text: 'hello' }] },
      { content: [{ type: 'text', text: '{\n  "a": 1\n}' }], details: { a: 1 } },
      { content: [] },
      forms.result,
    ]);
  });

  it('of owners are there for owners only, whichever way they are made', async () => {
    const { api, registrations } = apiOf();
    api.registerTool(tool('one', { ownerOnly: true }));
    api.registerTool(() => [tool('two', { ownerOnly: true }), tool('three')], { names: ['two', 'three'] });
    const namesFor = async (senderIsOwner?: boolean) => {
      const made = await Promise.all(
        registrations.map((entry) => (entry.kind === 'tool' ? entry.make({ senderIsOwner }) : [])),
      );
      return made.flat().map(({ name }) => name);
    };
    expect(await namesFor(true)).toEqual(['one', 'two', 'three']);
    expect(await namesFor(false)).toEqual(['three']);
    expect(await namesFor()).toEqual(['three']);
  });

  it('are noted when the manifest does not name them', () => {
    const { api, notes } = apiOf();
    api.registerTool(tool('declared'));
    api.registerTool(tool('surprise'));
    api.registerTool(tool('no spaces, please'));
    expect(notes.map(({ code, message }) => [code, message.includes('surprise')])).toEqual([
      ['undeclared-tool', true],
      ['refused', false],
    ]);
  });

  it('that a factory makes wrongly fail with a sentence', async () => {
    const { api, only } = apiOf();
    api.registerTool(() => ({ name: 'broken' }), { name: 'broken' });
    await expect(only('tool').make({})).rejects.toThrow('"broken" has no execute function');
  });
});

describe('older forms', () => {
  it('of routes and handlers are understood', async () => {
    const { api, registrations, notes } = apiOf();
    api.registerHttpHandler(() => false);
    api.registerHttpRoute({ path: 'hooks/x', handler: () => true, handleUpgrade: () => undefined });
    api.registerHttpRoute({ path: '/open', auth: 'plugin', match: 'prefix', handler: () => true });
    expect(registrations).toMatchObject([
      { kind: 'route', path: '', match: 'prefix', auth: 'gateway' },
      { kind: 'route', path: '/hooks/x', match: 'exact', auth: 'gateway' },
      { kind: 'route', path: '/open', match: 'prefix', auth: 'plugin' },
    ]);
    expect(notes.map(({ code }) => code)).toEqual(['legacy', 'unused', 'legacy']);
  });

  it('of reading and writing the configuration are understood, and said once', async () => {
    const { api, host, said } = apiOf();
    const config = api.runtime.config.loadConfig();
    config.added = true;
    expect(api.runtime.config.loadConfig()).not.toHaveProperty('added');
    await api.runtime.config.writeConfigFile(config);
    expect(api.runtime.config.current()).toHaveProperty('added', true);
    const { result } = await api.runtime.config.mutateConfigFile({
      mutate: (draft: JsonObject) => Object.assign(draft, { more: 1 }) && 'ok',
    });
    expect(result).toBe('ok');
    expect(host.asked.map(({ name }) => name)).toEqual(['writeConfig', 'writeConfig']);
    expect(host.asked[1]?.request).toMatchObject({ added: true, more: 1 });
    expect(said()).toEqual(['legacy', 'legacy']);
  });

  it('of answering an approval are understood', async () => {
    const { api, host } = apiOf();
    await api.runtime.agent.resolveApproval('ap1', 'deny');
    await api.runtime.agent.resolveApproval({ id: 'ap2', decision: 'deny' });
    expect(host.asked.map(({ request }) => request)).toEqual([
      { id: 'ap1', decision: 'deny' },
      { id: 'ap2', decision: 'deny' },
    ]);
  });

  it('of sending through the adapter of a platform are understood', async () => {
    const { api, host } = apiOf({ config: { channels: { telegram: {} } } });
    const adapter = await api.runtime.channel.outbound.loadAdapter('telegram');
    expect(await adapter.sendText({ cfg: {}, to: 'group:-100', text: 'hello', threadId: 7 })).toMatchObject({
      channel: 'telegram',
      runId: 'run-1',
    });
    await adapter.sendMedia({ to: '101', text: 'see', mediaUrl: 'https://example.org/a.png', accountId: 'a' });
    expect(host.asked.map(({ request }) => request)).toMatchObject([
      { channel: 'telegram', to: 'group:-100', text: 'hello', threadId: '7' },
      { channel: 'telegram', to: '101', text: 'see\nhttps://example.org/a.png', accountId: 'a' },
    ]);
    expect(await api.runtime.channel.outbound.loadAdapter('fax')).toBe(undefined);
  });

  it('of saying something on a platform are understood', async () => {
    const { api, host } = apiOf();
    await api.runtime.channel.slack.sendMessageSlack('C1', 'hello', { accountId: 'a' });
    expect(host.asked).toEqual([
      { name: 'sendMessage', request: { channel: 'slack', to: 'C1', text: 'hello', accountId: 'a' } },
    ]);
    expect([typeof api.runtime.tts.textToSpeech, typeof api.runtime.llm.complete, api.runtime.shiny]).toEqual([
      'undefined',
      'undefined',
      undefined,
    ]);
  });
});

describe('what plugins do at once and the gateway does later', () => {
  it('is begun, and a failure is told in the log', async () => {
    const host = recordingHost({
      enqueueSystemEvent: async () => {
        throw new Error('no such session');
      },
    });
    const { api } = apiOf({}, host);
    expect(api.runtime.system.enqueueSystemEvent('hi', { sessionKey: 'k' })).toBe(true);
    await new Promise((resolve) => setImmediate(resolve));
    expect(host.logged).toEqual([{ level: 'warn', text: 'Queueing an event failed: no such session' }]);
  });
});

describe('sessions and runs', () => {
  it('queue text for the next run, in the contract’s words and ours', async () => {
    const { api, host } = apiOf();
    const injection = {
      sessionKey: 'agent:main:main',
      text: 'remember',
      placement: 'append_context',
      ttlMs: 5,
      idempotencyKey: 'i',
    };
    expect(await api.session.workflow.enqueueNextTurnInjection(injection)).toEqual({
      enqueued: true,
      id: 'injection-1',
      sessionKey: 'agent:main:main',
    });
    await api.enqueueNextTurnInjection({ sessionKey: 'k', text: 't' });
    expect(host.asked.map(({ request }) => request)).toEqual([
      { sessionKey: 'agent:main:main', text: 'remember', placement: 'append', ttlMs: 5, idempotencyKey: 'i' },
      { sessionKey: 'k', text: 't', placement: 'prepend', ttlMs: undefined, idempotencyKey: undefined },
    ]);
  });

  it('keep notes about a run, bounded and as copies', () => {
    const { api } = apiOf();
    const place = { runId: 'r', namespace: 'n' };
    const value = { list: [1] };
    expect(api.runContext.setRunContext({ ...place, value })).toBe(true);
    value.list.push(2);
    api.getRunContext(place).list.push(3);
    expect(api.getRunContext(place)).toEqual({ list: [1] });
    expect(api.setRunContext({ ...place, value: 'x'.repeat(70_000) })).toBe(false);
    expect(api.setRunContext({ ...place, value: 1n })).toBe(false);
    for (let run = 0; run < 300; run++) api.setRunContext({ runId: `r${run}`, namespace: 'n', value: run });
    expect([api.getRunContext(place), api.getRunContext({ runId: 'r299', namespace: 'n' })]).toEqual([undefined, 299]);
    api.clearRunContext({ runId: 'r299' });
    expect(api.getRunContext({ runId: 'r299', namespace: 'n' })).toBe(undefined);
  });

  it('clean up after a job of their own session only', async () => {
    const { api, only } = apiOf();
    const cleaned: unknown[] = [];
    const handle = api.session.workflow.registerSessionSchedulerJob({
      id: 'j',
      sessionKey: 'a',
      kind: 'reminder',
      cleanup: (context: unknown) => cleaned.push(context),
    });
    expect(handle).toEqual({ id: 'j', pluginId: 'nice', sessionKey: 'a', kind: 'reminder' });
    const { cleanup } = only('lifecycle');
    await cleanup?.({ reason: 'reset', sessionKey: 'b' });
    await cleanup?.({ reason: 'reset', sessionKey: 'a' });
    await cleanup?.({ reason: 'disable' });
    expect(cleaned).toEqual([
      { reason: 'reset', sessionKey: 'a', jobId: 'j' },
      { reason: 'disable', sessionKey: 'a', jobId: 'j' },
    ]);
  });
});

describe('memory', () => {
  const capability = {
    promptBuilder: ({ availableTools }: { availableTools: Set<string> }) => ['# Memory', ...availableTools],
    runtime: {
      getMemorySearchManager: async ({ agentId }: { agentId: string }) => ({
        manager: { search: async (query: string) => [{ path: `${agentId}/${query}`, snippet: 's' }] },
      }),
    },
    flushPlanResolver: () => null,
  };

  it('of the plugin that holds the slot adds to the prompt and is searched', async () => {
    const { api, only, registrations } = apiOf({ holdsMemorySlot: true });
    api.registerTool(tool('memory_search'));
    api.registerMemoryCapability(capability);
    const prompt = only('hook');
    expect(prompt.hook).toBe('before_prompt_build');
    expect(await prompt.handler({}, {})).toEqual({ appendSystemContext: '# Memory\nmemory_search' });
    const corpus = only('memory-corpus');
    expect(await corpus.search({ query: 'q', agentSessionKey: 'agent:work:main' })).toEqual([
      { path: 'work/q', snippet: 's' },
    ]);
    expect(await corpus.get?.({ lookup: 'x' })).toBe(null);
    expect(registrations.at(-1)).toMatchObject({ kind: 'unused', id: 'flushPlanResolver' });
  });

  it('of any other plugin is put aside, and says what would change that', () => {
    const { api, registrations, notes } = apiOf();
    api.registerMemoryCapability(capability);
    expect(registrations).toMatchObject([{ kind: 'unused' }]);
    expect(notes[0]?.message).toContain('plugins.slots.memory');
  });

  it('may be supplemented by everybody', async () => {
    const { api, registrations } = apiOf();
    api.registerMemoryPromptSupplement(() => []);
    api.registerMemoryCorpusSupplement({ search: async () => 'nonsense' });
    const [prompt, corpus] = registrations;
    expect(prompt?.kind === 'hook' && (await prompt.handler({}, {}))).toBe(undefined);
    expect(corpus?.kind === 'memory-corpus' && (await corpus.search({ query: 'q' }))).toEqual([]);
  });
});

describe('gateway methods', () => {
  it('answer by respond, by what they return, or not at all', async () => {
    const { api, registrations } = apiOf();
    api.registerGatewayMethod('a', ({ respond }: AnyApi) => void setTimeout(() => respond(true, 'later'), 1));
    api.registerGatewayMethod('b', async ({ params }: AnyApi) => ({ echo: params }));
    api.registerGatewayMethod('c', ({ respond }: AnyApi) =>
      respond(false, undefined, { code: 'BAD', message: 'two\nlines' }),
    );
    api.registerGatewayMethod('d', () => {
      throw new Error('oops');
    });
    const call = (method: string) => {
      const found = registrations.find((entry) => entry.kind === 'method' && entry.method === method);
      return (async () => found?.kind === 'method' && found.handler({ x: 1 }, {}))();
    };
    expect(await call('a')).toBe('later');
    expect(await call('b')).toEqual({ echo: { x: 1 } });
    await expect(call('c')).rejects.toMatchObject({
      code: 'ATRIUM_PLUGIN_METHOD',
      pluginCode: 'BAD',
      reason: 'two lines',
    });
    await expect(call('d')).rejects.toThrow('oops');
  });
});
