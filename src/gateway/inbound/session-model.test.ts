// /model: who may, what it changes, and how long it holds.

import { expect, it, vi } from 'vitest';
import { withSessionModel } from '../../sessions/session-model.ts';
import { gatewayForTest } from '../../testkit/gateway-for-test.ts';
import { fail, reply } from '../../testkit/model-server.ts';
import { on } from '../../testkit/on.ts';

const ANA = { sender: 'ana' };
const open = () => gatewayForTest({ config: { approvals: { approvers: ['test:ana'] } } });

it('shows the model of the session, and chooses another one that holds across a restart until /model default', async () => {
  const scratch = await open();
  const { channel, model } = scratch;
  model.script(() => reply('Hello.'));
  const asked = () => model.requests.at(-1)?.json.model;

  await channel.asks(ANA, 'Hi', 'Hello.');
  expect(asked()).toBe('small');
  await channel.says(ANA, '/model');
  await channel.expectDelivered(/This session uses fake\/small, the model of the agent/);

  await channel.says(ANA, '/model fake/large');
  await channel.expectDelivered(/From the next message on this session uses fake\/large/);
  await channel.asks(ANA, 'Hi again', 'Hello.');
  expect(asked()).toBe('large');
  await channel.says(ANA, '/status');
  await channel.expectDelivered(/^Model: fake\/large/m);
  await channel.asks({ sender: 'bob' }, 'Hi', 'Hello.');
  expect(asked()).toBe('small');

  await scratch.stop();
  await scratch.start();
  await scratch.channel.asks(ANA, 'Still there?', 'Hello.');
  expect(asked()).toBe('large');
  await scratch.channel.says(ANA, '/model');
  await scratch.channel.expectDelivered(
    /uses fake\/large, chosen with \/model\. \/model default goes back to fake\/small/,
  );
  await scratch.channel.says(ANA, '/model default');
  await scratch.channel.expectDelivered(/uses fake\/small again/);
  await scratch.channel.asks(ANA, 'And now?', 'Hello.');
  expect(asked()).toBe('small');
});

it('chooses a model before the first word, and the session begins with it once', async () => {
  const scratch = await open();
  const { channel, model, store } = scratch;
  const started: unknown[] = [];
  on(scratch.opened.hooks, 'session_start', 'watch', ({ sessionKey }) => void started.push(sessionKey));
  model.script(() => reply('Hello.'));
  await channel.says(ANA, '/model fake/large');
  await channel.expectDelivered(/From the next message on this session uses fake\/large/);
  await channel.asks(ANA, 'Hi', 'Hello.');
  expect(model.requests.at(-1)?.json.model).toBe('large');
  await vi.waitFor(() => expect(started).toHaveLength(1));
  expect(await store.count('sessions')).toBe(1);

  await channel.asks(ANA, '/new', 'A new session has begun.');
  await channel.says(ANA, '/model fake/large');
  await channel.expectDelivered(/uses fake\/large/);
  await channel.says(ANA, '/model default');
  await channel.expectDelivered(/uses fake\/small again/);
  await channel.asks(ANA, 'Hi again', 'Hello.');
  expect(model.requests.at(-1)?.json.model).toBe('small');
});

it('is not lost when a message opens the session at the same moment', async () => {
  const scratch = await open();
  const { channel, model } = scratch;
  model.script(() => reply('Hello.'));
  await Promise.all([channel.says(ANA, 'Hi'), channel.says(ANA, '/model fake/large')]);
  // Which of the two comes first is not said.
  for (let answers = 0; answers < 2; answers++) await channel.expectDelivered(/uses fake\/large|Hello\./);
  await channel.asks(ANA, 'And now?', 'Hello.');
  expect(model.requests.at(-1)?.json.model).toBe('large');
  expect(await scratch.store.count('sessions')).toBe(1);
});

it('leaves the model as it is when the name cannot be used, or the person may not choose', async () => {
  const scratch = await open();
  const { channel, model } = scratch;
  model.script(() => reply('Hello.'));
  await channel.asks(ANA, 'Hi', 'Hello.');
  await channel.says(ANA, '/model fakee/large');
  await channel.expectDelivered(/The model stays as it is\. .*"fakee".*fake/s);
  await channel.says(ANA, '/model nosuch');
  await channel.expectDelivered(/The model stays as it is\. No list of anthropic has the model "nosuch"/);
  await channel.says(ANA, '/model gpt-5.4');
  await channel.expectDelivered(/The model stays as it is\. .*Did you mean openai\/gpt-5\.4\?/);
  await channel.says(ANA, '/model groq/llama-3.3-70b-versatile');
  await channel.expectDelivered(/The model stays as it is\. .*Set GROQ_API_KEY/s);
  await channel.asks({ sender: 'bob' }, 'Hi', 'Hello.');
  await channel.says({ sender: 'bob' }, '/model fake/large');
  await channel.expectDelivered(/You may not use \/model here/);
  await channel.asks({ sender: 'bob' }, 'Hi again', 'Hello.');
  expect(model.requests.at(-1)?.json.model).toBe('small');
});

it('ends with the session, and nobody else is sent the conversation when the chosen one fails', async () => {
  const scratch = await open();
  const { channel, model } = scratch;
  model.script(({ json }) => (json.model === 'large' ? fail(404) : reply('Hello.')));
  await channel.asks(ANA, 'Hi', 'Hello.');
  await channel.says(ANA, '/model fake/large');
  await channel.expectDelivered(/uses fake\/large/);
  await channel.says(ANA, 'Hi again');
  await channel.expectDelivered(/The model fake\/large did not answer .*\/model default goes back/s);
  expect(model.requests.slice(-2).map(({ json }) => json.model)).toEqual(['small', 'large']);
  await channel.asks(ANA, '/new', 'A new session has begun.');
  await channel.asks(ANA, 'A new day', 'Hello.');
  expect(model.requests.at(-1)?.json.model).toBe('small');
});

it('allows only the models of a list, also where a session was given another one before', async () => {
  const scratch = await gatewayForTest({
    config: {
      approvals: { approvers: ['test:ana'] },
      agents: { defaults: { models: { 'fake/small': { alias: 'little' }, 'fake/large': {} } } },
    },
  });
  const { channel, model, store } = scratch;
  model.script(() => reply('Hello.'));
  await channel.says(ANA, '/model');
  await channel.expectDelivered(/These may be chosen: fake\/small, fake\/large\./);
  await channel.says(ANA, '/model mirror');
  await channel.expectDelivered(
    /The model stays as it is\. The model mirror\/mirror is not among those that may be chosen\. agents\.defaults\.models has fake\/small, fake\/large\./,
  );
  await channel.says(ANA, '/model fake/large');
  await channel.expectDelivered(/uses fake\/large/);
  await channel.asks(ANA, 'Hi', 'Hello.');
  expect(model.requests.at(-1)?.json.model).toBe('large');

  const [session] = await store.select('sessions', { limit: 1 });
  if (!session) throw new Error('There is no session.');
  const set = { state: withSessionModel(session, 'mirror/mirror') };
  await store.commit([{ update: 'sessions', where: { sessionId: session.sessionId }, set }], { site: 'session-model' });
  await channel.asks(ANA, 'And now?', 'Hello.');
  expect(model.requests.at(-1)?.json.model).toBe('small');
});
