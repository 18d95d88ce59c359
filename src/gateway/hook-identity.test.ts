// Every handler gets the full context: for a run that a message started and for one that a job started, every field
// that the plugin contract promises is present on every hook, and never undefined.

import { describe, expect, it } from 'vitest';
import { HOOK_CATALOG, type HookName } from '../hooks/catalog.ts';
import type { MessageHookContext } from '../hooks/hook-context.ts';
import { isPackEvent } from '../hooks/packs/unknown-events.ts';
import type { HookRunner } from '../hooks/runner.ts';
import { gatewayForTest } from '../testkit/gateway-for-test.ts';
import { reply, toolCall } from '../testkit/model-server.ts';

type Field = Extract<keyof MessageHookContext, string>;
interface Told {
  readonly hook: string;
  readonly context: MessageHookContext;
  readonly pluginConfig: unknown;
}

const TRACE: readonly Field[] = ['trace', 'traceId', 'spanId', 'callDepth'];
const PLACE: readonly Field[] = ['messageProvider', 'channelId', 'accountId', 'conversationId', 'senderId'];
const MESSAGE: readonly Field[] = ['threadId', 'messageId', 'replyToId'];
const RUN: readonly Field[] = ['agentId', 'sessionKey', 'runId', ...TRACE];
const WINDOW: readonly Field[] = ['modelProviderId', 'modelId', 'contextTokenBudget', 'contextWindowSource'];

/** Hooks that fire before there is a session, or a model. */
const BEFORE_THE_SESSION = ['inbound_claim', 'message_received'];
const BEFORE_THE_MODEL = [...BEFORE_THE_SESSION, 'before_model_resolve', 'before_agent_start', 'session_start'];
/** The answer is a message of its own, and the message that it replies to only led to it. */
const AFTER_THE_RUN = ['message_sent'];

describe('who and where', () => {
  it('is told to every handler of a run that a message started', async () => {
    const { scratch, told } = await watched();
    const place = { sender: 'ann', channel: 'general', thread: 't1' };
    scratch.model.script([toolCall('read', { path: 'notes.md' }), reply('Nothing new.')]);
    await scratch.channel.says(place, 'Anything new?', { messageId: 'm1', replyToId: 'm0', wasMentioned: true });
    await scratch.channel.expectDelivered('Nothing new.', place);
    await expect
      .poll(() => told.map(({ hook }) => hook))
      .toEqual(expect.arrayContaining(['agent_end', 'message_sent']));
    await scratch.hooks.drain(1_000);

    for (const { hook, context, pluginConfig } of told) {
      const isAnswer = AFTER_THE_RUN.includes(hook);
      const promised = [
        ...RUN,
        ...PLACE,
        ...(isAnswer ? (['threadId', 'messageId'] as const) : MESSAGE),
        ...(BEFORE_THE_SESSION.includes(hook) ? [] : (['sessionId'] as const)),
        ...(isAnswer || BEFORE_THE_MODEL.includes(hook) ? [] : WINDOW),
      ];
      expect({ hook, missing: missingOf(context, promised) }).toEqual({ hook, missing: [] });
      expect(context).toMatchObject({
        accountId: 'default',
        conversationId: 'general',
        senderId: 'ann',
        threadId: 't1',
      });
      expect(pluginConfig).toEqual({ mood: 'calm' });
    }
    expect(new Set(told.map(({ context }) => context.runId)).size).toBe(1);
    expect(new Set(told.map(({ context }) => context.traceId)).size).toBe(1);
    expect(told.length).toBeGreaterThan(25);
  });

  it('includes the job on every hook of a run that a job started', async () => {
    const { scratch, told, passes } = await watched();
    scratch.model.script([toolCall('read', { path: 'notes.md' }), reply('Good morning.')]);
    const { id } = await scratch.services.jobs.add({
      name: 'report',
      message: 'Write the report.',
      schedule: { every: '10m' },
      createdBy: 'test',
      deliver: 'test:ann',
    });
    passes(10);
    await scratch.opened.schedule.schedule.look();
    await scratch.channel.expectDelivered('Good morning.', { sender: 'ann' });
    const actions = () => told.filter(({ hook }) => hook === 'cron_changed').length;
    await expect.poll(actions).toBe(4);
    await scratch.hooks.drain(1_000);

    for (const { hook, context } of told) {
      const promised = hook === 'cron_changed' ? (['agentId', ...TRACE] as const) : [...RUN, 'sessionId' as const];
      expect({ hook, missing: missingOf(context, promised), jobId: context.jobId }).toEqual({
        hook,
        missing: [],
        jobId: id,
      });
    }
    expect(told.map(({ hook }) => hook)).toEqual(
      expect.arrayContaining(['before_tool_call', 'agent_end', 'message_sent']),
    );
  });
});

async function watched() {
  const told: Told[] = [];
  const clock = { now: Date.parse('2026-05-06T10:00:00Z') };
  const register = (hooks: HookRunner) => {
    for (const hook of Object.keys(HOOK_CATALOG) as HookName[]) {
      if (hook === 'agent:bootstrap' || isPackEvent(hook)) continue;
      const handler = (event: { context?: { pluginConfig?: unknown } }, context: MessageHookContext) => {
        told.push({ hook, context: { ...context }, pluginConfig: event.context?.pluginConfig });
      };
      hooks.register({ hook, id: 'who', owner: 'who', handler, pluginConfig: { mood: 'calm' } } as never);
    }
  };
  const scratch = await gatewayForTest({
    files: { 'workspace/notes.md': 'Nothing new.' },
    now: () => clock.now,
    register,
  });
  const passes = (minutes: number) => {
    clock.now += minutes * 60_000;
  };
  return { scratch, told, passes };
}

function missingOf(context: MessageHookContext, promised: readonly Field[]): readonly string[] {
  return promised.filter((field) => context[field] === undefined);
}
