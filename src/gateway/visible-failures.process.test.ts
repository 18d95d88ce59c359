// What fails is visible where an operator looks: in the log, in `hooks status`, in the records of a run and in the
// status, with the name of the plugin and the text of the error.

import { afterEach, describe, expect, it } from 'vitest';
import { fail, reply, toolCall } from '../testkit/model-server.ts';
import { pluginFiles } from '../testkit/plugin-files.ts';
import { ScratchGateway } from '../testkit/scratch-gateway.ts';
import { recordingTool } from '../testkit/tool-for-test.ts';

let scratch: ScratchGateway;
afterEach(() => scratch.close());

const tool = recordingTool('shred', 'gone');

async function open(code: string): Promise<void> {
  scratch = await ScratchGateway.open({
    tools: [tool],
    files: pluginFiles('odd', code),
    config: { plugins: { entries: { odd: { hooks: { allowConversationAccess: true } } } } },
  });
  expect(scratch.services.plugins.inspect('odd').state).toBe('loaded');
}

const told = (text: string) => scratch.warnings.filter((each) => each.includes(text));
const shown = async () => (await scratch.services.status()).warnings.join('\n');

describe('a handler that throws', () => {
  it('as a gate is named with its error everywhere, and said once', async () => {
    await open(`api.on('before_agent_run', () => { throw new Error('no licence'); });`);
    for (const text of ['One', 'Two', 'Three']) await scratch.channel.asks({}, text, /could not be sent/);
    expect(told('no licence')).toEqual(['The handler odd of odd on before_agent_run failed: it threw: no licence.']);
    expect(await shown()).toContain('no licence. What it guards stays closed.');
    expect(await shown()).toMatch(/The last 3 messages to the agent "main" were refused\./);
    const { handlers } = await scratch.services.hooks.status();
    expect(handlers.find(({ owner }) => owner === 'odd')?.lastFailure).toMatchObject({ error: 'no licence' });
    const kept = () => scratch.store.select('hookRecords', { where: { owner: 'odd' } });
    await expect
      .poll(async () => (await kept()).map(({ error }) => error), { timeout: 10_000 })
      .toEqual(['no licence', 'no licence', 'no licence']);
    expect(scratch.model.requests).toEqual([]);
  });

  it('with a clock and a counter in its error is said once, and the status has the last one', async () => {
    await open(
      `let n = 0; api.on('before_agent_run', () => { throw new Error('call ' + ++n + ' at ' + new Date().toISOString()); });`,
    );
    for (const text of ['One', 'Two', 'Three']) await scratch.channel.asks({}, text, /could not be sent/);
    expect(told('of odd on before_agent_run failed')).toEqual([expect.stringContaining('it threw: call 1 at')]);
    expect(await shown()).toContain('it threw: call 3 at');
  });

  it('every second time, with other words each time, has a few lines and not one for each', async () => {
    await open(
      `let n = 0; api.on('before_prompt_build', () => { if (n++ % 2 === 0) throw new Error('x'.repeat(n)); });`,
    );
    scratch.model.script(() => reply('Hi.'));
    for (let round = 0; round < 20; round++) await scratch.channel.asks({}, `Round ${round}`, 'Hi.');
    expect(told('on before_prompt_build failed')).toHaveLength(5);
  });

  it('with the words of the message is named without them', async () => {
    await open(`api.on('before_agent_run', ({ prompt }) => { throw new Error('bad: ' + prompt); });`);
    await scratch.channel.asks({}, 'my secret is open-sesame', /could not be sent/);
    expect(told('an error that quotes the message')).toHaveLength(1);
    expect(scratch.warnings.join()).not.toContain('open-sesame');
    expect(JSON.stringify(await scratch.store.select('hookRecords'))).not.toContain('open-sesame');
  });

  it('when the gateway starts is named', async () => {
    await open(`api.on('gateway_start', () => { throw new Error('port taken'); });`);
    await scratch.opened.listensAt('http://127.0.0.1:9');
    expect(told('on gateway_start failed: it threw: port taken')).toHaveLength(1);
  });
});

describe('a decision that cannot be read', () => {
  it('of a handler that edits files is told in a whole sentence', async () => {
    await open(
      `api.registerHook('agent:bootstrap', (event) => { event.context.bootstrapFiles = [null]; }, { name: 'odd' });`,
    );
    scratch.model.script([reply('Hi.')]);
    await scratch.channel.asks({}, 'Hello', 'Hi.');
    expect(told('on agent:bootstrap failed')).toEqual([
      expect.stringMatching(/failed: it left something that cannot be used: entry 0 is not an object\.$/),
    ]);
  });

  it('keeps a gate closed', async () => {
    await open(`api.on('before_tool_call', () => ({ blok: true }));`);
    scratch.model.script([toolCall('shred'), reply('I could not.')]);
    await scratch.channel.asks({}, 'Shred it', 'I could not.');
    expect(tool.ran).toEqual([]);
    expect(told('of odd on before_tool_call')).toEqual([
      expect.stringContaining('unknown field blok; did it mean block?'),
    ]);
  });

  it('does not close a gate that decided, or that gave its event back', async () => {
    await open(`
      api.on('before_tool_call', (event) => event);
      api.on('before_tool_call', () => ({ block: false, note: 'fine' }));
    `);
    scratch.model.script([toolCall('shred'), reply('Done.')]);
    await scratch.channel.asks({}, 'Shred it', 'Done.');
    expect(tool.ran.length).toBe(1);
    expect(told('the field note')).toHaveLength(1);
  });

  it('elsewhere is ignored, and said once with the name of the plugin', async () => {
    await open(`api.on('before_prompt_build', () => ({ prependContxt: 'x' }));`);
    scratch.model.script([reply('One.'), reply('Two.')]);
    await scratch.channel.asks({}, 'One', 'One.');
    await scratch.channel.asks({}, 'Two', 'Two.');
    expect(told('prependContxt')).toEqual([expect.stringMatching(/of odd answers before_prompt_build/)]);
  });

  it('about the model is said, and the configured model answers', async () => {
    await open(`api.on('before_model_resolve', () => ({ providerOverride: 'nowhere' }));`);
    scratch.model.script([reply('Here.')]);
    await scratch.channel.asks({}, 'Hello', 'Here.');
    expect(told('nowhere/small')).toEqual([expect.stringMatching(/^The plugin "odd" asks for the model/)]);
  });

  it('about the reply is said, and the model answers', async () => {
    await open(`api.on('before_agent_reply', () => ({ handled: true, reply: 'hi' }));`);
    scratch.model.script([reply('From the model.')]);
    await scratch.channel.asks({}, 'Hello', 'From the model.');
    expect(told('a reply that is no object')).toHaveLength(1);
  });
});

describe('a run that fails', () => {
  it('is said with the sentence of the provider, once, and until one ends well', async () => {
    scratch = await ScratchGateway.open();
    scratch.model.script([fail(401), fail(401), reply('Back.')]);
    await scratch.channel.asks({}, 'One', /could not be answered/);
    await scratch.channel.asks({}, 'Two', /could not be answered/);
    expect(told('of the agent "main" failed')).toHaveLength(1);
    expect(await shown()).toMatch(/The last 2 runs of the agent "main" failed: The model fake\/small did not answer/);
    await scratch.channel.asks({}, 'Three', 'Back.');
    expect(await shown()).not.toContain('failed');
  });
});
