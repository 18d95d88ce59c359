import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HOOK_CATALOG, type HookName } from '../src/hooks/catalog.ts';
import type { AskingHookName, HookTypes } from '../src/hooks/hook-types.ts';
import { isPackEvent } from '../src/hooks/packs/unknown-events.ts';
import { type HandlerRegistration, HookRunner } from '../src/hooks/runner.ts';
import { forAllAsync } from '../src/testkit/for-all.ts';

// The outcome of a hook depends on the handlers' answers, on their priorities, and among equal priorities on their
// order; it does not depend on how long each takes or on when it registers. About 1,200 cases in all, each of them with
// three timings.

const RUNS_PER_HOOK = 60;

interface Scripted {
  readonly name: string;
  readonly answer: unknown;
  readonly fails: boolean;
  readonly priority: number;
}

const word = fc.constantFrom('', 'a', 'b', 'c');
const flag = fc.constantFrom(true, false, undefined);
const number = fc.integer({ min: 0, max: 3 });
const params = fc.dictionary(fc.constantFrom('x', 'y', '__proto__'), number, { maxKeys: 2 });
const approval = fc.record({ title: word, description: word });
const reply = fc.record({ text: word });
const origin = fc.record({ channel: word });

const some = (fields: Record<string, fc.Arbitrary<unknown>>) => fc.record(fields, { requiredKeys: [] });

const CONTEXT = { prependContext: word, appendContext: word };
const PROMPT = { ...CONTEXT, systemPrompt: word, prependSystemContext: word, appendSystemContext: word };
const MODEL = { modelOverride: word, providerOverride: word };
const asked = { prompt: 'hi', messages: [] };
const toolMessage = {
  role: 'toolResult',
  toolCallId: 'c',
  toolName: 'read',
  content: [{ type: 'text', text: 'one' }],
  isError: false,
} as const;

type Case<Hook extends AskingHookName> = { event: HookTypes[Hook]['event']; answer: fc.Arbitrary<unknown> };

/** Every hook that asks: a new row of the catalog does not compile without a line here. */
const CASES: { [Hook in AskingHookName]: Case<Hook> } = {
  inbound_claim: { event: { content: 'hi', channel: 'web', isGroup: false }, answer: some({ handled: flag, reply }) },
  before_model_resolve: { event: { prompt: 'hi' }, answer: some(MODEL) },
  before_agent_start: { event: { prompt: 'hi' }, answer: some({ ...MODEL, ...PROMPT }) },
  agent_turn_prepare: { event: { ...asked, queuedInjections: [] }, answer: some(CONTEXT) },
  heartbeat_prompt_contribution: { event: {}, answer: some(CONTEXT) },
  before_prompt_build: { event: asked, answer: some(PROMPT) },
  before_agent_run: { event: asked, answer: some({ outcome: fc.constantFrom('pass', 'block', 'ask'), reason: word }) },
  before_agent_reply: { event: { cleanedBody: 'hi' }, answer: some({ handled: flag, reply }) },
  before_tool_call: {
    event: { toolName: 'write', params: { x: 0 } },
    answer: some({ params, block: flag, blockReason: word, requireApproval: approval }),
  },
  tool_result_persist: {
    event: { message: toolMessage },
    answer: some({ message: word.map((content) => ({ ...toolMessage, content })) }),
  },
  before_message_write: {
    event: { message: toolMessage },
    answer: some({ message: word.map((content) => ({ ...toolMessage, content })), block: flag }),
  },
  before_agent_finalize: {
    event: { sessionId: 's', stopHookActive: false },
    answer: some({
      action: fc.constantFrom('continue', 'revise', 'finalize', 'odd'),
      reason: word,
      retry: fc.record({ instruction: word, maxAttempts: number }),
    }),
  },
  reply_dispatch: {
    event: {} as HookTypes['reply_dispatch']['event'],
    answer: some({ handled: flag, queuedFinal: flag }),
  },
  reply_payload_sending: {
    event: { payload: { text: 'hi' } } as HookTypes['reply_payload_sending']['event'],
    answer: some({ payload: reply, cancel: flag, cancelReason: word }),
  },
  message_sending: {
    event: { to: 'ana', content: 'hi' },
    answer: some({ content: word, cancel: flag, cancelReason: word, metadata: params }),
  },
  before_dispatch: {
    event: { content: 'hi', body: 'hi', channel: 'web' },
    answer: some({ text: word, handled: fc.constantFrom(true, undefined, false) }),
  },
  subagent_spawning: {
    event: { childSessionKey: 'c', agentId: 'main', mode: 'run', threadRequested: true },
    answer: some({
      status: fc.constantFrom('ok', 'error'),
      error: word,
      threadBindingReady: flag,
      deliveryOrigin: origin,
    }),
  },
  subagent_delivery_target: {
    event: { childSessionKey: 'c', requesterSessionKey: 'r', expectsCompletionMessage: true },
    answer: some({ origin }),
  },
  before_install: {
    event: { targetType: 'plugin', targetName: 'x', sourcePath: '/x', sourcePathKind: 'directory' },
    answer: some({ findings: fc.array(fc.record({ ruleId: word }), { maxLength: 2 }), block: flag, blockReason: word }),
  },
};

/** Waits a few turns of the event loop; sometimes a real millisecond. */
async function dawdle(turns: number): Promise<void> {
  if (turns === 4) return sleep(1);
  for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** Compared as bytes: fields in another order would be another result. */
async function outcomeOf(
  hook: AskingHookName,
  handlers: readonly Scripted[],
  delays: ReadonlyMap<string, number | undefined>,
): Promise<string> {
  const diffs: unknown[] = [];
  const runner = new HookRunner({
    record: ({ id, outcome, changed, diff }) => diffs.push({ id, outcome, changed, diff: diff?.() }),
  });
  for (const { name, answer, fails, priority } of handlers) {
    const settle = () => {
      if (fails) throw new Error(name);
      return structuredClone(answer);
    };
    const delay = delays.get(name);
    const handler = delay === undefined ? settle : () => dawdle(delay).then(settle);
    // Where a plain value is required, only a handler in another thread may be slow.
    const registration = { hook, id: name, owner: name, priority, handler, isRemote: delay !== undefined };
    runner.register(registration as unknown as HandlerRegistration<never>);
  }
  const answer = await runner.run(hook, CASES[hook].event as never, {});
  const { result, decidedBy, refusal, contributions } = answer;
  return JSON.stringify({ result, decidedBy, refusal, contributions, diffs });
}

/** Registered in another order, in which handlers of equal priority keep theirs. */
function shuffled(handlers: readonly Scripted[], lots: readonly number[]): Scripted[] {
  const turns = new Map<number, Scripted[]>();
  for (const handler of handlers) turns.set(handler.priority, [...(turns.get(handler.priority) ?? []), handler]);
  const order = handlers
    .map(({ priority }, index) => ({ priority, lot: lots[index] ?? 0 }))
    .sort((a, b) => a.lot - b.lot);
  return order.flatMap(({ priority }) => turns.get(priority)?.shift() ?? []);
}

const delay = fc.option(fc.integer({ min: 0, max: 4 }), { nil: undefined });

describe('a slow handler, and an early registration', () => {
  it.each(Object.entries(CASES))('changes nothing about %s', async (name, { answer }) => {
    const hook = name as AskingHookName;
    const row = fc.record({
      answer: fc.oneof({ weight: 6, arbitrary: answer }, fc.constantFrom(undefined, null, 'odd')),
      fails: fc.integer({ min: 0, max: 9 }).map((roll) => roll === 0),
      priority: fc.integer({ min: -1, max: 1 }),
      delay,
      otherDelay: delay,
      lot: fc.nat(),
    });
    await forAllAsync([fc.array(row, { maxLength: 5 })], RUNS_PER_HOOK, async (rows) => {
      const handlers = rows.map(({ answer, fails, priority }, index) => ({
        answer,
        fails,
        priority,
        name: `h${index}`,
      }));
      const delaysOf = (pick: (row: (typeof rows)[number]) => number | undefined) =>
        new Map(rows.map((each, index) => [`h${index}`, pick(each)]));
      const mixed = shuffled(
        handlers,
        rows.map(({ lot }) => lot),
      );
      const [one, other, plain] = await Promise.all([
        outcomeOf(
          hook,
          handlers,
          delaysOf((each) => each.delay),
        ),
        outcomeOf(
          hook,
          mixed,
          delaysOf((each) => each.otherDelay),
        ),
        // Registered in the order in which they run.
        outcomeOf(
          hook,
          [...handlers].sort((a, b) => b.priority - a.priority).map((handler) => ({ ...handler, priority: 0 })),
          new Map(),
        ),
      ]);
      expect(other).toBe(one);
      expect(plain).toBe(one);
    });
  });

  it('is tried on every hook that asks', () => {
    const asking = (Object.keys(HOOK_CATALOG) as HookName[]).filter(
      (hook) => HOOK_CATALOG[hook].kind !== 'observe' && hook !== 'agent:bootstrap' && !isPackEvent(hook),
    );
    expect(Object.keys(CASES).sort()).toEqual(asking.sort());
  });
});

it('changes nothing about a chain of bootstrap handlers either', async () => {
  const row = fc.record({ priority: fc.integer({ min: -1, max: 1 }), fails: fc.boolean(), delay, otherDelay: delay });
  await forAllAsync([fc.array(row, { maxLength: 5 })], RUNS_PER_HOOK, async (rows) => {
    type Step = (value: string) => string | Promise<string>;
    const valueWith = async (pick: (row: (typeof rows)[number]) => number | undefined) => {
      const runner = new HookRunner<Step>();
      for (const [index, each] of rows.entries()) {
        const turns = pick(each);
        const step = (value: string) => (each.fails ? expect.unreachable('fails') : `${value}${index}`);
        const handler: Step = turns === undefined ? step : (value) => dawdle(turns).then(() => step(value));
        runner.register({
          hook: 'agent:bootstrap',
          id: `h${index}`,
          owner: 'test',
          priority: each.priority,
          handler,
        });
      }
      return (await runner.chain('agent:bootstrap', '', ({ handler }, value) => handler(value))).value;
    };
    const value = await valueWith((each) => each.delay);
    expect(await valueWith((each) => each.otherDelay)).toBe(value);
    const expected = rows.map((each, index) => ({ ...each, index })).sort((a, b) => a.priority - b.priority);
    expect(value).toBe(
      expected
        .filter(({ fails }) => !fails)
        .map(({ index }) => index)
        .join(''),
    );
  });
});
