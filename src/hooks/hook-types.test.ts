import { describe, expectTypeOf, it } from 'vitest';
import type { JsonObject } from '../protocol/json.ts';
import type { ToolMessage } from '../protocol/message.ts';
import { on } from '../testkit/on.ts';
import type { HookName } from './catalog.ts';
import type { AskingHookName, HookHandler, HookTypes, ObserverHookName, SyncHookName } from './hook-types.ts';
import { type HookAnswer, HookRunner } from './runner.ts';

describe('the types of the hooks', () => {
  it('are there for every row of the catalog, and for nothing else', () => {
    expectTypeOf<keyof HookTypes>().toEqualTypeOf<HookName>();
  });

  it('say who is asked, who is told and who answers with plain values', () => {
    expectTypeOf<'before_tool_call'>().toExtend<AskingHookName>();
    expectTypeOf<'agent_end'>().toExtend<ObserverHookName>();
    expectTypeOf<'agent_end' & AskingHookName>().toBeNever();
    expectTypeOf<'agent:bootstrap' & (AskingHookName | ObserverHookName)>().toBeNever();
    expectTypeOf<SyncHookName>().toEqualTypeOf<'tool_result_persist' | 'before_message_write'>();
  });

  it('give a handler its event, its context and its answers', () => {
    expectTypeOf<HookHandler<'before_tool_call'>>().parameter(0).toHaveProperty('params').toEqualTypeOf<JsonObject>();
    expectTypeOf<HookHandler<'before_tool_call'>>().parameter(1).toHaveProperty('signal').toEqualTypeOf<AbortSignal>();
    expectTypeOf<() => { outcome: 'pass' }>().toExtend<HookHandler<'before_agent_run'>>();
    expectTypeOf<() => Promise<void>>().toExtend<HookHandler<'before_agent_run'>>();
    expectTypeOf<() => { outcome: 'maybe' }>().not.toExtend<HookHandler<'before_agent_run'>>();
    expectTypeOf<() => Promise<{ message: ToolMessage }>>().not.toExtend<HookHandler<'tool_result_persist'>>();
  });

  it('give a call site its result', () => {
    expectTypeOf<HookAnswer<'message_sending'>['result']['content']>().toEqualTypeOf<string | undefined>();
    expectTypeOf<HookAnswer<'before_model_resolve'>['result']>().not.toHaveProperty('content');
  });

  it('follow the name next to a handler when it is registered', () => {
    const hooks = new HookRunner();
    on(hooks, 'before_agent_run', 'a', ({ prompt }) => ({
      outcome: prompt === '' ? 'pass' : 'block',
      reason: 'why not',
    }));
    // @ts-expect-error: no such outcome
    on(hooks, 'before_agent_run', 'b', () => ({ outcome: 'maybe' }));
  });
});
