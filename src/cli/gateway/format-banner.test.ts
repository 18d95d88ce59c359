import { expect, it } from 'vitest';
import type { GatewayStatus } from '../../gateway/services/gateway-status.ts';
import { formatBanner } from './format-banner.ts';

const STATUS: GatewayStatus = {
  version: '1.2.3',
  url: 'http://127.0.0.1:18790',
  startedAt: 0,
  store: 'sqlite /state/atrium.db',
  stateDir: '/state',
  agents: [{ agentId: 'main', isDefault: true, workspaceDir: '/work', model: 'anthropic/large', fallbacks: [] }],
  channels: [],
  running: [],
  waiting: 0,
  approvals: 0,
  pairing: { waiting: 0, refused: 0 },
  outbox: { queued: 0, failed: 0 },
  deadLetters: { in: 0, out: 0 },
  sessions: 0,
  schedule: { isEnabled: true, jobs: 0, next: null },
  warnings: [],
  changedSinceStart: [],
  unused: [],
  keys: [],
  debug: [],
  trajectory: { isOn: true, dir: '/s/logs/trajectory' },
  records: [],
};

const banner = (
  status: Partial<GatewayStatus>,
  facts: { isReachable?: boolean; told?: string[]; isModelConfigured?: (agentId: string) => boolean } = {},
) =>
  formatBanner({
    services: { status: async () => ({ ...STATUS, ...status }) },
    url: STATUS.url,
    token: 'secret',
    tokenSource: '/state/atrium/token',
    isReachable: false,
    told: [],
    ...facts,
  });

it('says where to talk and who answers', async () => {
  const text = await banner({});
  expect(text).toContain('http://127.0.0.1:18790/#token=secret');
  expect(text).toContain('main (default): anthropic/large, /work');
  expect(text).not.toContain('warning');
  expect(text).not.toContain('mirror');
});

it('says what stands in the way, once and without moving the cursor', async () => {
  const text = await banner({ warnings: ['No key for\x1b[2J anthropic.', 'Seen before.'] }, { told: ['Seen before.'] });
  expect(text).toMatch(/warning +No key for/);
  expect(text).not.toContain('\x1b');
  expect(text).not.toContain('Seen before.');
});

it('says when other machines can reach it', async () => {
  expect(await banner({}, { isReachable: true })).toContain('Other machines can reach it.');
  expect(await banner({})).not.toContain('Other machines');
});

it('tells a mirror that was chosen from one that answers because nothing else is there', async () => {
  const agents = [{ ...STATUS.agents[0], model: 'mirror/mirror' }] as GatewayStatus['agents'];
  expect(await banner({ agents })).toContain('No model is configured, so the mirror answers');
  const chosen = await banner({ agents }, { isModelConfigured: () => true });
  expect(chosen).toContain('The mirror is configured as the model');
  expect(chosen).not.toContain('No model is configured');
  const several = [...agents, { ...agents[0], agentId: 'other', model: 'openai/gpt-5.4' }] as GatewayStatus['agents'];
  expect(await banner({ agents: several }, { isModelConfigured: () => true })).toContain(
    `The mirror is configured as the model of ${agents[0]?.agentId} and answers`,
  );
});

it('says which of several nodes it is', async () => {
  const node = (name: string, isHere: boolean) => ({
    ...{ id: `${name}#1`, node: name, url: null, version: '1.2.3', joinedAt: 0 },
    ...{ status: 'up' as const, isHere },
  });
  expect(await banner({ nodes: [node('a', true)] })).toContain('\n  node       a, the only one so far\n');
  expect(await banner({ nodes: [node('a', false), node('b', true)] })).toContain('\n  node       b, beside a\n');
  expect(await banner({})).not.toContain('  node ');
});
