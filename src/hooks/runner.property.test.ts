import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AskingHookName, HookTypes } from './hook-types.ts';
import { type HandlerRegistration, HookRunner } from './runner.ts';

// Whatever handlers answer, and however long each takes, the outcome is the one that their priorities and their order
// of registration give.

interface Scripted {
  readonly answer: unknown;
  readonly fails: boolean;
  readonly priority: number;
}

const word = fc.constantFrom('', 'a', 'b', 'c');
const flag = fc.constantFrom(true, false, undefined);
const params = fc.dictionary(fc.constantFrom('x', 'y', '__proto__'), fc.integer({ min: 0, max: 3 }), { maxKeys: 2 });
const approval = fc.record({ title: word, description: word });

const CASES: { [Hook in AskingHookName]?: { event: HookTypes[Hook]['event']; answer: fc.Arbitrary<unknown> } } = {
  before_tool_call: {
    event: { toolName: 'write', params: { x: 0 } },
    answer: fc.record({ params, block: flag, blockReason: word, requireApproval: approval }, { requiredKeys: [] }),
  },
  before_prompt_build: {
    event: { prompt: 'hi', messages: [] },
    answer: fc.record({ systemPrompt: word, prependContext: word, appendContext: word }, { requiredKeys: [] }),
  },
  message_sending: {
    event: { to: 'ana', content: 'hi' },
    answer: fc.record({ content: word, cancel: flag, cancelReason: word }, { requiredKeys: [] }),
  },
  before_agent_run: {
    event: { prompt: 'hi', messages: [] },
    answer: fc.record({ outcome: fc.constantFrom('pass', 'block', 'ask'), reason: word }, { requiredKeys: [] }),
  },
  before_agent_finalize: {
    event: { sessionId: 's', stopHookActive: false },
    answer: fc.record(
      { action: fc.constantFrom('continue', 'revise', 'finalize', 'odd'), reason: word },
      { requiredKeys: [] },
    ),
  },
  before_agent_reply: {
    event: { cleanedBody: 'hi' },
    answer: fc.record({ handled: flag, reply: fc.record({ text: word }) }, { requiredKeys: [] }),
  },
};

/** Waits a few turns of the event loop; sometimes a real millisecond. */
async function dawdle(turns: number): Promise<void> {
  if (turns === 4) return sleep(1);
  for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve));
}

async function outcomeOf(
  hook: AskingHookName,
  handlers: readonly (Scripted & { readonly name: string; readonly delay: number | undefined })[],
) {
  const runner = new HookRunner();
  for (const { name, answer, fails, priority, delay } of handlers) {
    const settle = () => {
      if (fails) throw new Error(name);
      return structuredClone(answer);
    };
    const handler = delay === undefined ? settle : () => dawdle(delay).then(settle);
    runner.register({ hook, id: name, owner: name, priority, handler } as HandlerRegistration<never>);
  }
  const { result, decidedBy, refusal, contributions, calls } = await runner.run(hook, CASES[hook]?.event as never, {});
  const seen = calls.map(({ id, outcome, changed }) => ({ id, outcome, changed }));
  return { result, decidedBy, refusal, contributions, seen };
}

const delay = fc.option(fc.integer({ min: 0, max: 4 }), { nil: undefined });

describe('whoever is slow', () => {
  it.each(Object.entries(CASES))('changes nothing about %s', async (name, { answer }) => {
    const hook = name as AskingHookName;
    const scripted = fc.record({
      answer: fc.oneof({ weight: 6, arbitrary: answer }, fc.constantFrom(undefined, null, 'odd')),
      fails: fc.integer({ min: 0, max: 9 }).map((roll) => roll === 0),
      priority: fc.integer({ min: -1, max: 1 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(scripted, delay, delay), { maxLength: 5 }), async (rows) => {
        const handlers = rows.map(([row], index) => ({ ...row, name: `h${index}` }));
        const [one, other] = await Promise.all([
          outcomeOf(
            hook,
            handlers.map((handler, index) => ({ ...handler, delay: rows[index]?.[1] })),
          ),
          outcomeOf(
            hook,
            handlers.map((handler, index) => ({ ...handler, delay: rows[index]?.[2] })),
          ),
        ]);
        expect(other).toEqual(one);
        // Registered in the order in which they run, they give the same: only priority and ties count.
        const sorted = [...handlers].sort((a, b) => b.priority - a.priority);
        const plain = await outcomeOf(
          hook,
          sorted.map((handler) => ({ ...handler, priority: 0, delay: undefined })),
        );
        expect(plain).toEqual(one);
      }),
      { numRuns: 60 },
    );
  });
});
