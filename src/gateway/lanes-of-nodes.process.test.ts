import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { GatewayProcess } from '../testkit/gateway-process.ts';
import { hang, reply } from '../testkit/model-server.ts';
import { findPostgres, startPostgres } from '../testkit/postgres-server.ts';
import { WebClient } from '../testkit/web-client.ts';

const programs = await findPostgres();
const server = programs === undefined ? undefined : await startPostgres(programs, { syncs: false });
afterAll(() => server?.destroy());

const SOON = { timeout: 40_000, interval: 25 };
let schemas = 0;

interface ShownRun {
  readonly runId: string;
  readonly sessionKey: string;
  readonly status: string;
  readonly claim: number;
}

// Where Postgres is not installed there is nothing to test with; .ci/run installs it.
describe.skipIf(!server)('a run on one of two nodes', { timeout: 120_000 }, () => {
  let a: GatewayProcess;
  let b: GatewayProcess;
  let web: WebClient;

  /** A run goes on at the node `a`, and does not end by itself. */
  beforeEach(async () => {
    schemas += 1;
    const store = { url: server?.url, schema: `lanes_${schemas}` };
    [a, b] = (await Promise.all([0, 1].map(() => GatewayProcess.create({ config: { store } })))) as [
      GatewayProcess,
      GatewayProcess,
    ];
    a.model.script(() => hang('Half an ans'));
    b.model.script(() => reply('A whole answer.'));
    expect(await Promise.all([a.start({ node: 'a' }), b.start({ node: 'b' })])).toEqual(['ready', 'ready']);
    web = new WebClient(a, 'page');
    web.say('1', 'hello');
    await a.model.waitForRequests(1);
  });
  afterEach(async () => {
    await web.close();
    await Promise.all([a.close(), b.close()]);
  });

  const latest = async () => (await b.json<{ readonly runs: readonly ShownRun[] }>('/api/runs')).runs[0] as ShownRun;

  it('is stopped at the other one', async () => {
    await expect.poll(latest, SOON).toMatchObject({ status: 'running' });
    const { runId } = await latest();
    expect(await b.json(`/api/runs/${runId}/stop`, { method: 'POST' })).toEqual({ runId, stopped: true });
    await a.model.waitForClosedEarly(1);
    await expect.poll(latest, SOON).toMatchObject({ runId, status: 'stopped', claim: 1 });
    expect(await b.json(`/api/runs/${runId}/stop`, { method: 'POST' })).toEqual({ runId, stopped: false });
  });

  it('ends before its session is deleted at the other one, and nothing that was said is left', async () => {
    await expect.poll(latest, SOON).toMatchObject({ status: 'running' });
    const { sessionKey } = await latest();
    expect(await b.json(`/api/sessions/${encodeURIComponent(sessionKey)}`, { method: 'DELETE' })).toMatchObject({
      deleted: true,
    });
    await a.model.waitForClosedEarly(1);
    expect(await latest()).toMatchObject({ status: 'stopped' });
    type Listed = { readonly sessions: readonly { readonly sessionId: string; readonly endReason: string }[] };
    const { sessions } = await b.json<Listed>('/api/sessions');
    expect(sessions).toMatchObject([{ endReason: 'deleted' }]);
    expect(await b.json(`/api/sessions/${sessions[0]?.sessionId}`)).toMatchObject({ entries: 0 });
  });

  it('is taken up by the other one when its node is killed, and comes to its end', async () => {
    await expect.poll(latest, SOON).toMatchObject({ status: 'running' });
    const { runId } = await latest();
    await a.kill();
    await b.model.waitForRequests(1);
    await expect.poll(latest, SOON).toMatchObject({ runId, status: 'done', claim: 2 });
    expect(b.model.requests[0]?.body).toBe(a.model.requests[0]?.body);
  });
});
