import { describe, expect, it } from 'vitest';
import type { HookContext } from '../hooks/hook-context.ts';
import type { JsonObject } from '../protocol/json.ts';
import { gatewayForTest } from '../testkit/gateway-for-test.ts';
import { fail, hang, reply, toolCall } from '../testkit/model-server.ts';
import { on } from '../testkit/on.ts';
import { toolForTest } from '../testkit/tool-for-test.ts';
import { MAX_DETAILS_BYTES } from '../tools/bound-details.ts';

const MARKERS = ['prompt-0xfeed', 'answer-0xbeef', 'header-0xcafe', 'key-0xf00d', 'req_1', 'req_2'];

describe('the hooks of a model call', () => {
  it('carry names, sizes and times, and no word of what was sent, answered or refused', async () => {
    const told: { hook: string; event: object; context: HookContext }[] = [];
    const scratch = await gatewayForTest({
      files: { 'workspace/SOUL.md': 'I am prompt-0xfeed.' },
      provider: {
        apiKey: 'key-0xf00d',
        headers: { 'x-tenant': 'header-0xcafe' },
        models: [{ id: 'small', contextWindow: 32_000 }],
      },
      register: (hooks) => {
        for (const hook of ['model_call_started', 'model_call_ended'] as const) {
          const handler = (event: object, context: HookContext) => void told.push({ hook, event, context });
          on(hooks, hook, 'meter', handler);
        }
      },
    });
    scratch.model.script([
      fail(529, { message: 'answer-0xbeef is busy', headers: { 'x-more': 'header-0xcafe' } }),
      reply('answer-0xbeef'),
    ]);
    await scratch.channel.asks({}, 'prompt-0xfeed', 'answer-0xbeef');
    await scratch.hooks.drain(1_000);

    expect(told.map(({ hook }) => hook)).toEqual([
      'model_call_started',
      'model_call_ended',
      'model_call_started',
      'model_call_ended',
    ]);
    const written = JSON.stringify(told);
    for (const marker of MARKERS) expect(written).not.toContain(marker);
    expect(scratch.model.requests[0]?.body).toContain('prompt-0xfeed');

    const [first, failed, second, completed] = told.map(({ event }) => event as JsonObject);
    expect(first?.callId).toBe(failed?.callId);
    expect(second?.callId).toBe(completed?.callId);
    expect(first?.callId).not.toBe(second?.callId);
    expect(failed).toMatchObject({ outcome: 'error', errorCategory: 'overloaded', durationMs: expect.any(Number) });
    expect(completed).toMatchObject({
      outcome: 'completed',
      provider: 'fake',
      model: 'small',
      api: 'openai-completions',
      transport: 'http',
      durationMs: expect.any(Number),
      requestPayloadBytes: expect.any(Number),
      responseStreamBytes: expect.any(Number),
      timeToFirstByteMs: expect.any(Number),
      upstreamRequestIdHash: expect.stringMatching(/^[0-9a-f]{16}$/),
      contextTokenBudget: 32_000,
      contextWindowSource: 'modelsConfig',
    });
    expect(told[3]?.context).toMatchObject({ contextTokenBudget: 32_000, contextWindowSource: 'modelsConfig' });
    // Each call is a span of its own below the run.
    expect(told[0]?.context.parentSpanId).toBe(told[2]?.context.parentSpanId);
    expect(told[0]?.context.spanId).not.toBe(told[2]?.context.spanId);
  });
});

describe('the details of a tool result', () => {
  const rows = `details-0xd00d ${'x'.repeat(20_000)}`;
  const list = toolForTest('list', async () => ({ content: 'Two rows.', details: { rows } }));

  it('are shown to handlers in full, kept cut, and read by no model', async () => {
    const seen: string[] = [];
    const scratch = await gatewayForTest({
      tools: [list],
      variables: { OPENCLAW_CACHE_TRACE: '1' },
      register: (hooks) => {
        on(hooks, 'tool_result_persist', 'look', ({ message }) => {
          seen.push(JSON.stringify(message.details));
          return { message: { ...message, details: { rows, more: 'added' } } };
        });
        on(hooks, 'before_message_write', 'look', ({ message }) => {
          if (message.role === 'toolResult') seen.push(JSON.stringify(message.details));
        });
      },
    });
    scratch.model.script([toolCall('list'), reply('Two.'), reply('They talked about rows.')]);
    await scratch.channel.asks({}, 'How many?', 'Two.');
    expect(seen).toEqual([JSON.stringify({ rows }), JSON.stringify({ rows, more: 'added' })]);

    const entries = await scratch.store.select('transcript', { orderBy: [['position', 'asc']] });
    const kept = entries.map(({ message }) => message).find(({ role }) => role === 'tool');
    expect(kept).toMatchObject({ content: 'Two rows.', details: { persistedDetailsTruncated: true } });
    expect(JSON.stringify(kept).length).toBeLessThan(MAX_DETAILS_BYTES);

    await scratch.channel.asks({}, '/compact', /./);
    const parts = await scratch.store.select('parts');
    expect(JSON.stringify(parts)).toContain('Two rows.');
    expect(JSON.stringify(parts)).not.toContain('details-0xd00d');
    for (const { body } of scratch.model.requests) expect(body).not.toContain('details-0xd00d');
  });
});

describe('before_agent_finalize', () => {
  it('is not asked about a run that a person stopped', async () => {
    const asked: string[] = [];
    const scratch = await gatewayForTest({
      register: (hooks) =>
        on(
          hooks,
          'before_agent_finalize',
          'check',
          ({ lastAssistantMessage }) => void asked.push(lastAssistantMessage ?? ''),
        ),
    });
    scratch.model.script([hang('So far'), reply('Hello.')]);
    const { runId } = await scratch.channel.says({}, 'A story');
    await scratch.model.waitForRequests(1);
    await scratch.channel.says({}, '/stop');
    expect(await scratch.services.runs.wait(runId)).toMatchObject({ status: 'stopped' });
    expect(asked).toEqual([]);
    await scratch.channel.says({}, 'Hi');
    await expect.poll(() => asked).toEqual(['Hello.']);
  });
});

describe('a gate that keeps failing', () => {
  it('stays closed when it is not called any more', async () => {
    let calls = 0;
    const scratch = await gatewayForTest({
      register: (hooks) =>
        on(hooks, 'before_agent_run', { owner: 'guard', timeoutMs: 15 }, () => {
          calls++;
          return new Promise(() => {});
        }),
    });
    scratch.model.script(() => reply('never'));
    for (let at = 1; at <= 5; at++) {
      const { runId } = await scratch.channel.says({}, `Try ${at}`);
      expect(await scratch.services.runs.wait(runId)).toMatchObject({ status: 'blocked' });
    }
    expect(calls).toBe(3);
    expect(scratch.model.requests).toEqual([]);
  });
});

describe('two plugins that want a person', () => {
  it.each([
    ['allow-once', 'done'],
    ['deny', 'done'],
    ['cancelled', 'stopped'],
  ] as const)('are both told %s, once', async (resolution, status) => {
    const told: string[] = [];
    const scratch = await gatewayForTest({
      files: { 'workspace/a.md': 'text' },
      register: (hooks) => {
        for (const owner of ['cost', 'risk']) {
          on(hooks, 'before_tool_call', owner, () => ({
            requireApproval: {
              title: `Ask ${owner}`,
              description: `because of ${owner}`,
              onResolution: (how) => void told.push(`${owner}: ${how}`),
            },
          }));
        }
      },
    });
    scratch.model.script([toolCall('read', { path: 'a.md' }), reply('Done.')]);
    const { runId } = await scratch.channel.says({}, 'Read it');
    await expect.poll(() => scratch.store.count('approvals', { status: 'waiting' })).toBe(1);
    const [approval] = await scratch.store.select('approvals');
    expect(approval).toMatchObject({ askedBy: 'cost, risk', title: 'Ask cost' });
    expect(approval?.description).toContain('cost: because of cost\n\nrisk: Ask risk: because of risk');
    if (resolution === 'cancelled') await scratch.channel.says({}, '/stop');
    else await scratch.services.approvals.answer(approval?.id ?? '', resolution, { by: 'test' });
    expect(await scratch.services.runs.wait(runId)).toMatchObject({ status });
    expect(told.sort()).toEqual([`cost: ${resolution}`, `risk: ${resolution}`]);
  });
});

describe('a message', () => {
  it('comes with what is known about it apart from its words', async () => {
    const told: object[] = [];
    const scratch = await gatewayForTest({
      register: (hooks) => {
        on(hooks, 'inbound_claim', 'look', (event) => void told.push(event));
        on(hooks, 'message_received', 'look', (event) => void told.push(event));
      },
    });
    scratch.model.script([reply('Hello.')]);
    const place = { sender: 'ann', group: 'team', thread: 'plans' };
    await scratch.channel.asks(place, 'Yes', 'Hello.', { messageId: 'm2', replyToId: 'm1' });
    await scratch.hooks.drain(1_000);
    expect(told).toHaveLength(2);
    for (const event of told) {
      expect(event).toMatchObject({
        content: 'Yes',
        body: 'Yes',
        bodyForAgent: 'Yes',
        BodyForAgent: 'Yes',
        messageId: 'm2',
        replyToId: 'm1',
        threadId: 'plans',
        traceId: expect.any(String),
        userContext: [
          { label: 'Sender', source: 'test', type: 'sender', payload: { id: 'ann' } },
          { type: 'conversation', payload: { id: 'team', kind: 'group', threadId: 'plans' } },
          { type: 'reply', payload: { messageId: 'm1' } },
        ],
      });
    }
  });

  it('whose answer a plugin cancels leaves a record of who, why and what about it', async () => {
    const ends: object[] = [];
    const scratch = await gatewayForTest({
      register: (hooks) =>
        on(hooks, 'message_sending', 'quiet', () => ({ cancel: true, cancelReason: 'night', metadata: { until: 7 } })),
    });
    scratch.services.subscribe((event) => {
      if (event.type === 'delivery-end') ends.push(event);
    });
    scratch.model.script([reply('Hello.')]);
    await scratch.channel.says({}, 'Hi');
    const suppressed = {
      hook: 'message_sending',
      by: 'quiet',
      reason: 'cancelled_by_message_sending_hook',
      cancelReason: 'night',
    };
    await expect.poll(() => ends).toMatchObject([{ outcome: 'suppressed', suppressed }]);
    expect(await scratch.store.select('outbox')).toMatchObject([
      { status: 'suppressed', receipt: { suppressed: { ...suppressed, metadata: { until: 7 } } } },
    ]);
  });
});
