import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { readEnvironment } from '../../config/environment.ts';
import { type LoadedConfig, loadConfig } from '../../config/load-config.ts';
import { REDACTED } from '../../recorder/redact.ts';
import { ScratchHome } from '../../testkit/scratch-home.ts';
import type { GatewayPart } from '../gateway-part.ts';
import { ConfigWatch } from './config-watch.ts';

let home: ScratchHome;
let watch: ConfigWatch | undefined;
let given: LoadedConfig[];
let warnings: string[];
beforeEach(async () => {
  home = await ScratchHome.create();
  given = [];
  warnings = [];
});
afterEach(async () => {
  await watch?.close();
  await home.remove();
});

/** Takes up what the configuration says about plugins. */
const part: GatewayPart = {
  name: 'the plugins',
  reads: ['plugins'],
  reopen: async (loaded) => {
    given.push(loaded);
    if (loaded.config.plugins?.deny?.includes('stuck')) await new Promise(() => {});
  },
};

async function open(): Promise<ConfigWatch> {
  const location = { environment: readEnvironment({}, () => home.home, home.home) };
  watch = new ConfigWatch({
    location,
    loaded: await loadConfig(location),
    parts: () => [{ name: 'the outbox' }, part],
    warn: (sentence) => void warnings.push(sentence),
    pollMs: 20,
    quietMs: 30,
  });
  watch.open();
  return watch;
}

const deny = (...ids: string[]) => JSON.stringify({ plugins: { deny: ids } });
const denied = () => given.map(({ config }) => config.plugins?.deny);

describe('a changed configuration', () => {
  it('is handed to the part that reads it, also when the file is new', async () => {
    await open();
    await home.write('openclaw.json', deny('a'));
    await vi.waitFor(() => expect(denied()).toEqual([['a']]));
    await home.write('openclaw.yaml', 'plugins:\n  deny: [a, b]\n');
    await vi.waitFor(() => expect(denied().at(-1)).toEqual(['a', 'b']));
    // The file that wins has the same value as before.
    await home.write('openclaw.json', deny('a', 'c', 'd'));
    await home.write('openclaw.yaml', 'plugins:\n  deny: [a, b]\ngateway:\n  port: 4000\n');
    await vi.waitFor(() =>
      expect(warnings).toEqual(['The configuration was changed in gateway.port. That is taken up at the next start.']),
    );
    expect(given).toHaveLength(2);
  });

  it('is followed into what it includes', async () => {
    await home.write('openclaw.json', JSON.stringify({ plugins: { $include: './plugins.json' } }));
    await home.write('plugins.json', JSON.stringify({ deny: ['a'] }));
    await open();
    await home.write('plugins.json', JSON.stringify({ deny: ['a', 'bcd'] }));
    await vi.waitFor(() => expect(denied()).toEqual([['a', 'bcd']]));
  });

  it('that cannot be used is a warning, and the settings stay', async () => {
    await home.write('openclaw.json', deny('a'));
    await open();
    await home.write('openclaw.json', '{ plugins: { deny: "all of them" } }');
    await vi.waitFor(() => expect(warnings).toHaveLength(1));
    expect(warnings[0]).toMatch(/cannot be used, so everything stays as it is\. .*plugins\.deny/s);
    expect(given).toEqual([]);
    await home.write('openclaw.json', deny('a', 'b'));
    await vi.waitFor(() => expect(denied()).toEqual([['a', 'b']]));
  });

  it('whose file is gone or empty for a while is a warning, and the settings stay', async () => {
    await home.write('openclaw.json', deny('a'));
    const opened = await open();
    await rm(join(home.stateDir, 'openclaw.json'));
    await vi.waitFor(() =>
      expect(warnings.at(-1)).toMatch(/everything stays as it is\. There is no configuration file/),
    );
    await expect(opened.read(part)).rejects.toMatchObject({ code: 'ATRIUM_CONFIG_MISSING' });
    await home.write('openclaw.json', ' \n');
    await vi.waitFor(() => expect(warnings.at(-1)).toMatch(/it is empty/));
    expect(given).toEqual([]);
    await home.write('openclaw.json', deny('a', 'b'));
    await vi.waitFor(() => expect(denied()).toEqual([['a', 'b']]));
  });

  it('that is taken back needs no restart, and none is asked for', async () => {
    await home.write('openclaw.json', JSON.stringify({ gateway: { port: 4000 } }));
    await open();
    await home.write('openclaw.json', JSON.stringify({ gateway: { port: 4001 } }));
    await vi.waitFor(() => expect(warnings).toHaveLength(1));
    await home.write('openclaw.json', JSON.stringify({ gateway: { port: 4000 }, plugins: { deny: ['a'] } }));
    await vi.waitFor(() => expect(given).toHaveLength(1));
    expect(warnings).toHaveLength(1);
  });

  it('is listed with what is in use and what the file says, and no secret is shown', async () => {
    const written = (port: number, token: string, id: string) =>
      JSON.stringify({
        gateway: { port, auth: { token } },
        env: { vars: { PLACE: 'here', 'a.b': id } },
        mcp: { servers: { notes: { command: 'notes', args: [id] } } },
        // It is not used, and would not be after a restart either.
        acp: { list: [id] },
      });
    await home.write('openclaw.json', written(4000, 'abcdefgh-1-secret', 'one'));
    const opened = await open();
    expect(opened.changedSinceStart()).toEqual([]);
    await home.write('openclaw.json', written(4001, 'abcdefgh-2-secret', 'two'));
    await opened.state();
    expect(opened.changedSinceStart()).toEqual([
      { path: 'env.vars["a.b"]', inUse: REDACTED, inFile: REDACTED },
      { path: 'gateway.auth.token', inUse: REDACTED, inFile: REDACTED },
      { path: 'gateway.port', inUse: 4000, inFile: 4001 },
      { path: 'mcp.servers.notes.args', inUse: ['one'], inFile: ['two'] },
    ]);
    await home.write('openclaw.json', written(4000, 'abcdefgh-1-secret', 'one'));
    await opened.state();
    expect(opened.changedSinceStart()).toEqual([]);
  });

  it('that takes long to apply does not keep the gateway from stopping', async () => {
    const opened = await open();
    await home.write('openclaw.json', deny('stuck'));
    await vi.waitFor(() => expect(given).toHaveLength(1));
    await opened.close();
  });

  it('is not looked at any more when the gateway stops', async () => {
    const stopped = await open();
    await stopped.close();
    await home.write('openclaw.json', deny('a'));
    await sleep(120);
    expect(given).toEqual([]);
  });
});

describe('a part that reads the configuration by itself', () => {
  it('gets it as it is now, and is not handed the same again', async () => {
    const opened = await open();
    await home.write('openclaw.json', deny('x'));
    expect((await opened.read(part)).config.plugins?.deny).toEqual(['x']);
    await home.write('openclaw.json', deny('x', 'y'));
    await vi.waitFor(() => expect(denied()).toEqual([['x', 'y']]));
  });

  it('is refused when the configuration cannot be used', async () => {
    const opened = await open();
    await home.write('openclaw.json', '{ plugins: { deny: "all" } }');
    await expect(opened.read(part)).rejects.toMatchObject({ code: 'ATRIUM_CONFIG_INVALID' });
    expect(given).toEqual([]);
  });
});
