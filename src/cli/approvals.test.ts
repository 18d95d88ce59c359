import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { NewRow } from '../store/store.ts';
import { RunningGateway } from './fixtures/running-gateway.ts';

let running: RunningGateway;
beforeEach(async () => {
  running = await RunningGateway.create();
  await running.store.commit(
    [
      { insert: 'approvals', row: approval('k3f9-x2mq', {}) },
      { insert: 'approvals', row: approval('aaaa-bbbb', { status: 'answered', decision: 'deny', decidedBy: 'web' }) },
      {
        insert: 'approvals',
        row: approval('cccc-dddd', { status: 'answered', decision: 'cancelled', decidedBy: 'somebody said /stop' }),
      },
      {
        insert: 'allowRules',
        row: {
          id: 'rule_1',
          agentId: 'main',
          toolName: 'exec',
          argv: ['git', 'log', 'two words'],
          cwd: '',
          createdAt: 1_700_000_000_000,
          createdBy: 'web',
          approvalId: 'aaaa-bbbb',
        },
      },
    ],
    { site: 'suspend' },
  );
});
afterEach(() => running.remove());

describe('atrium approvals', () => {
  it('lists what waits, with exactly what would run, also while the gateway is down', async () => {
    const { out } = await running.home.run(['approvals', 'list']);
    expect(out).toBe(`k3f9-x2mq  Delete the build
  warning, 30 min left, then denied
  in agent:main:main
  atrium approvals answer k3f9-x2mq allow-once | deny

    rm -rf build
     [31m# and \\u202e this
`);
    const all = await running.home.run(['approvals', 'list', '--all']);
    expect(all.out).toMatch(/^aaaa-bbbb {2}Delete the build\n {2}warning, denied by web, 20\d\d-/m);
    expect(all.out).toContain('  warning, cancelled, because somebody said /stop, 20');
    const unknown = await running.home.run(['approvals', 'list', '--session', 'agent:main:other']);
    expect([unknown.code, unknown.err]).toEqual([2, expect.stringContaining('There is no session "agent:main:other"')]);
    expect(await running.home.runJson(['approvals', 'list'])).toMatchObject({
      approvals: [{ id: 'k3f9-x2mq', params: { command: 'rm -rf build' }, contextHash: 'c0ffee' }],
    });
  });

  it('answers one, once', async () => {
    await running.start(undefined, { now: () => 1_700_000_001_000 });
    expect((await running.home.run(['status'])).out).toMatch(/^approvals +1 waiting \(atrium approvals list\)$/m);
    expect((await running.home.run(['approvals', 'answer', 'k3f9-x2mq', 'perhaps'])).err).toContain(
      'one of allow-once, allow-always, deny',
    );
    expect((await running.home.run(['approvals', 'answer', 'k3f9-x2mq', 'allow-always'])).err).toContain('allow-once');
    const { out } = await running.home.run(['approvals', 'answer', 'k3f9-x2mq', 'allow-once']);
    expect(out).toBe('k3f9-x2mq (Delete the build): allowed once.\n');
    const again = await running.home.run(['approvals', 'answer', 'k3f9-x2mq', 'deny']);
    expect([again.code, again.err]).toEqual([2, expect.stringContaining('is not waiting any more (allow-once)')]);
    expect((await running.home.run(['approvals', 'answer', 'zzzz-zzzz', 'deny'])).err).toContain(
      'There is no approval',
    );
    expect((await running.home.run(['status'])).out).toMatch(/^approvals +none waiting$/m);
    const [row] = await running.store.select('approvals', { where: { id: 'k3f9-x2mq' } });
    expect(row).toMatchObject({ decision: 'allow-once', decidedBy: 'cli' });
  });

  it('shows the rules word by word, and takes them back', async () => {
    expect((await running.home.run(['approvals', 'rules'])).out).toMatch(
      /^rule_1 +main +exec +\S+ \S+ +web +\. +"git" "log" "two words"$/m,
    );
    expect((await running.home.run(['approvals', 'revoke', 'rule_1'])).err).toContain('No gateway is running');
    await running.start();
    expect((await running.home.run(['approvals', 'revoke', 'rule_1'])).out).toBe('rule_1 is revoked.\n');
    expect((await running.home.run(['approvals', 'revoke', 'rule_1'])).err).toContain('There is no rule "rule_1"');
    expect(await running.home.runJson(['approvals', 'rules'])).toEqual({ rules: [] });
  });
});

function approval(id: string, changes: Partial<NewRow<'approvals'>>): NewRow<'approvals'> {
  // The clock of a command line in a test stands still.
  const createdAt = Date.parse('2026-05-06T10:00:00Z');
  return {
    id,
    runId: `run_${id}`,
    sessionKey: 'agent:main:main',
    agentId: 'main',
    toolCallId: 'call_1',
    toolName: 'exec',
    params: { command: 'rm -rf build' },
    digest: 'd1',
    requester: {},
    policyVersion: 'p1',
    contextHash: 'c0ffee',
    askedBy: 'exec',
    title: 'Delete the build',
    description: 'rm -rf build\n\u001b[31m# and \\u202e this',
    severity: 'warning',
    allowedDecisions: ['allow-once', 'deny'],
    rule: null,
    createdAt,
    expiresAt: createdAt + 30 * 60_000,
    timeoutBehavior: 'deny',
    status: 'waiting',
    decision: null,
    decidedAt: changes.status === 'answered' ? createdAt : null,
    decidedBy: null,
    ...changes,
  };
}
