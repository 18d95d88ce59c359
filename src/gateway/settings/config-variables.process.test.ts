// Variables of the configuration in a whole gateway: where the process has none of that name, models and commands use
// them.

import { expect, it } from 'vitest';
import { gatewayForTest } from '../../testkit/gateway-for-test.ts';
import { reply, toolCall } from '../../testkit/model-server.ts';

it('env.vars gives models their key and commands their variables, and the process wins', async () => {
  const scratch = await gatewayForTest({
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the configuration is written like this.
    provider: { apiKey: '${FAKE_KEY}' },
    config: {
      env: { FAKE_KEY: 'key-of-the-configuration', vars: { SITE: 'from-config', STAGE: 'from-config' } },
      tools: { exec: { security: 'full', env: ['SITE', 'STAGE'] } },
    },
    variables: { STAGE: 'from-process' },
  });
  scratch.model.script([toolCall('exec', { command: 'echo "$SITE $STAGE [$FAKE_KEY]"' }), reply('Done.')]);
  await scratch.channel.asks({ sender: 'ana' }, 'Try', 'Done.');
  const { headers, json } = scratch.model.requests.at(-1) ?? {};
  expect(headers?.authorization).toBe('Bearer key-of-the-configuration');
  const messages = (json as { messages: { role: string; content: string }[] }).messages;
  expect(messages.findLast(({ role }) => role === 'tool')?.content).toContain('from-config from-process []');
  // All of them are used; what is different for commands and plugins is printed.
  expect((await scratch.services.status()).unused).toMatchObject([
    { path: 'env.FAKE_KEY', danger: 'differs' },
    { path: 'env.vars', danger: 'differs' },
  ]);
});
