// How a parent waits for its children: without a slot, across restarts, and with each result told once.

import { describe, expect, it, vi } from 'vitest';
import type { JsonObject } from '../../protocol/json.ts';
import { gate } from '../../testkit/gate.ts';
import { gatewayForTest } from '../../testkit/gateway-for-test.ts';
import { fail, after as laterThan, reply, toolCall, toolCalls } from '../../testkit/model-server.ts';
import type { ScratchGateway } from '../../testkit/scratch-gateway.ts';
import { saying, settled, tellings, toolResults } from './fixtures/children-talk.ts';

const ENDED = 'They have ended.';
const NOT_YET = 'Not all of them';

const spawnAndWait = (tasks: readonly string[], wait: JsonObject = {}) =>
  toolCalls([
    ...tasks.map((task) => ({ name: 'sessions_spawn', params: { task } })),
    { name: 'sessions_wait', params: wait },
  ]);

describe('a parent that waits for its children', () => {
  it('waits for those that the same step spawned, and no completion event repeats what it was given', async () => {
    const scratch = await gatewayForTest();
    scratch.model.script(
      saying({
        Research: spawnAndWait(['Read A.', 'Read B.']),
        'Read A.': reply('A is red.'),
        'Read B.': fail(400, { message: 'B is gone' }),
        [ENDED]: reply('A is red, and B could not be read.'),
      }),
    );
    await scratch.channel.asks({}, 'Research', 'A is red, and B could not be read.');
    const children = await settled(scratch, 2);
    expect(children.map(({ outcome, isAnswered }) => [outcome, isAnswered])).toEqual([
      ['ok', true],
      ['error', true],
    ]);
    const [given] = toolResults(scratch).filter((content) => content.startsWith(ENDED));
    expect(given).toContain('"result":"| A is red."');
    expect(given).toContain('B is gone');
    await idle(scratch);
    expect(tellings(scratch)).toEqual([]);
    expect(await scratch.store.count('waits')).toBe(0);
    scratch.channel.expectNothingMore();
  });

  it('holds no slot, and tells who writes meanwhile what their message waits for', async () => {
    const config = { agents: { defaults: { model: 'fake/small', maxConcurrent: 1 } } };
    const scratch = await gatewayForTest({ config });
    const { opened, open } = gate();
    scratch.model.script(
      saying({
        Research: spawnAndWait(['Read A.']),
        'Read A.': laterThan(opened, reply('A is red.')),
        [ENDED]: reply('It is red.'),
        'And you?': reply('I am fine.'),
      }),
    );
    await scratch.channel.says({}, 'Research');
    await scratch.model.waitForRequests(2);
    await scratch.channel.says({}, 'And you?');
    await scratch.channel.expectDelivered(/waits for 1 subagent \(at most 10 min.*\/stop/);
    open();
    await scratch.channel.expectDelivered('It is red.');
    await scratch.channel.expectDelivered('I am fine.');
  });

  it('goes on when the time is over, and what comes later is announced', async () => {
    const scratch = await gatewayForTest();
    const { opened, open } = gate();
    scratch.model.script(
      saying({
        Research: spawnAndWait(['Read A.'], { timeoutSeconds: 1 }),
        'Read A.': laterThan(opened, reply('A is red.')),
        [NOT_YET]: reply('Still reading.'),
        '[Internal': reply('It is red.'),
      }),
    );
    await scratch.channel.asks({}, 'Research', 'Still reading.');
    open();
    await scratch.channel.expectDelivered('It is red.');
    await settled(scratch, 1);
    expect(tellings(scratch)).toHaveLength(1);
  });

  it('goes on with the first where one is enough, and is told of the other one later', async () => {
    const scratch = await gatewayForTest();
    const { opened, open } = gate();
    scratch.model.script(
      saying({
        Research: spawnAndWait(['Read A.', 'Read B.'], { waitFor: 'any' }),
        'Read A.': laterThan(opened, reply('A is red.')),
        'Read B.': reply('B is blue.'),
        [NOT_YET]: reply('B is blue, the rest comes.'),
        '[Internal': reply('A is red.'),
      }),
    );
    await scratch.channel.asks({}, 'Research', 'B is blue, the rest comes.');
    open();
    await scratch.channel.expectDelivered('A is red.');
    await settled(scratch, 2);
    const [told, ...more] = tellings(scratch);
    expect(more).toEqual([]);
    expect(told).toContain('Read A.');
  });

  it('waits across a restart, and is given what ended while it was suspended', async () => {
    const scratch = await gatewayForTest();
    const { opened, open } = gate();
    scratch.model.script(
      saying({
        Research: spawnAndWait(['Read A.']),
        'Read A.': laterThan(opened, reply('A is red.')),
        [ENDED]: reply('It is red.'),
      }),
    );
    await scratch.channel.says({}, 'Research');
    await scratch.model.waitForRequests(2);
    await vi.waitFor(async () => expect(await scratch.store.count('runs', { status: 'suspended' })).toBe(1));
    await scratch.stop();
    open();
    await scratch.start();
    await scratch.channel.expectDelivered('It is red.');
    await settled(scratch, 1);
    await idle(scratch);
    expect(tellings(scratch)).toEqual([]);
    expect(toolResults(scratch).filter((content) => content.startsWith(ENDED))).toHaveLength(1);
    scratch.channel.expectNothingMore();
  });

  it('is stopped by /stop while it waits, and the child is not lost', async () => {
    const scratch = await gatewayForTest();
    const { opened, open } = gate();
    scratch.model.script(
      saying({
        Research: spawnAndWait(['Read A.']),
        'Read A.': laterThan(opened, reply('A is red.')),
        '[Internal': reply('It is red.'),
      }),
    );
    await scratch.channel.says({}, 'Research');
    await scratch.model.waitForRequests(2);
    await vi.waitFor(async () => expect(await scratch.store.count('runs', { status: 'suspended' })).toBe(1));
    await scratch.channel.says({}, '/stop');
    await scratch.channel.expectDelivered(
      'Stopping. 1 subagent of this session goes on. Stop it with /subagents kill all.',
    );
    await scratch.channel.expectDelivered('Stopped.');
    expect(await scratch.store.count('waits')).toBe(0);
    open();
    await settled(scratch, 1);
  });

  it('is told when there is nothing to wait for', async () => {
    const scratch = await gatewayForTest();
    scratch.model.script(
      saying({ Wait: toolCall('sessions_wait'), 'There is no subagent': reply('Nothing to wait for.') }),
    );
    await scratch.channel.asks({}, 'Wait', 'Nothing to wait for.');
  });

  it('is given a child that had nothing to say', async () => {
    const scratch = await gatewayForTest();
    scratch.model.script(
      saying({ Research: spawnAndWait(['Read A.']), 'Read A.': reply('NO_REPLY'), [ENDED]: reply('Nothing new.') }),
    );
    await scratch.channel.asks({}, 'Research', 'Nothing new.');
  });
});

/** Nothing waits in any lane any more. */
async function idle({ store }: ScratchGateway): Promise<void> {
  const open = { status: { in: ['queued', 'claimed'] } };
  await vi.waitFor(async () => expect(await store.count('inbox', open)).toBe(0), { timeout: 30_000, interval: 20 });
}
