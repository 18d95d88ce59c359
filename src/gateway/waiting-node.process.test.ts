import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { CuttingProxy } from '../testkit/cutting-proxy.ts';
import { GatewayProcess } from '../testkit/gateway-process.ts';
import { hang, reply } from '../testkit/model-server.ts';
import { findPostgres, startPostgres } from '../testkit/postgres-server.ts';

const programs = await findPostgres();
const server = programs === undefined ? undefined : await startPostgres(programs, { syncs: false });
afterAll(() => server?.destroy());

const SOON = { timeout: 30_000, interval: 20 };
let schemas = 0;

// Where Postgres is not installed there is nothing to test with; .ci/run installs it.
describe.skipIf(!server)('a node that the others expelled because it could not reach the database', () => {
  const opened: { close(): Promise<void> }[] = [];
  afterEach(async () => {
    for (const each of opened.splice(0).reverse()) await each.close();
  });

  /** Only the first node goes through the proxy. */
  async function startTwo(config: object = {}) {
    schemas += 1;
    const schema = `waiting_${schemas}`;
    const proxy = await CuttingProxy.start(server?.socket ?? '');
    opened.push(proxy);
    const urls = [`postgres://atrium@127.0.0.1:${proxy.port}/postgres`, server?.url];
    const [a, b] = await Promise.all(
      urls.map((url) => GatewayProcess.create({ config: { ...config, store: { url, schema } } })),
    );
    if (!a || !b) throw new Error('There are two.');
    opened.push(a, b);
    await a.start({ node: 'a' });
    await b.start({ node: 'b' });
    return { a, b, proxy };
  }
  const nodes = async (gateway: GatewayProcess) =>
    ((await gateway.json('/api/nodes')) as { nodes: readonly { node: string }[] }).nodes.map(({ node }) => node);
  const ask = (gateway: GatewayProcess) =>
    gateway.fetch('/v1/chat/completions', {
      body: { model: 'atrium/main', messages: [{ role: 'user', content: 'Are you there?' }] },
    });

  it('keeps a request until it is a member again, and answers it', async () => {
    const { a, b, proxy } = await startTwo();
    for (const { model } of [a, b]) model.script(() => reply('Here I am.'));
    proxy.stop({ alsoNew: true });
    await expect.poll(() => nodes(b), SOON).toEqual(['b']);
    const asking = ask(a);
    const early = await Promise.race([asking, new Promise((resolve) => setTimeout(() => resolve('waits'), 1_000))]);
    expect(early).toBe('waits');
    proxy.resume();
    const answer = await asking;
    expect(await answer.text()).toContain('Here I am.');
    expect(answer.status).toBe(200);
  });

  it('refuses a request with a sentence when it does not become one in time', async () => {
    const { a, b, proxy } = await startTwo();
    proxy.stop({ alsoNew: true });
    await expect.poll(() => nodes(b), SOON).toEqual(['b']);
    const answer = await ask(a);
    expect(answer.status).toBe(503);
    expect(answer.headers.get('retry-after')).toBe('1');
    expect(await answer.text()).toMatch(
      /the database .* cannot be reached .* without it this node is no member of the cluster/,
    );
    expect(await a.json('/readyz')).toMatchObject({
      status: 'store-refuses',
      problem: expect.stringContaining('cannot be reached'),
      node: { node: 'a', status: 'not-a-member' },
    });
    proxy.resume();
    await expect.poll(() => nodes(b), SOON).toEqual(['b', 'a']);
  });

  it('tells a client that waited at it for an answer that its run was ended, and no other node answers for nobody', async () => {
    const { a, b, proxy } = await startTwo();
    a.model.script(() => hang('Half an ans'));
    b.model.script(() => reply('An answer that nobody reads.'));
    const asking = ask(a);
    await a.model.waitForRequests(1);
    proxy.stop({ alsoNew: true });
    type Listed = { readonly runs: readonly { readonly status: string }[] };
    await expect.poll(async () => (await b.json<Listed>('/api/runs')).runs[0]?.status, SOON).toBe('stopped');
    proxy.resume();
    const answer = await asking;
    expect(answer.status).toBe(409);
    expect(await answer.text()).toContain('ATRIUM_RUN_STOPPED');
    expect(b.model.requests).toHaveLength(0);
  });

  it('gives a client that waited at it the answer of a run on another node, once it is a member again', async () => {
    const bound = { agents: { defaults: { model: 'fake/small' }, list: [{ id: 'main', node: 'b' }] } };
    const { a, b, proxy } = await startTwo(bound);
    let answerNow = () => {};
    const told = new Promise<void>((resolve) => {
      answerNow = resolve;
    });
    b.model.script(async () => {
      await told;
      return reply('It was made at the other node.');
    });
    const asking = ask(a);
    await b.model.waitForRequests(1);
    proxy.stop({ alsoNew: true });
    await expect.poll(() => nodes(b), SOON).toEqual(['b']);
    answerNow();
    type Listed = { readonly runs: readonly { readonly status: string }[] };
    await expect.poll(async () => (await b.json<Listed>('/api/runs')).runs[0]?.status, SOON).toBe('done');
    proxy.resume();
    const answer = await asking;
    expect(await answer.text()).toContain('It was made at the other node.');
    expect(answer.status).toBe(200);
    expect(a.model.requests).toHaveLength(0);
  });

  it('does what clients asked for when it is a member again, although it was expelled in the middle of it', async () => {
    const { a, b } = await startTwo();
    for (const { model } of [a, b]) model.script(() => reply('Noted.'));
    const pathOf = (key: string) => `/api/sessions/${encodeURIComponent(key)}`;
    const say = async (key: string) => {
      const body = { model: 'atrium/main', messages: [{ role: 'user', content: `I am ${key}` }] };
      const said = await a.fetch('/v1/chat/completions', { body, headers: { 'x-openclaw-session-key': key } });
      expect(said.status).toBe(200);
    };
    for (let round = 1; round <= 4; round += 1) {
      const [kept, left, begun] = ['kept', 'left', 'begun'].map((name) => `agent:main:${name}-${round}`);
      for (const key of [kept, left, begun]) await say(key ?? '');
      const tea = { name: `tea ${round}`, message: 'Make tea.', schedule: { every: '1h' } };
      // It does not know yet that it was expelled, so nothing keeps the requests from beginning.
      const removed = b.fetch('/api/nodes/a', { method: 'DELETE' });
      const asked = [
        a.fetch('/api/cron/jobs', { body: tea }),
        a.fetch('/api/attachments', { body: { name: 'note.txt', data: 'aGVsbG8=' } }),
        a.fetch(`${pathOf(kept ?? '')}/marks`, { body: { title: 'Kept' } }),
        a.fetch(`${pathOf(kept ?? '')}/model`, { body: { model: 'fake/large' } }),
        a.fetch(pathOf(left ?? ''), { method: 'DELETE' }),
        a.fetch(`${pathOf(begun ?? '')}/reset`, { body: {} }),
      ];
      const answers = await Promise.all(asked);
      const refused = answers.filter(({ ok }) => !ok).map((answer) => answer.text());
      expect(await Promise.all(refused)).toEqual([]);
      expect((await removed).status).toBe(200);
      expect(await b.json(pathOf(left ?? ''))).toMatchObject({ session: { endReason: 'deleted' } });
      expect(await b.json(pathOf(kept ?? ''))).toMatchObject({ session: { title: 'Kept' } });
      expect(await b.json(pathOf(begun ?? ''))).toMatchObject({ session: { endReason: 'reset' } });
      await expect.poll(async () => (await nodes(b)).toSorted(), SOON).toEqual(['a', 'b']);
    }
    const { jobs } = await b.json<{ jobs: readonly { name: string }[] }>('/api/cron/jobs');
    expect(jobs.map(({ name }) => name)).toEqual(['tea 1', 'tea 2', 'tea 3', 'tea 4']);
  });
});
