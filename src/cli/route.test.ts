import { Command } from 'commander';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readEnvironment } from '../config/environment.ts';
import { ScratchHome } from '../testkit/scratch-home.ts';
import { addRouteExplain } from './route-explain.ts';

let home: ScratchHome;
beforeEach(async () => {
  home = await ScratchHome.create({
    'openclaw.yaml': `
agents: { list: [{ id: main }, { id: support }] }
bindings:
  - { agentId: support, match: { channel: discord, peer: { kind: channel, id: C042 } } }
`,
  });
});
afterEach(() => home.remove());

async function explain(...argv: readonly string[]): Promise<string> {
  let out = '';
  const program = new Command('atrium').exitOverride().configureOutput({ writeErr: () => {} });
  const io = {
    environment: readEnvironment({ HOME: home.home, TZ: 'UTC' }, () => home.home, home.home),
    out: (text: string) => {
      out += text;
    },
    err: () => {},
    now: () => new Date(0),
    linger: () => {},
    isTerminal: false,
    columns: 80,
  };
  addRouteExplain(program, io, () => {});
  for (const group of program.commands) {
    for (const command of [group, ...group.commands]) command.copyInheritedSettings(program);
  }
  await program.parseAsync(['route', 'explain', ...argv], { from: 'user' });
  return out;
}

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
      sessionKey: 'agent:support:discord:channel:c042:thread:t1',
      parentSessionKey: 'agent:support:discord:channel:c042',
    });
    expect(await explain(...flags)).toMatch(/^parent {3}agent:support:discord:channel:c042$/m);
    expect(await explain(...flags, '--account', 'bot2')).toMatch(/^agent {4}main$/m);
  });

  it('takes a peer whose id holds colons, and one of a kind by its older name', async () => {
    expect(await explain('--channel', 'matrix', '--peer', '@ana:example.org')).toContain('direct:@ana:example.org');
    expect(await explain('--channel', 'matrix', '--peer', 'dm:ana')).toContain('agent:main:matrix:direct:ana');
  });

  it('follows what the message asks for itself', async () => {
    expect(await explain('--channel', 'web', '--peer', 'ana', '--session', 'notes', '--agent', 'support')).toContain(
      'session  agent:support:notes\n',
    );
  });

  it('says what is wrong with a flag', async () => {
    await expect(explain('--channel', 'web', '--peer', 'group:')).rejects.toThrow('--peer "group:" is not a person');
    await expect(explain('--channel', ' ', '--peer', 'x')).rejects.toThrow(
      '--channel " " is not the name of a channel',
    );
    await expect(explain('--channel', 'web')).rejects.toThrow('--peer');
    await expect(explain('--channel', 'web', '--peer', 'x', '--agent', 'suport')).rejects.toThrow('Did you mean');
  });
});
