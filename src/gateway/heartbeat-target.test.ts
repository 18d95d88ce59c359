import { expect, it, onTestFinished } from 'vitest';
import type { Surface } from '../protocol/inbound.ts';
import type { NewRow } from '../store/store.ts';
import { ScratchStore } from '../testkit/scratch-store.ts';
import { heartbeatTarget } from './heartbeat-target.ts';

const CHANNELS = ['web', 'cli', 'api', 'chat'];
const agent = { agentId: 'main', sessionKey: 'agent:main:main' };
const surface = (channel: string, id: string, kind: Surface['peer']['kind'] = 'direct'): Surface => ({
  channel,
  accountId: 'default',
  peer: { kind, id },
});

/** Sessions of the agent; the last one in the list got the latest message. */
async function targetAmong(
  sessions: readonly (readonly [string, Surface])[],
  target = 'last',
  directPolicy: 'allow' | 'block' = 'allow',
) {
  const scratch = await ScratchStore.create();
  onTestFinished(() => scratch.remove());
  const { store } = scratch;
  const rows = sessions.map(
    ([sessionKey, each], at): NewRow<'sessions'> => ({
      sessionId: `ses_${at}`,
      sessionKey,
      agentId: 'main',
      startedAt: at,
      activeAt: at,
      endedAt: null,
      endReason: null,
      surface: each,
      resumedFrom: null,
      endToTell: false,
      title: null,
      archivedAt: null,
      seenAt: null,
      branchOf: null,
      branchAt: null,
      state: {},
    }),
  );
  await store.commit(
    rows.map((row) => ({ insert: 'sessions', row })),
    { site: 'session' },
  );
  return heartbeatTarget(store, { ...agent, target, directPolicy }, CHANNELS);
}

it('is where the main session was last spoken to', async () => {
  const ann = surface('chat', 'ann');
  expect(await targetAmong([['agent:main:main', ann]])).toEqual(ann);
});

it('is the operator’s latest page or terminal where no person writes to the main session', async () => {
  const [page, terminal] = [surface('web', 'page'), surface('cli', 'local')];
  const others = [
    ['agent:main:web:direct:page', page],
    ['agent:main:cli:direct:local', terminal],
    ['agent:main:chat:direct:ann', surface('chat', 'ann')],
  ] as const;
  expect(await targetAmong(others)).toEqual(terminal);
  expect(await targetAmong([...others, ['agent:main:main', surface('api', 'client')]])).toEqual(terminal);
});

it('is never a group, nor a stranger', async () => {
  const group = surface('chat', 'g1', 'group');
  expect(await targetAmong([['agent:main:main', group]])).toBeNull();
  expect(await targetAmong([['agent:main:web:group:g2', surface('web', 'g2', 'group')]])).toBeNull();
  expect(await targetAmong([['agent:main:chat:direct:ann', surface('chat', 'ann')]])).toBeNull();
});

it('is what the configuration says, or none', async () => {
  const main = ['agent:main:main', surface('chat', 'ann')] as const;
  expect(await targetAmong([main], 'cli:local')).toEqual(surface('cli', 'local'));
  expect(await targetAmong([main], 'none')).toBeNull();
  await expect(targetAmong([main], 'nowhere:x')).rejects.toThrow('cannot go to');
});

it('is no direct conversation when the operator blocks those, wherever it was chosen', async () => {
  const page = ['agent:main:web:direct:page', surface('web', 'page')] as const;
  expect(await targetAmong([page], 'last', 'block')).toBeNull();
  expect(await targetAmong([page], 'cli:local', 'block')).toBeNull();
  expect(await targetAmong([['agent:main:main', surface('chat', 'ann')]], 'last', 'block')).toBeNull();
});
