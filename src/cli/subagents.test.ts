import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { childRow } from '../gateway/services/fixtures/child-row.ts';
import { RunningGateway } from './fixtures/running-gateway.ts';

const PARENT = 'agent:main:web:direct:tab-1';
const key = (name: string) => `agent:main:subagent:${name}`;

let running: RunningGateway;
beforeEach(async () => {
  running = await RunningGateway.create();
  const over = { endedAt: 31_000, outcome: 'ok', isAnswered: true } as const;
  const rows = [
    childRow({ childKey: key('aaaaaaaa-1'), parentKey: PARENT, taskName: 'outer', ...over, result: 'All\nread.' }),
    childRow({ childKey: key('bbbbbbbb-1'), parentKey: key('aaaaaaaa-1'), depth: 2, label: 'In\u001b[2Jner', ...over }),
    childRow({ childKey: key('cccccccc-1'), parentKey: PARENT, task: 'Look around.', ...over, outcome: 'killed' }),
  ];
  const usage = (sessionKey: string, cost: number) => ({
    ...{ runId: 'run_u', sessionKey, sessionId: 'ses_u', agentId: 'main', at: 1_000, purpose: 'run' as const },
    ...{ provider: 'fake', model: 'small', input: 1_000, output: 50, cacheRead: 0, cacheWrite: 0, cost },
  });
  await running.store.commit(
    [
      ...rows.map((row) => ({ insert: 'children', row }) as const),
      { insert: 'usage', row: usage(key('aaaaaaaa-1'), 0.5) },
      { insert: 'usage', row: usage(key('bbbbbbbb-1'), 0.25) },
    ],
    { site: 'spawn' },
  );
});
afterEach(() => running.remove());

describe.each(['up', 'down'])('with the gateway %s', (state) => {
  beforeEach(async () => {
    if (state === 'up') await running.start();
  });

  it('atrium subagents list shows them as a tree below their parent, and nothing moves the cursor', async () => {
    const { code, out } = await running.home.run(['subagents', 'list']);
    expect([code, out]).toEqual([
      0,
      `${PARENT}
  - outer [aaaaaaaa]: done, 1,000 tokens in, 50 out, cost 0.5000, with its subagents 2,000 tokens in, 100 out, cost 0.7500
    - Inner [bbbbbbbb]: done, 1,000 tokens in, 50 out, cost 0.2500
  - Look around. [cccccccc]: stopped
`,
    ]);
    expect((await running.home.run(['subagents', 'list', '--active'])).out).toBe('There are no subagents.\n');
    expect(await running.home.runJson(['subagents', 'list', '--session', key('aaaaaaaa-1')])).toMatchObject({
      subagents: [{ sessionKey: key('bbbbbbbb-1'), state: 'ok', own: { cost: 0.25 }, children: [] }],
    });
  });

  it.each(['outer', 'aaaaaaaa', key('aaaaaaaa-1')])('atrium subagents show %s', async (name) => {
    const { code, out } = await running.home.run(['subagents', 'show', name]);
    expect(code).toBe(0);
    expect(out).toMatch(/^subagent +outer$/m);
    expect(out).toContain('Result:\nAll\nread.\n');
    expect(out).toMatch(/^ {2}- Inner \[bbbbbbbb\]/m);
  });

  it('atrium subagents show says when there is no such subagent', async () => {
    const { code, err } = await running.home.run(['subagents', 'show', 'nobody']);
    expect(code).toBe(2);
    expect(err).toContain('There is no subagent "nobody"');
  });

  it('atrium sessions tree has subagents below their session', async () => {
    const { out } = await running.home.run(['sessions', 'tree']);
    expect(out).toMatch(/^agent:main:web:direct:tab-1: open\n {2}- outer .*\n {4}- Inner .*\n {2}- Look around/m);
    expect(await running.home.runJson(['sessions', 'tree', '--agent', 'coder'])).toEqual({ sessions: [] });
  });
});

describe('atrium subagents kill', () => {
  it('needs a running gateway, and says what was over already', async () => {
    expect((await running.home.run(['subagents', 'kill', 'outer'])).err).toMatch(/No gateway is running/);
    await running.start();
    expect((await running.home.run(['subagents', 'kill', 'outer'])).out).toContain('was over already');
  });
});
