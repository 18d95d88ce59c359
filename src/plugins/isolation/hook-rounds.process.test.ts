// Handlers of many plugins in the worker, asked by the runner with one message: whatever they do, the outcome is the same
// as if they had been asked one by one, and only who did something answers for it.

import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { MessagePort } from 'node:worker_threads';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { HookCallRecord } from '../../hooks/hook-call-record.ts';
import { HookRunner } from '../../hooks/runner.ts';
import { armHooks } from '../arm-hooks.ts';
import { recordingHost, ScratchPlugins } from '../fixtures/scratch-plugins.ts';
import type { LoadedPlugin } from '../loaded-plugin.ts';
import type { PluginSetup } from '../plugin-setup.ts';
import { WorkerPlugins } from './worker-plugins.ts';

let scratch: ScratchPlugins;
let plugins: WorkerPlugins;
let runner: HookRunner;
let told: HookCallRecord[] = [];
let loaded: { readonly plugin: LoadedPlugin; readonly setup: PluginSetup }[] = [];
let minutes = 0;

const CONTEXT = { agentId: 'main', sessionKey: 'agent:main:main', runId: 'run-1' };
const ALLOWED = { allowConversationAccess: true, allowPromptInjection: true };

beforeAll(async () => {
  scratch = await ScratchPlugins.create();
  const reloaded = (plugin: LoadedPlugin, before: LoadedPlugin) => {
    loaded = loaded.map((each) => (each.plugin === before ? { ...each, plugin } : each));
  };
  plugins = new WorkerPlugins({
    memoryMb: 128,
    heartbeatMs: 500,
    now: () => ++minutes * 60_000,
    warn: () => {},
    events: { trouble: () => {}, reloaded },
  });
});

afterAll(async () => {
  await plugins.close();
  await scratch.remove();
});

afterEach(async () => {
  await runner.drain(5_000);
  for (const { plugin } of loaded.splice(0)) await plugin.unload();
});

/** Plugins p0, p1 and so on, each with the body of its register function. */
async function arm(bodies: readonly string[], { oneByOne = false } = {}): Promise<void> {
  runner = new HookRunner({ record: (call) => void told.push(call) });
  told = [];
  for (const [index, body] of bodies.entries()) {
    const id = `p${index}`;
    const text = `export default { id: '${id}', register(api: any) { ${body} } }`;
    const setup = await scratch.write(id, text, { hooks: ALLOWED, pluginConfig: { own: id } });
    const result = await plugins.load(setup, recordingHost());
    if (!result.ok) throw new Error(JSON.stringify(result));
    loaded.push({ plugin: result.plugin, setup });
    const registrations = oneByOne
      ? result.plugin.registrations.map((each) => (each.kind === 'hook' ? { ...each, remote: undefined } : each))
      : result.plugin.registrations;
    armHooks(runner, setup, registrations, 'worker');
  }
}

const outcomes = (calls: readonly HookCallRecord[]) => calls.map(({ owner, outcome }) => `${owner} ${outcome}`);

describe('a round', () => {
  it('takes one message for any number of handlers that say nothing', async () => {
    await arm(
      Array.from({ length: 12 }, () => `api.on('before_prompt_build', async () => {}); api.on('agent_end', () => {});`),
    );
    const post = vi.spyOn(MessagePort.prototype, 'postMessage');
    const { calls } = await runner.run('before_prompt_build', { prompt: 'hi', messages: [] }, CONTEXT);
    expect(outcomes(calls)).toEqual(Array.from({ length: 12 }, (_, index) => `p${index} done`));
    expect(post).toHaveBeenCalledTimes(1);
    await runner.observeAndWait('agent_end', { messages: [], success: true }, CONTEXT);
    expect(told.filter(({ hook, outcome }) => hook === 'agent_end' && outcome === 'done')).toHaveLength(12);
    expect(post).toHaveBeenCalledTimes(2);
    post.mockRestore();
  });

  it('gives each handler an event of its own, with its own configuration', async () => {
    const spoil = `api.on('before_prompt_build', (event, context) => {
      const seen = [event.prompt, event.messages.length, event.context.pluginConfig.own, context.trace?.spoilt, context.runId];
      event.prompt = 'spoilt'; event.messages.push(1); event.context.pluginConfig.own = 'spoilt'; context.runId = 'spoilt';
      if (context.trace) context.trace.spoilt = true;
      return { appendContext: JSON.stringify(seen) };
    });`;
    await arm([spoil, spoil, spoil]);
    const messages = Array.from({ length: 20 }, () => ({ role: 'user', content: 'x' }));
    const context = { ...CONTEXT, trace: { traceId: 't', spanId: 's', callDepth: 0 } };
    const { contributions } = await runner.run(
      'before_prompt_build',
      { prompt: 'hi', messages: messages as never },
      context,
    );
    expect(contributions.map(({ value }) => value)).toEqual(
      ['p0', 'p1', 'p2'].map((own) => JSON.stringify(['hi', 20, own, null, 'run-1'])),
    );
  });

  it('comes to the same as asking one by one, whatever the handlers do', async () => {
    const deeds = [
      '',
      'return { params: { by: (event.params.by ?? "") + api.id } };',
      'throw new Error("no");',
      'await new Promise((go) => setTimeout(go, 20));',
      'await new Promise((go) => setTimeout(go, 20)); return { params: { later: api.id } };',
      'return { requireApproval: { title: "t", description: api.id } };',
      'return "nonsense";',
      'return { block: true, blockReason: api.id };',
      'return { params: { never: true } };',
    ];
    // A gate that fails closes, so those that fail come in a hook of their own.
    const gate = [0, 1, 3, 0, 4, 5, 1, 0, 7, 8].map((deed) => deeds[deed] ?? '');
    const hook = (name: string, body: string) => `api.on('${name}', async (event) => { ${body} });`;
    const sending = [0, 2, 6, 0, 3, 2].map((deed) => deeds[deed] ?? '');
    const text = 'return { content: event.content + api.id };';
    const bodies = gate.map((body, index) => {
      const other = index % 2 ? text : (sending[index / 2] ?? '');
      return hook('before_tool_call', body) + hook('message_sending', other);
    });
    const ask = async () => {
      const gated = await runner.run('before_tool_call', { toolName: 't', params: {} } as never, CONTEXT);
      const sent = await runner.run('message_sending', { to: 'x', content: 'said by ' } as never, CONTEXT);
      const decided = [gated, sent].map(({ result, decidedBy, refusal, calls }) => [
        JSON.stringify(result),
        decidedBy,
        refusal,
        calls.map(({ owner, outcome, error, changed }) => [owner, outcome, error, changed]),
      ]);
      return decided;
    };
    await arm(bodies, { oneByOne: true });
    const oneByOne = await ask();
    for (const { plugin } of loaded.splice(0)) await plugin.unload();
    await arm(bodies);
    expect(await ask()).toEqual(oneByOne);
    expect(oneByOne[1]?.[0]).toContain('said by p1p3p5p7p9');
  });

  it('blames a handler that spins, and nobody before or after it', async () => {
    const count = `let calls = 0; api.on('before_prompt_build', () => { calls += 1; api.logger.info('called'); return api.id === 'p0' ? { appendContext: 'from p0' } : undefined; });`;
    const spin = `api.on('before_prompt_build', () => { for (;;) {} });`;
    await arm([count, count, spin, count, count]);
    const { calls, result } = await runner.run('before_prompt_build', { prompt: 'hi', messages: [] }, CONTEXT);
    expect(outcomes(calls)).toEqual(['p0 done', 'p1 done', 'p2 threw', 'p3 done', 'p4 done']);
    expect(result.appendContext).toBe('from p0');
    expect(calls[2]?.error).toContain('The plugin "p2" kept the plugin worker busy');
  });

  it('is closed by a gate that spins, and asks nobody behind it', async () => {
    const ask = (body: string) => `api.on('before_tool_call', () => { ${body} });`;
    await arm([ask(''), ask('for (;;) {}'), ask(`throw new Error('was called');`)]);
    const { calls, refusal } = await runner.run('before_tool_call', { toolName: 't', params: {} } as never, CONTEXT);
    expect(outcomes(calls)).toEqual(['p0 done', 'p1 threw']);
    expect(refusal).toMatchObject({ owner: 'p1', cause: 'failure' });
  });

  it('does not blame a handler for the time that a later one takes', async () => {
    const busy = 'const end = performance.now() + 250; while (performance.now() < end);';
    const ask = (body: string, ms: number) =>
      `api.on('before_prompt_build', async () => { ${body} }, { timeoutMs: ${ms} });`;
    await arm([ask('', 100), ask(busy, 10_000), ask('await new Promise(() => {});', 100), ask('', 5_000)]);
    const { calls } = await runner.run('before_prompt_build', { prompt: 'hi', messages: [] }, CONTEXT);
    expect(outcomes(calls)).toEqual(['p0 done', 'p1 done', 'p2 timed-out', 'p3 done']);
    expect(calls[1]?.ms).toBeGreaterThan(200);
  });

  it.each([
    ['together', false, 'for (;;) {}'],
    ['one by one', true, 'for (;;) {}'],
    ['after an exit', false, 'process.exit(0);'],
  ])('does not count the time in which another plugin keeps the worker from a handler: %s', async (_, oneByOne, deed) => {
    const redact = `api.on('tool_result_persist', ({ message }) => ({ message: { ...message, content: 'hidden' } }), { timeoutMs: 250 });`;
    const bad = `api.on('agent_end', () => {
      process.getBuiltinModule('node:fs').writeFileSync(new URL('./begun', import.meta.url), ''); ${deed}
    });`;
    await arm([redact, bad], { oneByOne });
    const begun = join(loaded[1]?.setup.rootDir ?? '', 'begun');
    await rm(begun, { force: true });
    runner.observe('agent_end', { messages: [], success: true }, CONTEXT);
    await vi.waitFor(() => expect(existsSync(begun)).toBe(true), 5_000);
    const message = { role: 'toolResult', toolCallId: 'c', toolName: 't', content: [{ type: 'text', text: 'secret' }] };
    const { calls, result } = await runner.run('tool_result_persist', { message } as never, CONTEXT);
    expect(outcomes(calls)).toEqual(['p0 done']);
    expect(JSON.stringify(result)).toContain('hidden');
  });

  it('tells a handler that its time is over', async () => {
    const wait = (hook: string) => `api.on('${hook}', (event, { signal }) => new Promise((resolve) => {
      signal.addEventListener('abort', () => { api.logger.warn('${hook} aborted'); resolve(); });
    }), { timeoutMs: 50 });`;
    const host = recordingHost();
    const text = `export default { id: 'p0', register(api: any) { ${wait('before_prompt_build')} ${wait('agent_end')} } }`;
    const setup = await scratch.write('p0', text, { hooks: ALLOWED });
    const result = await plugins.load(setup, host);
    if (!result.ok) throw new Error(JSON.stringify(result));
    loaded.push({ plugin: result.plugin, setup });
    runner = new HookRunner();
    armHooks(runner, setup, result.plugin.registrations, 'worker');
    await runner.run('before_prompt_build', { prompt: 'hi', messages: [] }, CONTEXT);
    await runner.observeAndWait('agent_end', { messages: [], success: true }, CONTEXT);
    await vi.waitFor(
      () => expect(host.logged.map((each) => each.text)).toEqual(['before_prompt_build aborted', 'agent_end aborted']),
      5_000,
    );
  });

  it('has a plugin that replaces built-in functions undone before the next one is asked', async () => {
    const spoil = `api.on('before_prompt_build', () => { Array.prototype.map = () => { throw new Error('spoilt'); }; delete globalThis.setTimeout; });`;
    const use = `api.on('before_prompt_build', async () => { await new Promise((go) => setTimeout(go, 1)); return { appendContext: [1].map(String).join() }; });`;
    await arm([spoil, use]);
    const { result } = await runner.run('before_prompt_build', { prompt: 'hi', messages: [] }, CONTEXT);
    expect(result.appendContext).toBe('1');
  });
});
