import { toolContextForTest } from '../testkit/tool-context.ts';
// The session tools over a real store: what an agent sees of its own sessions, and never of another's.

import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../protocol/json.ts';
import type { Message } from '../protocol/message.ts';
import { VERSION } from '../protocol/version.ts';
import { SessionSight, type SessionVisibility } from '../sessions/session-visibility.ts';
import { openSqliteStore } from '../store/sqlite/open-sqlite-store.ts';
import type { Store, Write } from '../store/store.ts';
import type { SessionRow } from '../store/tables.ts';
import { workspaceForEachTest } from '../testkit/for-each-test.ts';
import { runTool } from './run-tool.ts';
import { createToolset, toolSpecs } from './toolset.ts';

const NOW = Date.parse('2026-05-06T10:00:00Z');
const MINUTE = 60_000;

let store: Store;
const scratch = workspaceForEachTest();
beforeEach(async () => {
  store = await openSqliteStore({ file: join(scratch.stateDir, 'atrium.sqlite') });
});
afterEach(async () => {
  await store.close();
});

/** A session that was active so many minutes ago, with what was said in it. */
async function session(
  sessionId: string,
  sessionKey: string,
  ago: number,
  said: readonly Message[] = [],
  rest: Partial<SessionRow> = {},
) {
  const at = NOW - ago * MINUTE;
  const row: SessionRow = {
    sessionId,
    sessionKey,
    agentId: sessionKey.split(':')[1] ?? '',
    startedAt: at,
    activeAt: at,
    endedAt: null,
    endReason: null,
    surface: null,
    resumedFrom: null,
    endToTell: false,
    title: null,
    archivedAt: null,
    seenAt: null,
    branchOf: null,
    branchAt: null,
    state: {},
    ...rest,
  };
  const entries = said.map(
    (message, index): Write => ({
      insert: 'transcript',
      row: { sessionId, position: index + 1, runId: 'run_1', at, kind: 'message', message, shown: null, meta: {} },
    }),
  );
  await store.commit([{ insert: 'sessions', row }, ...entries], { site: 'request' });
}

const user = (content: string): Message => ({ role: 'user', content });
const assistant = (text: string): Message => ({ role: 'assistant', content: [{ type: 'text', text }] });
const calling = (name: string): Message => ({
  role: 'assistant',
  content: [{ type: 'tool-call', id: 'c1', name, params: {} }],
});
const result = (toolName: string, content: string): Message => ({ role: 'tool', toolCallId: 'c1', toolName, content });

async function call(name: string, params: JsonObject = {}, visibility: SessionVisibility = 'agent') {
  const toolset = createToolset({ store, now: () => NOW, sessionSight: new SessionSight(store, visibility) });
  const tool = toolset.find(name);
  if (!tool) throw new Error(`no ${name}`);
  const { workspaceDir } = scratch;
  return runTool(tool, params, toolContextForTest({ workspaceDir, sessionId: 'ses_main', runId: 'run_1' }));
}

const keysOf = ({ content }: { content: string }) =>
  JSON.parse(content).sessions.map(({ key }: { key: string }) => key);

describe('sessions_list', () => {
  beforeEach(async () => {
    const surface = { channel: 'discord', accountId: 'a', peer: { kind: 'channel', id: '7' } } as const;
    await session('ses_main', 'agent:main:main', 1, [user('hi'), assistant('hello'), user('and?')]);
    await session('ses_group', 'agent:main:discord:channel:7', 30, [], { surface });
    await session('ses_sub', 'agent:main:subagent:x', 90);
    await session('ses_old', 'agent:main:cron:daily', 5, [], { endedAt: NOW, endReason: 'daily' });
    await session('ses_other', 'agent:work:main', 0, [user('private')]);
  });

  it('shows the open sessions of the agent, newest first, one a line', async () => {
    const { content } = await call('sessions_list');
    expect(content).toBe(
      [
        '{"count":3,"sessions":[',
        '{"key":"agent:main:main","kind":"main","sessionId":"ses_main","startedAt":"2026-05-06T09:59:00.000Z","activeAt":"2026-05-06T09:59:00.000Z","messages":3},',
        '{"key":"agent:main:discord:channel:7","kind":"channel","channel":"discord","sessionId":"ses_group","startedAt":"2026-05-06T09:30:00.000Z","activeAt":"2026-05-06T09:30:00.000Z","messages":0},',
        '{"key":"agent:main:subagent:x","kind":"subagent","sessionId":"ses_sub","startedAt":"2026-05-06T08:30:00.000Z","activeAt":"2026-05-06T08:30:00.000Z","messages":0}',
        ']}',
      ].join('\n'),
    );
  });

  it('narrows by kind, age and number', async () => {
    expect(keysOf(await call('sessions_list', { kinds: ['subagent', 'channel'] }))).toEqual([
      'agent:main:discord:channel:7',
      'agent:main:subagent:x',
    ]);
    expect(keysOf(await call('sessions_list', { activeMinutes: 60 }))).toHaveLength(2);
    const few = await call('sessions_list', { limit: 1 });
    expect(keysOf(few)).toEqual(['agent:main:main']);
    expect(few.details).toEqual({ count: 1, more: true });
    expect(await call('sessions_list', { kinds: ['secret'] })).toMatchObject({ isError: true });
  });

  it('shows the last messages when asked to', async () => {
    const [main] = JSON.parse((await call('sessions_list', { messageLimit: 2 })).content).sessions;
    expect(main.recent.map(({ role, text }: JsonObject) => `${role}: ${text}`)).toEqual([
      'assistant: hello',
      'user: and?',
    ]);
  });

  it('shows a session only itself where the operator wants that', async () => {
    expect(keysOf(await call('sessions_list', {}, 'self'))).toEqual(['agent:main:main']);
  });
});

describe('sessions_history', () => {
  it('shows what was said, in order, without tools unless asked', async () => {
    await session('ses_main', 'agent:main:main', 1, [
      user('read it'),
      calling('read'),
      result('read', 'the text'),
      assistant('done'),
    ]);
    const plain = JSON.parse((await call('sessions_history', { sessionKey: 'agent:main:main' })).content);
    expect(plain).toMatchObject({ sessionKey: 'agent:main:main', sessionId: 'ses_main', total: 4, shown: 2 });
    expect(plain.messages).toEqual([
      { position: 1, at: '2026-05-06T09:59:00.000Z', role: 'user', text: 'read it' },
      { position: 4, at: '2026-05-06T09:59:00.000Z', role: 'assistant', text: 'done' },
    ]);
    const all = JSON.parse((await call('sessions_history', { sessionKey: 'ses_main', includeTools: true })).content);
    expect(all.messages.slice(1, 3)).toMatchObject([
      { role: 'assistant', calls: ['read'], text: '' },
      { role: 'tool', tool: 'read', text: 'the text' },
    ]);
    const last = JSON.parse((await call('sessions_history', { sessionKey: 'AGENT:MAIN:MAIN', limit: 1 })).content);
    expect(last.messages).toMatchObject([{ text: 'done' }]);
  });

  it('is bounded, message by message and as a whole, the newest kept', async () => {
    await session(
      'ses_main',
      'agent:main:main',
      1,
      Array.from({ length: 30 }, (_, at) => user(`${at} ${'x'.repeat(9_000)}`)),
    );
    const { content } = await call('sessions_history', { sessionKey: 'agent:main:main' });
    const { messages } = JSON.parse(content);
    expect(content.length).toBeLessThan(45_000);
    expect(messages).toHaveLength(10);
    expect(messages.at(-1)).toMatchObject({ position: 30, cut: 5_003 });
  });

  it('shows what a person wrote, not what hooks put around it, and no notices', async () => {
    await session('ses_main', 'agent:main:main', 1);
    const row = { sessionId: 'ses_main', runId: 'run_1', at: NOW, meta: {} } as const;
    const wrapped = user('[context] hi');
    await store.commit(
      [
        { insert: 'transcript', row: { ...row, position: 1, kind: 'message', message: wrapped, shown: 'hi' } },
        {
          insert: 'transcript',
          row: { ...row, position: 2, kind: 'notice', message: assistant('stopped'), shown: null },
        },
      ],
      { site: 'request' },
    );
    const { messages } = JSON.parse((await call('sessions_history', { sessionKey: 'agent:main:main' })).content);
    expect(messages).toMatchObject([{ text: 'hi' }]);
  });

  it('knows no other agent\u2019s sessions, by key or by id', async () => {
    await session('ses_other', 'agent:work:main', 0, [user('private')]);
    await session('ses_group', 'agent:main:discord:channel:7', 30, [user('shared')]);
    for (const sessionKey of ['agent:work:main', 'ses_other', 'none', "x' OR 1=1 --"]) {
      const { content, isError } = await call('sessions_history', { sessionKey });
      expect(isError).toBe(true);
      expect(content).toContain('Use a key that sessions_list shows.');
      expect(content).not.toContain('private');
    }
    for (const sessionKey of ['agent:main:discord:channel:7', 'ses_group']) {
      expect(await call('sessions_history', { sessionKey })).not.toHaveProperty('isError');
      expect(await call('sessions_history', { sessionKey }, 'self')).toMatchObject({ isError: true });
    }
  });
});

describe('session_status', () => {
  it('tells the time and how this session is doing', async () => {
    await session('ses_main', 'agent:main:main', 60, [user('hi'), assistant('hello')]);
    const usage = { input: 10, output: 2, cacheRead: 0, cacheWrite: 0 };
    const run = {
      runId: 'run_1',
      sessionKey: 'agent:main:main',
      agentId: 'main',
      sessionId: 'ses_main',
      status: 'done',
      claim: 1,
      progressClaim: 1,
      startedAt: NOW,
      endedAt: NOW,
      outcome: { provider: 'anthropic', model: 'm', usage },
      observed: true,
      node: null,
      stopReason: null,
    } as const;
    await store.commit([{ insert: 'runs', row: run }], { site: 'request' });
    expect(JSON.parse((await call('session_status')).content)).toEqual({
      now: '2026-05-06T10:00:00.000Z',
      version: VERSION,
      agentId: 'main',
      key: 'agent:main:main',
      kind: 'main',
      sessionId: 'ses_main',
      startedAt: '2026-05-06T09:00:00.000Z',
      activeAt: '2026-05-06T09:00:00.000Z',
      messages: 2,
      waiting: 0,
      lastRun: { runId: 'run_1', status: 'done', startedAt: '2026-05-06T10:00:00.000Z', model: 'anthropic/m', usage },
    });
  });

  it('can be asked for another session of the agent, and for no other', async () => {
    await session('ses_sub', 'agent:main:subagent:x', 5, [], { endedAt: NOW, endReason: 'deleted' });
    await session('ses_other', 'agent:work:main', 0);
    const { content } = await call('session_status', { sessionKey: 'agent:main:subagent:x' });
    expect(JSON.parse(content)).toMatchObject({ kind: 'subagent', endReason: 'deleted' });
    expect(await call('session_status', { sessionKey: 'agent:work:main' })).toMatchObject({ isError: true });
  });
});

describe('the toolset', () => {
  it('has these tools, and finds them by any spelling', () => {
    const { tools, find } = createToolset({ store, now: () => NOW, sessionSight: new SessionSight(store, 'self') });
    expect(tools.map(({ name }) => name)).toEqual([
      'read',
      'write',
      'edit',
      'apply_patch',
      'session_status',
      'sessions_list',
      'sessions_history',
      'sessions_send',
      'sessions_spawn',
      'message',
      'sessions_wait',
      'subagents',
      'cron',
    ]);
    expect(find(' Read ')?.name).toBe('read');
    expect(find('exec')).toBeUndefined();
  });

  it('is told to a model in the same bytes, whatever order the tools come in', () => {
    const { tools } = createToolset({ store, now: () => NOW, sessionSight: new SessionSight(store, 'self') });
    const specs = toolSpecs(tools);
    expect(specs.map(({ name }) => name)).toEqual([
      'apply_patch',
      'cron',
      'edit',
      'message',
      'read',
      'session_status',
      'sessions_history',
      'sessions_list',
      'sessions_send',
      'sessions_spawn',
      'sessions_wait',
      'subagents',
      'write',
    ]);
    expect(JSON.stringify(toolSpecs(tools.toReversed()))).toBe(JSON.stringify(specs));
    expect(Object.keys(specs[0] ?? {})).toEqual(['name', 'description', 'parameters']);
  });
});
