// biome-ignore-all lint/suspicious/noTemplateCurlyInString: such texts are what is tested here.

import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { readEnvironment } from './environment.ts';
import { type LoadedConfig, loadConfig } from './load-config.ts';

const root = await mkdtemp(path.join(os.tmpdir(), 'atrium-load-config-'));
afterAll(() => rm(root, { recursive: true, force: true }));

/** Makes a home with the given files in its state directory. */
async function homeWith(files: Record<string, string> = {}, env: Record<string, string> = {}) {
  const home = await mkdtemp(path.join(root, 'config-'));
  const state = path.join(home, '.openclaw');
  await mkdir(state);
  for (const [name, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(state, name)), { recursive: true });
    await writeFile(path.join(state, name), text);
  }
  const environment = readEnvironment({ HOME: home, ...env });
  const load = (configPath?: string): Promise<LoadedConfig> => loadConfig({ environment, configPath });
  return { home, state, environment, load };
}

/** Returns the error of loading, and fails when loading succeeds. */
async function loadError(files: Record<string, string>): Promise<Error & { code?: string }> {
  const { load } = await homeWith(files);
  return load().then(
    () => expect.fail('the configuration loaded'),
    (error) => error,
  );
}

it.skipIf(process.platform === 'win32')('warns of a file with keys that other users can read', async () => {
  const key = '{ models: { providers: { home: { baseUrl: "http://127.0.0.1:1/v1", apiKey: "sk-0123456789" } } } }';
  for (const [text, isTold] of [
    [key, true],
    ['{ env: { GROQ_API_KEY: "gsk-0123456789" } }', true],
    [key.replace('sk-0123456789', '${HOME_API_KEY}'), false],
    ['{ agents: { defaults: { model: "mirror/mirror" } } }', false],
  ] as const) {
    const { state, load } = await homeWith({ 'openclaw.json': text }, { HOME_API_KEY: 'sk-0123456789' });
    const file = path.join(state, 'openclaw.json');
    await chmod(file, 0o644);
    const told = `Other users of this machine can read ${file}. Make it private: chmod 600 ${file}`;
    expect((await load()).warnings.map(({ message }) => message)).toEqual(isTold ? [told] : []);
    await chmod(file, 0o600);
    expect((await load()).warnings).toEqual([]);
  }
});

it.each([
  ['agents/main/sessions/sessions.json', true],
  ['agents/main/agent/openclaw-agent.sqlite', true],
  ['cron/jobs.json', true],
  ['agents/main/agent/auth-profiles.json', false],
])('names defaults that differ in a home that OpenClaw has worked in, also when a person wrote its configuration: %s', async (file, isTheirs) => {
  const { load } = await homeWith({ 'openclaw.json': '{}', [file]: '{}' });
  const differing = (await load()).unused.map(({ path: setting }) => setting);
  expect(differing.includes('session.reset')).toBe(isTheirs);
});

describe('finding the configuration', () => {
  it('is empty in an untouched home', async () => {
    const { load } = await homeWith();
    expect(await load()).toEqual({
      config: {},
      written: {},
      files: [],
      warnings: [],
      unused: [],
      merged: undefined,
      added: [],
      keys: [],
    });
  });

  it('reads JSON5, YAML, and the .yml spelling', async () => {
    for (const [name, text, format] of [
      ['openclaw.json', '{ openboa: { root: "~/x" } } // mine', 'json5'],
      ['openclaw.yaml', 'openboa:\n  root: ~/x\n', 'yaml'],
      ['openclaw.yml', 'openboa: { root: ~/x }', 'yaml'],
    ] as const) {
      const { load, state } = await homeWith({ [name]: text });
      const { config, files, warnings, merged } = await load();
      expect(config).toEqual({ openboa: { root: '~/x' } });
      expect(files).toEqual([{ path: path.join(state, name), format }]);
      expect(warnings).toEqual([]);
      expect(merged).toBeUndefined();
    }
  });

  it('merges YAML over JSON, objects by key and everything else whole, and says so', async () => {
    const { load, state } = await homeWith({
      'openclaw.json':
        '{ agents: { defaults: { workspace: "~/a", bootstrapMaxChars: 5 }, list: [{ id: "a" }, { id: "b" }] } }',
      'openclaw.yaml':
        'agents:\n  defaults:\n    workspace: ~/b\n  list:\n    - id: c\nbootstrap:\n  policyDigest: false\n',
    });
    const { config, files, merged } = await load();
    expect(config).toEqual({
      agents: { defaults: { workspace: '~/b', bootstrapMaxChars: 5 }, list: [{ id: 'c' }] },
      bootstrap: { policyDigest: false },
    });
    expect(files.map(({ format }) => format)).toEqual(['json5', 'yaml']);
    const [json, yaml] = [path.join(state, 'openclaw.json'), path.join(state, 'openclaw.yaml')];
    expect(merged).toEqual({
      base: json,
      overlay: yaml,
      overridden: ['agents.defaults.workspace', 'agents.list'],
      explanation: `${yaml} is merged over ${json}; it wins at agents.defaults.workspace, agents.list.`,
    });
  });

  it('does not let a YAML key without a value wipe out a section', async () => {
    const { load } = await homeWith({
      'openclaw.json': '{ bootstrap: { policyDigest: false } }',
      'openclaw.yaml': 'bootstrap:\n  # policyDigest: true\nagents:\n',
    });
    expect((await load()).config).toEqual({ bootstrap: { policyDigest: false } });
  });

  it('warns when both spellings of YAML are there', async () => {
    const { load } = await homeWith({ 'openclaw.yaml': 'openboa: {root: a}', 'openclaw.yml': 'openboa: {root: b}' });
    const { config, warnings } = await load();
    expect(config.openboa?.root).toBe('a');
    expect(warnings[0]?.message).toMatch(/openclaw\.yml is not used, because .*openclaw\.yaml is there too/);
  });

  it('takes --config alone, relative and with a tilde, and insists that it exists', async () => {
    const { load, home } = await homeWith({ 'openclaw.json': '{ openboa: { root: "home" } }' });
    await writeFile(path.join(home, 'other.json5'), '{ openboa: { root: "other" } }');
    expect((await load('~/other.json5')).config.openboa?.root).toBe('other');
    await expect(load('~/absent.json')).rejects.toThrow(`There is no configuration file ${home}/absent.json.`);
  });

  it('follows OPENCLAW_CONFIG_PATH, with its YAML sibling when it has the usual name', async () => {
    const { home } = await homeWith();
    await mkdir(path.join(home, 'etc'));
    await writeFile(path.join(home, 'etc/openclaw.yaml'), 'openboa: {root: sibling}');
    await writeFile(path.join(home, 'etc/other.json'), '{ openboa: { root: "other" } }');
    const rootOf = async (file: string) => {
      const environment = readEnvironment({ HOME: home, OPENCLAW_CONFIG_PATH: file });
      return (await loadConfig({ environment })).config.openboa?.root;
    };
    expect(await rootOf('~/etc/openclaw.json')).toBe('sibling');
    expect(await rootOf('~/etc/other.json')).toBe('other');
  });

  it('warns when OPENCLAW_CONFIG_PATH leads nowhere, but not for a fresh profile', async () => {
    const { load, state } = await homeWith({}, { OPENCLAW_CONFIG_PATH: '~/nowhere.json' });
    expect((await load()).warnings[0]?.message).toMatch(
      /OPENCLAW_CONFIG_PATH names .*nowhere\.json, which does not exist/,
    );
    const fresh = readEnvironment({
      HOME: '/nowhere',
      OPENCLAW_STATE_DIR: state,
      OPENCLAW_CONFIG_PATH: `${state}/openclaw.json`,
    });
    expect((await loadConfig({ environment: fresh })).warnings).toEqual([]);
  });

  it('says plainly why a file cannot be read', async () => {
    const directory = await homeWith({ 'openclaw.json/x': '' });
    await expect(directory.load()).rejects.toThrow(/openclaw\.json cannot be read: it is a directory\./);

    const link = await homeWith();
    await symlink('/nowhere/at/all', path.join(link.state, 'openclaw.json'));
    await expect(link.load()).rejects.toThrow('it is a link to a file that does not exist');

    const huge = await homeWith({ 'openclaw.yaml': `# ${'x'.repeat(9 * 1024 * 1024)}` });
    await expect(huge.load()).rejects.toThrow(/more than the \d+ that are read/);
  });

  // The superuser may read everything, so this cannot be tested as root.
  it.skipIf(process.getuid?.() === 0)('says when permission is denied', async () => {
    const { load, state } = await homeWith({ 'openclaw.json': '{}' });
    await chmod(path.join(state, 'openclaw.json'), 0);
    await expect(load()).rejects.toThrow('permission is denied');
  });

  it('gives file, line and column of a syntax error', async () => {
    expect((await loadError({ 'openclaw.json': '{\n  a: 1,\n  b 2\n}' })).message).toMatch(
      /openclaw\.json:3:5: this is not JSON5/,
    );
    expect((await loadError({ 'openclaw.yaml': 'a: 1\nb: {\n' })).message).toMatch(
      /openclaw\.yaml:[23]:\d+: this is not YAML/,
    );
    expect((await loadError({ 'openclaw.json': '[1]' })).message).toMatch(
      /the whole file is a list; expected an object with sections/,
    );
  });
});

describe('checking the configuration', () => {
  it('loads a large existing OpenClaw configuration without an error or a warning, and keeps all of it', async () => {
    const file = fileURLToPath(new URL('./fixtures/existing-home/openclaw.json', import.meta.url));
    const { config, warnings } = await loadConfig({
      environment: readEnvironment({
        HOME: '/home/ana',
        LOCAL_MODEL_KEY: 'key',
        HOOKS_TOKEN: 'the-token-of-webhooks',
        OPENCLAW_GATEWAY_TOKEN: 'token',
        DISCORD_BOT_TOKEN: 'the-token-of-the-bot',
        TELEGRAM_BOT_TOKEN: '1234:not-a-real-token',
      }),
      configPath: file,
    });
    // The rights of a file in a checkout are those of whoever made it.
    expect(warnings.filter(({ message }) => !message.startsWith('Other users'))).toEqual([]);
    expect(config.agents?.list?.map(({ id }) => id)).toEqual(['main', 'work', 'nightly']);
    expect(config).toMatchObject({
      channels: { discord: { token: 'the-token-of-the-bot', guilds: { '123456789012345678': { slug: 'friends' } } } },
      agents: { defaults: { model: { primary: 'anthropic/claude-opus-4-6' } } },
      plugins: { entries: { 'voice-call': { hooks: { timeoutMs: 20000 } } } },
    });
  });

  it('names file, line, path, what was found and what is expected, for every fault at once', async () => {
    const error = await loadError({
      'openclaw.json': `{
  agents: {
    defaults: { bootstrapMaxChars: "12k" },
    list: [
      { name: "nobody" },
      "main",
    ],
  },
  bootstrap: { hooks: { "time-context": { overnight_start: 24 } } },
}`,
    });
    expect(error.code).toBe('ATRIUM_CONFIG_INVALID');
    const lines = error.message.split('\n').map((line) => line.replace(/^.*openclaw\.json:/, ''));
    expect(lines).toEqual([
      '3: agents.defaults.bootstrapMaxChars is the text "12k"; expected a number above 0.',
      '5: agents.list[0].id is missing; expected text.',
      '6: agents.list[1] is the text "main"; expected an object.',
      '9: bootstrap.hooks.time-context.overnight_start is the number 24; expected a whole number from 0 to 23.',
      'Correct these lines and try again.',
    ]);
  });

  it('points into the file that the wrong value comes from', async () => {
    const error = await loadError({
      'openclaw.json': '{\n  bootstrap: { keep: ["AGENTS.md#Safety"] },\n  agents: { defaults: { workspace: 5 } }\n}',
      'openclaw.yaml': '# mine\nbootstrap:\n  keep: [AGENTS.md]\n',
    });
    expect(error.message).toMatch(/openclaw\.json:3: agents\.defaults\.workspace is the number 5; expected text\./);
    expect(error.message).toMatch(
      /openclaw\.yaml:3: bootstrap\.keep\[0\] is the text "AGENTS\.md"; expected a section such as "AGENTS\.md#Safety"\./,
    );
  });

  it('checks the settings of bundled handlers in both places', async () => {
    const error = await loadError({
      'openclaw.yaml':
        'bootstrap: {hooks: {ci-mode: {force: please}}}\nhooks: {internal: {entries: {bootstrap-extra-files: {paths: x.md}, other: {enabled: 1}}}}\n',
    });
    expect(error.message).toContain('bootstrap.hooks.ci-mode.force is the text "please"; expected true or false.');
    expect(error.message).toContain(
      'hooks.internal.entries.bootstrap-extra-files.paths is the text "x.md"; expected a list of texts.',
    );
    expect(error.message).toContain('hooks.internal.entries.other.enabled is the number 1; expected true or false.');
  });

  it('accepts rules with every kind of condition', async () => {
    const rules = [
      { id: 'a', file: 'AGENTS.md', text: 'x' },
      { id: 'b', file: 'TOOLS.md', mode: 'remove', when: {} },
      {
        id: 'c',
        file: 'EXTRA.md',
        mode: 'add',
        from: '~/extra.md',
        priority: 120,
        stability: 'session',
        when: {
          agent: ['main', 'work'],
          sessionType: 'ci',
          channel: 'slack',
          channelId: ['C1'],
          hours: ['22-6', '12-13'],
          days: 'mon-fri',
          weekend: false,
          env: { DEPLOY: 'prod', CI: true, QUIET: false },
        },
      },
      { id: 'd', file: 'AGENTS.md', text: '', mode: 'prepend', when: { hours: '9-24', days: ['sat', 'sun'] } },
    ];
    const { load } = await homeWith({ 'openclaw.json': JSON.stringify({ bootstrap: { rules } }) });
    const { config, warnings } = await load();
    expect(config.bootstrap?.rules).toEqual(rules);
    expect(warnings).toEqual([]);
  });

  it.each([
    [
      { id: 'a', file: 'X.md', text: 'x', when: { hour: '1-2' } },
      'bootstrap.rules[0].when.hour is not a condition; expected one of agent, sessionType, channel, channelId, hours, days, weekend, env (did you mean "hours"?).',
    ],
    [
      { id: 'a', file: 'X.md' },
      'bootstrap.rules[0] is a rule without "text" and "from"; expected exactly one of "text" and "from".',
    ],
    [{ id: 'a', file: 'X.md', text: 'x', from: 'y' }, 'is a rule with both "text" and "from"; expected exactly one of'],
    [{ id: 'a', file: 'X.md', mode: 'remove', text: 'x' }, 'is a rule with text to add; expected neither'],
    [{ file: 'X.md', text: 'x' }, 'bootstrap.rules[0].id is missing'],
    [{ id: 'a', text: 'x' }, 'bootstrap.rules[0].file is missing'],
    [
      { id: 'a', file: 'X.md', text: 'x', mode: 'apend' },
      'mode is the text "apend"; expected one of "append", "prepend", "replace", "add", "remove".',
    ],
    [
      { id: 'a', file: 'X.md', text: 'x', when: { hours: '22' } },
      'when.hours is the text "22"; expected hours such as "22-6"',
    ],
    [{ id: 'a', file: 'X.md', text: 'x', when: { hours: '25-26' } }, 'expected hours such as "22-6"'],
    [
      { id: 'a', file: 'X.md', text: 'x', when: { days: ['monday'] } },
      'when.days[0] is the text "monday"; expected a day such as "mon"',
    ],
    [
      { id: 'a', file: 'X.md', text: 'x', when: { sessionType: 'cron' } },
      'expected one of "interactive", "subagent", "scheduled", "ci", or a list of them',
    ],
    [
      { id: 'a', file: 'X.md', text: 'x', when: { channelId: 123 } },
      'when.channelId is the number 123; expected a channel id, or a list of them',
    ],
    [
      { id: 'a', file: 'X.md', text: 'x', when: { env: { A: 1 } } },
      'when.env.A is the number 1; expected text, or true (set), or false (not set)',
    ],
  ])('refuses the rule %j', async (rule, message) => {
    expect((await loadError({ 'openclaw.json': JSON.stringify({ bootstrap: { rules: [rule] } }) })).message).toContain(
      message,
    );
  });

  it('refuses two rules or two handlers with one id', async () => {
    const rule = { id: 'a', file: 'X.md', text: 'x' };
    const handler = { id: 'h', path: './h.ts' };
    const error = await loadError({
      'openclaw.json': JSON.stringify({ bootstrap: { rules: [rule, rule], handlers: [handler, handler] } }),
    });
    expect(error.message).toContain(
      'bootstrap.rules[1].id is the text "a"; expected an id that entry 0 of the list does not have.',
    );
    expect(error.message).toContain('bootstrap.handlers[1].id is the text "h"');
  });

  it('does not quote the value of a variable in an error', async () => {
    const { load } = await homeWith(
      { 'openclaw.json': '{ agents: { defaults: { bootstrapMaxChars: "${SECRET}" } } }' },
      { SECRET: 'hunter2' },
    );
    await expect(load()).rejects.toThrow('is the text "${SECRET}"');
    await expect(load()).rejects.not.toThrow('hunter2');
  });
});

describe('warning about the configuration', () => {
  it('keeps unknown keys and lists them with what was probably meant', async () => {
    const { load } = await homeWith({
      'openclaw.json': `{
  bootstarp: {},
  somethingElse: 1,
  bootstrap: {
    kep: [],
    hooks: { "time-contxt": { enabled: true }, "ci-mode": { forced: true } },
    rules: [{ id: "a", file: "X.md", text: "x", note: "why" }],
  },
  agents: { defaults: { bootstrapMaxChar: 5, model: "x" }, list: [{ id: "a", taxonmy: "openboa" }] },
}`,
    });
    const { config, warnings } = await load();
    expect(config).toMatchObject({ bootstarp: {}, somethingElse: 1, bootstrap: { kep: [] } });
    expect(warnings.map(({ line, path, suggestion }) => [line, path, suggestion])).toEqual([
      [2, 'bootstarp', 'bootstrap'],
      [3, 'somethingElse', undefined],
      [5, 'bootstrap.kep', 'keep'],
      [6, 'bootstrap.hooks.time-contxt', 'time-context'],
      [6, 'bootstrap.hooks.ci-mode.forced', 'force'],
      [7, 'bootstrap.rules[0].note', undefined],
      [9, 'agents.defaults.bootstrapMaxChar', 'bootstrapMaxChars'],
      [9, 'agents.list[0].taxonmy', 'taxonomy'],
    ]);
    expect(warnings[0]?.message).toBe(
      'bootstarp is not a setting that Atrium knows; it is kept and has no effect. Did you mean "bootstrap"?',
    );
  });

  it('warns of paths in acceptUnused that accept nothing, and says which one was probably meant', async () => {
    const { load } = await homeWith({
      'openclaw.yaml': `acceptUnused:
  - agents.defaults.sandbox
  - agents.default.sandbox
  - OPENCLAW_GATEWAY_PASWORD
  - gateway.auth.mod
  - tools.nonsense.that.nobody.has
  - session
  - agents.list[0].sandbox
  - agents.list[].sandbox.mode
agents: { defaults: { sandbox: { mode: all } }, list: [{ id: a, sandbox: { mode: all } }] }
gateway: { auth: { mode: password } }
`,
    });
    const { warnings } = await load();
    expect(warnings.map(({ line, path, suggestion }) => [line, path, suggestion])).toEqual([
      [3, 'acceptUnused[1]', 'agents.defaults.sandbox'],
      [4, 'acceptUnused[2]', 'OPENCLAW_GATEWAY_PASSWORD'],
      [5, 'acceptUnused[3]', 'gateway.auth.mode'],
      [6, 'acceptUnused[4]', undefined],
    ]);
    expect(warnings[0]?.message).toBe(
      'acceptUnused names "agents.default.sandbox", which is no key of OpenClaw\'s configuration, so it accepts nothing. Did you mean "agents.defaults.sandbox"?',
    );
  });

  it('warns of a path in acceptUnused below a section that only looks right', async () => {
    const { load } = await homeWith({
      'openclaw.yaml':
        'acceptUnused: [agents.defaults.sandbox.mdoe]\nagents: { defaults: { sandbox: { mode: all } } }\n',
    });
    const { warnings, unused } = await load();
    expect(unused.some(({ refuses }) => refuses === 'tools')).toBe(true);
    expect(warnings.map(({ suggestion }) => suggestion)).toEqual(['agents.defaults.sandbox.mode']);
    expect(warnings[0]?.message).toContain('"agents.defaults.sandbox.mdoe", which is not set, so it accepts nothing.');
  });

  it('never calls a setting of its own unused, wherever it stands', async () => {
    const { load } = await homeWith({
      'openclaw.yaml': `
acceptUnused: []
tools: { exec: { allow: [ls], env: [A], maxOutputChars: 5000 }, web: { fetch: { allowHosts: [a.lan], maxBytes: 2000 } } }
agents:
  defaults: { bootstrapMaxTokens: 9, maxToolRounds: 3, compaction: { enabled: true, threshold: 0.5 } }
  list: [{ id: a, taxonomy: openboa, skipBootstrap: true, compaction: { enabled: false }, tools: { exec: { allow: [ls] } } }]
gateway: { allowedOrigins: [http://a.lan], drainSeconds: 3 }
mcp: { servers: { x: { command: x, enabled: true, startSeconds: 3, timeoutSeconds: 4 } } }
cron: { missed: skip }
approvals: { ttlMinutes: 3 }
session: { pins: [a] }
plugins: { worker: { memoryMb: 100 }, entries: { a: { isolation: worker } } }
hooks: { runBudgetMs: 3 }
`,
    });
    const { unused, warnings } = await load();
    expect([unused, warnings]).toEqual([[], []]);
  });

  it('puts variables in, leaves what is not set, and warns where the text is used', async () => {
    const { load } = await homeWith(
      {
        'openclaw.yaml':
          'agents:\n  defaults:\n    workspace: ${PROJECTS}/x\n    repoRoot: $${PROJECTS}\n  list:\n    - id: a\n      workspace: ${NOT_SET}/y\nchannels:\n  token: ${ALSO_NOT_SET}\n  plain: ${PROJECTS}\n',
      },
      { PROJECTS: '/srv' },
    );
    const { config, warnings } = await load();
    expect(config).toMatchObject({
      agents: { defaults: { workspace: '/srv/x', repoRoot: '${PROJECTS}' }, list: [{ workspace: '${NOT_SET}/y' }] },
      channels: { token: '${ALSO_NOT_SET}', plain: '/srv' },
    });
    expect(warnings.map(({ line, path }) => [line, path])).toEqual([[7, 'agents.list[0].workspace']]);
    expect(warnings[0]?.message).toContain('uses ${NOT_SET}, which is not set');
  });

  it('warns about agents with one id, two defaults, and a time zone that does not exist', async () => {
    const { load } = await homeWith({
      'openclaw.json':
        '{\nagents: {\ndefaults: { userTimezone: "Mars/Olympus" },\nlist: [\n{ id: "a", default: true },\n{ id: "A " },\n{ id: "b", default: true }\n] } }',
    });
    const { warnings } = await load();
    expect(warnings.map(({ line, path }) => [line, path])).toEqual([
      [3, 'agents.defaults.userTimezone'],
      [6, 'agents.list[1].id'],
      [7, 'agents.list[2].default'],
    ]);
  });

  it('warns about heartbeats whose pace or time zone is none, which would be off or elsewhere in silence', async () => {
    const { load } = await homeWith({
      'openclaw.json': [
        '{ agents: { defaults: { heartbeat: {',
        'every: "often", activeHours: { timezone: "Mars/Olympus" } } },',
        'list: [{ id: "a", heartbeat: { every: "30" } }, { id: "b", heartbeat: {',
        'every: "half an hour" } },',
        '{ id: "c", heartbeat: { every: "0m", activeHours: { timezone: "user" } } }] } }',
      ].join('\n'),
    });
    const { warnings } = await load();
    expect(warnings.map(({ line, path }) => [line, path])).toEqual([
      [2, 'agents.defaults.heartbeat.every'],
      [2, 'agents.defaults.heartbeat.activeHours.timezone'],
      [4, 'agents.list[1].heartbeat.every'],
    ]);
    expect(warnings[0]?.message).toContain('is "often", which is no span of time; there are no heartbeats.');
  });
});

describe('including files', () => {
  it('puts the named files in place, lets keys beside win, and joins lists', async () => {
    const { load, state } = await homeWith({
      'openclaw.json':
        '{ agents: { $include: ["./parts/a.json5", "./parts/b.yaml"], defaults: { workspace: "mine" } }, openboa: { $include: "parts/o.json" } }',
      'parts/a.json5': '{ defaults: { workspace: "theirs", skipBootstrap: true }, list: [{ id: "a" }] }',
      'parts/b.yaml': 'list:\n  - $include: ./c.json\n',
      'parts/c.json': '{ "id": "c" }',
      'parts/o.json': '{ "root": "~/o" }',
    });
    const { config, files } = await load();
    expect(config).toEqual({
      agents: { defaults: { workspace: 'mine', skipBootstrap: true }, list: [{ id: 'a' }, { id: 'c' }] },
      openboa: { root: '~/o' },
    });
    expect(files.map((file) => path.relative(state, file.path))).toEqual([
      'parts/a.json5',
      'parts/c.json',
      'parts/b.yaml',
      'parts/o.json',
      'openclaw.json',
    ]);
  });

  it('points into the included file', async () => {
    const error = await loadError({
      'openclaw.json': '{ agents: { $include: "./a.yaml" } }',
      'a.yaml': '# agents\ndefaults:\n  workspace: 5\n',
    });
    expect(error.message).toMatch(/a\.yaml:3: agents\.defaults\.workspace is the number 5/);
  });

  it.each([
    [
      '{\n$include: "./absent.json" }',
      /openclaw\.json:2: the included file \.\/absent\.json cannot be used: it does not exist/,
    ],
    ['{ $include: "./openclaw.json" }', /it includes itself/],
    ['{ $include: "../outside.json" }', /it is outside/],
    ['{ $include: "/etc/hosts" }', /it is outside/],
    ['{ $include: 5 }', /a file name, or a list of them, is expected/],
    ['{ agents: { $include: "./list.json", defaults: {} } }', /it holds no object/],
  ])('refuses %s', async (text, message) => {
    const error = await loadError({ 'openclaw.json': text, 'list.json': '[]' });
    expect(error.code).toBe('ATRIUM_CONFIG_INCLUDE');
    expect(error.message).toMatch(message);
  });

  it('refuses a link that leads out of the folder', async () => {
    const { load, state, home } = await homeWith({ 'openclaw.json': '{ $include: "./link.json" }' });
    await writeFile(path.join(home, 'outside.json'), '{}');
    await symlink(path.join(home, 'outside.json'), path.join(state, 'link.json'));
    await expect(load()).rejects.toThrow('it is outside');
  });
});
