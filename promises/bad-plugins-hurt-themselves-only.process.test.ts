// Bad plugins in a live gateway. One gateway serves most of these tests: a plugin that does what a message tells it to
// do, a well-behaved one beside it in the same worker, and people who use neither. Every person gets one answer to each
// message, whatever the bad plugin does, and the operator is told which plugin it was.

import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { gatewayForTest } from '../src/testkit/gateway-for-test.ts';
import { type RecordedRequest, reply, toolCall } from '../src/testkit/model-server.ts';
import { pluginFiles } from '../src/testkit/plugin-files.ts';
import { ScratchGateway } from '../src/testkit/scratch-gateway.ts';

/** Marks every answer, counts what it was told, and has a tool. */
const NICE = `
  let ends = 0;
  api.on('message_sending', (event) => ({ content: event.content + ' [nice]' }));
  api.on('agent_end', () => { ends += 1; });
  api.registerGatewayMethod('nice.ends', ({ respond }) => respond(true, ends));
  api.registerTool({ name: 'hi', description: 'Hi.', parameters: { type: 'object' }, execute: async () => ({ content: [{ type: 'text', text: 'hi' }] }) });
`;

/** The bad actions that a message, a tool call or a service can ask for. */
const DEEDS = `
  const later = (ms) => new Promise((go) => setTimeout(go, ms));
  const DEEDS = {
    throw: () => { throw new Error('bad luck'); },
    reject: () => Promise.reject(new Error('bad luck')),
    hang: () => { api.logger.warn('waiting for ever'); return new Promise(() => {}); },
    spin: () => { for (;;) {} },
    'spin later': async () => { await later(5); for (;;) {} },
    'spin in microtasks': async () => { for (;;) await null; },
    'spin in a timer': () => { setTimeout(() => { for (;;) {} }, 5); },
    exit: () => process.exit(3),
    'eat memory': async () => { const all = []; for (;;) { all.push(new Array(200_000).fill(Math.random())); await new Promise(setImmediate); } },
    flood: async () => { for (let i = 0; i < 20_000; i++) console.log('line', i, 'x'.repeat(100)); },
    'log much': () => { for (let i = 0; i < 10_000; i++) api.logger.warn('line ' + i); },
    'queue much': async () => {
      for (let i = 0; i < 10_000; i++) api.enqueueNextTurnInjection({ sessionKey: 'agent:main:nobody', text: 'n' + i }).catch(() => {});
      await later(20);
    },
    poison: () => {
      delete globalThis.setTimeout; delete globalThis.performance; delete globalThis.structuredClone; delete globalThis.AbortController;
      globalThis.setImmediate = () => { throw new Error('poisoned'); };
      Array.prototype.map = () => { throw new Error('poisoned'); };
      Promise.prototype.then = () => { throw new Error('poisoned'); };
      Object.prototype.toString = () => 'poisoned';
    },
    'poison a little': () => { RegExp.prototype.test = () => false; },
    'poison in a timer': () => { setTimeout(() => { Date.now = () => 0; }, 5); },
    'answer too late': async (event) => {
      await later(900);
      event.prompt = 'changed'; event.messages?.push({ role: 'user', content: 'changed' });
      return { prependContext: 'TOO LATE' };
    },
  };
  const deed = (text, event) => {
    const [, name] = /do: ([a-z ]+)/.exec(String(text)) ?? [];
    return name && DEEDS[name.trim()]?.(event);
  };
`;

const BAD = `${DEEDS}
  api.on('before_prompt_build', (event) => deed(event.prompt, event), { timeoutMs: 600 });
  api.registerTool({ name: 'misbehave', description: 'x', parameters: { type: 'object', properties: { how: { type: 'string' } } },
    execute: (id, params) => deed('do: ' + params.how) });
`;

const GATE = `${DEEDS}
  api.on('before_agent_run', (event) => deed(event.prompt), { timeoutMs: 2_000 });
`;

const CONFIG = { plugins: { worker: { heartbeatMs: 1_000, memoryMb: 160 } } };

/** The model repeats the message, and calls the tool that it is asked to call. */
function answer({ json }: RecordedRequest) {
  const messages = json.messages as readonly { readonly role: string; readonly content: unknown }[];
  const last = messages.at(-1);
  const asked = messages.findLast(({ role }) => role === 'user');
  const text = textOf(asked?.content);
  if (last?.role === 'tool') return reply(`${text}: ${textOf(last.content).slice(0, 300)}`);
  const [, how] = /misbehave: (.+)/.exec(text) ?? [];
  if (how) return toolCall('misbehave', { how });
  return text.includes('say hi') ? toolCall('hi') : reply(text);
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  return (content as readonly { readonly text?: string }[]).map(({ text = '' }) => text).join('');
}

describe('a plugin in the worker', () => {
  let scratch: ScratchGateway;
  let people = 0;
  let minutes = 0;
  /** How long other people waited for an answer while the worker was ended and started again. */
  const waits: number[] = [];

  beforeAll(async () => {
    scratch = await ScratchGateway.open({
      files: { ...pluginFiles('bad', BAD), ...pluginFiles('nice', NICE) },
      config: {
        plugins: { ...CONFIG.plugins, entries: { nice: { hooks: { allowConversationAccess: true } } } },
        agents: { defaults: { model: 'fake/small', maxConcurrent: 16 } },
      },
      // The clock jumps, so that the worker is never ended too often within a minute.
      now: () => Date.now() + minutes * 60_000,
    });
    scratch.model.script(answer);
  }, 60_000);

  afterAll(() => scratch.close());

  afterEach(async () => {
    scratch.warnings.splice(0);
    minutes += 2;
    if (scratch.services.plugins.inspect('bad').state !== 'loaded') await scratch.services.plugins.reload('bad');
    scratch.channel.expectNothingMore();
  });

  /** A person with a new name. */
  const newPerson = () => ({ sender: `person-${++people}` });

  async function says(place: { sender: string }, text: string, expected: string | RegExp = `${text} [nice]`) {
    const started = performance.now();
    await scratch.channel.says(place, text);
    await scratch.channel.expectDelivered(expected, place);
    return performance.now() - started;
  }

  const handlerOf = async (owner: string, hook: string) =>
    (await scratch.services.hooks.status()).handlers.find((each) => each.owner === owner && each.hook === hook);

  /** The longest waiting time in ten turns. */
  async function longestOfTen(person: { sender: string }): Promise<number> {
    const times: number[] = [];
    for (let turn = 0; turn < 10; turn++) times.push(await says(person, `turn ${turn}`));
    return Math.max(...times);
  }

  it.each([
    ['throws', 'throw', 'errors'],
    ['rejects', 'reject', 'errors'],
    ['hangs', 'hang', 'timeouts'],
  ] as const)('that %s is passed over, and others do not notice', async (_, what, counted) => {
    const before = await handlerOf('bad', 'before_prompt_build');
    const bystander = newPerson();
    await longestOfTen(bystander);
    // On a busy machine another process may be the reason, so the best of several rounds counts.
    let rounds = 0;
    for (let isFine = false; !isFine; ) {
      expect(++rounds).toBeLessThan(20);
      const undisturbed = await longestOfTen(bystander);
      const [disturbed] = await Promise.all([longestOfTen(bystander), says(newPerson(), `do: ${what}`)]);
      isFine = disturbed <= 2 * undisturbed;
    }
    const after = await handlerOf('bad', 'before_prompt_build');
    expect((after?.[counted] ?? 0) - (before?.[counted] ?? 0)).toBe(rounds);
    expect(scratch.services.plugins.inspect('bad').state).toBe('loaded');
    await scratch.services.plugins.reload('bad');
  });

  it.each([
    ['floods the console', 'flood'],
    ['writes ten thousand lines into its log', 'log much'],
    ['asks the gateway ten thousand times at once', 'queue much'],
  ])('that %s is cut short, and no person waits long', async (_, what) => {
    const bystander = newPerson();
    const [waited] = await Promise.all([longestOfTen(bystander), says(newPerson(), `do: ${what}`)]);
    waits.push(waited);
    expect(scratch.channel.shown(bystander)).toHaveLength(10);
    expect(await scratch.store.count('injections', { owner: 'bad' })).toBeLessThan(110);
    await scratch.services.plugins.reload('bad');
  });

  it('that floods is told of in a few lines under its name', async () => {
    await says(newPerson(), 'do: log much');
    await vi.waitFor(() => expect(scratch.warnings.join('\n')).toContain('plugin bad:'));
    expect(scratch.warnings.length).toBeLessThan(500);
  });

  it('that answers after its deadline changes nothing, also when it changes the objects that it was given', async () => {
    const person = newPerson();
    const before = scratch.model.requests.length;
    await says(person, 'do: answer too late');
    await new Promise((go) => setTimeout(go, 500));
    await says(person, 'and now?');
    const sent = scratch.model.requests
      .slice(before)
      .map(({ body }) => body)
      .join('\n');
    expect(sent).toContain('do: answer too late');
    expect(sent).not.toMatch(/TOO LATE|changed/);
  });

  it.each([
    ['spins in a hook', 'do: spin', /^do: spin \[nice\]$/],
    ['spins after it waited', 'do: spin later', /^do: spin later \[nice\]$/],
    ['never lets go of the microtasks', 'do: spin in microtasks', /\[nice\]$/],
    ['ends the process', 'do: exit', /^do: exit \[nice\]$/],
    ['eats memory', 'do: eat memory', /\[nice\]$/],
    ['spins in a tool', 'misbehave: spin', /^misbehave: spin: .*bad.* \[nice\]$/s],
    ['ends the process in a tool', 'misbehave: exit', /^misbehave: exit: .*bad.* \[nice\]$/s],
  ])('that %s is stopped and named; the run goes on, and others after a moment', async (_, text, expected) => {
    const [culprit, bystander, other] = [newPerson(), newPerson(), newPerson()];
    await says(bystander, 'before');
    const ends = (await scratch.services.methods.call('nice.ends', {}, {})) as number;
    expect(ends).toBeGreaterThan(0);
    const disturbing = says(culprit, text, expected);
    // Its tool may have been running in that worker; then the model is told so, and which plugin caused it.
    const hi = /^say hi: (hi|The plugin "nice" could not answer, .* The plugin "bad" .*) \[nice\]$/s;
    const meanwhile = [says(bystander, 'meanwhile'), says(other, 'say hi', hi)];
    const [, waited = 0] = await Promise.all([disturbing, ...meanwhile]);
    waits.push(waited);
    await vi.waitFor(() => expect(scratch.services.plugins.inspect('bad').state).toBe('suspended'));
    expect(scratch.services.plugins.inspect('bad').reason).toContain('The plugin "bad"');
    expect(scratch.warnings).toContainEqual(expect.stringMatching(/^The plugin "bad" .* worker/));
    expect(await handlerOf('bad', 'before_prompt_build')).toMatchObject({ state: 'suspended' });
    expect(await handlerOf('nice', 'message_sending')).toMatchObject({ state: 'armed' });
    // The plugin is loaded again in a new worker, and each of its handlers is called once.
    await says(bystander, 'after');
    await vi.waitFor(() => expect(scratch.services.plugins.inspect('nice').state).toBe('loaded'));
    expect(scratch.channel.shown(culprit)).toHaveLength(1);
    expect(scratch.channel.shown(bystander)).toHaveLength(3);
    await scratch.services.plugins.reload('bad');
    await says(culprit, 'and again');
  });

  it('is worth a wait of two seconds at the most, as far as the machine lets it', () => {
    expect(Math.min(...waits)).toBeLessThan(2_000);
  });

  it('that spins in a timer of its own is stopped and named as well', async () => {
    const person = newPerson();
    await says(person, 'do: spin in a timer', /\[nice\]$/);
    await says(person, 'next');
    await vi.waitFor(() => expect(scratch.services.plugins.inspect('bad').state).toBe('suspended'));
    expect(scratch.services.plugins.inspect('bad').reason).toContain('in work of its own');
    await says(person, 'after');
  });

  it('whose tool never answers keeps no other person waiting, and the run can be stopped', async () => {
    const person = newPerson();
    await scratch.channel.says(person, 'misbehave: hang');
    await vi.waitFor(() => expect(scratch.warnings).toContain('plugin bad: waiting for ever'));
    await says(newPerson(), 'hello');
    await scratch.channel.says(person, '/stop');
    await scratch.channel.expectDelivered(/^Stopp(ed|ing)\. \[nice\]$/, person);
    await scratch.channel.expectDelivered(/^Stopp(ed|ing)\. \[nice\]$/, person);
    await says(person, 'are you there?', /are you there\? \[nice\]$/);
  });

  it('that spins when it is loaded again is not, and its old code goes on', async () => {
    const file = 'extensions/bad/index.js';
    const good = await scratch.home.read(file);
    await scratch.home.write(file, 'export default () => { for (;;) {} };');
    const person = newPerson();
    await says(person, 'before');
    const reloading = scratch.services.plugins.reload('bad');
    await new Promise((go) => setTimeout(go, 200));
    await says(person, 'meanwhile');
    expect(await reloading).toMatchObject({ state: 'loaded', reason: expect.stringContaining('while it was loaded') });
    await says(person, 'do: throw');
    await scratch.home.write(file, good);
  });

  it.each([
    'do: poison',
    'do: poison a little',
    'do: poison in a timer',
    'misbehave: poison a little',
  ])('that changes what all code in the worker stands on (%s) is named and suspended, and nobody else notices', async (text) => {
    const isTool = text.startsWith('misbehave');
    await says(newPerson(), text, isTool ? /^misbehave: .* \[nice\]$/s : `${text} [nice]`);
    await says(newPerson(), 'and now?');
    await says(newPerson(), 'say hi', 'say hi: hi [nice]');
    await vi.waitFor(() => expect(scratch.services.plugins.inspect('bad').state).toBe('suspended'));
    expect(scratch.services.plugins.inspect('bad').reason).toContain('The plugin "bad" changed built-ins');
    expect(scratch.warnings).toContainEqual(expect.stringContaining('The plugin "bad" changed built-ins'));
    expect(scratch.services.plugins.inspect('nice').state).toBe('loaded');
  });

  it('that is loaded again in the middle of its call loses that call, and the run goes on', async () => {
    const person = newPerson();
    await scratch.channel.says(person, 'do: hang');
    await new Promise((go) => setTimeout(go, 100));
    await scratch.services.plugins.reload('bad');
    await scratch.channel.expectDelivered('do: hang [nice]', person);
    await says(person, 'next');
  });
});

describe('a gate in the worker', () => {
  it.each([
    ['throw'],
    ['hang'],
    ['spin'],
    ['exit'],
  ])('that should say and does: %s, refuses that run and lets nothing slip', async (what) => {
    const scratch = await gatewayForTest({
      files: { ...pluginFiles('guard', GATE), ...pluginFiles('nice', NICE) },
      config: { plugins: { ...CONFIG.plugins, entries: { guard: { hooks: { allowConversationAccess: true } } } } },
    });
    scratch.model.script(answer);
    await scratch.channel.asks({ sender: 'ana' }, 'hello', 'hello [nice]');
    const asked = scratch.model.requests.length;
    await scratch.channel.says({ sender: 'ana' }, `do: ${what}`);
    const refused = await scratch.channel.expectDelivered(/./, undefined, 20_000);
    expect(refused.text).not.toContain('do:');
    expect(scratch.model.requests).toHaveLength(asked);
    const isStopped = what === 'spin' || what === 'exit';
    expect(scratch.services.plugins.inspect('guard').state).toBe(isStopped ? 'suspended' : 'loaded');
    if (!isStopped) return;
    // While a guard is not loaded, its gate refuses.
    await scratch.channel.says({ sender: 'ben' }, 'may I?');
    await scratch.channel.expectDelivered(/./, { sender: 'ben' });
    expect(scratch.model.requests).toHaveLength(asked);
    await scratch.services.plugins.reload('guard');
    await scratch.channel.says({ sender: 'ben' }, 'and now?');
    await scratch.channel.expectDelivered('and now? [nice]', { sender: 'ben' });
  }, 60_000);
});

describe('a plugin in the gateway itself', () => {
  it('that throws, rejects or hangs is skipped, and every person gets an answer', async () => {
    const scratch = await gatewayForTest({
      files: { ...pluginFiles('bad', BAD), ...pluginFiles('nice', NICE) },
      config: { plugins: { entries: { bad: { isolation: 'inline' }, nice: { isolation: 'inline' } } } },
    });
    scratch.model.script(answer);
    const says = async (sender: string, text: string) => {
      await scratch.channel.says({ sender }, text);
      await scratch.channel.expectDelivered(`${text} [nice]`, { sender });
    };
    for (const what of ['throw', 'reject', 'hang', 'answer too late', 'log much']) {
      await Promise.all([says('ana', `do: ${what}`), says('ben', 'meanwhile')]);
    }
    scratch.channel.expectNothingMore();
    const { handlers } = await scratch.services.hooks.status();
    expect(handlers.find(({ owner }) => owner === 'bad')).toMatchObject({ errors: 2, timeouts: 2, state: 'armed' });
    expect(scratch.model.requests.map(({ body }) => body).join()).not.toMatch(/TOO LATE|changed/);
    expect(scratch.warnings.length).toBeLessThan(250);
  });
});
