import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { HookContext } from '../hooks/hook-context.ts';
import type { HookRunner } from '../hooks/runner.ts';
import type { JsonObject } from '../protocol/json.ts';
import { planSessionEnd } from '../sessions/end-session.ts';
import { openSqliteStore } from '../store/sqlite/open-sqlite-store.ts';
import { gate } from '../testkit/gate.ts';
import { gatewayForTest } from '../testkit/gateway-for-test.ts';
import { hang, reply, toolCalls } from '../testkit/model-server.ts';
import { on } from '../testkit/on.ts';
import { toolForTest } from '../testkit/tool-for-test.ts';
import type { Tool } from '../tools/tool.ts';

describe('a gateway that is stopped in the middle', () => {
  it('sends the very same request again, asks no hook a second time, and answers once', async () => {
    const asked: string[] = [];
    const told: { hook: string; context: HookContext }[] = [];
    const scratch = await gatewayForTest({ register: (hooks) => record(hooks, asked, told) });
    scratch.model.script([hang('So far')]);
    const { runId } = await scratch.channel.says({ group: 'team' }, 'Tell me a story');
    await scratch.model.waitForRequests(1);
    await scratch.stop(0);
    expect(asked).toEqual(['before_model_resolve', 'agent_turn_prepare', 'before_prompt_build', 'before_agent_run']);
    scratch.channel.expectNothingMore();

    scratch.model.script([reply('Once upon a time.')]);
    const attempts: number[] = [];
    await scratch.start();
    scratch.services.subscribe((event) => {
      if (event.type === 'run-start' || event.type === 'text-delta') attempts.push(event.attempt);
    });
    await scratch.channel.expectDelivered('Once upon a time.', { group: 'team' });
    expect(scratch.model.requests).toHaveLength(2);
    expect(scratch.model.requests[1]?.body).toBe(scratch.model.requests[0]?.body);
    expect(asked).toHaveLength(4);
    expect(new Set(attempts).has(1)).toBe(false);
    expect(await scratch.services.runs.wait(runId)).toMatchObject({ status: 'done', claim: 2 });
    await scratch.hooks.drain(1_000);
    expect(told.filter(({ context }) => context.recovered !== true).map(({ hook }) => hook)).toEqual(['llm_input']);
    expect(told.filter(({ context }) => context.recovered).map(({ hook }) => hook)).toEqual(['llm_input', 'agent_end']);

    await scratch.stop();
    await scratch.start();
    await scratch.stop();
    scratch.channel.expectNothingMore();
  });

  it('does not run finished tool calls again, and tells the model of the one that was cut', async () => {
    const ran: string[] = [];
    const { opened: begun, open: begin } = gate();
    const tool = (name: string, idempotent: boolean, run: Tool['run']): Tool => {
      const recorded: Tool['run'] = (params, context) => {
        ran.push(name);
        return run(params, context);
      };
      return toolForTest(name, recorded, { idempotent });
    };
    const cut: Tool['run'] = async (_, { signal }) => {
      begin();
      await sleep(60_000, undefined, { signal, ref: false });
      return { content: 'never' };
    };
    let looks = 0;
    const scratch = await gatewayForTest({
      tools: [
        tool('pay', false, async () => ({ content: 'paid' })),
        tool('ship', false, cut),
        tool('look', true, (...given) => (++looks === 1 ? cut(...given) : Promise.resolve({ content: 'seen' }))),
      ],
    });
    scratch.model.script([toolCalls([{ name: 'pay' }, { name: 'ship' }, { name: 'look' }], 'On it.')]);
    await scratch.channel.says({}, 'Pay, ship and look');
    await begun;
    while (scratch.store.commits['tool-result'] < 1) await sleep(5);
    await scratch.stop(0);
    expect(ran).toEqual(['pay', 'ship', 'look']);

    scratch.model.script([reply('Paid; please check the parcel.')]);
    await scratch.start();
    await scratch.channel.expectDelivered('Paid; please check the parcel.');
    expect(ran).toEqual(['pay', 'ship', 'look', 'look']);
    const messages = scratch.model.requests[1]?.json.messages as JsonObject[];
    expect(messages.filter(({ role }) => role !== 'system')).toMatchObject([
      { role: 'user' },
      { role: 'assistant', content: 'On it.' },
      { role: 'tool', content: 'paid' },
      { role: 'tool', content: expect.stringContaining('interrupted') },
      { role: 'tool', content: 'seen' },
    ]);
    scratch.channel.expectNothingMore();
  });

  it('goes on in the session in which the run began, even if it has ended since', async () => {
    const scratch = await gatewayForTest();
    scratch.model.script([reply('Noted.'), hang()]);
    await scratch.channel.asks({}, 'My name is Ann', 'Noted.');
    await scratch.channel.says({}, 'Who am I?');
    await scratch.model.waitForRequests(2);
    const [open] = await scratch.store.select('sessions');
    if (!open) throw new Error('there is no session');
    await scratch.store.commit(planSessionEnd(open, 'reset', open.startedAt + 1), { site: 'session' });
    await scratch.stop(0);
    scratch.model.script([reply('Ann.')]);
    await scratch.start();
    await scratch.channel.expectDelivered('Ann.');
    const sessions = await scratch.store.select('sessions');
    expect(sessions).toHaveLength(1);
    expect(await scratch.store.count('transcript', { sessionId: sessions[0]?.sessionId ?? '' })).toBe(4);
  });

  it('counts the rounds of the attempts before, so that a run which keeps dying comes to its bound', async () => {
    const look = toolForTest('look', async () => ({ content: 'seen' }));
    const scratch = await gatewayForTest({
      tools: [look],
      config: { agents: { defaults: { model: 'fake/small', maxToolRounds: 3 } } },
    });
    const call = toolCalls([{ name: 'look' }]);
    scratch.model.script([call, call, hang()]);
    await scratch.channel.says({}, 'Look');
    await scratch.model.waitForRequests(3);
    await scratch.stop(0);
    scratch.model.script(() => call);
    await scratch.start();
    await scratch.channel.expectDelivered(/could not be answered\. The agent went back to its tools more than 3 times/);
    expect(scratch.model.requests).toHaveLength(5);
  });

  it('does not answer a client that waited on its connection: a client that still wants it has asked again', async () => {
    const scratch = await gatewayForTest();
    scratch.model.script([hang('So far')]);
    const ask = (peer: string, isAwaited: boolean) =>
      scratch.services.inbox.receive(
        {
          surface: { channel: 'api', accountId: 'default', peer: { kind: 'direct', id: peer } },
          sender: { id: peer },
          text: 'Book the room',
          at: Date.now(),
          ...(isAwaited ? { isAwaited } : {}),
        },
        { kind: 'api' },
      );
    const running = await ask('caller', true);
    await scratch.model.waitForRequests(1);
    const queued = await ask('caller', true);
    const kept = await ask('other', false);
    await scratch.model.waitForRequests(1);
    const waiting = scratch.services.runs.wait(running.runId).catch((error: Error) => error.message);
    await scratch.stop(0);
    expect(await waiting).toContain('stopping');

    scratch.model.script(() => reply('Booked.'));
    await scratch.start();
    expect(await scratch.services.runs.wait(running.runId)).toMatchObject({ status: 'stopped' });
    expect(await scratch.services.runs.wait(queued.runId)).toMatchObject({ status: 'stopped' });
    expect(await scratch.services.runs.wait(kept.runId)).toMatchObject({
      status: 'done',
      outcome: { reply: 'Booked.' },
    });
    expect(await scratch.store.count('outbox', { runId: running.runId })).toBe(0);
  });

  it('keeps the order: what came later is answered later', async () => {
    const scratch = await gatewayForTest();
    scratch.model.script([hang()]);
    await scratch.channel.says({}, 'First');
    await scratch.channel.says({}, 'Second');
    await scratch.model.waitForRequests(1);
    await scratch.stop(0);
    scratch.model.script([reply('One.'), reply('Two.')]);
    await scratch.start();
    await scratch.channel.expectDelivered('One.');
    await scratch.channel.expectDelivered('Two.');
  });

  it('tells observers of an end that they were not told of', async () => {
    const ends: object[] = [];
    const scratch = await gatewayForTest({
      register: (hooks) => on(hooks, 'agent_end', 'end', (event) => void ends.push(event)),
    });
    scratch.model.script([reply('Hello.')]);
    const { runId } = await scratch.channel.asks({}, 'Hi', 'Hello.');
    await scratch.stop();
    expect(ends).toMatchObject([{ runId, success: true }]);
    await scratch.start();
    await scratch.store.commit([{ update: 'runs', where: { runId }, set: { observed: false } }], { site: 'observed' });
    await scratch.stop();
    await scratch.start();
    await scratch.stop();
    expect(ends).toMatchObject([{ runId }, { runId, success: true, recovered: true }]);
  });
});

describe('a run that gets nowhere', () => {
  it('is given up after three claims: the person is told, and the message is kept', async () => {
    let looked = 0;
    const { opened: looking, open: look } = gate();
    const ends: object[] = [];
    const scratch = await gatewayForTest({
      register: (hooks) => {
        on(hooks, 'before_prompt_build', { owner: 'stuck', timeoutMs: 60_000 }, () => {
          looked += 1;
          look();
          return new Promise(() => {});
        });
        on(hooks, 'agent_end', 'end', (event) => void ends.push(event));
      },
    });
    const { runId } = await scratch.channel.says({}, 'Deadly');
    await looking;
    await scratch.stop(0);
    // A normal stop does not count against a run, so the test edits the store to what three crashed processes would
    // leave.
    const store = await openSqliteStore({ file: scratch.home.path('atrium/atrium.db') });
    await store.commit([{ update: 'runs', where: { runId }, set: { claim: 3, progressClaim: 0 } }], { site: 'claim' });
    await store.close();
    await scratch.start();
    await scratch.channel.expectDelivered(/could not be answered\. The run was begun 3 times/);
    expect(looked).toBe(1);
    expect(await scratch.store.select('runs')).toMatchObject([{ runId, status: 'failed' }]);
    expect(await scratch.store.select('deadLetters')).toMatchObject([
      { direction: 'in', runId, payload: { inbound: { text: 'Deadly' } } },
    ]);
    expect(await scratch.store.select('inbox')).toMatchObject([{ status: 'dead' }]);
    await scratch.stop();
    expect(ends).toMatchObject([{ runId, success: false }]);
    scratch.channel.expectNothingMore();
  });
});

function record(hooks: HookRunner, asked: string[], told: { hook: string; context: HookContext }[]): void {
  for (const hook of ['before_model_resolve', 'agent_turn_prepare', 'before_prompt_build'] as const) {
    on(hooks, hook, 'ask', () => void asked.push(hook));
  }
  on(hooks, 'before_agent_run', 'ask', () => {
    asked.push('before_agent_run');
    return { outcome: 'pass' };
  });
  for (const hook of ['llm_input', 'agent_end'] as const) {
    on(hooks, hook, 'tell', (_: object, context: HookContext) => void told.push({ hook, context }));
  }
}
