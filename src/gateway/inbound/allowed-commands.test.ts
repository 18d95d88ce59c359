// `commands.allowFrom` in a whole gateway: who is not named can speak to the agent, and use no command.

import { expect, it } from 'vitest';
import { gatewayForTest } from '../../testkit/gateway-for-test.ts';
import { reply } from '../../testkit/model-server.ts';

it('keeps commands from people whom it does not name: those at once, those in their turn, and /help', async () => {
  const scratch = await gatewayForTest({ config: { commands: { allowFrom: { test: ['ana'] } } } });
  scratch.model.script(() => reply('Yes.'));
  const eve = { sender: 'eve' };
  for (const text of ['/status', '/help', '/new', '/compact', '/stop'])
    await scratch.channel.asks(eve, text, /^You may not use \/\w+ here\. The operator named in commands\.allowFrom/);
  expect(scratch.model.requests).toHaveLength(0);
  await scratch.channel.asks(eve, 'Hello', 'Yes.');
  await scratch.channel.asks({ sender: 'ana' }, '/status', /main/);
  await scratch.channel.asks({ sender: 'ana' }, '/new', /new session/);
  // It is used, though the operator may use commands in any case.
  expect((await scratch.services.status()).unused).toMatchObject([{ path: 'commands.allowFrom', danger: 'differs' }]);
});
