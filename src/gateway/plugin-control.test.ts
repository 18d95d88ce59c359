import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { readEnvironment } from '../config/environment.ts';
import { loadConfig } from '../config/load-config.ts';
import type { PluginsConfiguration } from '../plugins/plugins-parts.ts';
import { ScratchHome } from '../testkit/scratch-home.ts';
import { PluginControl } from './plugin-control.ts';

let home: ScratchHome;
let control: PluginControl | undefined;
let given: { readonly by: string; readonly configuration: PluginsConfiguration | undefined }[];
let warnings: string[];
beforeEach(async () => {
  home = await ScratchHome.create();
  given = [];
  warnings = [];
});
afterEach(async () => {
  await control?.close();
  await home.remove();
});

async function open(): Promise<PluginControl> {
  const location = { environment: readEnvironment({}, () => home.home, home.home) };
  const take = (by: string) => async (configuration: PluginsConfiguration | undefined) => {
    given.push({ by, configuration });
    if (configuration?.settings.deny.includes('stuck')) await new Promise(() => {});
  };
  control = new PluginControl({
    plugins: {
      list: () => [],
      inspect: (id) => ({ id }) as never,
      reload: async (id, configuration) => {
        await take(`reload ${id}`)(configuration);
        return { id } as never;
      },
      reloadAll: async (configuration) => {
        await take('reloadAll')(configuration);
        return [];
      },
      apply: take('apply'),
    },
    location,
    loaded: await loadConfig(location),
    warn: (sentence) => void warnings.push(sentence),
    pollMs: 20,
    quietMs: 30,
  });
  control.open();
  return control;
}

const deny = (...ids: string[]) => JSON.stringify({ plugins: { deny: ids } });
const denied = () => given.map(({ by, configuration }) => [by, configuration?.settings.deny]);

describe('a changed configuration', () => {
  it('is applied when it concerns plugins, also when the file is new', async () => {
    await open();
    await home.write('openclaw.json', deny('a'));
    await vi.waitFor(() => expect(denied()).toEqual([['apply', ['a']]]));
    await home.write('openclaw.yaml', 'plugins:\n  deny: [a, b]\n');
    await vi.waitFor(() => expect(denied().at(-1)).toEqual(['apply', ['a', 'b']]));
    // The stronger file says the same as before.
    await home.write('openclaw.json', deny('a', 'c', 'd'));
    await home.write('openclaw.yaml', 'plugins:\n  deny: [a, b]\ngateway:\n  port: 4000\n');
    await sleep(150);
    expect(given).toHaveLength(2);
  });

  it('is followed into what it includes', async () => {
    await home.write('openclaw.json', JSON.stringify({ plugins: { $include: './plugins.json' } }));
    await home.write('plugins.json', JSON.stringify({ deny: ['a'] }));
    await open();
    await home.write('plugins.json', JSON.stringify({ deny: ['a', 'bcd'] }));
    await vi.waitFor(() => expect(denied()).toEqual([['apply', ['a', 'bcd']]]));
  });

  it('that cannot be used is a warning, and the settings stay', async () => {
    await home.write('openclaw.json', deny('a'));
    await open();
    await home.write('openclaw.json', '{ plugins: { deny: "all of them" } }');
    await vi.waitFor(() => expect(warnings).toHaveLength(1));
    expect(warnings[0]).toMatch(/cannot be used, so the plugins stay as they are\. .*plugins\.deny/s);
    expect(given).toEqual([]);
    await home.write('openclaw.json', deny('a', 'b'));
    await vi.waitFor(() => expect(denied()).toEqual([['apply', ['a', 'b']]]));
  });

  it('that takes long to apply does not keep the gateway from stopping', async () => {
    const control = await open();
    await home.write('openclaw.json', deny('stuck'));
    await vi.waitFor(() => expect(given).toHaveLength(1));
    await control.close();
  });

  it('is not looked at any more when the gateway stops', async () => {
    const stopped = await open();
    await stopped.close();
    await home.write('openclaw.json', deny('a'));
    await sleep(120);
    expect(given).toEqual([]);
  });
});

describe('loading again', () => {
  it('reads the configuration first', async () => {
    const opened = await open();
    await home.write('openclaw.json', deny('x'));
    await opened.reload('a');
    await opened.reloadAll();
    expect(denied()).toEqual(
      expect.arrayContaining([
        ['reload a', ['x']],
        ['reloadAll', ['x']],
      ]),
    );
  });

  it('is refused when the configuration cannot be used', async () => {
    const opened = await open();
    await home.write('openclaw.json', '{ plugins: { deny: "all" } }');
    await expect(opened.reload('a')).rejects.toMatchObject({ code: 'ATRIUM_CONFIG_INVALID' });
    expect(given).toEqual([]);
  });
});
