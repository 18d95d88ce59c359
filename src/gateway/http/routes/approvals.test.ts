import { describe, expect, it, onTestFinished } from 'vitest';
import { reply, toolCall, toolCalls } from '../../../testkit/model-server.ts';
import type { ScratchGateway } from '../../../testkit/scratch-gateway.ts';
import { TestApi } from '../fixtures/test-api.ts';

describe('/api/approvals', () => {
  it('lists what waits, page by page, and lets a run go on', async () => {
    const { scratch, call } = await open();
    scratch.model.script([
      toolCalls([
        { name: 'read', params: { path: 'a' } },
        { name: 'read', params: { path: 'b' } },
      ]),
      reply('Read.'),
    ]);
    const { sessionKey } = await scratch.channel.says({}, 'Read both');
    await scratch.channel.expectDelivered(/^Approval needed/);
    await scratch.channel.expectDelivered(/^Approval needed/);
    const first = await call('GET', '/api/approvals?limit=1');
    expect(first.json).toMatchObject({ approvals: [{ toolName: 'read', params: { path: 'b' }, status: 'waiting' }] });
    expect(JSON.stringify(first.json)).not.toContain('digest');
    const second = await call('GET', `/api/approvals?limit=1&before=${first.json.next}`);
    expect(second.json).toMatchObject({ approvals: [{ params: { path: 'a' } }], next: null });
    expect((await call('GET', '/api/approvals?session=agent:main:other')).json).toEqual({ approvals: [], next: null });
    for (const { id } of [...idsOf(first.json), ...idsOf(second.json)]) {
      const { status, json } = await call('POST', `/api/approvals/${id}`, { decision: 'allow-once' });
      expect([status, json]).toMatchObject([200, { approval: { id, decision: 'allow-once', decidedBy: 'api' } }]);
    }
    await scratch.channel.expectDelivered(/by api/);
    await scratch.channel.expectDelivered(/by api/);
    await scratch.channel.expectDelivered('Read.');
    expect((await call('GET', '/api/approvals')).json).toEqual({ approvals: [], next: null });
    const all = await call('GET', `/api/approvals?status=all&session=${encodeURIComponent(sessionKey)}`);
    expect(idsOf(all.json)).toHaveLength(2);
  });

  it('says what is wrong with an answer', async () => {
    const { scratch, call } = await open(['allow-once', 'deny']);
    scratch.model.script([toolCall('read', { path: 'a' }), reply('Not read.')]);
    await scratch.channel.says({}, 'Read');
    await scratch.channel.expectDelivered(/^Approval needed/);
    const [{ id } = { id: '' }] = idsOf((await call('GET', '/api/approvals')).json);
    const answer = (name: string, body: unknown) => call('POST', `/api/approvals/${name}`, body);
    expect((await answer(id, { decision: 'yes' })).status).toBe(400);
    expect((await answer(id, { decision: 'timeout' })).status).toBe(400);
    expect((await answer(id, { decision: 'deny', from: 'time' })).status).toBe(400);
    expect((await answer(id, { decision: 'allow-always' })).json).toMatchObject({
      error: { code: 'ATRIUM_APPROVAL_DECISION' },
    });
    expect((await answer('zzzz-zzzz', { decision: 'deny' })).status).toBe(404);
    expect((await answer(id, { decision: 'deny', from: 'cli' })).status).toBe(200);
    expect((await answer(id, { decision: 'deny' })).status).toBe(409);
    expect((await call('DELETE', '/api/approvals/rules/rule_x')).status).toBe(404);
  });

  it('lists and revokes what may run without asking', async () => {
    const { scratch, call } = await open();
    const rule = { id: 'rule_1', agentId: 'main', toolName: 'exec', argv: ['git', 'status'], cwd: '.' };
    const row = { ...rule, createdAt: 1, createdBy: 'web', approvalId: 'k3f9x2' };
    await scratch.store.commit([{ insert: 'allowRules', row }], { site: 'allow-rule' });
    expect((await call('GET', '/api/approvals/rules')).json).toEqual({ rules: [row] });
    expect((await call('DELETE', '/api/approvals/rules/rule_1')).json).toEqual({ id: 'rule_1', revoked: true });
  });

  it('stops a run that waits', async () => {
    const { scratch, call } = await open();
    scratch.model.script([toolCall('read', { path: 'a' })]);
    const { runId } = await scratch.channel.says({}, 'Read');
    await scratch.channel.expectDelivered(/^Approval needed/);
    expect((await call('GET', `/api/runs/${runId}/wait?timeoutMs=1`)).json).toMatchObject({
      over: false,
      run: { status: 'suspended' },
    });
    expect((await call('POST', `/api/runs/${runId}/stop`, {})).json).toMatchObject({ stopped: true });
    expect((await call('GET', `/api/runs/${runId}/wait`)).json).toMatchObject({
      over: true,
      run: { status: 'stopped' },
    });
  });
});

/** A gateway in which every `read` call needs an approval. */
async function open(
  allowedDecisions?: readonly ('allow-once' | 'deny')[],
): Promise<{ scratch: ScratchGateway; call: Call }> {
  const requireApproval = {
    title: 'Read a file',
    description: 'It is private.',
    ...(allowedDecisions && { allowedDecisions }),
  };
  const api = await TestApi.open({
    register: (hooks) =>
      void hooks.register({
        hook: 'before_tool_call',
        id: 'ask',
        owner: 'careful',
        handler: () => ({ requireApproval }),
      }),
  });
  onTestFinished(() => api.close());
  return { scratch: api.scratch, call: (...asked) => api.call(...asked) };
}

type Call = (
  method: string,
  path: string,
  body?: unknown,
) => Promise<{ status: number; json: Record<string, unknown> }>;

function idsOf({ approvals }: Record<string, unknown>): readonly { id: string }[] {
  return approvals as { id: string }[];
}
