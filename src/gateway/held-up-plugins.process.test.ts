// A plugin that spins has the worker of all plugins ended and started again. The time that this takes is not the others':
// they are waited for, and what they bring is there.

import { expect, it } from 'vitest';
import { gatewayForTest } from '../testkit/gateway-for-test.ts';
import { reply } from '../testkit/model-server.ts';
import { pluginFiles } from '../testkit/plugin-files.ts';

const SPINNING = `
  api.registerGatewayMethod('bad.spin', ({ respond }) => {
    setTimeout(() => { for (;;) {} }, 50);
    respond(true, {});
  });
`;
const NICE = `
  api.registerTool(() => ({
    name: 'roll', description: 'Rolls', parameters: { type: 'object' }, execute: async () => ({ content: [] }),
  }), { name: 'roll' });
`;

it('a factory of tools, whose limit is shorter than the time in which the worker is held up', async () => {
  const scratch = await gatewayForTest({
    files: {
      ...pluginFiles('bad', SPINNING),
      ...pluginFiles('nice', NICE, { manifest: { contracts: { tools: ['roll'] } } }),
    },
    // Longer than the five seconds that a factory has.
    config: { plugins: { worker: { heartbeatMs: 6_500 }, entries: { bad: {}, nice: {} } } },
  });
  expect(scratch.services.plugins.list().map(({ state }) => state)).toEqual(['loaded', 'loaded']);
  await scratch.services.methods.call('bad.spin', {}, {});
  // It begins to spin after the answer.
  await new Promise((go) => setTimeout(go, 200));
  scratch.model.script([reply('Hi.')]);
  await scratch.channel.asks({}, 'Hello', 'Hi.');
  await expect.poll(() => scratch.services.plugins.inspect('bad').state, { timeout: 30_000 }).toBe('suspended');
  expect(scratch.model.requests.at(-1)?.body).toContain('"roll"');
  expect(scratch.warnings.filter((each) => each.includes('nice'))).toEqual([]);
});
