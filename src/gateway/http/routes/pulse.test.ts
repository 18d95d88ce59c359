// The pulse and the conservation of a whole gateway, by their routes, and the frames that tell a page about changes.

import { expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { gatewayForTest } from '../../../testkit/gateway-for-test.ts';
import { fail, reply, toolCall } from '../../../testkit/model-server.ts';
import { serve } from '../../page/fixtures/browser-page.ts';
import { TEST_TOKEN } from '../fixtures/test-api.ts';

it('accounts for every message, and tells pages that watch what has changed', async () => {
  const scratch = await gatewayForTest();
  const server = await serve(scratch);
  const read = async (path: string) =>
    (await fetch(`${server.url}${path}`, { headers: { authorization: `Bearer ${TEST_TOKEN}` } })).json();
  const socket = new WebSocket(`${server.url.replace(/^http/, 'ws')}/ws?channel=web`, {
    headers: { authorization: `Bearer ${TEST_TOKEN}` },
  });
  const frames: { readonly type: string; readonly topics?: readonly string[] }[] = [];
  socket.on('message', (data) => frames.push(JSON.parse(String(data))));
  socket.on('open', () => socket.send(JSON.stringify({ type: 'watch' })));
  await expect.poll(() => frames[0]).toEqual({ type: 'watching' });

  scratch.model.script([reply('Good.'), fail(401, { message: 'The key was refused.' })]);
  await scratch.channel.asks({ sender: 'ann' }, 'one', 'Good.');
  await scratch.channel.says({ sender: 'ann' }, 'two');
  await scratch.channel.expectDelivered(/refused/);
  const topics = () => new Set(frames.flatMap((frame) => frame.topics ?? []));
  await expect
    .poll(() => [...topics()], { timeout: 10_000 })
    .toEqual(expect.arrayContaining(['sessions', 'runs', 'deliveries', 'dead-letters']));
  await expect
    .poll(() => read('/api/conservation'))
    .toMatchObject({
      accepted: 2,
      waiting: 0,
      running: 0,
      done: 1,
      failed: 1,
      unaccounted: 0,
      deliveries: { sent: 2, queued: 0 },
    });
  const { samples } = (await read('/api/pulse')) as { samples: readonly { memoryBytes: number; storeBytes: number }[] };
  expect(samples[0]?.memoryBytes).toBeGreaterThan(1_000_000);
  expect(samples[0]?.storeBytes).toBeGreaterThan(1_000);
  socket.close();
  await server.close(50);
});

it('accounts for results of subagents that their parent waited for', async () => {
  const scratch = await gatewayForTest();
  const server = await serve(scratch);
  scratch.model.script(({ json }) => {
    const last = (json.messages as readonly { role: string; content: unknown }[]).at(-1);
    const told = JSON.stringify(last?.content ?? '');
    if (told.includes('Look into it')) return toolCall('sessions_spawn', { task: 'Count.', taskName: 'count' });
    if (told.includes('Count.')) return reply('Seven.');
    return told.includes('accepted') ? toolCall('sessions_wait', {}) : reply('It is seven.');
  });
  await scratch.channel.asks({ sender: 'ann' }, 'Look into it', 'It is seven.');
  const read = async () =>
    (
      await fetch(`${server.url}/api/conservation`, { headers: { authorization: `Bearer ${TEST_TOKEN}` } })
    ).json() as Promise<object>;
  await expect.poll(read).toMatchObject({ accepted: 2, done: 2, running: 0, suspended: 0, unaccounted: 0 });
  await server.close(50);
});
