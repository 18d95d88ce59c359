import { describe, expect, it } from 'vitest';
import { gate } from '../testkit/gate.ts';
import { gatewayForTest } from '../testkit/gateway-for-test.ts';
import {
  cutAfter,
  errorEvent,
  fail,
  hang,
  type ModelReply,
  malformed,
  raw,
  reply,
  toolCall,
} from '../testkit/model-server.ts';
import type { ScratchGatewaySettings } from '../testkit/scratch-gateway.ts';

describe('a model that fails', () => {
  it.each<[string, ModelReply[]]>([
    ['is busy, and says for how long', [fail(429, { retryAfter: 2 })]],
    ['is overloaded', [fail(529), fail(529)]],
    ['breaks off in the middle', [cutAfter(7)]],
    ['sends rubbish', [malformed()]],
    ['tells an error in the middle of an answer', [errorEvent('overloaded_error', 'Busy', 'So far')]],
  ])('%s, is asked the same again', async (_, failures) => {
    const waits: number[] = [];
    const scratch = await gatewayForTest({ protocol: 'anthropic-messages', sleep: async (ms) => void waits.push(ms) });
    scratch.model.script([...failures, reply('Here I am.')]);
    const { runId } = await scratch.channel.asks({}, 'Are you there?', 'Here I am.');
    scratch.channel.expectNothingMore();
    expect(new Set(scratch.model.requests.map(({ body }) => body)).size).toBe(1);
    expect(waits).toHaveLength(failures.length);
    expect(await scratch.services.runs.wait(runId)).toMatchObject({
      status: 'done',
      outcome: { modelCalls: failures.length + 1 },
    });
    if (failures[0]?.refusal?.status === 429) expect(waits[0]).toBeGreaterThanOrEqual(2_000);
  });

  it('voids what it has streamed before', async () => {
    const scratch = await gatewayForTest();
    const live: string[] = [];
    scratch.services.subscribe((event) => {
      if (event.type === 'text-delta') live.push(event.text);
      if (event.type === 'text-reset') live.length = 0;
    });
    scratch.model.script([cutAfter(12), reply('The whole answer.')]);
    await scratch.channel.asks({}, 'Go', 'The whole answer.');
    expect(live.join('')).toBe('The whole answer.');
  });

  it('that stays silent is cut off and asked again', async () => {
    const scratch = await gatewayForTest(silentAfterOneSecond);
    scratch.model.script([hang('So'), reply('Sorry, I was away.')]);
    await scratch.channel.asks({}, 'Hello?', 'Sorry, I was away.');
    await scratch.model.waitForClosedEarly(1);
  });

  it('hands over to the next one', async () => {
    const scratch = await gatewayForTest({
      config: { agents: { defaults: { model: { primary: 'fake/small', fallbacks: ['none/such', 'fake/large'] } } } },
    });
    scratch.model.script(({ json }) => (json.model === 'small' ? fail(401) : reply('The large one here.')));
    const { runId } = await scratch.channel.asks({}, 'Anybody?', 'The large one here.');
    expect(scratch.model.requests.map(({ json }) => json.model)).toEqual(['small', 'large']);
    expect(await scratch.services.runs.wait(runId)).toMatchObject({ outcome: { model: 'large', modelCalls: 2 } });
    const captures = await scratch.store.select('captures', { where: { runId }, orderBy: [['call', 'asc']] });
    expect(captures.map(({ call, model }) => [call, model])).toEqual([
      [0, 'small'],
      [1, 'small'],
      [2, 'large'],
    ]);
  });

  it('and whose fallbacks fail too, is a failure that the person is told of, and the message is kept', async () => {
    const scratch = await gatewayForTest({
      config: { agents: { defaults: { model: { primary: 'fake/small', fallbacks: ['fake/large'] } } } },
    });
    scratch.model.script(() => fail(503, { message: 'Down for the night' }));
    const { runId, sessionKey } = await scratch.channel.says({}, 'Hello?');
    await scratch.channel.expectDelivered(
      /could not be answered\. The model fake\/large did not answer \(\w+\): .*Down/,
    );
    scratch.channel.expectNothingMore();
    expect(scratch.model.requests).toHaveLength(8);
    expect(await scratch.services.runs.wait(runId)).toMatchObject({
      status: 'failed',
      outcome: { errorCode: 'ATRIUM_MODEL_CALL' },
    });
    const [letter] = await scratch.store.select('deadLetters');
    expect(letter).toMatchObject({ direction: 'in', runId, sessionKey, payload: { inbound: { text: 'Hello?' } } });

    scratch.model.script([reply('Good morning.')]);
    await scratch.services.deadLetters.replay(letter?.id ?? '');
    await scratch.channel.expectDelivered('Good morning.');
    expect(await scratch.store.count('deadLetters')).toBe(0);
  });

  it('that says nothing at all before its limit is a failure too, and says what to do about it', async () => {
    const scratch = await gatewayForTest();
    scratch.model.script([reply('', { stop: 'length' })]);
    const { runId } = await scratch.channel.says({}, 'Tell me');
    await scratch.channel.expectDelivered(/answered with nothing \(length\)\. It came to the limit .* maxTokens/);
    expect(await scratch.services.runs.wait(runId)).toMatchObject({ status: 'failed' });
  });

  it("whose answer the provider withholds is told with the provider's reason, and nothing of it is said to the model", async () => {
    const scratch = await gatewayForTest();
    const sentence =
      'The provider of fake/small withheld the answer (content_filter, violence (high)). Ask in other words.';
    const filtered = {
      finish_reason: 'content_filter',
      content_filter_results: { violence: { filtered: true, severity: 'high' } },
    };
    scratch.model.script([
      raw(`data: ${JSON.stringify({ choices: [{ index: 0, delta: {}, ...filtered }] })}\n\ndata: [DONE]\n\n`),
      reply('Better.'),
    ]);
    const { runId } = await scratch.channel.asks({}, 'Tell me', sentence);
    expect(await scratch.services.runs.wait(runId)).toMatchObject({
      status: 'done',
      outcome: { reply: sentence, stop: 'refusal' },
    });
    expect(scratch.warnings).toContainEqual(expect.stringContaining(`(run ${runId}): ${sentence}`));
    await scratch.channel.asks({}, 'Tell me kindly', 'Better.');
    expect(scratch.model.requests[1]?.body).not.toContain('withheld');
  });

  it('whose answer is withheld behind words of an earlier step does not pass those words off as its answer', async () => {
    const scratch = await gatewayForTest();
    scratch.model.script([toolCall('read', { path: 'AGENTS.md' }, 'Let me look.'), reply('', { stop: 'refusal' })]);
    await scratch.channel.asks({}, 'Tell me', /^The provider of fake\/small withheld the answer/);
  });

  it('whose answer has something beside it that cannot be read is answered, and that is in the log and kept with the run', async () => {
    const scratch = await gatewayForTest();
    const events = [
      '{"choices":[{"index":0,"delta":{"content":"Hi."},"finish_reason":"stop"}]}',
      '{"usage":',
      '[DONE]',
    ];
    scratch.model.script([raw(events.map((data) => `data: ${data}\n\n`).join(''))]);
    const { runId } = await scratch.channel.asks({}, 'Hello', 'Hi.');
    const note = 'An event behind the end of the answer cannot be read and was left out: {"usage":';
    expect((await scratch.services.runs.wait(runId))?.outcome?.notes).toEqual([note]);
    expect(scratch.warnings).toEqual([`The model fake/small (run ${runId}): ${note}`]);
  });

  it.each([
    ['nothing', ''],
    ['white space', ' \n\t '],
    ['characters without width', '\u200b\ufeff\u2060'],
  ])('that says %s to a client of the API is a failure as well', async (_, text) => {
    const scratch = await gatewayForTest();
    scratch.model.script([reply(text)]);
    const { runId } = await scratch.services.inbox.receive(
      {
        surface: { channel: 'api', accountId: 'default', peer: { kind: 'direct', id: 'ana' } },
        sender: { id: 'ana' },
        text: 'Tell me',
        at: 0,
      },
      { kind: 'api' },
    );
    const { status, outcome } = (await scratch.services.runs.wait(runId)) ?? {};
    expect([status, outcome?.errorCode]).toEqual(['failed', 'ATRIUM_MODEL_EMPTY']);
  });

  it.each([
    'No such model',
    'No such model.',
    'What is "small"?',
  ])('is told in whole sentences: %s', async (message) => {
    const scratch = await gatewayForTest();
    scratch.model.script([fail(404, { message })]);
    const { runId } = await scratch.channel.says({}, 'Hello?');
    const { outcome } = (await scratch.services.runs.wait(runId)) ?? {};
    expect(outcome?.error).toMatch(/(?:No such model\.|What is "small"\?) The provider does not take/);
  });

  it('without a key is told in a sentence', async () => {
    const scratch = await gatewayForTest({ config: { agents: { defaults: { model: 'nobody/nothing' } } } });
    await scratch.channel.asks({}, 'Hello?', /could not be answered\. .*nobody/);
    expect(await scratch.store.select('transcript')).toMatchObject([
      { kind: 'notice', message: { role: 'user', content: 'Hello?' } },
      { kind: 'notice', message: { role: 'assistant' } },
    ]);
  });
});

describe('a run', () => {
  it('that a person stops really ends: the request is closed, and the rest goes on', async () => {
    const scratch = await gatewayForTest();
    scratch.model.script([hang('Well,')]);
    const { runId } = await scratch.channel.says({}, 'Talk');
    const { runId: queued } = await scratch.channel.says({}, 'And then?');
    await scratch.model.waitForRequests(1);
    scratch.model.script([reply('Then this.')]);
    await scratch.channel.says({}, '/stop');
    await scratch.model.waitForClosedEarly(1);
    expect(await scratch.services.runs.wait(runId)).toMatchObject({ status: 'stopped' });
    expect(await scratch.services.runs.wait(queued)).toMatchObject({ status: 'done' });
    await scratch.stop();
    expect([...scratch.channel.shown()].sort()).toEqual(['Stopped.', 'Stopping.', 'Then this.']);
    expect(scratch.channel.shown().at(-1)).toBe('Then this.');
  });

  it('that takes too long ends', async () => {
    const scratch = await gatewayForTest({
      config: { agents: { defaults: { model: 'fake/small', timeoutSeconds: 1 } } },
    });
    scratch.model.script([hang()]);
    const { runId } = await scratch.channel.says({}, 'Take your time');
    await scratch.channel.expectDelivered(/could not be answered\. The run took longer than 1 s/);
    expect(await scratch.services.runs.wait(runId)).toMatchObject({
      status: 'failed',
      outcome: { errorCode: 'ATRIUM_RUN_TIMEOUT' },
    });
    await scratch.model.waitForClosedEarly(1);
  });

  it('that waits for a busy provider can be stopped', async () => {
    const { opened: waiting, open: wait } = gate();
    const scratch = await gatewayForTest({
      sleep: (_, signal) => {
        wait();
        return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      },
    });
    scratch.model.script([fail(429)]);
    const { runId } = await scratch.channel.says({}, 'Hello?');
    await waiting;
    await scratch.channel.says({}, '/stop');
    expect(await scratch.services.runs.wait(runId)).toMatchObject({ status: 'stopped' });
  });
});

const silentAfterOneSecond: ScratchGatewaySettings = { provider: { timeoutSeconds: 1 } };
