import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { childRow } from '../gateway/services/fixtures/child-row.ts';
import { surfaceId } from '../protocol/inbound.ts';
import { openSqliteStore } from '../store/sqlite/open-sqlite-store.ts';
import { CliHome } from './fixtures/cli-home.ts';

let home: CliHome;
beforeEach(async () => {
  home = await CliHome.create({
    'openclaw.yaml': `
agents: { list: [{ id: main }, { id: support }] }
bindings:
  - { agentId: support, match: { channel: discord, peer: { kind: channel, id: C042 } } }
`,
  });
});
afterEach(() => home.remove());

const run = (...argv: readonly string[]) => home.run(['route', 'explain', ...argv]);
const explain = async (...argv: readonly string[]) => (await run(...argv)).out;

describe('atrium route explain', () => {
  it('prints the session, the agent and what decided', async () => {
    expect(await explain('--channel', 'discord', '--peer', '42')).toBe(
      `session  agent:main:discord:direct:42
agent    main

- No binding names the direct 42 on discord.
- No binding names the account default of discord.
- No binding names every account of discord.
- So the default agent main answers.
- session.dmScope is "per-channel-peer", so every sender has a session of their own on each channel.
`,
    );
  });

  it('knows places, threads and accounts', async () => {
    const flags = ['--channel', 'discord', '--peer', 'channel:C042', '--thread', 'T1'];
    expect(JSON.parse(await explain(...flags, '--json'))).toMatchObject({
      agentId: 'support',
      sessionKey: 'agent:support:discord:channel:t1',
      parentSessionKey: 'agent:support:discord:channel:c042',
    });
    expect(await explain(...flags)).toMatch(/^parent {3}agent:support:discord:channel:c042$/m);
    expect(await explain(...flags, '--account', 'bot2')).toMatch(/^agent {4}main$/m);
  });

  it('knows that a thread was opened for a subagent, as long as its session exists', async () => {
    const surface = {
      channel: 'slack',
      accountId: 'default',
      peer: { kind: 'channel', id: 'C042' },
      threadId: 'T1',
    } as const;
    const childKey = 'agent:support:subagent:1';
    const about = { childKey, agentId: 'support', parentKey: 'agent:main:slack:channel:c042' };
    const row = childRow({ ...about, boundTo: surface, boundId: surfaceId(surface) });
    await mkdir(join(home.stateDir, 'atrium'), { recursive: true });
    const store = await openSqliteStore({ file: join(home.stateDir, 'atrium', 'atrium.db') });
    await store.commit([{ insert: 'children', row }], { site: 'spawn' });
    await store.close();
    const flags = ['--channel', 'slack', '--peer', 'channel:C042', '--json'];
    expect(JSON.parse(await explain(...flags, '--thread', 'T1'))).toMatchObject({
      sessionKey: childKey,
      rules: [expect.stringContaining('was opened for a child')],
    });
    expect(JSON.parse(await explain(...flags, '--thread', 'T2'))).toMatchObject({
      sessionKey: 'agent:main:slack:channel:c042:thread:t2',
    });
  });

  it('takes a peer whose id holds colons, and one of a kind by its older name', async () => {
    expect(await explain('--channel', 'matrix', '--peer', '@ana:example.org')).toContain('direct:@ana:example.org');
    expect(await explain('--channel', 'matrix', '--peer', 'dm:ana')).toContain('agent:main:matrix:direct:ana');
  });

  it('names a channel that nobody knows here, with the one that was probably meant, and explains it all the same', async () => {
    const { code, out, err } = await run('--channel', 'discrod', '--peer', '42');
    expect(err).toBe(
      'warning: No channel here is called "discrod", unless a plugin brings it. Did you mean "discord"?\n',
    );
    expect([code, out]).toEqual([0, expect.stringContaining('agent:main:discrod:direct:42')]);
    expect((await run('--channel', 'nosuch', '--peer', '42')).err).toContain('Known here: web, cli, api, ');
    expect((await run('--channel', 'discord', '--peer', '42')).err).toBe('');
  });

  it('follows what the message asks for itself', async () => {
    expect(await explain('--channel', 'web', '--peer', 'ana', '--session', 'notes', '--agent', 'support')).toContain(
      'session  agent:support:notes\n',
    );
  });

  it.each([
    [['--channel', 'web', '--peer', 'group:'], '--peer "group:" is not a person'],
    [['--channel', ' ', '--peer', 'x'], '--channel " " is not the name of a channel'],
    [['--channel', 'web'], '--peer'],
    [['--channel', 'web', '--peer', 'x', '--agent', 'suport'], 'Did you mean'],
  ])('says what is wrong with %j', async (argv, sentence) => {
    const { code, err } = await run(...argv);
    expect(err).toContain(sentence);
    expect(code).toBe(2);
  });
});
