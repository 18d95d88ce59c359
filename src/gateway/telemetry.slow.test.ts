import { describe, expect, it, onTestFinished } from 'vitest';
import { gatewayForTest } from '../testkit/gateway-for-test.ts';
import { reply, toolCall } from '../testkit/model-server.ts';
import { type CollectedSpan, OtlpCollector } from '../testkit/otlp-collector.ts';
import type { ScratchGateway } from '../testkit/scratch-gateway.ts';

async function collectorForTest(): Promise<OtlpCollector> {
  const collector = await OtlpCollector.start();
  onTestFinished(() => collector.close());
  return collector;
}

function watched(collector: OtlpCollector, otel: Record<string, unknown> = {}, config: Record<string, unknown> = {}) {
  return gatewayForTest({
    config: {
      agents: { defaults: { model: 'fake/small' }, list: [{ id: 'main', default: true }, { id: 'helper' }] },
      ...config,
      diagnostics: {
        otel: { enabled: true, endpoint: collector.url, flushIntervalMs: 100, headers: { 'x-key': 'k' }, ...otel },
      },
    },
    provider: undefined,
  });
}

async function talk(scratch: ScratchGateway, text: string) {
  const { runId } = await scratch.channel.says({}, text);
  return scratch.services.runs.wait(runId);
}

const byName = (spans: readonly CollectedSpan[], name: string) => spans.filter((span) => span.name === name);

describe('a conversation with a tool and a child', () => {
  it('is one connected trace, in which everything stands below what caused it', async () => {
    const collector = await collectorForTest();
    const scratch = await watched(
      collector,
      {},
      {
        agents: {
          defaults: { model: 'fake/small', subagents: { allowAgents: ['*'] } },
          list: [{ id: 'main', default: true }],
        },
      },
    );
    const answers = [
      toolCall('sessions_spawn', { task: 'COUNT-THE-FILES' }),
      toolCall('sessions_wait', {}),
      reply('Three, says the helper.', { usage: { input: 120, output: 7 } }),
    ];
    const answerParent = () => answers.shift() ?? reply('There is nothing more to say.');
    scratch.model.script(({ body }) => (body.includes('please delegate') ? answerParent() : reply('There are three.')));
    const run = await talk(scratch, 'please delegate');
    expect(run.status).toBe('done');
    await scratch.stop();
    expect(collector.problems).toEqual([]);
    const { spans } = collector;
    const ids = new Map(spans.map((span) => [span.spanId, span]));
    expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
    const roots = spans.filter(({ parentSpanId }) => parentSpanId === undefined);
    expect(roots.map(({ name }) => name)).toEqual(['receive test']);
    const parentOf = (span: CollectedSpan | undefined) => ids.get(span?.parentSpanId ?? '')?.name;
    const runs = byName(spans, 'invoke_agent main');
    expect(runs.map(parentOf).sort()).toEqual(['execute_tool sessions_spawn', 'receive test']);
    const [spawn] = byName(spans, 'execute_tool sessions_spawn');
    expect(parentOf(spawn)).toBe('invoke_agent main');
    expect(byName(spans, 'chat small').map(parentOf)).toEqual(Array(4).fill('invoke_agent main'));
    expect(byName(spans, 'send test').map(parentOf)).toEqual(['invoke_agent main']);
    const parent = runs.find((span) => parentOf(span) === 'receive test');
    expect(parent?.events).toEqual(['wait begun', 'wait ended']);
    expect(parent?.attributes).toMatchObject({
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.id': 'main',
      'atrium.run.status': 'done',
      'atrium.run.id': run.runId,
    });
    expect(spans.find(({ attributes }) => attributes['gen_ai.usage.input_tokens'] === 120)?.attributes).toMatchObject({
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'fake',
      'gen_ai.request.model': 'small',
      'gen_ai.usage.output_tokens': 7,
      'gen_ai.response.finish_reasons': ['stop'],
    });
    expect(spans.every(({ isError }) => !isError)).toBe(true);
    expect(collector.requests.every(({ headers }) => headers['x-key'] === 'k')).toBe(true);
    // The words of people and models stay here.
    const sent = JSON.stringify(collector.requests);
    for (const word of ['delegate', 'COUNT-THE-FILES', 'There are three', 'says the helper'])
      expect(sent).not.toContain(word);
  });

  it('is in the metrics too', async () => {
    const collector = await collectorForTest();
    const scratch = await watched(collector);
    scratch.model.script([
      toolCall('read', { path: 'AGENTS.md' }),
      reply('Read.', { usage: { input: 10, output: 2 } }),
    ]);
    await talk(scratch, 'read it');
    await scratch.stop();
    expect(collector.problems).toEqual([]);
    const names = [...collector.metrics.keys()];
    expect(names).toEqual(
      expect.arrayContaining([
        'atrium.runs',
        'gen_ai.client.token.usage',
        'gen_ai.client.operation.duration',
        'atrium.tool.calls',
        'process.memory.usage',
      ]),
    );
    expect(collector.metrics.get('atrium.runs')).toMatchObject({ sum: { dataPoints: [{ asDouble: 1 }] } });
  });
});

it('words are sent only when they are asked for, without secrets', async () => {
  const collector = await collectorForTest();
  const scratch = await watched(collector, { captureContent: { enabled: true, systemPrompt: false } });
  const secret = `sk-ant-${'5ecret'.repeat(6)}`;
  scratch.model.script([
    toolCall('read', { path: 'AGENTS.md', apiKey: secret }),
    reply(`The answer is plum, ${secret}.`),
  ]);
  await talk(scratch, `Is it plum? My key is ${secret}.`);
  await scratch.stop();
  expect(collector.problems).toEqual([]);
  const [, last] = byName(collector.spans, 'chat small');
  expect(last?.attributes['gen_ai.input.messages']).toContain('Is it plum?');
  expect(last?.attributes['gen_ai.output.messages']).toContain('The answer is plum');
  expect(last?.attributes['gen_ai.system_instructions']).toBeUndefined();
  const [tool] = byName(collector.spans, 'execute_tool read');
  expect(tool?.attributes['gen_ai.tool.call.arguments']).toContain('AGENTS.md');
  expect(tool?.attributes['gen_ai.tool.call.result']).toBeDefined();
  expect(JSON.stringify(collector.requests)).not.toContain(secret);
});

it('a failed run is an error with a kind, and without the words of the provider', async () => {
  const collector = await collectorForTest();
  const scratch = await watched(collector);
  const { fail } = await import('../testkit/model-server.ts');
  scratch.model.script(() => fail(400, { message: 'marmalade is not allowed' }));
  expect((await talk(scratch, 'hello')).status).toBe('failed');
  await scratch.stop();
  const [run] = byName(collector.spans, 'invoke_agent main');
  expect(run?.isError).toBe(true);
  expect(run?.attributes['error.type']).toMatch(/^ATRIUM_/);
  expect(byName(collector.spans, 'chat small')[0]?.attributes['error.type']).toBeDefined();
  expect(JSON.stringify(collector.requests)).not.toContain('marmalade');
});

describe('a collector that does not work', () => {
  it.each([
    500,
    503,
    'hang',
  ] as const)('(%s) keeps no run and no stop from ending, and is said once', async (answer) => {
    const collector = await collectorForTest();
    collector.answer = answer;
    const scratch = await watched(collector);
    scratch.model.script(() => reply('fine'));
    for (let n = 0; n < 3; n++) expect((await talk(scratch, `hello ${n}`)).status).toBe('done');
    await scratch.stop(500);
    const said = scratch.warnings.filter((sentence) => sentence.startsWith('Traces cannot be sent'));
    expect(said.length).toBeLessThanOrEqual(1);
    if (answer !== 'hang') expect(said).toHaveLength(1);
  });

  it('that is down gets what waited when it is back', async () => {
    const collector = await collectorForTest();
    collector.answer = 503;
    const scratch = await watched(collector);
    scratch.model.script(() => reply('fine'));
    expect((await talk(scratch, 'hello')).status).toBe('done');
    await collector.until(({ requests }) => requests.some(({ path }) => path === '/v1/traces'));
    expect(collector.spans).toEqual([]);
    collector.answer = 200;
    await collector.until(({ spans }) => byName(spans, 'invoke_agent main').length === 1);
    await scratch.stop();
    expect(scratch.warnings.filter((sentence) => sentence.startsWith('Traces'))).toEqual([
      expect.stringMatching(
        /^Traces cannot be sent to http:\/\/127\.0\.0\.1:\d+\/v1\/traces: the collector answers with status 503 \(not now\)\. /,
      ),
      expect.stringMatching(/^Traces can be sent to .* again\.$/),
    ]);
  });
});

it('without the setting nothing is sent and nothing is loaded', async () => {
  const scratch = await gatewayForTest();
  scratch.model.script(() => reply('fine'));
  await talk(scratch, 'hello');
  expect(await scratch.services.metrics()).toBe('');
});

it('what was asked for and cannot happen is said, and the status shows it', async () => {
  const scratch = await gatewayForTest({ config: { diagnostics: { otel: { enabled: true, protocol: 'grpc' } } } });
  expect(scratch.warnings).toContainEqual(expect.stringContaining('not over gRPC'));
  expect((await scratch.services.status()).warnings).toContainEqual(expect.stringContaining('not over gRPC'));
});
