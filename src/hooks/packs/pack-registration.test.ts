import { describe, expect, it } from 'vitest';
import type { InternalHookEvent } from '../../protocol/bootstrap-event.ts';
import type { HookCallRecord } from '../hook-call-record.ts';
import { HookRunner } from '../runner.ts';
import { type InternalHookRegistration, packHandlers } from './pack-registration.ts';

const SESSION_KEY = 'agent:main:main';
const CONTEXT = { session: { id: 's1' } };

type Listener = Pick<InternalHookRegistration, 'events' | 'handler' | 'owner'> & Partial<InternalHookRegistration>;

/** Announces `command:new` to these listeners. */
function announce(listeners: readonly Listener[], records: HookCallRecord[] = []) {
  const registrations = listeners.map((listener): InternalHookRegistration => ({ ...DEFAULTS, ...listener }));
  const runner = new HookRunner({ record: (call) => records.push(call), now: () => 7 });
  for (const handler of packHandlers(registrations, ({ owner }) => ({ cfg: owner }))) runner.register(handler);
  const event = { type: 'command', action: 'new', sessionKey: SESSION_KEY, context: CONTEXT, timestamp: new Date(0) };
  return runner.announce('command:new', event);
}

const DEFAULTS = { source: 'openclaw-managed', description: '', bootstrap: { priority: 100 } } as const;

describe('an event of hook packs', () => {
  it('waits for each handler before the next, the general ones first', async () => {
    const says = (word: string, ms: number) => async (event: InternalHookEvent) => {
      await new Promise((done) => setTimeout(done, ms));
      event.messages.push(word);
    };
    const { messages } = await announce([
      { owner: 'a', events: ['command:new'], handler: says('quick', 0) },
      { owner: 'b', events: ['command'], handler: says('slow', 15) },
      { owner: 'c', events: ['command', 'command:new', 'command:new'], handler: says('often', 0) },
      { owner: 'd', events: ['Command', 'command:New', 'comman', 'command:stop', 'message'], handler: says('no', 0) },
    ]);
    expect(messages).toEqual(['slow', 'often', 'quick', 'often', 'often']);
  });

  it('records who was called on which event and how it went, and goes on when one fails', async () => {
    const records: HookCallRecord[] = [];
    const { calls, messages } = await announce(
      [
        { owner: 'throws', events: ['command:new'], handler: () => Promise.reject('no') },
        { owner: 'board', name: 'cards', events: ['command:new'], handler: (event) => event.messages.push('done') },
      ],
      records,
    );
    expect(records).toEqual(calls);
    expect(calls).toMatchObject([
      { hook: 'command:new', id: 'hook:throws', owner: 'throws', at: 7, outcome: 'threw', error: 'no', changed: [] },
      { hook: 'command:new', id: 'hook:board/cards', owner: 'board', outcome: 'done', changed: ['messages'] },
    ]);
    expect(calls.map(({ sessionKey }) => sessionKey)).toEqual(['agent:main:main', 'agent:main:main']);
    expect(messages).toEqual(['done']);
  });

  it('gives up on one that hangs at its own deadline, and nothing that it says later counts', async () => {
    let late: InternalHookEvent | undefined;
    const hangs = (event: InternalHookEvent) => {
      late = event;
      return new Promise(() => {});
    };
    const { calls, messages } = await announce([
      { owner: 'hangs', events: ['command:new'], handler: hangs, bootstrap: { priority: 1, timeoutMs: 10 } },
      { owner: 'works', events: ['command:new'], handler: (event) => event.messages.push('done') },
    ]);
    late?.messages.push('too late');
    expect(late?.signal?.aborted).toBe(true);
    expect(calls.map(({ outcome }) => outcome)).toEqual(['timed-out', 'done']);
    expect(messages).toEqual(['done']);
  });

  it('shows each handler an event of its own', async () => {
    const seen: unknown[] = [];
    const handler = (event: InternalHookEvent) => {
      (event.context.session as { id: string }).id += ' was here';
      event.messages.length = 0;
      seen.push(event.context);
    };
    await announce([
      { owner: 'a', events: ['command:new'], handler },
      { owner: 'b', events: ['command:new'], handler },
    ]);
    expect(seen).toEqual([
      { session: { id: 's1 was here' }, cfg: 'a' },
      { session: { id: 's1 was here' }, cfg: 'b' },
    ]);
    expect(CONTEXT).toEqual({ session: { id: 's1' } });
  });

  it('lets no handler say more than a reader wants', async () => {
    const handler = (event: InternalHookEvent) => {
      event.messages = [...Array.from({ length: 30 }, () => 'x'.repeat(5_000)), 7 as never];
    };
    const { messages } = await announce([{ owner: 'a', events: ['command'], handler }]);
    expect(messages).toHaveLength(20);
    expect(messages[0]).toHaveLength(4_000);
  });
});
