// Plugins that an operator requires: while one of them does not do its work, no run starts, and everybody who looks is
// told why.

import { afterEach, describe, expect, it } from 'vitest';
import { reply, toolCall } from '../testkit/model-server.ts';
import { pluginFiles } from '../testkit/plugin-files.ts';
import { ScratchGateway } from '../testkit/scratch-gateway.ts';
import { recordingTool } from '../testkit/tool-for-test.ts';

let scratch: ScratchGateway;
afterEach(() => scratch.close());

const GUARD = `api.on('before_tool_call', () => ({ block: true, blockReason: 'Not today.' }));`;
const tool = recordingTool('shred', 'gone');

function open(files: Record<string, string>, entry: object = {}): Promise<ScratchGateway> {
  return ScratchGateway.open({
    tools: [tool],
    files,
    config: { plugins: { entries: { guard: { required: true, ...entry } } } },
  });
}

describe('a plugin that is required', () => {
  it('and loaded changes nothing', async () => {
    scratch = await open(pluginFiles('guard', GUARD));
    scratch.model.script([toolCall('shred'), reply('I may not.')]);
    await scratch.channel.asks({}, 'Shred it', 'I may not.');
    expect(tool.ran).toEqual([]);
    expect((await scratch.services.status()).warnings).toEqual([]);
  });

  const broken = { ...pluginFiles('guard', GUARD), 'extensions/guard/index.js': 'export default ((;' };
  const GATE = `api.on('before_agent_run', () => ({ outcome: 'pass' }));`;
  it.each([
    ['has a slip in it', broken, {}, 'index.js'],
    ['throws when it is loaded', pluginFiles('guard', `throw new Error('no licence');`), {}, 'no licence'],
    ['is not there', {}, {}, 'no plugin of this id'],
    ['is switched off', pluginFiles('guard', GUARD), { enabled: false }, 'enabled is false'],
    ['may not guard what it is there for', pluginFiles('guard', GATE), {}, 'allowConversationAccess'],
  ])('and %s keeps every run from starting', async (_, files, entry, reason) => {
    scratch = await open(files, entry);
    const { runId } = await scratch.channel.says({}, 'Shred it');
    const { messageId } = await scratch.channel.expectDelivered(
      /could not be answered\. The plugin "guard" is required/,
    );
    expect(messageId).toBeDefined();
    expect(await scratch.services.runs.wait(runId)).toMatchObject({
      status: 'failed',
      outcome: { errorCode: 'ATRIUM_PLUGIN_REQUIRED', error: expect.stringContaining(reason) },
    });
    expect(scratch.model.requests).toEqual([]);
    const sentence = expect.stringMatching(/No run starts.*"guard"/);
    expect((await scratch.services.status()).warnings).toContainEqual(sentence);
    expect(scratch.warnings).toContainEqual(sentence);
    await expect(scratch.services.context.preview({ message: 'hi' })).rejects.toThrow(reason);
    await expect(scratch.services.context.look({})).rejects.toThrow(reason);
    // Commands are answered all the same.
    await scratch.channel.asks({}, '/status', /./);
  });

  it('lets runs start again when it is repaired', async () => {
    scratch = await open(broken);
    await scratch.channel.asks({}, 'Hello', /required/);
    await scratch.home.write(
      'extensions/guard/index.js',
      pluginFiles('guard', GUARD)['extensions/guard/index.js'] ?? '',
    );
    expect(await scratch.services.plugins.reload('guard')).toMatchObject({ state: 'loaded' });
    scratch.model.script([reply('Hello.')]);
    await scratch.channel.asks({}, 'Hello', 'Hello.');
    expect((await scratch.services.status()).warnings).toEqual([]);
  });
});

describe('a bootstrap handler that is set to abort and cannot be loaded', () => {
  it('keeps every run from starting', async () => {
    scratch = await ScratchGateway.open({
      config: { bootstrap: { handlers: [{ id: 'rules', path: 'rules.mjs', onError: 'abort' }] } },
    });
    await scratch.channel.asks({}, 'Hello', /could not be answered.*"rules".*the file is not there/);
    expect(scratch.model.requests).toEqual([]);
    expect((await scratch.services.status()).warnings).toContainEqual(expect.stringContaining('rules.mjs'));
    // No message is in the event of such a handler, so its reason is kept in words although no gate was asked.
    const kept = () => scratch.store.select('hookRecords', { where: { hook: 'agent:bootstrap' } });
    await expect
      .poll(async () => (await kept()).map(({ error }) => error), { timeout: 10_000 })
      .toContainEqual(expect.stringContaining('the file is not there'));
  });
});
