// Two gateways in processes of their own share one Postgres schema, and people notice nothing of it: an answer comes to the place
// where its question was asked, wherever the run was; an account is connected once, and moves when its node dies.

import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { FAKE_PLATFORMS } from '../src/testkit/fake-platforms.ts';
import type { GatewayProcess } from '../src/testkit/gateway-process.ts';
import { hang, reply, toolCall } from '../src/testkit/model-server.ts';
import type { WebClient } from '../src/testkit/web-client.ts';
import { describeNodes, type NodesStatus, SOON, TIMEOUT_MS } from './fixtures/two-nodes.ts';

await describeNodes('two nodes', (stage) => {
  /** A platform without ids for sends shows an answer twice when its sender dies before the receipt is stored. */
  const isDelivered = (gateway: GatewayProcess) =>
    expect.poll(async () => (await gateway.json<NodesStatus>('/api/status')).outbox.queued, SOON).toBe(0);
  const ask = (content: string) => ({ body: { model: 'atrium/main', messages: [{ role: 'user', content }] } });

  it(
    'answer where they were asked, although the run was at the other one',
    async () => {
      const { a, b } = await stage.start();
      const answer = await a.json<{ choices: { message: { content: string } }[] }>('/v1/chat/completions', ask('hi'));
      expect(answer.choices[0]?.message.content).toBe('you said hi');
      expect([a.model.requests.length, b.model.requests.length]).toEqual([0, 1]);

      const stream = await a.fetch('/v1/chat/completions', { body: { ...ask('more').body, stream: true } });
      const text = await stream.text();
      const pieces = [...text.matchAll(/"content":"([^"]*)"/g)].map(([, piece]) => piece);
      expect(pieces.join('')).toBe('you said more');

      const [here, there] = [stage.page(a, 'desk'), stage.page(b, 'desk')];
      await here.until(({ isReady }) => isReady, 'to be connected');
      await there.until(({ isReady }) => isReady, 'to be connected');
      for (let n = 1; n <= 5; n++) (n % 2 ? here : there).say(`m${n}`, `message ${n}`);
      for (const each of [here, there]) {
        await each.until(({ parts }) => parts.length >= 5, 'for five answers');
        expect(each.repeated).toEqual([]);
        expect(each.texts.toSorted()).toEqual([1, 2, 3, 4, 5].map((n) => `you said message ${n}`));
        expect(each.parts.map(({ seq }) => seq)).toEqual(each.parts.map(({ seq }) => seq).toSorted((x, y) => x - y));
      }
      // The page at a was shown the run at b while it went on.
      await here.until(({ frames }) => frames.some(({ type }) => type === 'text-delta'), 'for the words as they came');
      await here.until(({ frames }) => frames.filter(({ type }) => type === 'run-end').length >= 5, 'for all ends');
      const again = stage.page(a, 'desk');
      await again.until(({ parts }) => parts.length >= 5, 'for the same record');
      expect(again.parts).toEqual(here.parts);
    },
    TIMEOUT_MS,
  );

  it.each(Object.keys(FAKE_PLATFORMS))(
    'have each account of %s connected once, say where, and take it over with what was written meanwhile',
    async (id) => {
      const { platform, place, said, accountAt } = await stage.openPlatform(id);
      const { a, b } = await stage.start({
        agents: { defaults: { model: 'fake/small' } },
        channels: platform.channels,
      });
      await expect.poll(() => accountAt(a), SOON).toMatchObject({ state: 'connected' });
      const node = (await accountAt(a))?.node;
      await expect.poll(() => accountAt(b), SOON).toMatchObject({ state: 'connected', node });
      await platform.says(place, 'one');
      await expect.poll(said, SOON).toEqual(['you said one']);
      await isDelivered(a);

      const [dying, other] = node === 'a' ? [a, b] : [b, a];
      await dying.kill();
      // Nobody is connected at this moment.
      await platform.says(place, 'two');
      await expect
        .poll(() => accountAt(other), SOON)
        .toMatchObject({ state: 'connected', node: node === 'a' ? 'b' : 'a' });
      await platform.says(place, 'three');
      await expect.poll(said, SOON).toEqual(['you said one', 'you said two', 'you said three']);
    },
    TIMEOUT_MS,
  );

  it.each(Object.keys(FAKE_PLATFORMS))(
    'connect an account of %s again on a node that had lost it',
    async (id) => {
      const { platform, place, said, accountAt } = await stage.openPlatform(id);
      const { a, b } = await stage.start({
        agents: { defaults: { model: 'fake/small' } },
        channels: platform.channels,
      });
      await expect.poll(() => accountAt(b), SOON).toMatchObject({ state: 'connected' });
      const [first, second] = (await accountAt(a))?.node === 'a' ? [a, b] : [b, a];
      const nameOf = (gateway: GatewayProcess) => (gateway === a ? 'a' : 'b');
      first.signal('SIGSTOP');
      await expect.poll(() => accountAt(second), SOON).toMatchObject({ state: 'connected', node: nameOf(second) });
      first.signal('SIGCONT');
      await expect.poll(async () => (await first.json<{ status: string }>('/readyz')).status, SOON).toBe('ready');
      await platform.says(place, 'one');
      await expect.poll(said, SOON).toEqual(['you said one']);
      await isDelivered(second);
      await second.kill();
      await platform.says(place, 'two');
      await expect.poll(() => accountAt(first), SOON).toMatchObject({ state: 'connected', node: nameOf(first) });
      await platform.says(place, 'three');
      await expect.poll(said, SOON).toEqual(['you said one', 'you said two', 'you said three']);
    },
    TIMEOUT_MS,
  );

  it(
    'let a node that was frozen send nothing that the other one has sent',
    async () => {
      const { platform, place, said, accountAt } = await stage.openPlatform('discord');
      const { a, b } = await stage.start({
        agents: { defaults: { model: 'fake/small' } },
        channels: platform.channels,
      });
      await expect.poll(() => accountAt(a), SOON).toMatchObject({ state: 'connected' });
      const [frozen, other] = (await accountAt(a))?.node === 'a' ? [a, b] : [b, a];
      await platform.says(place, 'one');
      await expect.poll(said, SOON).toEqual(['you said one']);
      frozen.signal('SIGSTOP');
      await expect.poll(() => accountAt(other), SOON).toMatchObject({ state: 'connected' });
      await platform.says(place, 'two');
      await expect.poll(said, SOON).toEqual(['you said one', 'you said two']);
      frozen.signal('SIGCONT');
      await expect.poll(async () => (await frozen.json<{ status: string }>('/readyz')).status, SOON).toBe('ready');
      expect(frozen.err).toContain('silent for too long');
      await platform.says(place, 'three');
      const all = ['you said one', 'you said two', 'you said three'];
      await expect.poll(said, SOON).toEqual(all);
      await sleep(1_000);
      expect(said()).toEqual(all);
    },
    TIMEOUT_MS,
  );

  it(
    'send a part once of which the sender died between the send and its receipt',
    async () => {
      const { platform, place, said } = await stage.openPlatform('discord');
      const config = { agents: { defaults: { model: 'fake/small' } }, channels: platform.channels };
      const failpoints = ['receipt:before'];
      const { a, b } = await stage.start(config, { a: { failpoints }, b: { failpoints } });
      await expect
        .poll(async () => (await a.json<NodesStatus>('/api/status')).channels.some(isConnected), SOON)
        .toBe(true);
      await platform.says(place, 'one');
      // Whichever node sent it is dead now. The other one would die too, so a third one goes on.
      await Promise.race([a.ended(), b.ended()]);
      const [dead, alive] = a.pid === undefined ? [a, b] : [b, a];
      await alive.kill();
      expect(await dead.start({ node: 'c' })).toBe('ready');
      await platform.says(place, 'two');
      await expect.poll(said, SOON).toEqual(['you said one', 'you said two']);
      await sleep(500);
      expect(said()).toEqual(['you said one', 'you said two']);
    },
    TIMEOUT_MS,
  );

  it(
    'take the answer of a person, and a stop, at any of them',
    async () => {
      const { a, b } = await stage.start({ tools: { exec: { ask: 'always', security: 'full' } } });
      b.model.script([toolCall('exec', { command: 'echo done' }), reply('it ran'), hang('never')]);
      const answering = a.json<{ choices: { message: { content: string } }[] }>('/v1/chat/completions', ask('run it'));
      const waiting = async () =>
        (await a.json<{ approvals: { id: string; status: string }[] }>('/api/approvals')).approvals.find(
          ({ status }) => status === 'waiting',
        );
      await expect.poll(waiting, SOON).toBeTruthy();
      const approval = await waiting();
      await a.fetch(`/api/approvals/${approval?.id}`, { body: { decision: 'allow-once' } });
      expect((await answering).choices[0]?.message.content).toBe('it ran');

      const here = stage.page(a, 'desk');
      here.say('m1', 'take your time');
      await here.until(({ frames }) => frames.some(({ type }) => type === 'text-delta'), 'for the first words');
      const { runId } = here.accepted.get('m1') ?? {};
      await a.fetch(`/api/runs/${runId}/stop`, { method: 'POST' });
      const ended = ({ frames }: WebClient) =>
        frames.some((frame) => frame.type === 'run-end' && frame.runId === runId);
      await here.until(ended, 'for the end');
      expect(here.frames.find((frame) => frame.type === 'run-end' && frame.runId === runId)).toMatchObject({
        status: 'stopped',
      });
    },
    TIMEOUT_MS,
  );

  it(
    'name each other when their settings differ',
    async () => {
      const fake = { baseUrl: 'http://127.0.0.1:9', apiKey: 'k', api: 'openai-completions', models: [{ id: 'small' }] };
      const { a, b } = await stage.start({ models: { providers: { fake } } });
      expect((await a.json<NodesStatus>('/api/status')).warnings.join()).not.toContain('different settings');
      const text = await b.home.read('openclaw.json');
      await b.home.write('openclaw.json', JSON.stringify({ ...JSON.parse(text), logging: { redactPatterns: ['x+'] } }));
      for (const [gateway, name] of [
        [a, 'b'],
        [b, 'a'],
      ] as const) {
        await expect
          .poll(async () => (await gateway.json<NodesStatus>('/api/status')).warnings.join(), SOON)
          .toContain(`the node ${name} has different settings`);
      }
    },
    TIMEOUT_MS,
  );
});

function isConnected({ accounts }: NodesStatus['channels'][number]): boolean {
  return accounts?.some(({ state }) => state === 'connected') === true;
}
