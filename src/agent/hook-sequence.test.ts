import { expect, it } from 'vitest';
import { HOOK_CATALOG, type HookName } from '../hooks/catalog.ts';
import type { HookContext } from '../hooks/hook-context.ts';
import { runTrace } from '../hooks/hook-trace.ts';
import { isPackEvent } from '../hooks/packs/unknown-events.ts';
import type { HookRunner } from '../hooks/runner.ts';
import { gatewayForTest } from '../testkit/gateway-for-test.ts';
import { reply, toolCall } from '../testkit/model-server.ts';
import { TestChannel } from '../testkit/test-channel.ts';

const PLACE = { account: 'work', sender: 'ann', group: 'team', thread: 'plans' };

it('every hook that a turn with one tool call passes fires once at its place, and knows where it is', async () => {
  const calls: Called[] = [];
  const chat = new TestChannel({ id: 'chat', accounts: ['home', 'work'] });
  const scratch = await gatewayForTest({
    channels: [chat],
    files: { 'workspace/notes.md': 'Nothing new.' },
    config: { agents: { defaults: { model: 'fake/small', contextTokens: 8_000 } } },
    provider: { models: [{ id: 'small', contextWindow: 32_000 }] },
    register: (hooks) => recordAll(hooks, calls),
  });
  scratch.model.script([toolCall('read', { path: 'notes.md' }), reply('Nothing new.')]);
  const { runId, sessionKey } = await chat.says(PLACE, 'Anything new?', { messageId: 'm1' });
  await chat.expectDelivered('Nothing new.', PLACE);
  await scratch.stop();

  const asked = calls.filter(({ hook }) => hook === 'agent:bootstrap' || HOOK_CATALOG[hook].kind !== 'observe');
  expect(asked.map(({ hook }) => hook)).toEqual([
    'inbound_claim',
    'before_model_resolve',
    'before_agent_start',
    'agent_turn_prepare',
    'agent:bootstrap',
    'before_prompt_build',
    'before_message_write',
    'before_agent_run',
    'before_agent_reply',
    'before_tool_call',
    'before_message_write',
    'tool_result_persist',
    'before_message_write',
    'before_agent_finalize',
    'reply_dispatch',
    'reply_payload_sending',
    'message_sending',
    'before_dispatch',
    'before_message_write',
  ]);
  const told = calls.filter((call) => !asked.includes(call));
  expect(told.map(({ hook }) => hook)).toEqual([
    'message_received',
    'session_start',
    'llm_input',
    'model_call_started',
    'model_call_ended',
    'llm_output',
    'after_tool_call',
    'llm_input',
    'model_call_started',
    'model_call_ended',
    'llm_output',
    'agent_end',
    'message_sent',
    'session_end',
    'gateway_stop',
  ]);

  const [run] = await rowsOf(scratch, runId);
  const sessionId = run?.sessionId ?? '';
  expect(sessionId).not.toBe('');
  const ofTheRun = calls.filter(({ hook }) => !OUTSIDE.has(hook));
  for (const { hook, context } of ofTheRun) {
    expect({ hook, ...context }).toMatchObject({
      hook,
      agentId: 'main',
      sessionKey,
      runId,
      messageProvider: 'chat',
      accountId: 'work',
      conversationId: 'team',
      threadId: 'plans',
      traceId: runTrace(runId).traceId,
      spanId: expect.stringMatching(/^[0-9a-f]{16}$/),
      callDepth: depthOf(hook),
      trace: { traceId: context.traceId, spanId: context.spanId, callDepth: context.callDepth },
    });
    const channel = { platform: 'chat', conversation: 'team', none: undefined }[HOOK_CATALOG[hook].channelId];
    expect({ hook, ...context }).toHaveProperty('channelId', channel);
    // An earlier process may have decided what was sent; the event is about the answer, not about the question.
    if (hook === 'message_sent') continue;
    expect({ hook, ...context }).toMatchObject({ hook, senderId: 'ann', messageId: 'm1' });
    if (HOOK_CATALOG[hook].place === 'inbound') continue;
    expect({ hook, ...context }).toMatchObject({
      hook,
      sessionId,
      workspaceDir: scratch.workspaceDir,
      trigger: 'user',
    });
    if (KNOWS_NO_MODEL.has(hook)) continue;
    expect({ hook, ...context }).toMatchObject({
      hook,
      modelProviderId: 'fake',
      modelId: 'small',
      contextTokenBudget: 8_000,
      contextWindowSource: 'agentContextTokens',
      contextWindowReferenceTokens: 32_000,
    });
  }
  for (const { hook, event } of calls) expect(undefinedFieldsOf(event), hook).toEqual([]);
});

/** The message is the root, the run is below it, and its steps are below the run. */
function depthOf(hook: HookName): number {
  const { place } = HOOK_CATALOG[hook];
  if (place === 'inbound') return 0;
  return place === 'model' || place === 'delivery' || place === 'session' || OF_A_TOOL.has(hook) ? 2 : 1;
}

const OF_A_TOOL: ReadonlySet<HookName> = new Set(['before_tool_call', 'after_tool_call', 'tool_result_persist']);

/** These hooks fire before the model is chosen, or after the run is forgotten. */
const KNOWS_NO_MODEL: ReadonlySet<HookName> = new Set(['session_start', 'before_model_resolve', 'before_agent_start']);

/** These hooks are not about one message, or have an event of their own that says where they are. */
const OUTSIDE: ReadonlySet<HookName> = new Set(['agent:bootstrap', 'session_end', 'gateway_start', 'gateway_stop']);

interface Called {
  readonly hook: HookName;
  readonly event: object;
  readonly context: HookContext;
}

function recordAll(hooks: HookRunner, calls: Called[]): void {
  for (const hook of Object.keys(HOOK_CATALOG) as HookName[]) {
    if (isPackEvent(hook)) continue;
    const handler = (event: object, context: HookContext = {}) => {
      calls.push({ hook, event, context });
      return hook === 'before_agent_run' ? { outcome: 'pass' } : undefined;
    };
    hooks.register({ hook, id: 'recorder', owner: 'recorder', handler } as never);
  }
}

function undefinedFieldsOf(event: object): string[] {
  return Object.entries(event)
    .filter(([field, value]) => value === undefined && !MAY_BE_UNKNOWN.has(field))
    .map(([field]) => field);
}

/** Fields that a platform may leave out, and fields about failures. */
const MAY_BE_UNKNOWN = new Set(['senderUsername', 'wasMentioned', 'metadata', 'error', 'replyToId']);

async function rowsOf(scratch: Awaited<ReturnType<typeof gatewayForTest>>, runId: string) {
  await scratch.start();
  return scratch.store.select('runs', { where: { runId } });
}
