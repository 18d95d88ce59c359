import { describe, expect, it } from 'vitest';
import { parseKeyPattern } from './config-path.ts';
import { listUnusedSettings, openClawKeyOf } from './list-unused-settings.ts';
import { DIFFERENT_DEFAULTS, type DifferentKey, OPENCLAW_KEYS, OPENCLAW_VARIABLES } from './openclaw-keys.ts';
import { isKnownSetting } from './validate-config.ts';

const paths = (config: object, variables: Record<string, string> = {}) =>
  listUnusedSettings(config, variables).map(({ path }) => path);

describe('settings that are not used', () => {
  it('are named by the setting, or by the section where none of it is used', () => {
    expect(
      paths({ browser: { enabled: true, headless: true }, agents: { defaults: { heartbeat: { model: 'x' } } } }),
    ).toEqual(['browser', 'agents.defaults.heartbeat.model']);
  });

  it('are named inside of a section that is used in part, by the widest part that is not', () => {
    const messages = { groupChat: { historyLimit: 5, visibleReplies: 'message_tool' } };
    const tools = { message: { crossContext: { allowAcrossProviders: true, marker: { enabled: true, prefix: 'x' } } } };
    const channels = {
      slack: { streaming: { mode: 'off', chunkMode: 'newline' }, channels: { C1: { skills: ['a'] } } },
    };
    const found = listUnusedSettings({ messages, tools, channels }, {}, isKnownSetting).map(({ path }) => path);
    expect(found.sort()).toEqual([
      'channels.slack.channels.C1.skills',
      'channels.slack.streaming.chunkMode',
      'messages.groupChat.visibleReplies',
      'tools.message.crossContext.marker',
    ]);
  });

  it('are not named when they ask for nothing, or for what happens anyway', () => {
    const agents = {
      defaults: { sandbox: { mode: 'off' } },
      list: [{ id: 'a', tools: { elevated: { enabled: false } } }],
    };
    const gateway = {
      mode: 'local',
      auth: { mode: 'token', password: 'x' },
      tailscale: { mode: 'off' },
      tls: { enabled: false },
    };
    const quiet = {
      agents,
      gateway,
      browser: { enabled: false },
      channels: { slack: { enabled: false } },
      cron: {},
      env: null,
    };
    expect(paths(quiet)).toEqual([]);
  });

  it('say that a start is refused: by the way of knowing callers, by TLS, by a proxy, by the environment', () => {
    const refused = (config: object, variables = {}) =>
      listUnusedSettings(config, variables).flatMap(({ path, refuses }) => (refuses === 'start' ? [path] : []));
    expect(refused({ gateway: { auth: { mode: 'trusted-proxy' } } })).toEqual(['gateway.auth.mode']);
    expect(refused({ gateway: { auth: { password: { source: 'env' } } } })).toEqual(['gateway.auth.password']);
    expect(refused({ gateway: { tls: { enabled: true, certPath: 'x' } } })).toEqual(['gateway.tls.enabled']);
    expect(refused({ proxy: { enabled: true } })).toEqual(['proxy.enabled']);
    expect(refused({ logging: { redactSensitive: 'off', redactPatterns: ['kennwort=.*'] } })).toEqual([]);
    expect(refused({}, { OPENCLAW_GATEWAY_PASSWORD: 'x' })).toEqual(['OPENCLAW_GATEWAY_PASSWORD']);
    expect(refused({ gateway: { auth: { mode: 'token' } } }, { OPENCLAW_GATEWAY_PASSWORD: 'x' })).toEqual([]);
    expect(refused({ acceptUnused: ['proxy.enabled'], proxy: { enabled: true } })).toEqual([]);
  });

  it.each([
    ['agents.list[1].sandbox', true],
    ['agents.list[].sandbox.mode', true],
    ['agents.list[0].sandbox', false],
    ['agents.list[1].sand', false],
    ['agents', true],
  ])('are accepted by their path, by a section above, or for all items: %s', (entry, isAccepted) => {
    const agents = { list: [{ id: 'a' }, { id: 'b', sandbox: { mode: 'all' } }] };
    expect(listUnusedSettings({ agents, acceptUnused: [entry] })).toMatchObject([{ isAccepted }]);
  });

  it('have the most exact row of the table', () => {
    expect(openClawKeyOf(['agents', 'list', 3, 'sandbox', 'mode'])).toMatchObject({ gate: 'tools' });
    expect(openClawKeyOf(['agents', 'list', 3, 'sandbox', 'docker', 'image'])).toMatchObject({ danger: 'harmless' });
    expect(openClawKeyOf(['agents', 'list', 3, 'nonsense'])).toBeUndefined();
  });
});

/** One value of each kind that a row of the table may look at. */
const VALUES = [
  true,
  false,
  'x',
  'auto',
  'all',
  'own',
  'off',
  'batched',
  'continuation-skip',
  '[{think}]',
  21,
  '1',
  { source: 'exec' },
  ['x'],
];

const WRITTEN = { meta: { lastTouchedVersion: '2026.5.19' } };

describe('settings that are used differently', () => {
  const rows = OPENCLAW_KEYS.filter((row): row is DifferentKey => row.state === 'different');
  const told = (row: DifferentKey) => VALUES.find((value) => row.when === undefined || row.when(value, WRITTEN, true));

  it.each(rows.map((row) => [row.path, row] as const))('are said of %s with the sentence of its row', (_, row) => {
    expect(listUnusedSettings({ ...WRITTEN, ...configWith(row.path, told(row)) })).toContainEqual(
      expect.objectContaining({ danger: 'differs', sentence: row.sentence, refuses: null }),
    );
  });

  it.each(
    rows.filter(({ when }) => when !== undefined).map((row) => [row.path, row] as const),
  )('are not said of %s with a value that means the same', (_, row) => {
    const same = [...VALUES, 'default', 'last', 'socket', 'http/json', 'all', 'self', 3, 'atrium.log'].find(
      (value) => !row.when?.(value, WRITTEN, true),
    );
    const found = listUnusedSettings({ ...WRITTEN, ...configWith(row.path, same) });
    expect(found.filter(({ sentence }) => sentence === row.sentence)).toEqual([]);
  });

  it('are said of variables', () => {
    const rows = OPENCLAW_VARIABLES.filter((each): each is DifferentKey => each.state === 'different');
    for (const row of rows) {
      const value = ['1', '0'].find((each) => row.when?.(each, {}, false) ?? true);
      expect(paths({}, { [row.path]: value ?? '' })).toEqual([row.path]);
    }
    expect(paths({}, { OPENCLAW_NIX_MODE: '0', OPENCLAW_GATEWAY_PORT: '8080' })).toEqual([]);
  });

  it('are also those that are not set, in a configuration that OpenClaw has written and only there', () => {
    const platforms = {
      channels: { telegram: { dmPolicy: 'open' }, slack: { dmPolicy: 'open' }, discord: { dmPolicy: 'open' } },
    };
    const said = (config: object) =>
      listUnusedSettings(config).flatMap(({ path, danger }) => (danger === 'differs' ? [path] : []));
    const all = DIFFERENT_DEFAULTS.map(({ path }) => path);
    expect(said(platforms)).toEqual([]);
    expect(said({ meta: { lastTouchedVersion: '2026.5.19' }, ...platforms })).toEqual(all);
    expect(said({ wizard: { lastRunVersion: '2026.5.19' } })).toEqual(
      all.filter((path) => !path.startsWith('channels.')),
    );
    for (const { path, unlessSet = [] } of DIFFERENT_DEFAULTS) {
      for (const key of [path, ...unlessSet]) {
        expect(said({ meta: { lastTouchedVersion: '1' }, ...configWith(key, 'last') })).not.toContain(path);
      }
    }
    const accepted = { meta: { lastTouchedVersion: '1' }, acceptUnused: ['session.dmScope'] };
    expect(listUnusedSettings(accepted)).toContainEqual(
      expect.objectContaining({ path: 'session.dmScope', isAccepted: true }),
    );
  });
});

/** A configuration with one value, where the pattern of a row says. */
function configWith(pattern: string, value: unknown): Record<string, unknown> {
  const made = parseKeyPattern(pattern).reduceRight<unknown>(
    (inner, part) => (part === '[]' ? [inner] : { [part === '*' ? 'some' : part]: inner }),
    value,
  );
  return made as Record<string, unknown>;
}
