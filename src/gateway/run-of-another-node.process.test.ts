import { afterAll, afterEach, expect, it } from 'vitest';
import { GatewayProcess } from '../testkit/gateway-process.ts';
import { reply } from '../testkit/model-server.ts';
import { findPostgres, startPostgres } from '../testkit/postgres-server.ts';

const programs = await findPostgres();
const server = programs === undefined ? undefined : await startPostgres(programs, { syncs: false });
afterAll(() => server?.destroy());

const SOON = { timeout: 30_000, interval: 50 };
const gateways: GatewayProcess[] = [];
afterEach(async () => {
  for (const gateway of gateways.splice(0)) await gateway.close();
});

interface ShownRun {
  readonly runId: string;
  readonly sessionKey: string;
}

// Where Postgres is not installed there is nothing to test with; .ci/run installs it.
it.skipIf(!server)('a run of one node is looked at, replayed and exported at another one', async () => {
  for (const node of ['a', 'b']) {
    const gateway = await GatewayProcess.create({ config: { store: { url: server?.url } } });
    gateways.push(gateway);
    expect(await gateway.start({ node })).toBe('ready');
  }
  const [a, b] = gateways as [GatewayProcess, GatewayProcess];
  for (const [index, { model }] of gateways.entries()) model.script(() => reply(`Said by ${index}.`));
  await a.fetch('/v1/chat/completions', {
    body: { model: 'atrium/main', messages: [{ role: 'user', content: 'hello' }] },
  });
  const { runs } = await b.json<{ runs: readonly ShownRun[] }>('/api/runs');
  const [{ runId, sessionKey } = { runId: '', sessionKey: '' }] = runs;

  // What an operator switches on at the one node is on where the session runs.
  await b.json('/api/debug/on', { body: { logs: ['payload'], sessionKey } });
  const shown = await b.json('/api/debug');
  expect(shown).toMatchObject({ node: 'b' });
  const active = async () => (await a.json<{ active: readonly object[] }>('/api/debug')).active;
  await expect.poll(active, SOON).toMatchObject([{ log: 'payload', sessionKey }]);
  await a.json('/api/debug/off', { body: {} });
  await expect.poll(async () => (await b.json<{ active: readonly object[] }>('/api/debug')).active, SOON).toEqual([]);

  // Its trajectory is a file of the node that had it, which is asked for what a timeline shows.
  const timeline = (gateway: GatewayProcess) =>
    gateway.json<{ steps: readonly { kind: string }[]; missing: readonly string[] }>(`/api/runs/${runId}/timeline`);
  const own = await timeline(a);
  expect(own.missing).toEqual([]);
  expect(own.steps.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['composition', 'model']));
  expect(await timeline(b)).toEqual(own);

  const replayed = await b.json(`/api/runs/${runId}/replay`, { body: { model: 'fake/large' } });
  expect(replayed).toMatchObject({ model: 'large', text: 'Said by 1.' });

  const exporting = (gateway: GatewayProcess) =>
    gateway.json<{ missing: readonly string[] }>(`/api/sessions/${encodeURIComponent(sessionKey)}/export`, {
      body: {},
    });
  expect((await exporting(a)).missing).toEqual([]);
  expect((await exporting(b)).missing).toContainEqual(
    `Run ${runId} was on the node "a", and its trajectory is there. Export the session at that node too.`,
  );

  // One that is frozen does not answer, and one that is gone cannot be asked.
  a.signal('SIGSTOP');
  const late = await timeline(b);
  expect(late.missing).toEqual([expect.stringMatching(/^The (node "a" did not answer|run was on the node "a")/)]);
  expect(late.steps.map(({ kind }) => kind)).toContain('model');
  a.signal('SIGCONT');
  await a.kill();
  const gone = `The run was on the node "a", which is no member now. What only its trajectory has is missing here.`;
  await expect.poll(async () => (await timeline(b)).missing, SOON).toEqual([gone]);
});
