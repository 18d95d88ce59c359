import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../protocol/json.ts';
import { gate } from '../testkit/gate.ts';
import { gatewayForTest } from '../testkit/gateway-for-test.ts';
import { raw, reply, toolCall, toolCalls } from '../testkit/model-server.ts';
import { on } from '../testkit/on.ts';
import type { ScratchGateway } from '../testkit/scratch-gateway.ts';
import { recordingTool } from '../testkit/tool-for-test.ts';
import type { Tool } from '../tools/tool.ts';

describe('tool calls', () => {
  it('run, and the model reads their results', async () => {
    const scratch = await gatewayForTest({ files: { 'workspace/notes.md': 'The password is swordfish.' } });
    scratch.model.script([toolCall('read', { path: 'notes.md' }, 'Let me look.'), reply('It is swordfish.')]);
    const { runId } = await scratch.channel.asks({}, 'What is the password?', 'It is swordfish.');
    scratch.channel.expectNothingMore();
    expect(said(scratch, 1)).toMatchObject([
      { role: 'user', content: 'What is the password?' },
      { role: 'assistant', content: 'Let me look.', tool_calls: [{ function: { name: 'read' } }] },
      { role: 'tool', content: expect.stringContaining('swordfish') },
    ]);
    const run = await scratch.services.runs.wait(runId);
    expect(run.outcome).toMatchObject({ modelCalls: 2, toolCalls: 1, usage: { input: 20, output: 10 } });
  });

  it('commit their start and each result, and the next request without waiting', async () => {
    const scratch = await gatewayForTest({ tools: [recordingTool('count', 'counted')] });
    scratch.model.script([toolCalls([{ name: 'count' }, { name: 'count' }]), reply('Two.')]);
    await scratch.channel.asks({}, 'Count twice', 'Two.');
    expect(scratch.store.commits).toMatchObject({
      accept: 1,
      request: 1,
      'tool-start': 1,
      'tool-result': 2,
      'next-request': 1,
      result: 1,
      failure: 0,
    });
  });

  it('run side by side, and their results keep the order of the calls', async () => {
    const slow = gated('slow');
    const quick: Tool = { ...slow.tool, name: 'quick', run: async () => ({ content: 'quick is done' }) };
    const { channel, model, services, ...rest } = await parts({ tools: [slow.tool, quick] });
    services.subscribe((event) => {
      if (event.type === 'tool-end' && event.name === 'quick') slow.open();
    });
    model.script([toolCalls([{ name: 'slow' }, { name: 'quick' }]), reply('Both are done.')]);
    await channel.asks({}, 'Do both', 'Both are done.');
    expect(said(rest.scratch, 1).slice(2)).toMatchObject([
      { role: 'tool', content: 'slow is done' },
      { role: 'tool', content: 'quick is done' },
    ]);
  });

  it.each([
    ['a tool that does not exist', toolCall('raed', { path: 'x' }), /There is no tool "raed"\. Did you mean read\?/],
    ['parameters that are no object', toolCall('read', '"notes.md"'), /not a JSON object/],
    ['broken parameters', toolCall('read', '{"path":'), /not a JSON object/],
    ['parameters that the tool does not know', toolCall('read', { file: 1 }), /path/],
    ['a tool that throws', toolCall('explode'), /it went off/],
  ])('%s: the model is told, and goes on', async (_, call, told) => {
    const scratch = await gatewayForTest({
      tools: [
        { ...recordingTool('count', 'counted'), name: 'explode', run: () => Promise.reject(new Error('it went off')) },
      ],
    });
    scratch.model.script([call, reply('I see.')]);
    await scratch.channel.asks({}, 'Try', 'I see.');
    const [result] = said(scratch, 1).slice(2);
    expect(result).toMatchObject({ role: 'tool', content: expect.stringMatching(told) });
  });

  it('whose parameters nest too deeply are kept as text, and the conversation goes on', async () => {
    const tool = recordingTool('count', 'counted');
    const scratch = await gatewayForTest({ tools: [tool] });
    const nested = (levels: number) => `{"a":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;
    const replies = [toolCall('count', nested(20_000)), toolCall('count', nested(64)), toolCall('count', nested(65))];
    scratch.model.script([...replies, reply('That was deep.'), reply('Still here.')]);
    await scratch.channel.asks({}, 'Dig', 'That was deep.');
    expect(tool.ran).toHaveLength(1);
    const results = said(scratch, 3).filter(({ role }) => role === 'tool');
    expect(results).toMatchObject([
      { content: expect.stringMatching(/not a JSON object/) },
      { content: 'counted' },
      { content: expect.stringMatching(/not a JSON object/) },
    ]);
    await scratch.channel.asks({}, 'Are you there?', 'Still here.');
  });

  it('in a flood are no answer: the model is asked again, and the person is told when it goes on', async () => {
    const tool = recordingTool('count', 'counted');
    const scratch = await gatewayForTest({ tools: [tool], sleep: async () => {} });
    const flood = toolCalls(Array.from({ length: 2_000 }, () => ({ name: 'count' })));
    scratch.model.script([flood, reply('Calm again.')]);
    await scratch.channel.asks({}, 'Count', 'Calm again.');
    scratch.model.script(() => flood);
    await scratch.channel.asks({}, 'Count', /could not be answered\..*more than 128 tool calls/);
    expect(tool.ran).toEqual([]);
  });

  it('run eight at a time, and their results keep the order of the calls', async () => {
    const warned: string[] = [];
    const hear = (warning: Error) => void warned.push(warning.name);
    process.on('warning', hear);
    let running = 0;
    let most = 0;
    const tool: Tool = {
      ...recordingTool('count', 'counted'),
      run: async ({ number }) => {
        most = Math.max(most, ++running);
        await sleep(number === 0 ? 20 : 1);
        running -= 1;
        return { content: `number ${number}` };
      },
    };
    const scratch = await gatewayForTest({ tools: [tool] });
    const numbers = Array.from({ length: 24 }, (_, number) => number);
    scratch.model.script([toolCalls(numbers.map((number) => ({ name: 'count', params: { number } }))), reply('Done.')]);
    await scratch.channel.asks({}, 'Count', 'Done.');
    process.off('warning', hear);
    expect(most).toBe(8);
    expect(said(scratch, 1).slice(2)).toMatchObject(numbers.map((number) => ({ content: `number ${number}` })));
    expect(warned).not.toContain('MaxListenersExceededWarning');
  });

  it('whose results could not be written down fail the run, which is told, and later ones answer', async () => {
    const ends: string[] = [];
    const scratch = await gatewayForTest({ tools: [recordingTool('count', 'counted')] });
    const { store } = scratch;
    const commit = store.commit.bind(store);
    const refused = { update: 'runs', where: {}, set: { status: 10n } } as never;
    store.commit = (writes, options) =>
      commit(options.site === 'next-request' ? [...writes, refused] : writes, options);
    scratch.services.subscribe((event) => {
      if (event.type === 'run-end') ends.push(event.status);
    });
    scratch.model.script([toolCall('count'), reply('Lost.'), reply('Found.')]);
    const { runId } = await scratch.channel.says({}, 'Count');
    expect(await scratch.services.runs.wait(runId)).toMatchObject({ status: 'failed' });
    await scratch.channel.expectDelivered(/could not be answered/);
    await scratch.channel.asks({}, 'And now?', 'Found.');
    expect(ends).toEqual(['failed', 'done']);
    const kept = await store.select('transcript', { orderBy: [['position', 'asc']] });
    expect(kept.map(({ position }) => position)).toEqual([1, 2, 5, 6, 7]);
  });

  it('are vetoed by before_tool_call, and do not run', async () => {
    const tool = recordingTool('count', 'counted');
    const scratch = await gatewayForTest({
      tools: [tool],
      register: (hooks) =>
        on(hooks, 'before_tool_call', 'guard', ({ params }) =>
          params.dangerous ? { block: true, blockReason: 'Too dangerous.' } : undefined,
        ),
    });
    scratch.model.script([
      toolCalls([
        { name: 'count', params: { dangerous: true } },
        { name: 'count', params: {} },
      ]),
      reply('One of two.'),
    ]);
    await scratch.channel.asks({}, 'Both, please', 'One of two.');
    expect(tool.ran).toEqual([{}]);
    expect(said(scratch, 1).slice(2)).toMatchObject([{ content: 'Too dangerous.' }, { content: 'counted' }]);
  });

  it('run with what a hook made of their parameters, while the model sees its own', async () => {
    const tool = recordingTool('count', 'counted');
    const scratch = await gatewayForTest({
      tools: [tool],
      register: (hooks) =>
        on(hooks, 'before_tool_call', 'rewriter', ({ params }) => ({ params: { ...params, limit: 3 } })),
    });
    scratch.model.script([toolCall('count', { limit: 1_000 }), reply('Done.')]);
    await scratch.channel.asks({}, 'Go', 'Done.');
    expect(tool.ran).toEqual([{ limit: 3 }]);
    expect(JSON.stringify(said(scratch, 1)[1])).toContain('1000');
  });

  it('end after so many rounds, and the person is told', async () => {
    const scratch = await gatewayForTest({
      tools: [recordingTool('count', 'counted')],
      config: { agents: { defaults: { model: 'fake/small', maxToolRounds: 3 } } },
    });
    scratch.model.script(() => toolCall('count'));
    const { runId } = await scratch.channel.says({}, 'Never stop');
    await scratch.channel.expectDelivered(/could not be answered\. The agent went back to its tools more than 3 times/);
    expect(await scratch.services.runs.wait(runId)).toMatchObject({
      status: 'failed',
      outcome: { errorCode: 'ATRIUM_RUN_TOOL_ROUNDS' },
    });
    expect(scratch.model.requests).toHaveLength(4);
  });

  it('are kept as tool_result_persist and before_message_write leave them, and the model reads that', async () => {
    const scratch = await gatewayForTest({
      tools: [recordingTool('count', 'counted')],
      register: (hooks) => {
        on(hooks, 'tool_result_persist', 'redactor', ({ message }) => ({
          message: { ...message, content: [{ type: 'text', text: 'redacted' }] },
        }));
        on(hooks, 'before_message_write', 'signer', ({ message }) =>
          message.role === 'toolResult'
            ? { message: { ...message, content: `${message.content[0]?.text}, signed` } }
            : undefined,
        );
      },
    });
    scratch.model.script([toolCall('count'), reply('Done.')]);
    await scratch.channel.asks({}, 'Go', 'Done.');
    expect(said(scratch, 1)[2]).toMatchObject({ role: 'tool', content: 'redacted, signed' });
    const kept = await scratch.store.select('transcript', { orderBy: [['position', 'asc']] });
    expect(kept[2]?.message).toMatchObject({ role: 'tool', content: 'redacted, signed' });
  });

  it('cannot be written away: a message without its calls, or calls without their message, is no conversation', async () => {
    const scratch = await gatewayForTest({
      tools: [recordingTool('count', 'counted')],
      register: (hooks) =>
        on(hooks, 'before_message_write', 'eraser', ({ message }) =>
          message.role === 'assistant'
            ? { message: { ...message, content: [] } }
            : { block: message.role === 'toolResult' },
        ),
    });
    scratch.model.script([toolCall('count'), reply('Done.')]);
    await scratch.channel.asks({}, 'Go', 'Done.');
    expect(said(scratch, 1).slice(1)).toMatchObject([{ role: 'assistant', tool_calls: [{}] }, { role: 'tool' }]);
  });

  it('that a server numbers from the start in every answer keep ids of their own', async () => {
    const tool = recordingTool('count', 'counted');
    const scratch = await gatewayForTest({ tools: [tool] });
    const again = raw(repeatedCall('call_0'));
    scratch.model.script([again, again, reply('Twice.')]);
    await scratch.channel.asks({}, 'Twice, please', 'Twice.');
    const ids = said(scratch, 2)
      .filter(({ role }) => role === 'tool')
      .map((message) => message.tool_call_id);
    expect(new Set(ids).size).toBe(2);
    expect(tool.ran).toHaveLength(2);
  });

  it('of a run that was stopped are answered in the next request', async () => {
    const slow = gated('slow');
    const scratch = await gatewayForTest({ tools: [slow.tool] });
    scratch.model.script([toolCall('slow'), reply('I was interrupted.')]);
    const { runId } = await scratch.channel.says({}, 'Go');
    await slow.started;
    await scratch.channel.says({}, '/stop');
    expect(await scratch.services.runs.wait(runId)).toMatchObject({ status: 'stopped' });
    expect(slow.aborted).toBe(true);
    await scratch.channel.says({}, 'What happened?');
    await scratch.services.runs.wait((await scratch.channel.says({}, '/status')).runId);
    await scratch.model.waitForRequests(2);
    expect(said(scratch, 1)).toMatchObject([
      { role: 'user', content: 'Go' },
      { role: 'assistant', tool_calls: [{}] },
      { role: 'tool', content: expect.stringContaining('ended before this call had a result') },
      { role: 'user', content: 'What happened?' },
    ]);
  });

  it('are told to observers and to those who watch', async () => {
    const seen: object[] = [];
    const scratch = await gatewayForTest({
      tools: [recordingTool('count', 'counted')],
      register: (hooks) => on(hooks, 'after_tool_call', 'see', (event) => void seen.push(event)),
    });
    const live: string[] = [];
    scratch.services.subscribe(({ type }) => live.push(type));
    scratch.model.script([toolCall('count', { a: 1 }), reply('Done.')]);
    const { runId } = await scratch.channel.asks({}, 'Go', 'Done.');
    await scratch.hooks.drain(1_000);
    expect(seen).toMatchObject([
      {
        toolName: 'count',
        params: { a: 1 },
        runId,
        result: { content: [{ type: 'text', text: 'counted' }] },
        durationMs: expect.any(Number),
      },
    ]);
    expect(live.filter((type) => type.startsWith('tool'))).toEqual(['tool-start', 'tool-end']);
  });
});

async function parts(settings: Parameters<typeof gatewayForTest>[0]) {
  const scratch = await gatewayForTest(settings);
  const { channel, model, services } = scratch;
  return { scratch, channel, model, services };
}

/** The messages of a request, without the system prompt. */
function said(scratch: ScratchGateway, request: number): readonly JsonObject[] {
  const messages = scratch.model.requests[request]?.json.messages as readonly JsonObject[] | undefined;
  return (messages ?? []).filter(({ role }) => role !== 'system');
}

/** A tool that ends when the test releases it, or when its run ends. */
function gated(name: string) {
  const { opened, open } = gate();
  const { opened: started, open: begin } = gate();
  const state = { aborted: false };
  const tool: Tool = {
    ...recordingTool('count', 'counted'),
    name,
    run: async (_, { signal }) => {
      begin();
      await Promise.race([opened, sleep(60_000, undefined, { signal, ref: false }).catch(() => {})]);
      state.aborted = signal.aborted;
      return { content: `${name} is done` };
    },
  };
  return {
    tool,
    started,
    open: () => open(),
    get aborted() {
      return state.aborted;
    },
  };
}

function repeatedCall(id: string): string {
  const chunk = (choice: object) =>
    `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', created: 0, model: 'small', choices: [{ index: 0, ...choice }] })}\n\n`;
  const call = { index: 0, id, type: 'function', function: { name: 'count', arguments: '{}' } };
  return `${chunk({ delta: { role: 'assistant', tool_calls: [call] } })}${chunk({ delta: {}, finish_reason: 'tool_calls' })}data: [DONE]\n\n`;
}
