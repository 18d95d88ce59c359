import { describe, expect, it } from 'vitest';
import { HookRunner } from '../hooks/runner.ts';
import type { LiveEvent } from '../protocol/live-event.ts';
import type { RecordedFact } from '../protocol/recorded-fact.ts';
import type { Facts, SessionAtHand } from './facts.ts';
import { Teller, type TellerSinks } from './teller.ts';

const SESSION: SessionAtHand = {
  sessionId: 'ses_1',
  sessionKey: 'agent:main:main',
  agentId: 'main',
  startedAt: 0,
  activeAt: 5,
  surface: null,
};
const ENDED: Facts['session-ended'] = {
  session: SESSION,
  reason: 'idle',
  messageCount: 2,
  durationMs: 9,
  context: { sessionKey: SESSION.sessionKey },
};

/** A teller whose sinks record what reaches them. */
function told(settings: Partial<TellerSinks> = {}) {
  const heard: unknown[] = [];
  const warnings: string[] = [];
  const hooks = new HookRunner();
  const packs = new HookRunner();
  const sinks: TellerSinks = {
    record: { wants: () => true, record: ({ type }: RecordedFact) => heard.push(type) },
    show: ({ type }: LiveEvent) => heard.push(type),
    hooks,
    packs: {
      agentOf: async () => ({ runner: packs, workspaceDir: '/home' }),
      say: async (_, text) => void heard.push(`said ${text}`),
    },
    now: () => 7,
    warn: (sentence) => warnings.push(sentence),
    ...settings,
  };
  return { teller: new Teller(sinks), heard, warnings, hooks, packs };
}

describe('telling a fact', () => {
  it('records it, shows it, tells plugins and then hook packs, and waits for those who are waited for', async () => {
    const { teller, heard, hooks, packs } = told();
    const handler = async () => {
      await new Promise((done) => setTimeout(done, 10));
      heard.push('session_end');
    };
    hooks.register({ hook: 'session_end', id: 'a', owner: 'a', handler });
    packs.register({
      hook: 'session:end',
      id: 'b',
      owner: 'b',
      handler: (event) => {
        heard.push(event.context);
        event.messages.push('Good night.');
      },
    });
    expect(await teller.tell('session-ended', ENDED)).toEqual([]);
    expect(heard.slice(0, 3)).toEqual(['session.ended', 'session-end', 'session_end']);
    await teller.settle(1_000);
    const context = { sessionId: 'ses_1', reason: 'idle', messageCount: 2, workspaceDir: '/home' };
    expect(heard.slice(3)).toEqual([expect.objectContaining(context), 'said Good night.']);
  });

  it('gives back what packs want said in the answer, also when one of them fails', async () => {
    const { teller, packs } = told();
    packs.register({ hook: 'command:new', id: 'a', owner: 'a', handler: (event) => event.messages.push('Hello.') });
    packs.register({ hook: 'command:new', id: 'b', owner: 'b', handler: () => Promise.reject(new Error('no ink')) });
    const given = { command: 'new', sessionKey: SESSION.sessionKey, source: 'test' } as const;
    expect(await teller.tell('command-given', given)).toEqual(['Hello.']);
  });

  it('builds nothing that has no listener', async () => {
    const { teller, heard } = told({ record: { wants: () => false, record: () => expect.unreachable() } });
    const trap = new Proxy({} as Facts['session-started'], { get: (_, field) => field === 'session' && SESSION });
    await teller.tell('session-started', trap);
    await teller.settle(1_000);
    expect(heard).toEqual([]);
    expect(teller.isHeard('session-started')).toBe(false);
  });

  it('never throws, and a sink that fails keeps no other from being told', async () => {
    const fails = () => {
      throw new Error('full');
    };
    const { teller, heard, warnings, hooks } = told({
      record: { wants: () => true, record: fails },
      packs: { agentOf: () => Promise.reject(new Error('no such agent')), say: async () => {} },
    });
    hooks.register({ hook: 'session_end', id: 'a', owner: 'a', handler: () => void heard.push('session_end') });
    await teller.tell('session-ended', ENDED);
    await teller.settle(1_000);
    expect(heard).toEqual(['session-end', 'session_end']);
    expect(warnings).toEqual([
      'Not every listener could be told of session-ended: full',
      'Not every listener could be told of session:end: no such agent',
    ]);
  });

  it('tells one plugin alone of its own start', async () => {
    const { teller, heard, hooks } = told();
    for (const owner of ['a', 'b'])
      hooks.register({
        hook: 'gateway_start',
        id: owner,
        owner,
        handler: ({ port }) => void heard.push([owner, port]),
      });
    await teller.tell('plugin-loaded', { pluginId: 'b', port: 80, context: {} });
    expect(heard).toEqual([['b', 80]]);
  });
});
