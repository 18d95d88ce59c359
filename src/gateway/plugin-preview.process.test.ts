// What plugins in the worker add to a prompt is in the preview, or is named there as missing, and later requests repeat
// it as it was sent.

import { expect, it } from 'vitest';
import { gatewayForTest } from '../testkit/gateway-for-test.ts';
import { reply } from '../testkit/model-server.ts';
import { pluginFiles } from '../testkit/plugin-files.ts';

const PLUGIN = `
let asked = 0;
api.on('before_prompt_build', () => ({ appendContext: 'Be kind.' }), { pure: true });
if (api.pluginConfig.counts) api.on('before_prompt_build', () => ({ appendContext: 'Asked ' + ++asked }));
api.registerTool({ name: 'dice', description: 'Throws.', parameters: { type: 'object', properties: {} }, execute: async () => ({ content: [] }) });
`;

it('a preview with a plugin is what is sent, and one that counts is named in its place', async () => {
  const { services, model, channel, home } = await gatewayForTest({ files: pluginFiles('kind', PLUGIN) });
  model.script(() => reply('Yes.'));
  const say = async (text: string) => {
    const preview = await services.context.preview({ message: text, channel: channel.id });
    const { runId } = await channel.says({}, text);
    await services.runs.wait(runId);
    return { preview, sent: model.requests.at(-1)?.body };
  };
  const plain = await say('One');
  expect(plain.sent).toContain('Be kind.');
  expect(plain.sent).toContain('"dice"');
  expect(plain.preview.wire.body).toBe(plain.sent);
  expect(plain.preview.placeholders).toEqual([]);

  const config = JSON.parse(await home.read('openclaw.json'));
  const plugins = { entries: { kind: { config: { counts: true } } } };
  await home.write('openclaw.json', JSON.stringify({ ...config, plugins }));
  await services.plugins.reload('kind');
  const counting = await say('Two');
  expect(counting.preview.wire.body).not.toContain('Asked');
  expect(JSON.stringify(counting.preview.placeholders)).toContain('kind');
  expect(counting.sent).toContain('Asked 1');
});
