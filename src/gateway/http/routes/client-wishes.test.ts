// What an API client asks of an answer, on the ways that a run can go: another model, a turn with tools, a restart, a
// queue, a limit on spending, a replay.

import { describe, expect, it, onTestFinished } from 'vitest';
import { MODEL_PROTOCOLS } from '../../../protocol/model-protocol.ts';
import { gate } from '../../../testkit/gate.ts';
import { after, fail, hang, reply, toolCall } from '../../../testkit/model-server.ts';
import type { ScratchGatewaySettings } from '../../../testkit/scratch-gateway.ts';
import { replayRun } from '../../services/replay/replay-run.ts';
import { TEST_TOKEN, TestApi } from '../fixtures/test-api.ts';

const CHAT = '/v1/chat/completions';
const ask = (content: string, more: object = {}) => ({
  model: 'atrium',
  messages: [{ role: 'user', content }],
  ...more,
});
const WISHES = { temperature: 0.25, top_p: 0.5, max_tokens: 77, stop: ['END'], seed: 5 };

async function open(settings: ScratchGatewaySettings = {}): Promise<TestApi> {
  const api = await TestApi.open(settings);
  onTestFinished(() => api.close());
  return api;
}

const ONE_AGENT = { list: [{ id: 'main', default: true }] };
const withModel = (model: unknown) => ({ agents: { ...ONE_AGENT, defaults: { model } } });
const sent = (api: TestApi) => api.model.requests.map(({ json }) => json);

describe('what a client asks of an answer', () => {
  it('counts for every request of its run, and the run is replayed to the same bytes', async () => {
    const api = await open({ files: { 'workspace/notes.md': 'It is there.' } });
    api.model.script([toolCall('read', { path: 'notes.md' }), reply('There.')]);
    const { status, headers } = await api.call('POST', CHAT, ask('Look.', WISHES));
    expect(status).toBe(200);
    expect(sent(api)).toMatchObject([WISHES, WISHES]);
    const runId = headers.get('x-atrium-run-id') ?? '';
    const { calls } = await replayRun(api.store, runId, { without: [], files: new Map() });
    expect(calls.map(({ isSame }) => isSame)).toEqual([true, true]);
  });

  it.each(MODEL_PROTOCOLS)('is previewed, sent and replayed with the same bytes over %s', async (protocol) => {
    const params = { temperature: 0.7, topP: 0.9 };
    const api = await open({
      protocol,
      config: { agents: { ...ONE_AGENT, defaults: { model: 'fake/small', params } } },
    });
    api.model.script(() => reply('Yes.'));
    const wishes = { temperature: 0.25, max_tokens: 77 };
    const asked = await api.call('POST', CHAT, ask('Hello', { ...wishes, user: 'ann' }));
    const sessionKey = asked.headers.get('x-openclaw-session-key');
    const about = { message: 'And now?', sessionKey, channel: 'api', at: new Date().toISOString() };
    const preview = await api.call('POST', '/api/context/preview', { ...about, ...wishes });
    const { headers } = await api.call('POST', CHAT, ask('And now?', { ...wishes, user: 'ann' }));
    const body = api.model.requests.at(-1)?.body;
    expect(preview.json.wire).toMatchObject({ body });
    expect(body).toMatch(/"temperature":0\.25,"top_?p":0\.9/i);
    const { calls } = await replayRun(api.store, headers.get('x-atrium-run-id') ?? '', {
      without: [],
      files: new Map(),
    });
    expect(calls.map(({ isSame }) => isSame)).toEqual([true]);
  });

  it('counts for its own run only, also for one that waits in the queue', async () => {
    const api = await open();
    const held = gate();
    api.model.script([after(held.opened, reply('One.')), reply('Two.'), reply('Three.')]);
    const asked = [ask('1', { temperature: 0.1 }), ask('2', { temperature: 0.2 }), ask('3')];
    const first = api.call('POST', CHAT, { ...asked[0], user: 'ann' });
    await api.model.waitForRequests(1);
    const second = api.call('POST', CHAT, { ...asked[1], user: 'ann' });
    held.open();
    await Promise.all([first, second]);
    await api.call('POST', CHAT, { ...asked[2], user: 'ann' });
    expect(sent(api).map(({ temperature }) => temperature)).toEqual([0.1, 0.2, undefined]);
  });

  it('is sent again with the same bytes after a restart', async () => {
    const api = await open();
    api.model.script([hang('So')]);
    const left = new AbortController();
    const asking = Promise.resolve(
      api.app.request(`http://127.0.0.1${CHAT}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${TEST_TOKEN}`, 'idempotency-key': 'k1' },
        body: JSON.stringify(ask('A story', WISHES)),
        signal: left.signal,
      }),
    ).catch(() => undefined);
    await api.model.waitForRequests(1);
    await api.scratch.stop(0);
    left.abort();
    await asking;
    api.model.script([reply('Once upon a time.')]);
    await api.scratch.start();
    await api.model.waitForRequests(2);
    expect(sent(api)).toMatchObject([WISHES, WISHES]);
    expect(api.model.requests[1]?.body).toBe(api.model.requests[0]?.body);
  });

  it('is refused for the model of the agent, although a fallback could be told', async () => {
    const api = await open({ config: withModel({ primary: 'mirror/mirror', fallbacks: ['fake/small'] }) });
    const { status, json } = await api.call('POST', CHAT, ask('Hello', WISHES));
    expect([status, json.error]).toMatchObject([400, { code: 'ATRIUM_MODEL_WISH', param: 'temperature' }]);
    expect(sent(api)).toEqual([]);
  });

  it('passes over a fallback that cannot be told', async () => {
    const api = await open({
      config: withModel({ primary: 'fake/small', fallbacks: ['mirror/mirror', 'fake/large'] }),
    });
    api.model.script([fail(400), reply('Large.')]);
    const { json } = await api.call('POST', CHAT, ask('Hello', WISHES));
    expect(json.choices).toMatchObject([{ message: { content: 'Large.' } }]);
    expect(sent(api)).toMatchObject([
      { ...WISHES, model: 'small' },
      { ...WISHES, model: 'large' },
    ]);
  });

  it('is followed by a fallback that can be told', async () => {
    const api = await open({ config: withModel({ primary: 'fake/small', fallbacks: ['mirror/mirror'] }) });
    api.model.script([fail(400)]);
    const { json } = await api.call('POST', CHAT, ask('say: one two three', { max_tokens: 1 }));
    expect(json.choices).toMatchObject([
      { finish_reason: 'length', message: { content: expect.stringMatching(/^.{4}$/) } },
    ]);
  });

  it('is part of what a limit on spending reserves, and no cheaper model answers that cannot be told', async () => {
    const cost = { input: 1, output: 10 };
    const api = await open({
      provider: { models: [{ id: 'small', maxTokens: 100_000, cost }] },
      config: { limits: { spend: [{ per: 'day', money: 0.1, onReached: { model: 'mirror/mirror' } }] } },
    });
    api.model.script(() => reply('Yes.'));
    expect((await api.call('POST', CHAT, ask('Hello', { max_tokens: 10, temperature: 0.5 }))).status).toBe(200);
    expect(sent(api)).toMatchObject([{ max_tokens: 10 }]);
    const refused = await api.call('POST', CHAT, ask('Hello', { temperature: 0.5 }));
    expect(refused.json.error).toMatchObject({ code: 'ATRIUM_SPEND_LIMIT' });
    expect(sent(api)).toHaveLength(1);
    const cheap = await api.call('POST', CHAT, ask('say: cheap'));
    expect(JSON.stringify(cheap.json.choices)).toContain('cheap');
  });

  it("replaces the agent's own settings for one request, and never raises its limit", async () => {
    const api = await open({
      config: {
        agents: {
          defaults: {
            model: 'fake/small',
            params: { topP: 0.9, maxTokens: 400 },
            models: { 'fake/small': { params: { temperature: 0.3 } } },
          },
          list: [
            { id: 'main', default: true },
            { id: 'coder', params: { temperature: 0, maxTokens: 50 } },
          ],
        },
      },
    });
    const runs: string[] = [];
    for (const body of [
      ask('1'),
      ask('2', { temperature: 0.8, max_tokens: 500 }),
      ask('3', { max_tokens: 10 }),
      { ...ask('4', { top_p: 0.1 }), model: 'atrium/coder' },
    ])
      runs.push((await api.call('POST', CHAT, body)).headers.get('x-atrium-run-id') ?? '');
    expect(sent(api)).toMatchObject([
      { temperature: 0.3, top_p: 0.9, max_tokens: 400 },
      { temperature: 0.8, top_p: 0.9, max_tokens: 400 },
      { temperature: 0.3, top_p: 0.9, max_tokens: 10 },
      { temperature: 0, top_p: 0.1, max_tokens: 50 },
    ]);
    for (const runId of runs) {
      const { calls } = await replayRun(api.store, runId, { without: [], files: new Map() });
      expect(calls.map(({ isSame }) => isSame)).toEqual([true]);
    }
  });
});

const TOOL = { type: 'function', function: { name: 'look_up', parameters: { type: 'object' } } };

describe('a field that the model of the agent cannot be told', () => {
  it.each([
    [CHAT, ask('Hello', { seed: 1 })],
    ['/v1/responses', { model: 'atrium', input: 'Hello', reasoning: { effort: 'low' } }],
  ])('is refused with a status in %s, streamed or not, and nothing is accepted', async (path, body) => {
    const api = await open({ protocol: 'anthropic-messages' });
    for (const stream of [false, true]) {
      const { status, json } = await api.call('POST', path, { ...body, stream });
      const param = path === CHAT ? 'seed' : 'reasoning.effort';
      expect([status, json.error]).toMatchObject([400, { code: 'ATRIUM_MODEL_WISH', param }]);
    }
    expect([await api.store.count('inbox'), await api.store.count('runs'), sent(api)]).toEqual([0, 0, []]);
  });

  it('leaves the run as it was that waits for the results it came with', async () => {
    const api = await open({ protocol: 'anthropic-messages' });
    api.model.script([toolCall('look_up', {}), reply('Found.')]);
    const asked = ask('Look.', { tools: [TOOL] });
    const first = await api.call('POST', CHAT, asked);
    const [{ message }] = first.json.choices as [{ message: { tool_calls: [{ id: string }] } }];
    const result = { role: 'tool', tool_call_id: message.tool_calls[0].id, content: 'It is here.' };
    const brought = { ...asked, messages: [...asked.messages, message, result] };
    for (const stream of [false, true]) {
      const { status, json } = await api.call('POST', CHAT, { ...brought, seed: 1, stream });
      expect([status, json.error]).toMatchObject([400, { code: 'ATRIUM_MODEL_WISH', param: 'seed' }]);
    }
    const { json } = await api.call('POST', CHAT, brought);
    expect(json.choices).toMatchObject([{ message: { content: 'Found.' } }]);
  });

  it('is refused by the model that a person chose for the session', async () => {
    const models = { 'fake/small': {}, 'mirror/mirror': {} };
    const api = await open({ config: { agents: { ...ONE_AGENT, defaults: { model: 'fake/small', models } } } });
    await api.call('POST', CHAT, ask('/model mirror/mirror', { user: 'ann' }));
    const refused = await api.call('POST', CHAT, ask('Hello', { user: 'ann', temperature: 0 }));
    expect([refused.status, refused.json.error]).toMatchObject([400, { param: 'temperature' }]);
    expect((await api.call('POST', CHAT, ask('Hello', { temperature: 0 }))).status).toBe(200);
  });
});

it.each([
  [CHAT, ask('Hello', { stream: true, tools: [{ type: 'function', function: { name: 'read' } }] })],
  ['/v1/responses', { model: 'atrium', input: 'Hello', stream: true, tools: [{ type: 'function', name: 'read' }] }],
])('what only the run can refuse has a status too, when nothing was said yet: %s', async (path, body) => {
  const api = await open();
  const { status, json } = await api.call('POST', path, body);
  expect([status, json.error]).toMatchObject([400, { code: 'ATRIUM_CLIENT_TOOL_NAME' }]);
  expect(api.listeners).toBe(0);
});

it('a fallback that was passed over because of a field is named in the error', async () => {
  const api = await open({ config: withModel({ primary: 'fake/small', fallbacks: ['mirror/mirror'] }) });
  api.model.script([fail(400)]);
  const { json } = await api.call('POST', CHAT, ask('Hello', { temperature: 0.5 }));
  const passed = 'The fallback mirror/mirror was passed over, because "temperature" cannot be passed on to it.';
  expect(json.error).toMatchObject({ code: 'ATRIUM_MODEL_CALL', message: expect.stringContaining(passed) });
});
