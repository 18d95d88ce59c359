// One end path: for every reason to end a session in a real gateway, the order is the same. What must be saved before a reset is told
// first, then the end is committed, and then it is recorded, shown, told to plugins and told to hook packs.

import { describe, expect, it, vi } from 'vitest';
import type { HookContext } from '../hooks/hook-context.ts';
import type { HookRunner } from '../hooks/runner.ts';
import type { SessionEndReason } from '../protocol/live-event.ts';
import { gatewayForTest } from '../testkit/gateway-for-test.ts';
import { hang, reply } from '../testkit/model-server.ts';
import { on } from '../testkit/on.ts';
import type { ScratchGateway } from '../testkit/scratch-gateway.ts';
import { planSessionEnd } from './end-session.ts';

const MINUTE = 60_000;
const TEN_O_CLOCK = Date.parse('2026-01-05T10:00:00Z');

interface Watched {
  readonly scratch: ScratchGateway;
  readonly sessionKey: string;
  readonly sessionId: string;
  /** The events, in the order in which they happened. */
  readonly seen: string[];
  passes(ms: number): void;
}

/** A session with a message, and all listeners that are told of its end. */
async function watched(reset?: object): Promise<Watched> {
  const seen: string[] = [];
  let now = TEN_O_CLOCK;
  (globalThis as Record<string, unknown>).seenByPack = seen;
  const scratch: ScratchGateway = await gatewayForTest({
    now: () => now,
    config: {
      agents: { defaults: { model: 'fake/small' } },
      // The pack tells this test what it heard.
      hooks: { internal: { enabled: true, entries: { diary: { isolation: 'inline' } } } },
      ...(reset ? { session: { reset } } : {}),
    },
    files: PACK,
    register: (hooks) => {
      on(hooks, 'before_reset', 'w', () => void seen.push('before_reset'));
      on(hooks, 'session_end', 'w', async ({ sessionId, reason }) => {
        const [row] = await scratch.store.select('sessions', { where: { sessionId } });
        seen.push(`session_end ${reason}, ${row?.endReason === null ? 'still open' : 'ended'}`);
      });
    },
  });
  scratch.model.script(() => reply('Yes.'));
  const { sessionKey } = await scratch.channel.asks({}, 'Are you there?', 'Yes.');
  const [session] = await scratch.store.select('sessions');
  const commit = scratch.store.commit.bind(scratch.store);
  vi.spyOn(scratch.store, 'commit').mockImplementation(async (writes, options) => {
    const committed = await commit(writes, options);
    const endsOne = writes.some((write) => 'update' in write && write.update === 'sessions' && 'endedAt' in write.set);
    if (options.site === 'session' && endsOne) seen.push('commit');
    return committed;
  });
  scratch.services.subscribe((event) => {
    if (event.type === 'session-end') seen.push('session-end frame');
  });
  return {
    scratch,
    sessionKey,
    sessionId: session?.sessionId ?? '',
    seen,
    passes: (ms) => {
      now += ms;
    },
  };
}

const PACK = {
  'hooks/diary/HOOK.md': `---\nname: diary\ndescription: A diary\nmetadata: {"openclaw":{"events":["command","session:end"]}}\n---\n`,
  'hooks/diary/handler.ts':
    "export default ({ type, action }) => void globalThis.seenByPack.push(type + ':' + action + ' pack');",
};

interface End {
  readonly by: string;
  readonly reason: SessionEndReason;
  readonly reset?: object;
  readonly act: (watched: Watched) => Promise<unknown>;
}

const ENDS: readonly End[] = [
  { by: '/new', reason: 'new', act: ({ scratch }) => scratch.channel.says({}, '/new') },
  { by: '/reset', reason: 'reset', act: ({ scratch }) => scratch.channel.says({}, '/reset and now?') },
  {
    by: 'the API',
    reason: 'reset',
    act: ({ scratch, sessionKey }) => scratch.services.sessions.reset(sessionKey),
  },
  {
    by: 'silence',
    reason: 'idle',
    reset: { mode: 'idle', idleMinutes: 30 },
    act: ({ scratch, passes }) => {
      passes(31 * MINUTE);
      return scratch.channel.says({}, 'Hello?');
    },
  },
  {
    by: 'a new day',
    reason: 'daily',
    reset: { mode: 'daily', atHour: 4 },
    act: ({ scratch, passes }) => {
      passes(20 * 60 * MINUTE);
      return scratch.channel.says({}, 'Hello?');
    },
  },
  {
    by: 'a deletion',
    reason: 'deleted',
    act: ({ scratch, sessionKey }) => scratch.services.sessions.delete(sessionKey),
  },
];

describe('a session that ends', () => {
  it.each(ENDS)('by $by is told of it as $reason, after the commit and in one order', async ({
    reason,
    reset,
    act,
  }) => {
    const all = await watched(reset);
    const { scratch, sessionId, seen } = all;
    await act(all);
    const isReset = reason === 'new' || reason === 'reset';
    const expected = [
      ...(isReset ? ['before_reset'] : []),
      'commit',
      ...(isReset ? [`command:${reason} pack`] : []),
      'session-end frame',
      `session_end ${reason}, ended`,
      'session:end pack',
    ];
    await expect.poll(() => seen).toEqual(expected);
    const row = async () => (await scratch.store.select('sessions', { where: { sessionId } }))[0];
    await expect.poll(row).toMatchObject({ endReason: reason, endToTell: false });
    await scratch.stop();
    // A deletion removes what was recorded before it.
    if (reason === 'deleted') return;
    const records = (await scratch.home.read(`logs/trajectory/${sessionId}.jsonl`)).trim().split('\n');
    expect(records.map((line) => JSON.parse(line))).toContainEqual(
      expect.objectContaining({ type: 'session.ended', data: { reason } }),
    );
  });

  it.each([
    ['a reset over the API', 'reset', ['before_reset', 'commit', 'command:reset pack']],
    ['a deletion', 'deleted', ['commit']],
  ] as const)('by %s in the middle of a run stops the run first', async (_by, reason, before) => {
    const { scratch, sessionKey, sessionId, seen } = await watched();
    const { sessions } = scratch.services;
    scratch.services.subscribe((event) => {
      if (event.type === 'run-end') seen.push(`run ${event.status}`);
    });
    const asked = scratch.model.requests.length;
    scratch.model.script([hang(), reply('Here I am.')]);
    await scratch.channel.says({}, 'Think long about this.');
    await expect.poll(() => scratch.model.requests.length).toBe(asked + 1);
    await scratch.channel.says({}, 'Are you still there?');
    expect(await (reason === 'reset' ? sessions.reset(sessionKey) : sessions.delete(sessionKey))).toBe(true);
    const told = ['session-end frame', `session_end ${reason}, ended`, 'session:end pack'];
    const stopped = reason === 'reset' ? ['run stopped'] : ['run stopped', 'run stopped'];
    await expect.poll(() => seen).toEqual(expect.arrayContaining([...told]));
    expect(seen.filter((what) => what !== 'run done')).toEqual([...stopped, ...before, ...told]);
    if (reason === 'deleted') return;
    // The message that waited is answered in the session that follows, which knows nothing of the one before.
    await scratch.channel.expectDelivered('Stopped.');
    await scratch.channel.expectDelivered('Here I am.');
    expect(await scratch.store.select('sessions', { where: { sessionKey, endedAt: null } })).toMatchObject([
      { resumedFrom: sessionId },
    ]);
    expect(JSON.stringify(scratch.model.requests.at(-1)?.json.messages)).not.toContain('Think long');
  });

  it.each([
    'shutdown',
    'restart',
  ] as const)('goes on with the next process when this one stops for a %s', async (reason) => {
    const { scratch, sessionId, seen } = await watched();
    const warned = [...seen];
    await scratch.stop(5_000, reason);
    expect(seen.slice(warned.length)).toEqual([`session_end ${reason}, still open`]);
    await scratch.start();
    expect(await scratch.store.select('sessions')).toMatchObject([{ sessionId, endedAt: null, endToTell: false }]);
  });

  it('is told of it by the next process when this one dies in between, marked as recovered, and once', async () => {
    const told: (string | boolean | undefined)[][] = [];
    const watch = (hooks: HookRunner) => {
      for (const hook of ['session_end', 'session_start'] as const) {
        const handler = ({ sessionId }: { sessionId: string }, { recovered }: HookContext) =>
          void told.push([hook, sessionId, recovered]);
        on(hooks, hook, 'w', handler);
      }
    };
    const scratch = await gatewayForTest({ register: watch });
    scratch.model.script(() => reply('Yes.'));
    await scratch.channel.asks({}, 'Are you there?', 'Yes.');
    const [old] = await scratch.store.select('sessions');
    if (!old) throw new Error('there is no session');
    const next = { ...old, sessionId: 'ses_next', startedAt: old.startedAt + 5, resumedFrom: old.sessionId };
    await scratch.store.commit([...planSessionEnd(old, 'idle', next.startedAt), { insert: 'sessions', row: next }], {
      site: 'session',
    });
    await scratch.stop();
    told.length = 0;
    await scratch.start();
    await expect
      .poll(() => told)
      .toEqual([
        ['session_end', old.sessionId, true],
        ['session_start', 'ses_next', true],
      ]);
    await expect.poll(() => scratch.store.count('sessions', { endToTell: true })).toBe(0);
    await scratch.stop();
    told.length = 0;
    await scratch.start();
    await scratch.hooks.drain(1_000);
    expect(told).toEqual([]);
  });

  it('does so once for a run that is cut short right after it and taken up again', async () => {
    const told: string[] = [];
    const scratch = await gatewayForTest({
      register: (hooks) => {
        on(hooks, 'session_end', 'w', ({ reason }) => void (reason === 'new' && told.push('session_end')));
        on(hooks, 'before_reset', 'w', () => void told.push('before_reset'));
        on(hooks, 'before_prompt_build', { owner: 'w', timeoutMs: 60_000 }, () =>
          isHeld ? new Promise(() => {}) : undefined,
        );
      },
    });
    let isHeld = false;
    scratch.model.script([reply('Hello Ann.')]);
    const { sessionKey } = await scratch.channel.asks({}, 'I am Ann', 'Hello Ann.');
    isHeld = true;
    await scratch.channel.says({}, '/new Who am I?');
    await expect.poll(() => told).toEqual(['before_reset', 'session_end']);
    await scratch.stop(0);
    isHeld = false;
    scratch.model.script([reply('I do not know.')]);
    await scratch.start();
    await scratch.channel.expectDelivered('I do not know.');
    expect(told).toEqual(['before_reset', 'session_end']);
    const sessions = await scratch.store.select('sessions', { where: { sessionKey }, orderBy: [['startedAt', 'asc']] });
    expect(sessions).toMatchObject([{ endReason: 'new' }, { endedAt: null, resumedFrom: sessions[0]?.sessionId }]);
    expect(scratch.model.requests.at(-1)?.json.messages).toMatchObject([
      { role: 'system' },
      { role: 'user', content: 'Who am I?' },
    ]);
  });
});

describe('a process that stops', () => {
  it('tells every plugin of every open session, although one of them hangs over each', async () => {
    const told: string[] = [];
    const scratch = await gatewayForTest({
      register: (hooks) => {
        const sleeper = () => new Promise<undefined>(() => {});
        on(hooks, 'session_end', { owner: 'sleeper', id: 'a', priority: 9, timeoutMs: 60_000 }, sleeper);
        on(hooks, 'session_end', 'archive', ({ sessionKey }) => void told.push(sessionKey ?? ''));
      },
    });
    scratch.model.script(() => reply('Yes.'));
    const people = ['ann', 'bob', 'cid', 'dan'];
    const keys: string[] = [];
    for (const sender of people) {
      const { sessionKey } = await scratch.channel.says({ sender }, 'Hello');
      keys.push(sessionKey);
      await scratch.channel.expectDelivered('Yes.', { sender });
    }
    await scratch.stop(2_000);
    expect(told.toSorted()).toEqual(keys.toSorted());
  });

  it('is followed by one that tells which sessions go on, each when it does', async () => {
    const told: object[] = [];
    const scratch = await gatewayForTest({
      register: (hooks) => on(hooks, 'session_start', 'w', (event) => void told.push(event)),
    });
    scratch.model.script(() => reply('Yes.'));
    const says = async (sender: string, text: string) => {
      const { sessionKey } = await scratch.channel.says({ sender }, text);
      await scratch.channel.expectDelivered(/Yes\.|begun/, { sender });
      await scratch.hooks.drain(1_000);
      const [open] = await scratch.store.select('sessions', { where: { sessionKey, endedAt: null } });
      return { sessionKey, sessionId: open?.sessionId };
    };
    const ann = await says('ann', 'Hello');
    const bob = await says('bob', 'Hello');
    await scratch.stop();
    await scratch.start();
    told.length = 0;
    await says('ann', 'Are you there?');
    await says('ann', 'Still?');
    expect(told).toEqual([{ ...ann, resumedFrom: ann.sessionId }]);
    // A session that ends with its first message in this process has not gone on.
    const next = await says('bob', '/new');
    expect(told.slice(1)).toEqual([{ ...next, resumedFrom: bob.sessionId }]);
    await says('bob', 'Hello again');
    expect(told).toHaveLength(2);
  });
});
