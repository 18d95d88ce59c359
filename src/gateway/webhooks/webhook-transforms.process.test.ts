// Transforms of webhooks: code of the operator decides what a request becomes. It runs in the worker for third-party code.

import { symlink } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lastSaid, TestApi } from '../http/fixtures/test-api.ts';

const TOKEN = 'hook-token-of-the-test';
const mapping = (module: string, more: object = {}) => ({
  id: module,
  match: { path: module.replace(/\..*/, '') },
  deliver: false,
  messageTemplate: 'Plain {{text}}',
  transform: { module },
  ...more,
});

const FILES = {
  'github.mjs': `export default async ({ payload, headers, path, url }) => {
    if (payload.action === 'ping') return null;
    if (payload.action === 'plain') return undefined;
    return {
      message: [headers['x-github-event'], payload.action, path, url.searchParams.get('kind'), '{{text}}'].join(' '),
      name: 'GitHub',
      sessionKey: 'hook:github',
      sessionKeySource: 'static',
      note: String(headers.authorization),
    };
  };`,
  'named.ts': `export function transformIt({ payload }: { payload: { n: number } }): object {
    return { message: 'Number ' + (payload.n + 1) };
  }`,
  'usual.js': `exports.transform = () => ({ kind: 'wake', text: 'Wake up.', mode: 'next-heartbeat' });`,
  'chosen.mjs': `export default ({ payload }) => ({ message: 'x', sessionKey: payload.key });`,
  'moody.mjs': `let times = 0; export default () => ({ message: 'Time ' + ++times });`,
  'throws.mjs': `export default () => { throw new Error('no such thing'); };`,
  'spins.mjs': `export default () => { for (;;); };`,
  'wrong.mjs': `export default 7;`,
};

let api: TestApi;
beforeAll(async () => {
  api = await TestApi.open({
    files: {
      ...Object.fromEntries(Object.entries(FILES).map(([name, text]) => [`hooks/transforms/${name}`, text])),
      'elsewhere.mjs': `export default () => ({ message: 'From elsewhere.' });`,
    },
    config: {
      plugins: { worker: { heartbeatMs: 500 } },
      hooks: {
        enabled: true,
        token: TOKEN,
        allowRequestSessionKey: false,
        mappings: [
          mapping('github.mjs'),
          mapping('named.ts', { transform: { module: 'named.ts', export: 'transformIt' } }),
          ...[
            'usual.js',
            'chosen.mjs',
            'moody.mjs',
            'throws.mjs',
            'spins.mjs',
            'wrong.mjs',
            'absent.mjs',
            'link.mjs',
          ].map((name) => mapping(name)),
          mapping('outside', { transform: { module: '../../elsewhere.mjs' } }),
        ],
      },
    },
  });
  await symlink(api.scratch.home.path('elsewhere.mjs'), api.scratch.home.path('hooks/transforms/link.mjs'));
});
afterAll(() => api.close());

async function send(path: string, body: unknown, headers: Record<string, string> = {}) {
  const response = await api.app.request(`http://127.0.0.1/hooks/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${TOKEN}`, ...headers },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, json: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>) };
}

async function said(sent: Awaited<ReturnType<typeof send>>) {
  const runId = String(sent.json.runId);
  await api.scratch.services.runs.wait(runId, AbortSignal.timeout(30_000));
  const [run] = await api.store.select('runs', { where: { runId } });
  return { text: lastSaid(api.model.requests.at(-1) as never), sessionKey: run?.sessionKey };
}

describe('a transform', () => {
  it('says what a request becomes, from its body, headers and address, and never sees the token', async () => {
    const sent = await send('github?kind=push', { action: 'opened' }, { 'x-github-event': 'issues' });
    const { text, sessionKey } = await said(sent);
    // Its texts are no templates.
    expect(text).toContain('| issues opened github push {{text}}');
    expect(text).toContain('"GitHub"');
    expect(text).not.toContain(TOKEN);
    expect(sessionKey).toBe('agent:main:hook:github');
  });

  it('may stop a request, or leave it to the mapping', async () => {
    const runs = await api.store.count('runs');
    expect((await send('github', { action: 'ping' })).status).toBe(204);
    expect(await api.store.count('runs')).toBe(runs);
    expect((await said(await send('github', { action: 'plain', text: 'words' }))).text).toContain('| Plain words');
  });

  it('may be written in TypeScript under a name, or be called transform, and may wake an agent instead', async () => {
    expect((await said(await send('named', { n: 4 }))).text).toContain('| Number 5');
    expect((await send('usual', {})).json).toEqual({ ok: true, mode: 'next-heartbeat', eventOutcome: 'queued' });
  });

  it('cannot let a request choose its session where the operator does not allow it', async () => {
    expect(await send('chosen', { key: 'main' })).toMatchObject({
      status: 400,
      json: { error: { message: expect.stringContaining('hooks.allowRequestSessionKey') } },
    });
  });

  it('does not make two runs of one request that is sent twice under one key', async () => {
    const key = { 'idempotency-key': 'once' };
    const first = await send('moody', { a: 1 }, key);
    expect((await send('moody', { a: 1 }, key)).json).toEqual(first.json);
    expect((await said(first)).text).toContain('| Time 1');
  });

  it.each([
    ['throws', 'it threw: no such thing'],
    ['wrong', 'wrong.mjs'],
    ['absent', 'the file is not there'],
    ['link', 'outside'],
    ['outside', 'outside'],
    ['spins', 'spins.mjs'],
  ])('that fails (%s) lets nothing through, and only the operator reads why', async (name, why) => {
    const runs = await api.store.count('runs');
    const sent = await send(name, { text: 'x' });
    expect(sent).toMatchObject({ status: 500, json: { error: { code: 'ATRIUM_WEBHOOK_TRANSFORM' } } });
    expect(JSON.stringify(sent.json)).not.toContain('no such thing');
    expect(api.scratch.warnings.join('\n')).toContain(why);
    expect(await api.store.count('runs')).toBe(runs);
    // The others go on.
    expect((await said(await send('named', { n: 1 }))).text).toContain('| Number 2');
  });
});
