// Handlers that hang at the end cannot keep a gateway from stopping, even with a long time limit of their own or of the
// operator.

import { expect, it } from 'vitest';
import type { HookName } from '../hooks/catalog.ts';
import { gatewayForTest } from '../testkit/gateway-for-test.ts';
import { reply } from '../testkit/model-server.ts';
import { on } from '../testkit/on.ts';

const FOR_EVER = 600_000;
const BUDGET_MS = 300;

it.each([
  'session_end',
  'gateway_stop',
  'agent_end',
] as const)('a %s that hangs does not hold up a stop', async (hook) => {
  const heard: string[] = [];
  const scratch = await gatewayForTest({
    register: (hooks) => {
      const listen = (name: HookName, id: string, handler: () => unknown) =>
        hooks.register({ hook: name, id, owner: id, handler, timeoutMs: FOR_EVER } as never);
      listen(hook, 'sleeper', () => new Promise(() => {}));
      listen('gateway_stop', 'other', () => void heard.push('gateway_stop'));
    },
  });
  scratch.model.script([reply('Hello.')]);
  await scratch.channel.asks({}, 'Hi', 'Hello.');
  await scratch.stop(BUDGET_MS);
  expect(heard).toEqual(['gateway_stop']);
});

it('a hook pack that hangs does not hold up a stop either', async () => {
  const metadata = JSON.stringify({ openclaw: { events: ['gateway:shutdown'], timeoutMs: FOR_EVER } });
  const scratch = await gatewayForTest({
    config: {
      agents: { defaults: { model: 'fake/small' } },
      hooks: { internal: { enabled: true, entries: { sleeper: { isolation: 'inline' } } } },
    },
    files: {
      'hooks/sleeper/HOOK.md': `---\nname: sleeper\nmetadata: ${metadata}\n---\n`,
      'hooks/sleeper/handler.ts': 'export default () => new Promise(() => {});',
    },
  });
  await scratch.stop(BUDGET_MS);
});

it.each([
  'shutdown',
  'restart',
] as const)('sessions that are open at a %s are told to end, and a handler that hangs does not delay the stop of others', async (reason) => {
  const told: unknown[] = [];
  const scratch = await gatewayForTest({
    register: (hooks) => {
      on(hooks, 'session_end', 'hangs', () => new Promise(() => {}));
      on(hooks, 'session_end', 'memory', (event, context) => void told.push({ ...event, ...context }));
    },
  });
  scratch.model.script(() => reply('Hello.'));
  const { sessionKey } = await scratch.channel.says({ thread: 'plans' }, 'Hi');
  await scratch.channel.expectDelivered('Hello.', { thread: 'plans' });
  await scratch.opened.close(300, reason);
  expect(told).toMatchObject([
    {
      reason,
      sessionKey,
      messageCount: 2,
      agentId: 'main',
      messageProvider: 'test',
      threadId: 'plans',
      workspaceDir: scratch.workspaceDir,
      trace: { traceId: expect.stringMatching(/^[0-9a-f]{32}$/), spanId: expect.any(String), callDepth: 0 },
    },
  ]);
  // The session itself goes on after the restart.
  await scratch.start();
  expect(await scratch.store.count('sessions', { endedAt: null })).toBe(1);
});

it('tells the end of the sessions that are open, and of no other', async () => {
  const ended: (string | undefined)[] = [];
  const scratch = await gatewayForTest({
    register: (hooks) =>
      on(hooks, 'session_end', 'archive', ({ sessionId, reason }) => void ended.push(`${reason} ${sessionId}`)),
  });
  scratch.model.script([reply('Hello.')]);
  await scratch.channel.asks({}, 'Hi', 'Hello.');
  await scratch.channel.asks({}, '/new', /new session/);
  const sessions = await scratch.store.select('sessions', { orderBy: [['startedAt', 'asc']] });
  await scratch.stop(1_000, 'restart');
  expect(ended).toEqual([`new ${sessions[0]?.sessionId}`, `restart ${sessions[1]?.sessionId}`]);
});
