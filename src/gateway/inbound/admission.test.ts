// Who may talk to the agent, in a whole gateway: the platform hands over every message, and only those of people who
// may talk reach the agent.

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Access, AccessRules, DirectRules, SharedRules } from '../../channels/access.ts';
import { gatewayForTest } from '../../testkit/gateway-for-test.ts';
import { reply, toolCall } from '../../testkit/model-server.ts';
import type { ScratchGateway, ScratchGatewaySettings } from '../../testkit/scratch-gateway.ts';

const HOUR_MS = 3_600_000;

interface TestRules {
  readonly direct?: Partial<DirectRules> | undefined;
  readonly shared?: Partial<SharedRules> | undefined;
}

function rulesOf({ direct = {}, shared = {} }: TestRules): Access['rulesFor'] {
  return ({ surface }): AccessRules =>
    surface.peer.kind === 'direct'
      ? { kind: 'direct', policy: 'pairing', allowFrom: people(), setting: 'channels.test.dmPolicy', ...direct }
      : {
          kind: 'shared',
          policy: 'allowlist',
          isListed: true,
          requireMention: true,
          setting: 'channels.test.groupPolicy',
          ...shared,
        };
}

function people(...entries: readonly string[]) {
  return { entries, matchesNames: false };
}

function platform(rules: TestRules, more: ScratchGatewaySettings = {}): Promise<ScratchGateway> {
  return gatewayForTest({ ...more, channel: { can: 'everything', access: rulesOf(rules), ...more.channel } });
}

async function expectNothingKept({ store, model, home }: ScratchGateway, words: string): Promise<void> {
  expect(model.requests).toEqual([]);
  for (const table of ['inbox', 'sessions', 'transcript', 'runs', 'hookRecords', 'attachments'] as const) {
    expect(await store.select(table)).toEqual([]);
  }
  expect(JSON.stringify(await store.select('outbox'))).not.toContain(words);
  expect(JSON.stringify(await store.select('pairings'))).not.toContain(words);
  const files = await readdir(home.home, { recursive: true, withFileTypes: true });
  for (const file of files.filter((each) => each.isFile())) {
    // The gateway may replace a file at any moment.
    const text = await readFile(join(file.parentPath, file.name), 'latin1').catch(() => '');
    expect(text).not.toContain(words);
  }
}

const CODE = /Your code: ([A-HJ-NP-Z2-9]{8})\n/;

describe('an unknown person who writes a direct message', () => {
  it('gets a code, and nothing of the message reaches a model, a hook, a file or the log', async () => {
    const seen: unknown[] = [];
    const scratch = await platform(
      {},
      {
        register: (hooks) => {
          for (const hook of ['inbound_claim', 'message_received', 'message_sending', 'before_dispatch'] as const) {
            hooks.register({ hook, id: 'spy', owner: 'spy', handler: (event: unknown) => void seen.push(event) });
          }
        },
      },
    );
    const bytes = new TextEncoder().encode('the cellar key, as a file');
    const said = await scratch.channel.says({ sender: 'mallory' }, 'the cellar key, please', {
      files: [{ name: 'note.txt', bytes }],
    });
    expect(said).toEqual({ outcome: 'refused', runId: '', sessionKey: '' });
    const told = await scratch.channel.expectDelivered(CODE, { sender: 'mallory' });
    expect(told.text).toContain('atrium pairing approve test');
    const [asked] = await scratch.store.select('pairings');
    expect(asked).toMatchObject({
      senderId: 'mallory',
      status: 'waiting',
      code: CODE.exec(told.text)?.[1],
      timesTold: 1,
    });
    expect(asked?.expiresAt).toBe((asked?.requestedAt ?? 0) + HOUR_MS);
    await expectNothingKept(scratch, 'cellar key');
    expect(JSON.stringify(seen)).not.toContain('cellar key');
    expect(scratch.warnings.join()).not.toContain('cellar key');
  });

  it('is told the same code at most three times an hour, and after that hour another one', async () => {
    let now = Date.now();
    const scratch = await platform({}, { now: () => now });
    const { channel } = scratch;
    const codes: (string | undefined)[] = [];
    for (let count = 1; count <= 3; count++) {
      await channel.says({ sender: 'mallory' }, `hello ${count}`);
      codes.push(CODE.exec((await channel.expectDelivered(CODE)).text)?.[1]);
    }
    expect(new Set(codes).size).toBe(1);
    for (let count = 1; count <= 5; count++) await channel.says({ sender: 'mallory' }, 'hello?');
    channel.expectNothingMore();
    now += HOUR_MS + 1;
    await channel.says({ sender: 'mallory' }, 'hello again');
    expect(CODE.exec((await channel.expectDelivered(CODE)).text)?.[1]).not.toBe(codes[0]);
    expect(await scratch.store.count('pairings')).toBe(1);
  });

  it('is told nothing twice when the platform hands the same event over again, at once or after a restart', async () => {
    const scratch = await platform({});
    const again = () => scratch.channel.says({ sender: 'mallory' }, 'hello', { eventId: 'e1', messageId: 'm1' });
    await Promise.all([again(), again(), again()]);
    await scratch.channel.expectDelivered(CODE);
    await scratch.stop();
    await scratch.start();
    expect(await again()).toMatchObject({ outcome: 'refused' });
    expect(await scratch.store.select('pairings')).toMatchObject([{ timesTold: 1 }]);
    scratch.channel.expectNothingMore();
  });

  it('cannot fill the store, the platform or the log, however many people ask however often', async () => {
    const scratch = await platform({});
    for (let round = 0; round < 4; round++) {
      for (let person = 0; person < 300; person++) {
        await scratch.channel.says({ sender: `mallory-${person}` }, 'let me in');
      }
    }
    for (let count = 0; count < 9; count++) await scratch.channel.expectDelivered(CODE);
    scratch.channel.expectNothingMore();
    expect(await scratch.store.count('pairings')).toBe(3);
    expect(await scratch.store.count('outbox')).toBe(9);
    expect(await scratch.store.count('inbox')).toBe(0);
    expect(scratch.warnings.filter((line) => line.includes('not let through'))).toHaveLength(50);
    expect(scratch.warnings.at(-1)).toContain('Further ones are only counted');
  });

  it('leaves room for others on another account, and when the time of a request is over', async () => {
    let now = Date.now();
    const scratch = await platform({}, { now: () => now, channel: { accounts: ['one', 'two'] } });
    for (const sender of ['a', 'b', 'c', 'd']) await scratch.channel.says({ sender }, 'hi');
    await scratch.channel.says({ sender: 'd', account: 'two' }, 'hi');
    expect(await scratch.store.count('pairings')).toBe(4);
    now += HOUR_MS + 1;
    await scratch.channel.says({ sender: 'd' }, 'hi');
    expect(await scratch.store.count('pairings', { accountId: 'one' })).toBe(1);
  });

  it('presses no button, uses no command, edits nothing and reacts to nothing', async () => {
    const scratch = await platform({ direct: { allowFrom: people('ann') }, shared: { allowFrom: people('ann') } });
    const { channel, model } = scratch;
    model.script([toolCall('exec', { command: 'touch x | cat' }), reply('Done.')]);
    await channel.says({ sender: 'ann', group: 'g' }, 'make x', { wasMentioned: true, messageId: 'm1' });
    const question = await channel.expectDelivered(/Approval needed/, { group: 'g' });
    for (const { label } of question.buttons ?? []) {
      expect(await channel.presses(question.messageId, label, { sender: 'mallory' })).toMatchObject({
        outcome: 'refused',
      });
    }
    const [approval] = await scratch.store.select('approvals');
    for (const text of [`/approve ${approval?.id} allow-once`, '/stop', '/new']) {
      expect(await channel.says({ sender: 'mallory', group: 'g' }, text, { wasMentioned: true })).toMatchObject({
        outcome: 'refused',
      });
    }
    expect(await channel.editsMessage('m1', 'make y', { sender: 'mallory' })).toEqual({ outcome: 'ignored' });
    expect(await channel.reactsTo('m1', '👍', { sender: 'mallory' })).toEqual({ outcome: 'ignored' });
    expect(await channel.deletesMessage('m1', { sender: 'mallory' })).toEqual({ outcome: 'ignored' });
    expect(await scratch.store.select('approvals')).toMatchObject([{ status: 'waiting' }]);
    expect(await scratch.store.count('inbox')).toBe(1);
  });
});

describe('a direct message', () => {
  it('of a person who may not talk is logged once for each reason, and never with its words', async () => {
    const scratch = await platform({ direct: { policy: 'allowlist' } });
    for (let count = 0; count < 20; count++) await scratch.channel.says({ sender: 'mallory' }, `secret ${count}`);
    expect(scratch.warnings.filter((line) => line.includes('mallory'))).toEqual([
      'test: "mallory" was not let through to the agent: channels.test.dmPolicy is "allowlist", and the list of people does not contain them.',
    ]);
    expect(scratch.warnings.join()).not.toContain('secret');
  });

  it('of a channel whose settings cannot be read reaches no agent', async () => {
    const scratch = await gatewayForTest({
      channel: {
        can: ['access'],
        access: () => {
          throw new Error('broken');
        },
      },
    });
    expect(await scratch.channel.says({ sender: 'ann' }, 'hi')).toMatchObject({ outcome: 'refused' });
  });

  it('of a channel without rules is the operator’s', async () => {
    const scratch = await gatewayForTest();
    scratch.model.script([reply('Hello.')]);
    await scratch.channel.asks({ sender: 'ann' }, 'hi', 'Hello.');
  });
});

describe('a message in a group', () => {
  const place = { sender: 'ann', group: 'g' };

  it('that does not speak to the agent is not answered, and is no cause for a line in the log', async () => {
    const scratch = await platform({});
    scratch.model.script([reply('Hello.')]);
    expect(await scratch.channel.says(place, 'hi')).toMatchObject({ outcome: 'refused' });
    await scratch.channel.says(place, 'hi, agent', { wasMentioned: true });
    await scratch.channel.expectDelivered('Hello.', place);
    expect(scratch.model.requests).toHaveLength(1);
    expect(scratch.warnings.filter((line) => line.includes('not let through'))).toEqual([]);
  });

  it('never makes a pairing, and a paired person is not thereby allowed in it', async () => {
    const scratch = await platform({ shared: { allowFrom: people('bob') } });
    await scratch.channel.says({ sender: 'ann' }, 'hi');
    const code = CODE.exec((await scratch.channel.expectDelivered(CODE)).text)?.[1] ?? '';
    await scratch.services.pairings.approve({ channel: 'test', code, by: 'cli' });
    expect(await scratch.channel.says(place, 'hi', { wasMentioned: true })).toMatchObject({ outcome: 'refused' });
    expect(await scratch.store.count('pairings')).toBe(1);
  });
});

describe('a group of people', () => {
  const accessGroups = {
    friends: {
      type: 'message.senders',
      members: { test: ['ann'], other: ['bob'], '*': ['carl', 'accessGroup:all', '*'] },
    },
    dynamic: { type: 'discord.channelAudience', guildId: '1' },
  };
  it('lets its members through, and no other person', async () => {
    const direct = { policy: 'allowlist', allowFrom: people('accessGroup:friends') } as const;
    const scratch = await platform({ direct }, { config: { accessGroups } });
    scratch.model.script([reply('Hello.')]);
    expect(await scratch.channel.says({ sender: 'mallory' }, 'hi')).toMatchObject({ outcome: 'refused' });
    await scratch.channel.asks({ sender: 'ann' }, 'hi', 'Hello.');
  });

  it('that does not exist is named in the status', async () => {
    const scratch = await platform(
      {},
      { config: { accessGroups, channels: { test: { allowFrom: ['accessGroup:nobody', 'accessGroup:dynamic'] } } } },
    );
    const { warnings } = await scratch.services.status();
    expect(warnings.join()).toContain('accessGroups has no group "nobody"');
    expect(warnings.join()).toContain('The group "dynamic" of accessGroups is not of the type "message.senders"');
  });
});

it('a message of a group speaks to the agent by a name that the operator wrote down', async () => {
  const scratch = await platform(
    { shared: { allowFrom: people('*') } },
    {
      config: {
        messages: { groupChat: { mentionPatterns: ['\\bclawd\\b', '(?=unreadable)'] } },
        agents: { entries: { main: {}, ops: { groupChat: { mentionPatterns: ['\\bops\\b'] } } } },
        bindings: [{ agentId: 'ops', match: { channel: 'test', peer: { kind: 'group', id: 'ops-room' } } }],
      },
    },
  );
  scratch.model.script([reply('Here.'), reply('Here.')]);
  const says = async (group: string, text: string) =>
    (await scratch.channel.says({ sender: 'ann', group }, text)).outcome;
  expect(await says('g', 'good morning, all')).toBe('refused');
  expect(await says('g', 'declawding is bad')).toBe('refused');
  expect(await says('g', 'Hey CLAWD, are you there?')).toBe('accepted');
  expect(await says('ops-room', 'clawd?')).toBe('refused');
  expect(await says('ops-room', 'ops, the disk is full')).toBe('accepted');
});
