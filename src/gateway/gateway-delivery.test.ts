// What a gateway adds to an answer on its way to a chat platform.

import { expect, it } from 'vitest';
import { gatewayForTest } from '../testkit/gateway-for-test.ts';
import { fail, reply } from '../testkit/model-server.ts';

it('puts the prefix before the words of a model, and before no others; the conversation keeps the words alone', async () => {
  const scratch = await gatewayForTest({
    config: {
      messages: { responsePrefix: '{identity.name} ({model}):' },
      agents: { list: [{ id: 'main', identity: { name: 'Pim' } }] },
    },
  });
  const { channel, model } = scratch;
  model.script([reply('Hello.'), reply('Still here.'), fail(404)]);
  const ana = { sender: 'ana' };
  await channel.asks(ana, 'Hi', 'Pim (small): Hello.');
  await channel.asks(ana, 'And now?', 'Pim (small): Still here.');
  expect(model.requests.at(-1)?.body).toContain('"Hello."');
  await channel.says(ana, '/help');
  await channel.expectDelivered(/^(?!Pim)/);
  await channel.says(ana, 'Again');
  await channel.expectDelivered(/^(?!Pim)/);
});
