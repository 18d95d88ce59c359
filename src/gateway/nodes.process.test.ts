import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { GatewayProcess } from '../testkit/gateway-process.ts';
import { findPostgres, startPostgres } from '../testkit/postgres-server.ts';

const programs = await findPostgres();
const server = programs === undefined ? undefined : await startPostgres(programs, { syncs: false });
afterAll(() => server?.destroy());

const SOON = { timeout: 30_000, interval: 20 };
let schemas = 0;

// Where Postgres is not installed there is nothing to test with; .ci/run installs it.
describe.skipIf(!server)('gateways that share a database', () => {
  const gateways: GatewayProcess[] = [];
  afterEach(async () => {
    for (const gateway of gateways.splice(0)) await gateway.close();
  });

  async function create(count: number): Promise<readonly GatewayProcess[]> {
    schemas += 1;
    const store = { url: server?.url, schema: `nodes_${schemas}` };
    const made = await Promise.all(Array.from({ length: count }, () => GatewayProcess.create({ config: { store } })));
    gateways.push(...made);
    return made;
  }
  const ready = async (gateway: GatewayProcess | undefined) =>
    (await gateway?.json('/readyz')) as { status: string; node?: { member: string | null } };

  it('are members of one cluster, and one that was frozen comes back as another member', async () => {
    const [a, b] = await create(2);
    expect(await Promise.all([a?.start({ node: 'a' }), b?.start({ node: 'b' })])).toEqual(['ready', 'ready']);
    expect(await ready(a)).toMatchObject({ status: 'ready', node: { node: 'a', status: 'member' } });
    const before = (await ready(b)).node?.member;
    b?.signal('SIGSTOP');
    await new Promise((resolve) => setTimeout(resolve, 4_000));
    b?.signal('SIGCONT');
    await expect.poll(async () => (await ready(b)).node?.member, SOON).not.toBe(before);
    await expect.poll(async () => (await ready(b)).status, SOON).toBe('ready');
    expect(b?.err).toContain('silent for too long');
    expect((await a?.stop())?.code).toBe(0);
    expect((await b?.stop())?.code).toBe(0);
  });

  it('have different names, and one that was killed can be started again at once', async () => {
    const [a, b] = await create(2);
    await a?.start({ node: 'same' });
    expect(await b?.start({ node: 'same' })).toBe('ended');
    expect(b?.err).toContain('Another gateway is the node "same" of this store.');
    await a?.kill();
    expect(await a?.start({ node: 'same' })).toBe('ready');
    expect(await ready(a)).toMatchObject({ status: 'ready', node: { node: 'same', status: 'member' } });
  });
});
