import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { GatewayProcess } from '../testkit/gateway-process.ts';
import { findPostgres, startPostgres } from '../testkit/postgres-server.ts';
import { CliHome } from './fixtures/cli-home.ts';
import { RunningGateway } from './fixtures/running-gateway.ts';

const programs = await findPostgres();
const server = programs === undefined ? undefined : await startPostgres(programs, { syncs: false });
afterAll(() => server?.destroy());

const SOON = { timeout: 30_000, interval: 50 };

describe('atrium nodes, with the store in a file', () => {
  it('shows the one gateway, and has nothing to drain or remove', async () => {
    const running = await RunningGateway.create();
    expect((await running.home.run(['nodes', 'list'])).out).toBe('No gateway runs on this store.\n');
    await running.start();
    const { nodes, workspaces } = (await running.home.runJson(['nodes', 'list'])) as Told;
    expect(nodes).toMatchObject([{ id: null, status: 'up', isHere: true }]);
    expect(workspaces).toEqual([]);
    expect((await running.home.run(['nodes', 'drain', 'x'])).err).toContain('There is no node "x".');
    expect((await running.home.run(['nodes', 'remove', 'x'])).err).toContain('There is no node "x".');
    await running.remove();
  });
});

// Where Postgres is not installed there is nothing to test with; .ci/run installs it.
describe.skipIf(!server)('atrium nodes, with several gateways', () => {
  const gateways: GatewayProcess[] = [];
  const homes: CliHome[] = [];
  afterEach(async () => {
    for (const gateway of gateways.splice(0)) await gateway.close();
    for (const home of homes.splice(0)) await home.remove();
  });
  const store = { url: server?.url, schema: 'nodes_command' };

  async function start(node: string, config: object = {}): Promise<GatewayProcess> {
    const gateway = await GatewayProcess.create({ config: { store, ...config } });
    gateways.push(gateway);
    expect(await gateway.start({ node })).toBe('ready');
    return gateway;
  }

  it('lists them, lets one drain, and removes one, also without a gateway here', async () => {
    const [a, b] = await Promise.all([start('a'), start('b')]);
    const list = async () => (await a.json<Told>('/api/nodes')).nodes.map(({ node, status }) => `${node} ${status}`);
    await expect.poll(list, SOON).toHaveLength(2);
    expect((await list()).sort()).toEqual(['a up', 'b up']);
    const elsewhere = await CliHome.create({ 'openclaw.json': JSON.stringify({ store }) });
    homes.push(elsewhere);
    const shown = (await elsewhere.run(['nodes', 'list'])).out;
    expect(shown).toMatch(new RegExp(`^a +up .*${a.url} +a#\\d+$`, 'm'));
    expect((await elsewhere.run(['nodes', 'drain', 'b'])).err).toContain('No gateway is running');

    expect((await a.fetch('/api/nodes/b/drain', { body: {} })).status).toBe(200);
    await expect.poll(async () => (await b.fetch('/readyz')).status, SOON).toBe(503);
    expect(await b.json('/readyz')).toMatchObject({ status: 'draining', node: { node: 'b', status: 'draining' } });

    const before = (await a.json<Told>('/api/nodes')).nodes.find(({ node }) => node === 'a')?.id;
    expect((await elsewhere.run(['nodes', 'remove', 'a'])).out).toContain('a is no member any more.');
    const memberOfA = async () => (await a.json<Told>('/api/nodes')).nodes.find(({ node }) => node === 'a')?.id;
    await expect.poll(async () => (await memberOfA()) ?? before, SOON).not.toBe(before);
    expect((await elsewhere.run(['nodes', 'remove', 'c'])).err).toContain('There is no node "c".');
    expect((await a.fetch('/api/nodes/c', { method: 'DELETE' })).status).toBe(404);
  });

  it('says in the doctor which agent has another workspace on each node, until it is shared or bound', async () => {
    const [a, b] = await Promise.all([start('a'), start('b')]);
    const home = await CliHome.create({ 'openclaw.json': JSON.stringify({ store }) });
    homes.push(home);
    const findings = async () => (await home.run(['doctor'])).out.split('\n').filter((line) => /node/.test(line));
    await expect
      .poll(async () => (await findings()).join('\n'), SOON)
      .toContain('The agent "main" has another workspace');
    // The second node gets the folder of the first, as a shared folder would give it.
    await b.stop();
    const shared = {
      agents: { defaults: { model: 'fake/small', workspace: join(a.home.home, '.openclaw', 'workspace') } },
    };
    const file = join(b.home.home, '.openclaw', 'openclaw.json');
    await writeFile(file, JSON.stringify({ store, gateway: { auth: { token: b.token } }, ...shared }));
    expect(await b.start({ node: 'b' })).toBe('ready');
    await expect
      .poll(async () => (await a.json<Told>('/api/nodes')).workspaces, SOON)
      .toEqual([{ agentId: 'main', place: 'shared', node: null, problem: null }]);
    const told = (await findings()).join('\n');
    expect(told).toMatch(/^nodes +ok +a, b$/m);
    expect(told).not.toContain('another workspace');
  });
});

interface Told {
  readonly nodes: readonly { readonly node: string; readonly id: string | null; readonly status: string }[];
  readonly workspaces: readonly object[];
}
