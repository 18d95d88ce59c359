// Handlers as published plugins have them, in the worker where such plugins run: they expect the contract's form of a
// message and answer in that form, or in one of its variants.

import { afterEach, describe, expect, it } from 'vitest';
import { reply, toolCall } from '../testkit/model-server.ts';
import { pluginFiles } from '../testkit/plugin-files.ts';
import { ScratchGateway } from '../testkit/scratch-gateway.ts';
import { toolForTest } from '../testkit/tool-for-test.ts';

let scratch: ScratchGateway;
afterEach(() => scratch.close());

const SECRET = ['AKIA', 'IOSFODNN7QQ2WXYZ'].join('');
const leak = toolForTest('leak', async () => ({ content: `key=${SECRET}`, details: { key: SECRET } }));

async function open(code: string): Promise<void> {
  const entries = { probe: { hooks: { allowConversationAccess: true } } };
  scratch = await ScratchGateway.open({
    tools: [leak],
    config: { plugins: { entries } },
    files: pluginFiles('probe', code),
  });
  expect(scratch.services.plugins.inspect('probe')).toMatchObject({ state: 'loaded', where: 'worker' });
}

async function talk(): Promise<void> {
  scratch.model.script([toolCall('leak', {}, 'Looking.'), reply('Done.')]);
  await scratch.channel.asks({}, 'Show me the key', 'Done.');
}

const seen = async () => (await scratch.services.methods.call('probe.seen', {}, {})) as Record<string, unknown>;

const failures = async () =>
  (await scratch.store.select('hookRecords')).filter(({ outcome }) => outcome !== 'done').map(({ error }) => error);

describe('a redactor of tool results', () => {
  const HIDE = `const hide = (text) => text.replaceAll('${SECRET}', '[redacted]');`;

  it.each([
    [
      'that reads blocks only, and answers with blocks',
      `api.on('tool_result_persist', (event) => {
        const msg = event.message;
        if (msg.role !== 'toolResult' || !Array.isArray(msg.content)) return;
        const content = msg.content.map((block) => block.type === 'text' ? { ...block, text: hide(block.text) } : block);
        return { message: { ...msg, content } };
      });`,
    ],
    [
      'that answers with the whole event, rewritten',
      `api.on('tool_result_persist', (event) => JSON.parse(hide(JSON.stringify(event))));`,
    ],
    [
      'that answers with a message of its own',
      `api.on('tool_result_persist', (event) => ({ message: {
        role: 'tool', toolCallId: event.toolCallId, content: [{ type: 'text', text: hide(event.message.content[0].text) }],
      } }));`,
    ],
    [
      'that answers with a plain text',
      `api.on('tool_result_persist', ({ message }) => ({ message: { ...message, content: hide(message.content[0].text) } }));`,
    ],
    [
      'that waits for every message',
      `api.on('before_message_write', ({ message }) => ({ message: JSON.parse(hide(JSON.stringify(message))) }));`,
    ],
  ])('%s keeps the secret from the model and from the transcript', async (_, code) => {
    await open(`${HIDE}\n${code}`);
    await talk();
    const bodies = scratch.model.requests.map(({ body }) => body).join('\n');
    expect(bodies).toContain('key=[redacted]');
    expect(bodies).not.toContain(SECRET);
    expect(
      JSON.stringify((await scratch.store.select('transcript')).map(({ message }) => message.content)),
    ).not.toContain(SECRET);
    expect(await failures()).toEqual([]);
  });
});

describe('every hook that carries messages', () => {
  it('hands them over with blocks', async () => {
    await open(`
      const seen = {};
      const at = (hook, pick) => api.on(hook, (event) => { seen[hook] = pick(event); });
      at('before_prompt_build', (event) => event.messages);
      at('agent_turn_prepare', (event) => event.messages);
      at('before_agent_start', (event) => event.messages);
      at('before_agent_run', (event) => event.messages);
      at('before_agent_finalize', (event) => event.messages);
      at('llm_input', (event) => event.historyMessages);
      at('llm_output', (event) => event.lastAssistant);
      at('after_tool_call', (event) => event.result);
      at('agent_end', (event) => event.messages);
      at('before_reset', (event) => event.messages);
      at('before_compaction', (event) => event.messages);
      api.registerGatewayMethod('probe.seen', ({ respond }) => respond(true, seen));
    `);
    await talk();
    scratch.model.script([reply('Again.')]);
    await scratch.channel.asks({}, 'And again', 'Again.');
    await scratch.hooks.drain(10_000);
    const payload = await seen();
    const block = (text: string) => [{ type: 'text', text }];
    const past = [
      { role: 'user', content: block('Show me the key'), timestamp: expect.any(Number) },
      {
        role: 'assistant',
        content: [...block('Looking.'), { type: 'toolCall', id: expect.any(String), name: 'leak', arguments: {} }],
        stopReason: 'toolUse',
      },
      { role: 'toolResult', toolName: 'leak', content: block(`key=${SECRET}`), isError: false },
      { role: 'assistant', content: block('Done.'), stopReason: 'stop' },
    ];
    for (const hook of ['before_prompt_build', 'agent_turn_prepare', 'before_agent_start', 'before_agent_run']) {
      expect(payload[hook], hook).toMatchObject(past);
    }
    const rest = [
      { role: 'user', content: block('And again') },
      { role: 'assistant', content: block('Again.') },
    ];
    expect(payload.llm_input).toMatchObject([...past.map(({ timestamp: _, ...each }) => each), rest[0]]);
    expect(payload.before_agent_finalize).toMatchObject([...past.map(({ timestamp: _, ...each }) => each), ...rest]);
    expect(payload.agent_end).toMatchObject([...past, ...rest]);
    expect(payload.after_tool_call).toEqual({ content: block(`key=${SECRET}`), details: { key: SECRET } });
    expect(payload.llm_output).toMatchObject({
      role: 'assistant',
      content: block('Again.'),
      provider: 'fake',
      model: 'small',
      usage: { totalTokens: expect.any(Number) },
    });

    scratch.model.script([reply('They talked about a key.')]);
    await scratch.channel.asks({}, '/compact', /./);
    expect((await seen()).before_compaction).toMatchObject([...past, ...rest]);
    await scratch.channel.asks({}, '/new', /./);
    expect((await seen()).before_reset).toContainEqual(expect.objectContaining({ role: 'toolResult' }));
    expect(await failures()).toEqual([]);
  });
});
