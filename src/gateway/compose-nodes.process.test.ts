// The compose file for several nodes without a Docker daemon: what it says is read, and its processes are started by hand with the texts of
// the file, where only addresses and folders are others.

import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import JSON5 from 'json5';
import { afterEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { GatewayProcess } from '../testkit/gateway-process.ts';
import { reply } from '../testkit/model-server.ts';
import { findPostgres, startPostgres } from '../testkit/postgres-server.ts';

interface Compose {
  readonly services: Readonly<Record<string, Service>>;
  readonly configs: Readonly<Record<string, { readonly content: string }>>;
  readonly volumes: Readonly<Record<string, null>>;
}

interface Service {
  readonly volumes?: readonly string[];
  readonly configs?: readonly { readonly source: string; readonly target: string }[];
  readonly depends_on?: readonly string[] | Readonly<Record<string, { readonly condition: string }>>;
  readonly environment?: Readonly<Record<string, string>>;
}

const SOON = { timeout: 30_000, interval: 50 };
const compose: Compose = parse(await readFile('deploy/compose-nodes.yaml', 'utf8'), { merge: true });
/** Compose replaces `$$` by `$`, so that it leaves the names of variables to the gateway. */
const contentOf = (name: string) => (compose.configs[name]?.content ?? '').replaceAll('$$', '$');
const settings = JSON5.parse(contentOf('atrium')) as { store: { url: string } };

const programs = await findPostgres();
const hasBalancer = await promisify(execFile)('haproxy', ['-v']).then(
  () => true,
  () => false,
);

describe('the compose file for several nodes', () => {
  it('names only volumes, configurations and services that it has', () => {
    for (const { volumes = [], configs = [], depends_on: others = [] } of Object.values(compose.services)) {
      for (const volume of volumes) expect(Object.keys(compose.volumes)).toContain(volume.split(':')[0]);
      for (const { source } of configs) expect(compose.configs).toHaveProperty(source);
      for (const name of Array.isArray(others) ? others : Object.keys(others))
        expect(compose.services).toHaveProperty(name);
    }
    const nodes = Object.entries(compose.services).filter(([, { environment }]) => environment?.ATRIUM_NODE);
    expect(nodes.map(([name, { environment }]) => [name, environment?.ATRIUM_NODE])).toEqual([
      ['node-1', 'node-1'],
      ['node-2', 'node-2'],
    ]);
    // Each has a state of its own, and both have the workspaces.
    const [first, second] = nodes.map(([, { volumes = [] }]) => volumes);
    expect(first?.filter((volume) => second?.includes(volume))).toEqual(['workspaces:/home/node/workspaces']);
    for (const [name] of nodes) expect(contentOf('balancer')).toContain(`server ${name} ${name}:18790`);
    // biome-ignore lint/suspicious/noTemplateCurlyInString: this is how the configuration names a variable.
    expect(settings.store.url).toBe('postgres://atrium:${ATRIUM_DB_PASSWORD}@database:5432/atrium');
  });

  describe.skipIf(!programs)('whose processes are started by hand', () => {
    const opened: { close(): Promise<void> }[] = [];
    afterEach(async () => {
      for (const each of opened.splice(0).reverse()) await each.close();
    });

    async function startNodes() {
      const server = await startPostgres(programs ?? '', { syncs: false });
      opened.push({ close: () => server.destroy() });
      const workspace = await mkdtemp(join(tmpdir(), 'atrium-compose-'));
      opened.push({ close: () => rm(workspace, { recursive: true, force: true }) });
      const nodes: GatewayProcess[] = [];
      for (const node of ['node-1', 'node-2']) {
        const config = {
          ...settings,
          store: { ...settings.store, url: server.url },
          gateway: { auth: { token: 'a-token-for-tests-only' } },
          agents: { defaults: { workspace: join(workspace, 'main'), model: 'fake/small' } },
        };
        const gateway = await GatewayProcess.create({ config });
        gateway.model.script(() => reply(`Said at ${node}.`));
        opened.push(gateway);
        expect(await gateway.start({ node })).toBe('ready');
        nodes.push(gateway);
      }
      return nodes as [GatewayProcess, GatewayProcess];
    }
    const ask = async (url: string, token: string) => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      const body = JSON.stringify({ model: 'atrium/main', messages: [{ role: 'user', content: 'hello' }] });
      return (await fetch(`${url}/v1/chat/completions`, { method: 'POST', headers, body })).text();
    };

    it('are two nodes that share the workspaces', async () => {
      const [first] = await startNodes();
      const list = () =>
        first.json<{ nodes: readonly { node: string }[]; workspaces: readonly object[] }>('/api/nodes');
      await expect.poll(async () => (await list()).workspaces, SOON).toMatchObject([{ place: 'shared' }]);
      expect((await list()).nodes.map(({ node }) => node)).toEqual(['node-1', 'node-2']);
    });

    it.skipIf(!hasBalancer)('answer through the balancer, also when one of them is killed', async () => {
      const [first, second] = await startNodes();
      const port = await freePort();
      const text = contentOf('balancer')
        .replace('bind :18790', `bind 127.0.0.1:${port}`)
        .replace('node-1:18790', new URL(first.url ?? '').host)
        .replace('node-2:18790', new URL(second.url ?? '').host);
      const dir = await mkdtemp(join(tmpdir(), 'atrium-balancer-'));
      await writeFile(join(dir, 'haproxy.cfg'), text);
      const balancer: ChildProcess = spawn('haproxy', ['-db', '-f', join(dir, 'haproxy.cfg')], { stdio: 'ignore' });
      opened.push({
        close: async () => {
          balancer.kill('SIGKILL');
          await rm(dir, { recursive: true, force: true });
        },
      });
      const url = `http://127.0.0.1:${port}`;
      const asked = () => ask(url, first.token).catch((error: Error) => error.message);
      const said = new Set<string>();
      const hear = async () => {
        said.add(/Said at (node-\d)/.exec(await asked())?.[1] ?? 'nobody');
        return said;
      };
      await expect.poll(async () => [...(await hear())].includes('node-1') && said.has('node-2'), SOON).toBe(true);
      // Long enough for the balancer to have asked both of them more than once whether they are ready.
      await new Promise((resolve) => setTimeout(resolve, 5_000));
      expect(await asked()).toContain('Said at');
      await first.kill();
      await expect.poll(async () => /node-2/.test(await asked()), SOON).toBe(true);
    });
  });
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address ? address.port : 0;
}
