import { readFile } from 'node:fs/promises';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { LaneJobs } from '../lanes/lane-jobs.ts';
import { PostgresConnection } from '../store/postgres/postgres-connection.ts';
import { GatewayProcess } from '../testkit/gateway-process.ts';
import { reply } from '../testkit/model-server.ts';
import { findPostgres, startPostgres } from '../testkit/postgres-server.ts';

const programs = await findPostgres();
const server = programs === undefined ? undefined : await startPostgres(programs, { syncs: false });
afterAll(() => server?.destroy());

// Where Postgres is not installed there is nothing to test with; .ci/run installs it.
describe.skipIf(!server)('a database whose tables belong to another user than that of the nodes', () => {
  const opened: { close(): Promise<void> }[] = [];
  afterEach(async () => {
    for (const each of opened.splice(0).reverse()) await each.close();
  });
  const urlAs = (role: string, database: string) =>
    (server?.url ?? '').replace('atrium@/postgres', `${role}@/${database}`);
  function connect(role: string, database: string): PostgresConnection {
    const url = urlAs(role, database);
    const connection = new PostgresConnection({ url, schema: 'atrium', name: 'tester', waitMs: 10_000 });
    opened.push(connection);
    return connection;
  }
  async function gatewayAs(role: string): Promise<GatewayProcess> {
    const config = { store: { url: urlAs(role, 'shop') } };
    const gateway = await GatewayProcess.create({ config });
    gateway.model.script(() => reply('Served.'));
    opened.push(gateway);
    return gateway;
  }
  const ask = async (gateway: GatewayProcess) => {
    const body = { model: 'atrium/main', messages: [{ role: 'user', content: 'hello' }] };
    return (await gateway.fetch('/v1/chat/completions', { body })).text();
  };

  it('serves two nodes with exactly the rights that docs/scale.md grants, and refuses them more', async () => {
    const boss = connect('atrium', 'postgres');
    await boss.execute('CREATE ROLE shop_owner LOGIN');
    await boss.execute('CREATE DATABASE shop OWNER shop_owner');
    const owner = await gatewayAs('shop_owner');
    expect(await owner.start({ node: 'owner' })).toBe('ready');
    expect((await owner.stop()).code).toBe(0);

    const [, sql = ''] = /```sql restricted-role\n(.*?)```/s.exec(await readFile('docs/scale.md', 'utf8')) ?? [];
    expect(sql).toContain('CREATE ROLE atrium_node');
    const [role = '', ...grants] = sql.split(/(?<=;)\n(?=GRANT|DO)/);
    await boss.execute(role);
    const granting = connect('shop_owner', 'shop');
    for (const statement of grants) await granting.execute(statement);
    // They can be given again after an upgrade.
    for (const statement of grants) await granting.execute(statement);

    const taken: string[] = [];
    const jobs = new LaneJobs({
      url: urlAs('atrium_node', 'shop'),
      schema: 'atrium',
      node: 'jobs',
      full: async () => [],
      take: (sessionKey) => void taken.push(sessionKey),
      warn: (sentence) => void taken.push(sentence),
    });
    await jobs.open('jobs#1');
    jobs.add({ sessionKey: 'agent:main:main', pool: 'common' });
    await expect.poll(() => taken, { timeout: 30_000 }).toEqual(['agent:main:main']);
    await jobs.unlock('jobs#1');
    await jobs.close();
    expect(taken).toHaveLength(1);

    const [a, b] = [await gatewayAs('atrium_node'), await gatewayAs('atrium_node')];
    expect(await a.start({ node: 'a' })).toBe('ready');
    expect(await b.start({ node: 'b' })).toBe('ready');
    expect(await ask(a)).toContain('Served.');
    expect(await ask(b)).toContain('Served.');
    // A node that is killed is expelled by the other one, and its name can be used again.
    await a.kill();
    await expect
      .poll(async () => (await b.json<{ nodes: readonly unknown[] }>('/api/nodes')).nodes.length, { timeout: 30_000 })
      .toBe(1);
    expect(await a.start({ node: 'a' })).toBe('ready');
    expect(await ask(a)).toContain('Served.');
    const troubles = `${a.err}${b.err}`.split('\n').filter((line) => /permission|denied|policy|could not/i.test(line));
    expect(troubles).toEqual([]);

    const node = connect('atrium_node', 'shop');
    await expect(node.execute('CREATE TABLE atrium.more (id int)')).rejects.toThrow(/permission denied/);
    await expect(node.execute('ALTER TABLE atrium.inbox ADD COLUMN more int')).rejects.toThrow(/must be owner/);
    await expect(node.execute('DROP TABLE atrium.inbox')).rejects.toThrow(/must be owner/);
    await expect(node.execute('TRUNCATE atrium.inbox')).rejects.toThrow(/permission denied/);
  });

  it('refuses a user without these rights with a sentence that names where they are listed', async () => {
    const boss = connect('atrium', 'postgres');
    await boss.execute('CREATE ROLE nobody LOGIN');
    const gateway = await gatewayAs('nobody');
    expect(await gateway.start({ node: 'c' })).toBe('ended');
    expect(gateway.err).toMatch(/permission denied.*docs scale/s);
  });
});
