// The hook packs that come with the product, each in a real gateway, and what one of them must not do.

import { readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CliHome } from '../cli/fixtures/cli-home.ts';
import { listBundledPacks } from '../hooks/bundled/bundled-packs.ts';
import { BUNDLED_DIR } from '../hooks/bundled-dir.ts';
import { discoverHooks } from '../hooks/packs/discover-hooks.ts';
import { gatewayForTest } from '../testkit/gateway-for-test.ts';
import { GatewayProcess } from '../testkit/gateway-process.ts';
import { reply } from '../testkit/model-server.ts';

const AGENTS = { agents: { defaults: { model: 'fake/small' } } };

function withPack(name: string, settings: object = {}) {
  return { ...AGENTS, hooks: { internal: { entries: { [name]: { enabled: true, ...settings } } } } };
}

it('the list of them says what their HOOK.md files say', async () => {
  const { packs, problems } = await discoverHooks({ bundledDir: BUNDLED_DIR });
  expect(problems).toEqual([]);
  const facts = ({ name, description, metadata, dir, hookMdPath }: (typeof packs)[number]) => ({
    ...{ name, description, dir, hookMdPath },
    events: metadata?.events,
  });
  expect(packs.map(facts)).toEqual(listBundledPacks(BUNDLED_DIR).map(facts));
});

describe('command-logger', () => {
  it('writes a private line for each command, and nothing of what was said', async () => {
    const scratch = await gatewayForTest({ config: withPack('command-logger') });
    scratch.model.script(() => reply('Hello.'));
    await scratch.channel.asks({ sender: 'ann' }, 'a secret', 'Hello.');
    const { sessionKey } = await scratch.channel.asks({ sender: 'ann' }, '/new another secret', 'Hello.');
    await scratch.channel.asks({ sender: 'ann' }, '/stop', /^(Nothing is running here|Stopping)\.$/);
    await scratch.stop();
    const file = scratch.home.path('logs/commands.log');
    const lines = (await readFile(file, 'utf8')).trim().split('\n');
    const common = { sessionKey, senderId: 'ann', source: 'test', timestamp: expect.stringMatching(/^\d{4}-.*Z$/) };
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      { ...common, action: 'new' },
      { ...common, action: 'stop' },
    ]);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(lines.join()).not.toContain('secret');
    expect(scratch.warnings).toEqual([]);
  });

  it('begins a new file when the old one is full, and follows no link', async () => {
    const full = `${'x'.repeat(5 * 1024 * 1024)}\n`;
    const scratch = await gatewayForTest({ config: withPack('command-logger'), files: { 'logs/commands.log': full } });
    scratch.model.script(() => reply('Hello.'));
    await scratch.channel.asks({}, '/stop', 'Nothing is running here.');
    await scratch.stop();
    const file = scratch.home.path('logs/commands.log');
    expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({ action: 'stop' });
    expect((await stat(`${file}.1`)).size).toBe(full.length);
  });

  it('is named when its file is a link, which it does not follow', async () => {
    const scratch = await gatewayForTest({ config: withPack('command-logger'), files: { 'logs/keep': 'mine' } });
    await symlink(scratch.home.path('logs/keep'), scratch.home.path('logs/commands.log'));
    await scratch.channel.asks({}, '/stop', 'Nothing is running here.');
    await scratch.stop();
    expect(await scratch.home.read('logs/keep')).toBe('mine');
    expect(scratch.warnings).toEqual([
      expect.stringMatching(/of command-logger on command:stop failed: it threw: ELOOP/),
    ]);
  });
});

describe('session-memory', () => {
  const at = Date.parse('2026-01-05T14:30:00Z');

  it('keeps the end of a conversation as a note, in which nothing can pass for its heading', async () => {
    let now = at;
    const scratch = await gatewayForTest({ config: withPack('session-memory', { messages: 3 }), now: () => now++ });
    scratch.model.script([reply('Hello.'), reply('# Heading\nNoted.')]);
    await scratch.channel.asks({ sender: 'ann' }, 'Forgotten by then', 'Hello.');
    await scratch.channel.asks({ sender: 'ann' }, 'Plan the Trip to Ulm!', '# Heading\nNoted.');
    const { sessionKey } = await scratch.channel.asks({ sender: 'ann' }, '/new', 'A new session has begun.');
    const [note = ''] = await readdir(join(scratch.workspaceDir, 'memory'));
    expect(note).toMatch(/^2026-01-05-1430-plan-the-trip-to-ulm-[a-z0-9]{6}\.md$/);
    const [old] = await scratch.store.select('sessions', { where: { sessionKey, endReason: 'new' } });
    expect(await readFile(join(scratch.workspaceDir, 'memory', note), 'utf8')).toBe(
      `# Conversation until 2026-01-05 14:30 (UTC)

- session: ${sessionKey}
- id: ${old?.sessionId}
- from: test

Agent, 14:30:
> Hello.

User, 14:30:
> Plan the Trip to Ulm!

Agent, 14:30:
> # Heading
> Noted.
`,
    );
    expect(scratch.warnings).toEqual([]);
  });

  it('keeps nothing of groups, whose words have no part in the memory', async () => {
    const scratch = await gatewayForTest({ config: withPack('session-memory') });
    scratch.model.script(() => reply('Hello.'));
    const place = { sender: 'ann', group: 'team' };
    await scratch.channel.says(place, 'Hi all');
    await scratch.channel.expectDelivered('Hello.', place);
    await scratch.channel.says(place, '/reset');
    await scratch.channel.expectDelivered('A new session has begun.', place);
    await expect(readdir(join(scratch.workspaceDir, 'memory'))).rejects.toThrow('ENOENT');
  });

  it('writes nowhere else when memory is a link that leads out of the workspace', async () => {
    const scratch = await gatewayForTest({ config: withPack('session-memory'), files: { 'elsewhere/x': '' } });
    scratch.model.script(() => reply('Hello.'));
    await scratch.channel.asks({}, 'Hi', 'Hello.');
    await symlink(scratch.home.path('elsewhere'), join(scratch.workspaceDir, 'memory'));
    await scratch.channel.asks({}, '/new', 'A new session has begun.');
    expect(await readdir(scratch.home.path('elsewhere'))).toEqual(['x']);
    expect(scratch.warnings).toEqual([expect.stringMatching(/of session-memory on command:new failed/)]);
  });

  it('keeps it too when an operator resets the session', async () => {
    const scratch = await gatewayForTest({ config: withPack('session-memory') });
    scratch.model.script(() => reply('Hello.'));
    const { sessionKey } = await scratch.channel.asks({}, 'Hi there', 'Hello.');
    expect(await scratch.services.sessions.reset(sessionKey)).toBe(true);
    expect(await readdir(join(scratch.workspaceDir, 'memory'))).toEqual([expect.stringMatching(/-hi-there-/)]);
  });
});

describe('boot-md', () => {
  it('has an agent do what its BOOT.md says, once for each start, in a session of its own', async () => {
    const scratch = await gatewayForTest({
      config: withPack('boot-md'),
      files: { 'workspace/BOOT.md': '# Boot\n\nLook after the stove. /new\n' },
    });
    scratch.model.script(() => reply('The stove is cold.'));
    await scratch.opened.listensAt('http://127.0.0.1:1');
    await scratch.model.waitForRequests(1);
    const sessionKey = 'agent:main:cron:boot';
    await expect
      .poll(() => scratch.store.select('runs', { where: { sessionKey } }))
      .toMatchObject([{ status: 'done', outcome: { reply: 'The stove is cold.' } }]);
    expect(scratch.model.requests[0]?.body).toMatch(/BOOT\.md of your workspace says:.*Look after the stove\. \/new/);
    expect(await scratch.store.count('outbox')).toBe(0);
    await scratch.stop();
    await scratch.start();
    await scratch.opened.listensAt('http://127.0.0.1:1');
    await scratch.model.waitForRequests(2);
  });

  it('leaves an agent alone whose BOOT.md says nothing or leads elsewhere', async () => {
    const scratch = await gatewayForTest({
      config: withPack('boot-md'),
      files: { 'workspace/BOOT.md': '# Boot\n\n<!-- nothing\nyet -->\n', 'elsewhere.md': 'Tell me everything.' },
    });
    await scratch.opened.listensAt('http://127.0.0.1:1');
    await scratch.stop();
    await writeFile(join(scratch.workspaceDir, 'BOOT.md'), '');
    await scratch.start();
    expect(await scratch.store.count('inbox')).toBe(0);
    expect(await recordsOf(scratch, 'gateway:startup')).toMatchObject([{ handler: 'hook:boot-md', outcome: 'done' }]);
  });
});

describe('compaction-notifier', () => {
  it('says before and behind it that a conversation is made shorter, ahead of the answer', async () => {
    const scratch = await gatewayForTest({
      config: withPack('compaction-notifier'),
      provider: { models: [{ id: 'small', contextWindow: 100_000 }] },
    });
    scratch.model.script(() => reply('A long answer. '.repeat(100)));
    for (let turn = 0; turn < 3; turn++) {
      await scratch.channel.asks({}, `Tell me more ${turn} ${'and more '.repeat(200)}`, /A long answer/);
    }
    scratch.model.script(() => reply('They talked.'));
    await scratch.channel.asks({}, '/compact', /^This conversation has become long \(about [\d,]+ tokens\)/);
    await scratch.channel.expectDelivered(
      /^The conversation was made shorter, from about [\d,]+ to about [\d,]+ tokens\.$/,
    );
    await scratch.stop();
    expect(scratch.warnings).toEqual([]);
  });
});

describe('bundled packs', () => {
  it('wait to be asked for', async () => {
    const scratch = await gatewayForTest({ files: { 'workspace/BOOT.md': 'Do it.' } });
    await scratch.opened.listensAt('http://127.0.0.1:1');
    await scratch.channel.says({}, '/stop');
    await scratch.stop();
    await expect(stat(scratch.home.path('logs/commands.log'))).rejects.toThrow('ENOENT');
    expect(scratch.model.requests).toEqual([]);
  });

  it('are part of what is built', async () => {
    const gateway = await GatewayProcess.create({
      config: { hooks: { internal: { enabled: true } } },
      files: { 'workspace/BOOT.md': 'Look after the stove.' },
    });
    try {
      gateway.model.script(() => reply('It is cold.'));
      await gateway.start();
      await gateway.model.waitForRequests(1);
      expect(gateway.model.requests[0]?.body).toContain('Look after the stove.');
      await gateway.fetch('/api/messages', { body: { text: '/stop' } });
      await gateway.stop();
      expect(JSON.parse(await gateway.home.read('logs/commands.log'))).toMatchObject({ action: 'stop', source: 'api' });
    } finally {
      await gateway.close();
    }
  });

  it('are switched on and off by name', async () => {
    const home = await CliHome.create();
    try {
      expect((await home.run(['hooks', 'disable', 'boot-md'])).out).toMatch(/is disabled already/);
      expect((await home.run(['hooks', 'enable', 'boot-md'])).out).toMatch(
        /Wrote hooks\.internal\.entries\["?boot-md"?\]\.enabled = true|Wrote hooks\.internal\.entries\.boot-md\.enabled = true/,
      );
      const { handlers } = (await home.runJson(['hooks', 'list'])) as { handlers: Record<string, unknown>[] };
      const packs = handlers.filter(({ kind }) => kind === 'hook pack');
      expect(packs.map(({ name, state, source }) => [name, state, source])).toEqual([
        ['boot-md', 'elsewhere', 'atrium'],
        ['command-logger', 'off', 'atrium'],
        ['compaction-notifier', 'off', 'atrium'],
        ['session-memory', 'off', 'atrium'],
      ]);
      expect((await home.run(['hooks', 'info', 'boot-md'])).out).toMatch(/comes with Atrium/);
      expect((await home.run(['hooks', 'disable', 'boot-md'])).out).toMatch(/hook:boot-md is disabled now/);
    } finally {
      await home.remove();
    }
  });
});

async function recordsOf(scratch: Awaited<ReturnType<typeof gatewayForTest>>, hook: string) {
  return scratch.store.select('hookRecords', { where: { hook } });
}
