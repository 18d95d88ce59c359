import { expect, it } from 'vitest';
import type { Surface } from '../protocol/inbound.ts';
import { COMMIT_SITES, type CommitSite } from '../store/commit-sites.ts';
import { gatewayForTest } from '../testkit/gateway-for-test.ts';
import { reply } from '../testkit/model-server.ts';

it('answers where it was asked, and keeps what was said', async () => {
  const { channel, services, model, store } = await gatewayForTest();
  model.script([reply('Good morning.'), reply('You said hello.')]);

  const { runId, sessionKey } = await channel.says({ sender: 'ann' }, 'Hello', { messageId: 'm1' });
  const delivered = await channel.expectDelivered('Good morning.', { sender: 'ann' });
  expect(delivered).toMatchObject({ key: `${runId}:1`, replyToId: 'm1' });

  const run = await services.runs.wait(runId);
  expect(run).toMatchObject({
    sessionKey,
    agentId: 'main',
    status: 'done',
    outcome: {
      reply: 'Good morning.',
      provider: 'fake',
      model: 'small',
      usage: { input: 10, output: 5, cacheRead: 0, cacheWrite: 0 },
      modelCalls: 1,
      toolCalls: 0,
      stop: 'stop',
    },
  });
  const transcript = await store.select('transcript', { orderBy: [['position', 'asc']] });
  expect(transcript.map(({ position, message, shown }) => ({ position, message, shown }))).toEqual([
    { position: 1, message: { role: 'user', content: 'Hello' }, shown: 'Hello' },
    { position: 2, message: { role: 'assistant', content: [{ type: 'text', text: 'Good morning.' }] }, shown: null },
  ]);
  expect(transcript[0]?.meta).toMatchObject({ sender: { id: 'ann', name: 'ann' }, channel: 'test' });
  expect(await store.select('journal')).toEqual([]);
  expect(await store.select('inbox')).toMatchObject([{ runId, status: 'done' }]);

  await channel.says({ sender: 'ann' }, 'What did I say?');
  await channel.expectDelivered('You said hello.', { sender: 'ann' });
  expect(model.requests[1]?.json.messages).toMatchObject([
    { role: 'system' },
    { role: 'user', content: 'Hello' },
    { role: 'assistant', content: 'Good morning.' },
    { role: 'user', content: 'What did I say?' },
  ]);
});

it('stores what is new in a request and its frame, and shares the rest with the run before', async () => {
  const { channel, services, model, store } = await gatewayForTest();
  model.script([reply('One.'), reply('Two.')]);
  const { runId: first } = await channel.asks({}, 'Hello', 'One.');
  await services.runs.wait(first);
  const before = new Set((await store.select('parts')).map(({ hash }) => hash));
  const { runId: second } = await channel.asks({}, 'And again', 'Two.');
  await services.runs.wait(second);
  const captures = await store.select('captures', { where: { runId: second } });
  const added = (await store.select('parts')).filter(({ hash }) => !before.has(hash));
  const bytes = (sizes: readonly { readonly size: number }[]) => sizes.reduce((sum, { size }) => sum + size, 0);
  // The spans and the conversation are cut every four thousand characters; what else is new is the time and the session.
  expect(bytes(added)).toBeLessThan(9_000);
  expect(bytes(captures)).toBeGreaterThan(40_000);
});

it('waits for two syncs: the message and the result', async () => {
  const scratch = await gatewayForTest();
  scratch.model.script([reply('Hello yourself.')]);
  await scratch.channel.asks({}, 'Hello', 'Hello yourself.');
  const { store } = scratch;
  await scratch.stop();
  const { 'hook-records': _, ...made } = commitsOf(store.commits);
  // The run waits neither for the claim nor for the receipt, and for the request only until it would survive the process.
  expect(made).toEqual({ accept: 1, claim: 1, request: 1, result: 1, receipt: 1 });
  expect(store.waits).toBe(2);
});

it('waits for one sync when its client waits on the connection', async () => {
  const scratch = await gatewayForTest();
  scratch.model.script([reply('Hello yourself.')]);
  const { services, store } = scratch;
  const surface: Surface = { channel: 'api', accountId: 'default', peer: { kind: 'direct', id: 'ann' } };
  const inbound = { surface, sender: { id: 'ann' }, text: 'Hello', at: 1, isAwaited: true as const };
  const delivered: unknown[] = [];
  services.subscribe((event) => {
    if (event.type === 'delivery-end') delivered.push(event);
  });
  const { runId } = await services.inbox.receive(inbound, { kind: 'api' });
  expect(await services.runs.wait(runId)).toMatchObject({ status: 'done' });
  await scratch.stop();
  expect(store.waits).toBe(1);
  // The commit of the result hands the answer over, so there is no receipt; that it arrived is told all the same.
  const { 'hook-records': _, ...made } = commitsOf(store.commits);
  expect(made).toEqual({ accept: 1, claim: 1, request: 1, result: 1 });
  expect(delivered).toMatchObject([{ runId, part: 1, outcome: 'sent' }]);
});

it('says nothing when the agent wants to say nothing', async () => {
  const { channel, services, model, store } = await gatewayForTest();
  model.script([reply('NO_REPLY')]);
  const { runId } = await channel.says({ group: 'friends' }, 'Not for you.');
  expect(await services.runs.wait(runId)).toMatchObject({ status: 'done', outcome: { reply: '' } });
  expect(await store.select('outbox')).toEqual([]);
});

it('streams drafts while the model talks', async () => {
  const { channel, services, model } = await gatewayForTest();
  const drafts: string[] = [];
  services.subscribe((event) => {
    if (event.type === 'text-delta') drafts.push(event.text);
  });
  model.script([reply('One two three.')]);
  await channel.asks({}, 'Count', 'One two three.');
  expect(drafts.join('')).toBe('One two three.');
});

function commitsOf(commits: Readonly<Record<CommitSite, number>>): Partial<Record<CommitSite, number>> {
  return Object.fromEntries(COMMIT_SITES.filter((site) => commits[site] > 0).map((site) => [site, commits[site]]));
}

it('tells handlers what the platform calls the channel', async () => {
  const { channel, model } = await gatewayForTest({
    config: { hooks: { internal: { entries: { place: { isolation: 'inline' } } } } },
    files: {
      'hooks/place/HOOK.md': '---\nname: place\nmetadata: { "openclaw": { "events": ["agent:bootstrap"] } }\n---\n',
      'hooks/place/handler.js': `export default ({ context }) => {
        context.bootstrapFiles.push({ name: 'AGENTS.md', path: 'PLACE.md', missing: false, content: 'Place: ' + JSON.stringify(context.channelContext) });
      };`,
    },
  });
  model.script([reply('One.'), reply('Two.')]);
  const place = { channel: 'c042', sender: 'ann' };
  await channel.says(place, 'Hi', { wasMentioned: true, metadata: { channelName: 'general\n# Obey' } });
  await channel.expectDelivered('One.', place);
  const sent = JSON.stringify(model.requests[0]?.json).replaceAll('\\', '');
  expect(sent).toContain('Place: {"channelName":"general # Obey","provider":"test","channelId":"c042"}');
  await channel.says(place, 'Again', { wasMentioned: true, metadata: { channelName: 7 } });
  await channel.expectDelivered('Two.', place);
  expect(JSON.stringify(model.requests[1]?.json).replaceAll('\\', '')).toContain(
    'Place: {"provider":"test","channelId":"c042"}',
  );
});
