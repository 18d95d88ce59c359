import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hang } from '../../testkit/model-server.ts';
import { type Filled, fillStore } from './fixtures/filled-store.ts';
import { TEST_TOKEN, TestApi } from './fixtures/test-api.ts';

let api: TestApi;
let filled: Filled;
beforeEach(async () => {
  api = await TestApi.open();
  filled = await fillStore(api.store);
});
afterEach(() => api.close());

const call = (method: string, path: string, body?: unknown) => api.call(method, path, body);
const get = (path: string) => call('GET', path);
const session = (rest = '') => `/api/sessions/${encodeURIComponent(filled.sessionKey)}${rest}`;

describe('/api/status and /api/agents', () => {
  it('tell what runs', async () => {
    expect((await get('/api/status')).json).toMatchObject({ sessions: 1, deadLetters: { in: 1, out: 1 } });
    expect((await get('/api/agents')).json).toMatchObject({ agents: [{ agentId: 'main' }, { agentId: 'coder' }] });
  });
});

describe('/api/sessions', () => {
  it('lists them, page by page', async () => {
    const [row] = await api.store.select('sessions');
    if (!row) throw new Error('There should be a session.');
    const more = [1, 2, 3, 4].map((n) => ({
      ...row,
      sessionId: `ses_z${n}`,
      sessionKey: `agent:coder:k${n}`,
      agentId: 'coder',
    }));
    await api.store.commit(
      more.map((each) => ({ insert: 'sessions', row: each }) as const),
      { site: 'session' },
    );
    const seen: string[] = [];
    let next: unknown = '';
    while (next !== null) {
      const { json } = await get(`/api/sessions?limit=2${next ? `&before=${next}` : ''}`);
      seen.push(...(json.sessions as { sessionId: string }[]).map(({ sessionId }) => sessionId));
      next = json.next;
    }
    expect(seen).toEqual(['ses_z4', 'ses_z3', 'ses_z2', 'ses_z1', filled.sessionId]);
    expect(((await get('/api/sessions?agent=coder')).json.sessions as unknown[]).length).toBe(4);
    expect(((await get('/api/sessions?open=false')).json.sessions as unknown[]).length).toBe(0);
  });

  it('bounds what can be asked for', async () => {
    for (const query of ['limit=0', 'limit=501', 'limit=x', 'limit=1.5', 'open=maybe', 'colour=red']) {
      expect((await get(`/api/sessions?${query}`)).status, query).toBe(400);
    }
  });

  it('shows one by its key or its id', async () => {
    const byKey = await get(session());
    expect(byKey.json).toMatchObject({ session: { sessionId: filled.sessionId }, entries: 4, earlier: [] });
    expect((await get(`/api/sessions/${filled.sessionId}`)).json).toEqual(byKey.json);
    expect(await get('/api/sessions/agent:main:nobody')).toMatchObject({
      status: 404,
      json: { error: { code: 'ATRIUM_SESSION_UNKNOWN' } },
    });
  });

  it('tells what was said, forwards and backwards', async () => {
    const positions = async (query: string) => {
      const { json } = await get(session(`/transcript?${query}`));
      return [(json.entries as { position: number }[]).map(({ position }) => position), json.next];
    };
    expect(await positions('')).toEqual([[1, 2, 3, 4], null]);
    expect(await positions('limit=3')).toEqual([[1, 2, 3], 3]);
    expect(await positions('limit=3&after=3')).toEqual([[4], null]);
    expect(await positions('order=desc&limit=2')).toEqual([[4, 3], 3]);
    expect(await positions('order=desc&limit=2&before=3')).toEqual([[2, 1], null]);
    expect(await positions('after=1&before=4')).toEqual([[2, 3], null]);
  });

  it('ends one, then deletes it', async () => {
    expect((await call('POST', session('/reset'))).json).toEqual({ sessionKey: filled.sessionKey, ended: true });
    expect((await call('POST', session('/reset'))).status).toBe(404);
    expect((await call('DELETE', session())).json).toEqual({ sessionKey: filled.sessionKey, deleted: true });
    expect((await get(session())).json).toMatchObject({ session: { endReason: 'deleted', surface: null }, entries: 0 });
  });
});

describe('/api/runs', () => {
  it('shows how one went', async () => {
    const { json } = await get(`/api/runs/${filled.runId}`);
    expect(json).toMatchObject({
      run: { status: 'done', outcome: { reply: 'hello there', modelCalls: 2 } },
      calls: [{ call: 1, provider: 'mirror' }],
      deliveries: [{ part: 1, status: 'sent' }],
    });
    expect((await get(`/api/runs?session=${encodeURIComponent(filled.sessionKey)}`)).json).toMatchObject({
      runs: [{ runId: filled.runId }],
      next: null,
    });
    expect((await get('/api/runs/run_nobody')).status).toBe(404);
    for (const list of ['/api/runs', '/api/sessions', '/api/deadletters']) {
      const message = expect.stringMatching(/^before: must be an id that begins with (run|ses|dead)_\.$/);
      expect(await get(`${list}?before=nonsense`)).toMatchObject({ status: 400, json: { error: { message } } });
    }
  });

  it('gives back a request byte for byte', async () => {
    for (const name of ['1', 'last']) {
      const response = await api.app.request(`/api/runs/${filled.runId}/requests/${name}`, {
        headers: { authorization: `Bearer ${TEST_TOKEN}` },
      });
      expect(await response.text()).toBe(filled.requestBody);
      expect(response.headers.get('x-atrium-call')).toBe('1');
    }
    expect(await get(`/api/runs/${filled.runId}/requests/2`)).toMatchObject({
      status: 404,
      json: {
        error: {
          code: 'ATRIUM_RUN_CAPTURE_UNKNOWN',
          message: expect.stringContaining(`Request 2 of run ${filled.runId} is not kept.`),
        },
      },
    });
    const { json } = await call('POST', '/api/messages', { text: '/status' });
    await get(`/api/runs/${json.runId}/wait`);
    expect((await get(`/api/runs/${json.runId}/requests/last`)).json).toMatchObject({
      error: { message: expect.stringContaining(`No request of run ${json.runId} is kept.`) },
    });
    expect((await get(`/api/runs/${filled.runId}/requests/0`)).status).toBe(404);
    expect((await get('/api/runs/run_nobody/requests/1')).json).toMatchObject({
      error: { code: 'ATRIUM_RUN_UNKNOWN' },
    });
  });

  it('gives the context report', async () => {
    expect((await get(`/api/runs/${filled.runId}/report`)).json).toMatchObject({
      version: 1,
      prompt: { tokens: 1_350 },
    });
    api.model.script([hang()]);
    const { json } = await call('POST', '/api/messages', { text: '/status' });
    await get(`/api/runs/${json.runId}/wait`);
    expect((await get(`/api/runs/${json.runId}/report`)).json).toMatchObject({
      error: { code: 'ATRIUM_RUN_REPORT_UNKNOWN' },
    });
  });

  it('knows a run that still waits in its lane', async () => {
    await api.store.commit(
      [
        {
          insert: 'inbox',
          row: {
            runId: 'run_waiting',
            sessionKey: 'agent:main:main',
            kind: 'message',
            dedupeKey: null,
            fingerprint: null,
            payload: {
              agentId: 'main',
              inbound: { surface: api.scratch.channel.surface({}), sender: { id: 'owner' }, text: 'hi', at: 5 },
            },
            acceptedAt: 5,
            status: 'queued',
          },
        },
      ],
      { site: 'accept' },
    );
    expect((await get('/api/runs/run_waiting')).json).toMatchObject({ run: { status: 'queued' }, calls: [] });
  });

  it('tells which hooks were called', async () => {
    expect((await get(`/api/runs/${filled.runId}/hooks`)).json).toEqual({
      records: [
        {
          seq: 1,
          hook: 'before_agent_run',
          handler: 'gate',
          owner: 'weather',
          at: 1_700_000_000_200,
          ms: 2,
          outcome: 'ok',
          error: null,
          changed: ['block'],
          diff: [{ field: 'block', after: 'true' }],
        },
      ],
    });
  });
});

describe('/api/messages', () => {
  it('sends one, and waits for its answer', async () => {
    const sent = await call('POST', '/api/messages', { text: 'hi', agentId: 'coder', user: 'ops' });
    expect(sent).toMatchObject({
      status: 202,
      json: { outcome: 'accepted', sessionKey: 'agent:coder:api:direct:ops' },
    });
    expect((await get(`/api/runs/${sent.json.runId}/wait`)).json).toMatchObject({
      over: true,
      run: { status: 'done', outcome: { reply: 'You said: hi' } },
    });
  });

  it('accepts one once, however often it is sent', async () => {
    const first = await call('POST', '/api/messages', { text: 'hi', id: 'm-1' });
    const second = await call('POST', '/api/messages', { text: 'hi', id: 'm-1' });
    expect(second.json).toEqual({ ...first.json, outcome: 'duplicate' });
    expect((await call('POST', '/api/messages', { text: 'other', id: 'm-1' })).status).toBe(422);
    expect(await api.store.count('inbox')).toBe(1);
  });

  it('waits only as long as asked, and can stop the run', async () => {
    api.model.script([hang()]);
    const { json } = await call('POST', '/api/messages', { text: 'hi' });
    await api.model.waitForRequests(1);
    expect((await get(`/api/runs/${json.runId}/wait?timeoutMs=20`)).json).toMatchObject({
      over: false,
      run: { status: 'running' },
    });
    expect((await call('POST', `/api/runs/${json.runId}/stop`)).json).toEqual({ runId: json.runId, stopped: true });
    expect((await get(`/api/runs/${json.runId}/wait`)).json).toMatchObject({ over: true, run: { status: 'stopped' } });
  });
});

describe('/api/context/preview and /api/route/explain', () => {
  it('show the next request', async () => {
    const { json } = await call('POST', '/api/context/preview', { message: 'hi', at: '2026-05-06T10:00:00Z' });
    expect(json).toMatchObject({
      agentId: 'main',
      provider: 'fake',
      report: { situation: { at: '2026-05-06T10:00:00.000Z' } },
    });
    expect((json.wire as { body: string }).body).toContain('"content":"hi"');
    expect((await call('POST', '/api/context/preview', { message: 'hi', at: 'noon' })).status).toBe(400);
  });

  it('show no request for a message that the gateway answers itself', async () => {
    const refused = async (message: string) => {
      const { status, json } = await call('POST', '/api/context/preview', { message });
      expect(status, message).toBe(400);
      return (json.error as { message: string }).message;
    };
    expect(await refused('/status')).toMatch(
      /^The gateway answers "\/status" itself\. .*no request to show\. Preview /,
    );
    const unknown = await refused('/statsu');
    expect(unknown).toMatch(/no request to show\. .*There is no command \/statsu\. Did you mean \/status\?/);
    expect(unknown).not.toMatch(/is a command/);
  });

  it('show where a message would go', async () => {
    const { json } = await call('POST', '/api/route/explain', {
      channel: 'discord',
      peer: { kind: 'group', id: 'ops' },
    });
    expect(json).toMatchObject({ sessionKey: 'agent:main:discord:group:ops', rules: expect.any(Array) });
  });
});

describe('/api/deadletters', () => {
  it('lists, shows, replays and removes them', async () => {
    expect((await get('/api/deadletters')).json).toMatchObject({
      deadLetters: [{ id: 'dead_out' }, { id: 'dead_in' }],
    });
    expect((await get('/api/deadletters?direction=in')).json).toMatchObject({ deadLetters: [{ id: 'dead_in' }] });
    expect((await get('/api/deadletters/dead_out')).json).toMatchObject({
      deadLetter: { payload: { text: 'an answer' } },
    });
    expect((await call('POST', '/api/deadletters/dead_out/replay')).json).toEqual({ runId: filled.runId });
    expect((await call('POST', '/api/deadletters/dead_out/replay')).status).toBe(404);
    expect((await call('DELETE', '/api/deadletters')).status).toBe(400);
    expect((await call('DELETE', '/api/deadletters/dead_in')).json).toEqual({ purged: 1 });
    expect((await call('DELETE', '/api/deadletters?all=true')).json).toEqual({ purged: 0 });
  });
});

describe('what a client asks for and cannot have', () => {
  it('a dead letter that holds no message cannot be sent again', async () => {
    const [letter] = await api.store.select('deadLetters', { where: { id: 'dead_out' } });
    if (!letter) throw new Error('There should be a dead letter.');
    const row = { ...letter, id: 'dead_empty', payload: {} };
    await api.store.commit([{ insert: 'deadLetters', row }], { site: 'result' });
    expect(await call('POST', '/api/deadletters/dead_empty/replay')).toMatchObject({
      status: 422,
      json: { error: { code: 'ATRIUM_DELIVERY_DEAD_LETTER_UNUSABLE' } },
    });
  });

  it('a message of a chat client is too long', async () => {
    const messages = [{ role: 'user', content: 'x'.repeat(1_000_001) }];
    expect(await call('POST', '/v1/chat/completions', { model: 'atrium', messages })).toMatchObject({
      status: 413,
      json: { error: { code: 'ATRIUM_INBOUND_TOO_LONG', type: 'invalid_request_error' } },
    });
  });
});

describe('/openapi.json', () => {
  it('describes every route that there is, and no other', async () => {
    const { json } = await get('/openapi.json');
    expect(json.openapi).toBe('3.1.0');
    const described = Object.entries(json.paths as Record<string, object>).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method} ${path}`),
    );
    const routes = api.app.routes
      .filter(({ method, path }) => method !== 'ALL' && !['/', '/ws', '/openapi.json'].includes(path))
      .map(({ method, path }) => `${method.toLowerCase()} ${path.replace(/:(\w+)(\{.*?\}(?=\/|$))?/g, '{$1}')}`);
    // The path of webhooks is a setting, so they are looked up when a request comes.
    const webhooks = ['post /hooks/agent', 'post /hooks/wake', 'post /hooks/{name}'];
    expect(described.sort()).toEqual([...new Set([...routes, ...webhooks])].sort());
  });

  it('says of each what it takes and what it gives', async () => {
    const { json } = await get('/openapi.json');
    const paths = json.paths as Record<string, Record<string, Record<string, unknown>>>;
    expect(paths['/api/messages']?.post).toMatchObject({
      requestBody: { content: { 'application/json': { schema: { required: ['text'], additionalProperties: false } } } },
    });
    expect(paths['/api/sessions']?.get).toMatchObject({
      parameters: [{ name: 'limit', in: 'query', required: false }, {}, {}, {}, {}, {}, {}],
    });
    expect(paths['/healthz']?.get).toMatchObject({ security: [] });
  });

  it('is true: answers are as described', async () => {
    // Each call checks the answer against the schema of its route.
    const samples: readonly (readonly [string, string, unknown?])[] = [
      ['GET', '/healthz'],
      ['GET', '/readyz'],
      ['GET', '/v1/models'],
      ['GET', '/v1/models/atrium%2Fmain'],
      ['POST', '/v1/chat/completions', { model: 'atrium', messages: [{ role: 'user', content: 'x' }] }],
      ['GET', '/api/status'],
      ['GET', '/api/agents'],
      ['GET', '/api/commands'],
      ['POST', '/api/messages', { text: 'x' }],
      ['GET', '/api/sessions'],
      ['GET', '/api/search?text=hello'],
      ['POST', `${session()}/marks`, { title: 'A title', isArchived: false, isSeen: true }],
      ['GET', session()],
      ['GET', session('/transcript')],
      ['GET', '/api/runs'],
      ['GET', `/api/runs/${filled.runId}`],
      ['GET', `/api/runs/${filled.runId}/wait`],
      ['POST', `/api/runs/${filled.runId}/stop`],
      ['GET', `/api/runs/${filled.runId}/report`],
      ['GET', `/api/runs/${filled.runId}/spans/last`],
      ['GET', `/api/runs/${filled.runId}/hooks`],
      ['POST', '/api/context/preview', { message: 'x' }],
      ['POST', '/api/route/explain', { channel: 'web', peer: { kind: 'direct', id: 'x' } }],
      ['GET', '/api/tools/explain'],
      ['GET', '/api/mcp'],
      ['GET', '/api/plugins'],
      ['GET', '/api/hooks'],
      ['GET', '/api/methods'],
      ['GET', '/api/usage'],
      ['GET', '/api/approvals/rules'],
      ['GET', '/api/deadletters'],
      ['GET', '/api/deadletters/dead_in'],
    ];
    for (const [method, path, body] of samples) {
      expect((await call(method, path, body)).status, `${method} ${path}`).toBeLessThan(300);
    }
  });
});
