// Plugins that an operator requires and that change what is kept, sent to a model or sent to people. When one of their
// handlers fails, in whatever way, the text that it had to change goes nowhere. Without `required`, the change is dropped.

import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { reply, toolCall } from '../testkit/model-server.ts';
import { pluginFiles } from '../testkit/plugin-files.ts';
import { ScratchGateway } from '../testkit/scratch-gateway.ts';
import { toolForTest } from '../testkit/tool-for-test.ts';

let scratch: ScratchGateway;
afterEach(() => {
  beforeLeak = async () => {};
  return scratch.close();
});

const SECRET = ['AKIA', 'IOSFODNN7QQ2WXYZ'].join('');
let beforeLeak = async () => {};
const leak = toolForTest('leak', async () => {
  await beforeLeak();
  return { content: `key=${SECRET}`, details: { key: SECRET } };
});

async function open(code: string, required = true): Promise<void> {
  scratch = await ScratchGateway.open({
    tools: [leak],
    config: { plugins: { worker: { heartbeatMs: 3_000 }, entries: { hider: { required } } } },
    files: { ...pluginFiles('hider', code), 'workspace/AGENTS.md': 'Be kind.' },
  });
  expect(scratch.services.plugins.inspect('hider')).toMatchObject({ state: 'loaded', where: 'worker' });
}

const wasSent = () => scratch.model.requests.map(({ body }) => body).join('\n');
const wasKept = async () => JSON.stringify(await scratch.store.select('transcript'));
const wasDelivered = () => scratch.channel.shown().join('\n');
const shown = async () => (await scratch.services.status()).warnings.join('\n');

const FAULTS: readonly (readonly [string, string])[] = [
  ['throws', `throw new Error('no rules');`],
  ['answers with a promise', `return new Promise(() => {});`],
  ['answers too late', `const end = Date.now() + 1_300; while (Date.now() < end);`],
  ['answers nonsense', `return { mesage: event.message };`],
  ['answers with a message that cannot be read', `return { message: { role: 'user', content: 7 } };`],
  ['spins', 'for (;;) {}'],
];

describe('a required redactor of tool results', () => {
  it.each(FAULTS)('that %s keeps the result from the model and the transcript', async (_, deed) => {
    await open(`api.on('tool_result_persist', (event) => { ${deed} });`);
    scratch.model.script([toolCall('leak'), reply('Done.')]);
    const { runId } = await scratch.channel.says({}, 'Show me');
    await scratch.services.runs.wait(runId);
    expect(wasSent()).not.toContain(SECRET);
    expect(await wasKept()).not.toContain(SECRET);
    expect(await shown()).toMatch(/hider/);
  });

  it('has the model told what happened, in our words', async () => {
    await open(`api.on('tool_result_persist', () => { throw new Error('no rules'); });`);
    scratch.model.script([toolCall('leak'), reply('I could not see it.')]);
    await scratch.channel.asks({}, 'Show me', 'I could not see it.');
    expect(scratch.model.requests.at(-1)?.body).toMatch(
      /The tool was called\. What it returned is withheld.*The handler hider of hider on tool_result_persist failed: it threw an error/,
    );
    expect(await shown()).toContain('it threw: no rules. What it guards stays closed.');
  });

  it('that is suspended after time-outs withholds as well', async () => {
    await open(
      `api.on('tool_result_persist', () => { const end = Date.now() + 200; while (Date.now() < end); }, { timeoutMs: 20 });`,
    );
    for (let round = 0; round < 5; round++) {
      scratch.model.script([toolCall('leak'), reply('Done.')]);
      await scratch.channel.asks({}, 'Show me', 'Done.');
    }
    expect(wasSent()).not.toContain(SECRET);
    expect(scratch.model.requests.at(-1)?.body).toContain('is suspended');
  });

  it('that is taken away while a tool runs ends the run', async () => {
    await open(`api.on('tool_result_persist', (event) => ({ message: event.message }));`);
    beforeLeak = async () => {
      await rm(scratch.home.path('extensions/hider'), { recursive: true });
      await scratch.services.plugins.reload('hider');
    };
    scratch.model.script([toolCall('leak'), reply('Done.')]);
    await scratch.channel.asks({}, 'Show me', /The plugin "hider" is required/);
    expect(wasSent()).not.toContain(SECRET);
  });
});

it('a redactor that is not required loses its change, as before', async () => {
  await open(`api.on('tool_result_persist', () => { throw new Error('no rules'); });`, false);
  scratch.model.script([toolCall('leak'), reply('Done.')]);
  await scratch.channel.asks({}, 'Show me', 'Done.');
  expect(wasSent()).toContain(SECRET);
});

describe('a required handler of before_message_write that fails', () => {
  const failsFor = (role: string) =>
    `api.on('before_message_write', ({ message }) => { if (message.role === '${role}') throw new Error('no rules'); });`;

  it('for the message of a person ends the run before a model is asked', async () => {
    await open(failsFor('user'));
    await scratch.channel.asks({}, `My key is ${SECRET}`, /was not passed on.*hider on before_message_write/);
    expect(scratch.model.requests).toEqual([]);
    expect(await wasKept()).not.toContain(SECRET);
  });

  it('for a result withholds it', async () => {
    await open(failsFor('toolResult'));
    scratch.model.script([toolCall('leak'), reply('Done.')]);
    await scratch.channel.asks({}, 'Show me', 'Done.');
    expect(wasSent()).not.toContain(SECRET);
    expect(wasSent()).toContain('What it returned is withheld');
    expect(await wasKept()).not.toContain(SECRET);
  });

  it('for an answer keeps it out of the transcript and of later requests', async () => {
    await open(failsFor('assistant'));
    scratch.model.script([
      toolCall('leak', { of: SECRET }, `I ask for ${SECRET}.`),
      reply('Done.'),
      reply('Hello again.'),
    ]);
    await scratch.channel.asks({}, 'Show me', 'Done.');
    await scratch.channel.asks({}, 'And now?', 'Hello again.');
    const kept = (await scratch.store.select('transcript')).filter(({ message }) => message.role === 'assistant');
    expect(JSON.stringify(kept)).not.toContain(SECRET);
    expect(JSON.stringify(kept)).toContain('This text is withheld');
  });
});

describe('a required handler that changes what is sent', () => {
  it.each([
    'reply_payload_sending',
    'message_sending',
    'before_dispatch',
  ])('on %s sends nothing when it fails', async (hook) => {
    await open(`api.on('${hook}', () => { throw new Error('no rules'); });`);
    scratch.model.script([reply(`The key is ${SECRET}.`)]);
    const { runId } = await scratch.channel.says({}, 'Show me');
    expect(await scratch.services.runs.wait(runId)).toMatchObject({
      status: 'done',
      outcome: { reply: '', suppressed: { hook, by: 'hider', reason: expect.stringContaining('it threw an error') } },
    });
    expect(wasDelivered()).not.toContain(SECRET);
    expect(await shown()).toContain('What it guards stays closed.');
  });

  it('on agent:bootstrap keeps the prompt from being composed', async () => {
    await open(`api.registerHook('agent:bootstrap', () => { throw new Error('no rules'); }, { name: 'hider' });`);
    await scratch.channel.asks({}, 'Hello', /could not be answered.*no rules/);
    expect(scratch.model.requests).toEqual([]);
  });
});

it('a redactor that becomes required while the gateway runs is obeyed', async () => {
  await open(`api.on('tool_result_persist', () => { throw new Error('no rules'); });`, false);
  const written = JSON.parse(await scratch.home.read('openclaw.json'));
  written.plugins.entries.hider.required = true;
  await scratch.home.write('openclaw.json', JSON.stringify(written));
  await scratch.services.configuration.state();
  scratch.model.script([toolCall('leak'), reply('Done.')]);
  await scratch.channel.asks({}, 'Show me', 'Done.');
  expect(wasSent()).not.toContain(SECRET);
});

describe('what a redactor takes out of a result', () => {
  const HIDES = `api.on('tool_result_persist', ({ message }) => ({
    message: { ...message, details: undefined, content: [{ type: 'text', text: 'key=[hidden]' }] },
  }));`;

  it.each([true, false])('is neither shown nor kept anywhere when the run is over (required: %s)', async (required) => {
    await open(HIDES, required);
    const shownLive: string[] = [];
    scratch.services.subscribe((event) => void shownLive.push(JSON.stringify(event)));
    scratch.model.script([toolCall('leak'), reply('Done.')]);
    await scratch.channel.asks({}, 'Show me', 'Done.');
    expect(shownLive.join()).not.toContain(SECRET);
    expect(shownLive.join()).toContain('key=[hidden]');
    // Everything that was told has been written when the gateway has stopped.
    await scratch.stop();
    const files = await readdir(scratch.home.stateDir, { recursive: true, withFileTypes: true });
    const trajectories = files.filter(({ name }) => name.endsWith('.jsonl'));
    const texts = await Promise.all(
      trajectories.map(({ parentPath, name }) => readFile(join(parentPath, name), 'utf8')),
    );
    expect(texts.join('\n')).toContain('"tool.ended"');
    expect(texts.join('\n')).toContain('key=[hidden]');
    expect(texts.join('\n')).not.toContain(SECRET);
    await scratch.start();
    for (const table of ['journal', 'transcript', 'hookRecords', 'captures', 'runs'] as const) {
      expect(JSON.stringify(await scratch.store.select(table)), table).not.toContain(SECRET);
    }
  });
});
