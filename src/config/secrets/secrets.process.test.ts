// biome-ignore-all lint/suspicious/noTemplateCurlyInString: such texts are what is tested here.
// Keys from every place where they may stand, in a real home: files with real rights, real programs, a real login shell.

import { chmod, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { listKnownSecrets } from '../../gateway/known-secrets.ts';
import { folderForTest } from '../../testkit/folder-for-test.ts';
import { telegramAccountsOf } from '../channels/telegram.ts';
import { withConfigVariables } from '../config-variables.ts';
import { readEnvironment } from '../environment.ts';
import { loadConfig } from '../load-config.ts';
import { resolveProvider } from '../model-provider.ts';

const TELEGRAM = '123456:ABCDEFGHIJKLMNOPQRSTUVWXYZ';

describe('a key', () => {
  it('comes from the process, then .env of the working directory, of the state directory, env.vars, a profile', async () => {
    const home = await makeHome();
    const keys: string[] = [];
    const places = [
      () => home.write('.openclaw/agents/main/agent/auth-profiles.json', profiles({ key: 'from-profile' })),
      () => home.write('.openclaw/openclaw.json', JSON.stringify({ env: { vars: { OPENAI_API_KEY: 'from-config' } } })),
      () => home.write('.openclaw/.env', 'OPENAI_API_KEY="from-state"\n'),
      () => home.write('project/.env', 'export OPENAI_API_KEY=from-project # mine\n'),
    ];
    for (const add of places) {
      await add();
      keys.push((await home.load()).keyOf('openai'));
    }
    keys.push((await home.load({ OPENAI_API_KEY: 'from-process' })).keyOf('openai'));
    expect(keys).toEqual(['from-profile', 'from-config', 'from-state', 'from-project', 'from-process']);
    const { keys: sources } = (await home.load()).loaded;
    expect(sources).toContainEqual({ key: 'OPENAI_API_KEY', from: `from ${home.at('project/.env')}` });
    expect(JSON.stringify(sources)).not.toMatch(/from-p(roject|rocess|rofile)(?!\/)/);
  });

  it('in a file that others can read or change is used, and that is told', async () => {
    const home = await makeHome();
    await home.write('.openclaw/.env', 'OPENAI_API_KEY=loose\n', 0o666);
    await home.write('.openclaw/agents/main/agent/auth-profiles.json', profiles({ provider: 'groq' }), 0o644);
    const { loaded, keyOf } = await home.load();
    expect(keyOf('openai')).toBe('loose');
    expect(loaded.warnings.map(({ message }) => message)).toEqual([
      expect.stringMatching(/can read and change .*\.openclaw\/\.env\. Make it private: chmod 600/),
      expect.stringMatching(/can read .*auth-profiles\.json/),
    ]);
  });

  it('is never an address, a start option or the state directory from a working directory', async () => {
    const home = await makeHome();
    const risky = [
      'OPENAI_BASE_URL=http://thief',
      'OPENCLAW_STATE_DIR=/x',
      'NODE_OPTIONS=-r x',
      'HTTPS_PROXY=http://t',
    ];
    await home.write('project/.env', [...risky, 'FINE=yes'].join('\n'));
    const { loaded, environment } = await home.load();
    expect(environment.variables).toMatchObject({ FINE: 'yes' });
    for (const line of risky) expect(environment.variables).not.toHaveProperty(line.split('=')[0] ?? '');
    expect(loaded.warnings.map(({ message }) => message).join()).toContain('OPENAI_BASE_URL');
    expect(JSON.stringify(loaded.warnings)).not.toContain('thief');
  });

  it('is found behind a byte order mark and between lines that are none, which are named by their number', async () => {
    const home = await makeHome();
    const lines = [
      '\uFEFFOPENAI_API_KEY=first',
      'a loose word-of-mine',
      '# a note',
      '=nothing',
      'MY-KEY=dashed',
      'QUOTED="over',
      'two lines"',
      'export LAST=found',
    ];
    await home.write('.openclaw/.env', lines.join('\r\n'));
    const { loaded, environment } = await home.load();
    expect(environment.variables).toMatchObject({ OPENAI_API_KEY: 'first', LAST: 'found' });
    expect(environment.variables.QUOTED).toMatch(/^over\r?\ntwo lines$/);
    const said = loaded.warnings.map(({ message }) => message).join('\n');
    expect(said).toContain(`Lines 2, 4, 5 of ${home.at('.openclaw/.env')} are malformed`);
    expect(said).not.toMatch(/decides how this program|word-of-mine|dashed/);
    expect(loaded.warnings.map(({ line }) => line)).toContain(2);
  });

  it('of the gateway may stand in .env of the state directory', async () => {
    const home = await makeHome();
    await home.write('.openclaw/.env', 'OPENCLAW_GATEWAY_TOKEN=t-1\n');
    expect((await home.load()).environment.variables.OPENCLAW_GATEWAY_TOKEN).toBe('t-1');
  });
});

describe('a profile', () => {
  it('that signs in, has expired or belongs to a subscription is named and not used', async () => {
    const home = await makeHome();
    const all = {
      'anthropic:sub': { type: 'token', provider: 'anthropic', token: 'sk-ant-oat01-secretsecret' },
      'openai:me@x': { type: 'oauth', provider: 'openai', access: 'secret-access', refresh: 'secret-refresh' },
      'groq:old': { type: 'token', provider: 'groq', token: 'secret-old', expires: 5 },
      'xai:empty': { type: 'api_key', provider: 'xai' },
    };
    await home.write('.openclaw/agents/main/agent/auth-profiles.json', JSON.stringify({ version: 1, profiles: all }));
    const { loaded } = await home.load();
    const said = loaded.warnings.map(({ message }) => message);
    expect(said).toHaveLength(4);
    for (const id of Object.keys(all)) expect(said.join()).toContain(`The profile ${id} in`);
    expect(said.join()).not.toContain('secret');
    expect(loaded.added).toEqual([]);
  });

  it('may name a variable, and auth.order says which one counts', async () => {
    const home = await makeHome();
    const file = {
      profiles: {
        'openrouter:default': { type: 'api_key', provider: 'openrouter', key: 'MY_ROUTER_KEY' },
        'openrouter:work': { type: 'api_key', provider: 'openrouter', keyRef: { source: 'env', id: 'WORK_KEY' } },
      },
    };
    await home.write('.openclaw/agents/main/agent/auth-profiles.json', JSON.stringify(file));
    const variables = { MY_ROUTER_KEY: 'mine', WORK_KEY: 'works' };
    expect((await home.load(variables)).keyOf('openrouter')).toBe('mine');
    await home.write(
      '.openclaw/openclaw.json',
      JSON.stringify({ auth: { order: { openrouter: ['openrouter:work'] } } }),
    );
    expect((await home.load(variables)).keyOf('openrouter')).toBe('works');
  });

  it('of another agent counts for that agent alone, before every other place, and is listed as its own', async () => {
    const home = await makeHome();
    const agents = { list: [{ id: 'main' }, { id: 'quick' }, { id: 'plain' }] };
    await home.write('.openclaw/openclaw.json', JSON.stringify({ agents }));
    await home.write('.openclaw/agents/main/agent/auth-profiles.json', profiles({ key: 'key-of-all' }));
    await home.write('.openclaw/agents/quick/agent/auth-profiles.json', profiles({ key: 'sk-of-quick-1234' }));
    const { loaded, environment, keyOf } = await home.load();
    expect(keyOf('openai')).toBe('key-of-all');
    const asks = (agentId: string) => resolveProvider(loaded.config, 'openai', environment.variables, agentId).apiKey;
    expect(['main', 'quick', 'plain'].map(asks)).toEqual(['key-of-all', 'sk-of-quick-1234', 'key-of-all']);
    expect(loaded.keys).toContainEqual({
      key: 'OPENAI_API_KEY of the agent quick',
      from: `from the profile openai:default in ${home.at('.openclaw/agents/quick/agent/auth-profiles.json')}`,
    });
    expect(listKnownSecrets({ config: loaded.config, variables: environment.variables })).toContain('sk-of-quick-1234');
  });

  it('that does not count because another key stands elsewhere is named, since in OpenClaw it counts first', async () => {
    const home = await makeHome();
    const file = '.openclaw/agents/main/agent/auth-profiles.json';
    const said = async (variables: Record<string, string> = {}) =>
      (await home.load(variables)).loaded.warnings.map(({ message }) => message);
    await home.write(file, profiles({ key: 'of-the-profile' }));
    expect(await said()).toEqual([]);
    expect(await said({ OPENAI_API_KEY: 'of-the-profile' })).toEqual([]);
    expect(await said({ OPENAI_API_KEY: 'another-one' })).toEqual([
      `A key of openai that stands elsewhere counts before the profile openai:default in ${home.at(file)}, and is another one; in OpenClaw the profile counts first.`,
    ]);
    const providers = (apiKey: string) => JSON.stringify({ models: { providers: { openai: { apiKey } } } });
    await home.write('.openclaw/openclaw.json', providers('${OPENAI_API_KEY}'));
    expect(await said()).toEqual([]);
    await home.write('.openclaw/openclaw.json', providers('sk-another-one-1234'));
    expect(await said()).toEqual([expect.stringContaining('in OpenClaw the profile counts first')]);
  });

  it('may stand beside a models.json, whose providers are named where the configuration does not have them', async () => {
    const home = await makeHome();
    const models = { providers: { openai: {}, homebox: { baseUrl: 'http://127.0.0.1:1/v1' }, known: {} } };
    await home.write('.openclaw/agents/main/agent/models.json', JSON.stringify(models));
    const known = { baseUrl: 'http://127.0.0.1:2/v1' };
    await home.write('.openclaw/openclaw.json', JSON.stringify({ models: { providers: { known } } }));
    expect((await home.load()).loaded.warnings.map(({ message }) => message)).toEqual([
      expect.stringMatching(/models\.json has a provider of models that the configuration does not have: homebox\./),
    ]);
  });

  it('in the form of old, or broken, does not keep the configuration from loading', async () => {
    const home = await makeHome();
    const file = '.openclaw/agents/main/agent/auth-profiles.json';
    await home.write(file, JSON.stringify({ openrouter: { apiKey: 'flat' } }));
    expect((await home.load()).keyOf('openrouter')).toBe('flat');
    await home.write(file, '{ "profiles": ');
    expect((await home.load()).loaded.warnings.map(({ message }) => message)).toEqual([
      `${home.at(file)} is not a file of profiles.`,
    ]);
  });
});

describe('a reference to a secret', () => {
  it('is looked up in variables, in files and by programs, for models and channels', async () => {
    const home = await makeHome();
    await home.write('.openclaw/secrets.json', JSON.stringify({ providers: { 'a/b': { key: 'key-of-file' } } }));
    await home.write('.openclaw/one.txt', 'key-of-one\n');
    const program = await home.program(
      'vault',
      `let text=''; process.stdin.on('data', (c) => (text += c)).on('end', () => {
        const { ids } = JSON.parse(text);
        const values = Object.fromEntries(ids.map((id) => [id, id + '=' + process.env.SITE + '=' + process.env.HIDDEN]));
        console.log(JSON.stringify({ protocolVersion: 1, values }));
      });`,
    );
    await home.write(
      '.openclaw/openclaw.json',
      JSON.stringify({
        secrets: {
          providers: {
            store: { source: 'file', path: '~/.openclaw/secrets.json', mode: 'json' },
            one: { source: 'file', path: home.at('.openclaw/one.txt'), mode: 'singleValue' },
            vault: { source: 'exec', command: program, passEnv: ['SITE'] },
          },
          defaults: { exec: 'vault' },
        },
        models: {
          providers: {
            a: {
              baseUrl: 'http://127.0.0.1:1/v1',
              apiKey: { source: 'file', provider: 'store', id: '/providers/a~1b/key' },
            },
            b: { baseUrl: 'http://127.0.0.1:1/v1', apiKey: { source: 'file', provider: 'one', id: 'value' } },
            c: { baseUrl: 'http://127.0.0.1:1/v1', apiKey: { source: 'exec', id: 'c/key' } },
            d: {
              baseUrl: 'http://127.0.0.1:1/v1',
              headers: { 'x-key': { source: 'exec', provider: 'vault', id: 'd' } },
            },
          },
        },
        channels: { telegram: { botToken: { source: 'env', provider: 'default', id: 'MY_BOT' } } },
      }),
    );
    const { loaded, environment, keyOf } = await home.load({ SITE: 'here', HIDDEN: 'no', MY_BOT: TELEGRAM }, true);
    expect(loaded.warnings).toEqual([]);
    expect(loaded.unused).toEqual([]);
    expect([keyOf('a'), keyOf('b'), keyOf('c')]).toEqual(['key-of-file', 'key-of-one', 'c/key=here=undefined']);
    expect(resolveProvider(loaded.config, 'd', environment.variables).headers).toEqual({ 'x-key': 'd=here=undefined' });
    expect(telegramAccountsOf(loaded.config, environment)).toMatchObject({
      accounts: [{ token: TELEGRAM }],
      problems: [],
    });
    const said = JSON.stringify(loaded.keys);
    expect(said).toContain(`the program ${program}`);
    expect(said).toContain('the variable MY_BOT, from the environment of the process');
    for (const secret of ['key-of-file', 'key-of-one', '=here=', TELEGRAM]) expect(said).not.toContain(secret);
  });

  it('to a program is left alone by commands that are no gateway, and no key is missed because of it', async () => {
    const home = await makeHome();
    const program = await home.program('vault', `require('node:fs').writeFileSync(__dirname + '/ran', '')`);
    await home.write('.openclaw/openclaw.json', JSON.stringify(execConfig(program)));
    const { keyOf } = await home.load();
    expect(keyOf('openai')).toBe('');
    expect(await readdir(home.at('bin'))).toEqual(['vault']);
  });

  it.each([
    ['that fails', `process.exit(3)`, {}, 'ended with 3'],
    ['that hangs', `setInterval(() => {}, 1000)`, { timeoutMs: 300 }, 'did not answer within 300 ms'],
    ['that says too much', `process.stdout.write('x'.repeat(5000))`, { maxOutputBytes: 100 }, 'more than 100 bytes'],
    ['that answers nonsense', `console.log('my-secret-word')`, {}, 'did not answer with'],
  ])('to a program %s gives no key, and the reason', async (_, code, settings, reason) => {
    const home = await makeHome();
    const program = await home.program('vault', code);
    await home.write('.openclaw/openclaw.json', JSON.stringify(execConfig(program, settings)));
    const { loaded, keyOf } = await home.load({}, true);
    expect(() => keyOf('openai')).toThrow(reason);
    expect(loaded.keys).toMatchObject([
      { key: 'models.providers.openai.apiKey', problem: expect.stringContaining(reason) },
    ]);
    expect(JSON.stringify(loaded.keys)).not.toContain('my-secret-word');
  });

  it('to a program that is a link, or that others can change, is refused', async () => {
    const home = await makeHome();
    const program = await home.program('vault', `console.log('plain')`);
    await symlink(program, home.at('bin/link'));
    await home.write('.openclaw/openclaw.json', JSON.stringify(execConfig(home.at('bin/link'), { jsonOnly: false })));
    await expect(home.load({}, true).then(({ keyOf }) => keyOf('openai'))).rejects.toThrow('is a link');
    const allowed = execConfig(home.at('bin/link'), { jsonOnly: false, allowSymlinkCommand: true });
    await home.write('.openclaw/openclaw.json', JSON.stringify(allowed));
    expect((await home.load({}, true)).keyOf('openai')).toBe('plain');
    await chmod(program, 0o777);
    await expect(home.load({}, true).then(({ keyOf }) => keyOf('openai'))).rejects.toThrow('can change');
  });

  it('to a file that others can read gives no key', async () => {
    const home = await makeHome();
    await home.write('.openclaw/one.txt', 'open-secret', 0o644);
    const one = { source: 'file', path: '~/.openclaw/one.txt', mode: 'singleValue' };
    const apiKey = { source: 'file', provider: 'one', id: 'value' };
    const config = { secrets: { providers: { one } }, models: { providers: { openai: { apiKey } } } };
    await home.write('.openclaw/openclaw.json', JSON.stringify(config));
    const { keyOf } = await home.load();
    expect(() => keyOf('openai')).toThrow('Make it private');
  });
});

describe('a variable that is not set', () => {
  it('is told as that for a channel, a model and the token of the gateway', async () => {
    const home = await makeHome();
    const channels = { telegram: { botToken: '${TELEGRAM_BOT_TOKEN}' } };
    const models = { providers: { openai: { apiKey: '${MY_KEY}', headers: { 'x-a': '${MY_HEADER}' } } } };
    await home.write('.openclaw/openclaw.json', JSON.stringify({ channels, models }));
    const { loaded, environment, keyOf } = await home.load();
    expect(telegramAccountsOf(loaded.config, environment).problems).toEqual([
      expect.stringContaining('the variable TELEGRAM_BOT_TOKEN, which is not set'),
    ]);
    expect(() => keyOf('openai')).toThrow('MY_KEY');
    expect(loaded.keys.map(({ problem }) => problem)).toEqual([
      'The variable TELEGRAM_BOT_TOKEN is not set.',
      'The variable MY_KEY is not set.',
    ]);
    await home.write('.openclaw/openclaw.json', JSON.stringify({ gateway: { auth: { token: '${GATEWAY}' } } }));
    await expect(home.load()).rejects.toThrow('the variable GATEWAY, which is not set');
  });
});

describe('the login shell', () => {
  it('gives the keys that are missing and nothing else, to a gateway only', async () => {
    const home = await makeHome();
    await home.write('.profile', 'echo hello from the profile\nexport OPENAI_API_KEY=shell-key OTHER=x MINE=shell\n');
    const config = {
      env: { shellEnv: { enabled: true, timeoutMs: 10_000 } },
      models: { providers: { x: { baseUrl: 'http://127.0.0.1:1', apiKey: '${MINE}' } } },
    };
    await home.write('.openclaw/openclaw.json', JSON.stringify(config));
    const { loaded, keyOf, environment } = await home.load({ SHELL: '/bin/sh' }, true);
    expect([keyOf('openai'), keyOf('x')]).toEqual(['shell-key', 'shell']);
    expect(environment.variables).not.toHaveProperty('OTHER');
    expect(loaded.keys).toContainEqual({ key: 'OPENAI_API_KEY', from: 'from the login shell /bin/sh' });
    const other = await home.load({ SHELL: '/bin/sh' });
    expect(() => other.keyOf('openai')).toThrow('OPENAI_API_KEY');
  });
});

it('nothing is written beside the files that were read', async () => {
  const home = await makeHome();
  await home.write('.openclaw/.env', 'OPENAI_API_KEY=k\n');
  await home.write('.openclaw/agents/main/agent/auth-profiles.json', profiles({ provider: 'groq' }));
  const before = await readdir(home.at('.openclaw'), { recursive: true });
  await home.load();
  expect(await readdir(home.at('.openclaw'), { recursive: true })).toEqual(before);
  expect(await readFile(home.at('.openclaw/.env'), 'utf8')).toBe('OPENAI_API_KEY=k\n');
});

function profiles({ provider = 'openai', key = 'k' }): string {
  return JSON.stringify({ version: 1, profiles: { [`${provider}:default`]: { type: 'api_key', provider, key } } });
}

function execConfig(command: string, settings: object = {}): object {
  return {
    secrets: { providers: { vault: { source: 'exec', command, ...settings } } },
    models: { providers: { openai: { apiKey: { source: 'exec', provider: 'vault', id: 'k' } } } },
  };
}

async function makeHome() {
  const home = await folderForTest();
  const at = (name: string) => path.join(home, name);
  const write = async (name: string, text: string, mode = 0o600) => {
    await mkdir(path.dirname(at(name)), { recursive: true });
    await writeFile(at(name), text);
    await chmod(at(name), mode);
  };
  await mkdir(at('project'), { recursive: true });
  return {
    at,
    write,
    async program(name: string, code: string) {
      await write(`bin/${name}`, `#!${process.execPath}\n${code}\n`, 0o700);
      return at(`bin/${name}`);
    },
    async load(variables: Record<string, string> = {}, runsCommands = false) {
      const given = readEnvironment({ HOME: home, ...variables }, () => home, at('project'));
      const loaded = await loadConfig({ environment: given, runsCommands });
      const environment = withConfigVariables(given, loaded);
      const keyOf = (provider: string) => resolveProvider(loaded.config, provider, environment.variables).apiKey ?? '';
      return { loaded, environment, keyOf };
    },
  };
}
