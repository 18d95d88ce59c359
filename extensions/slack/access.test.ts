import { describe, expect, it } from 'vitest';
import { FakeSlack } from '../../src/testkit/slack/fake-slack.ts';
import { rulesFor } from './access.ts';
import type { SlackAccount } from './account.ts';
import { accountFor, surfaceIn } from './fixtures/slack-rig.ts';

const slack = new FakeSlack();
const rules = (settings: Partial<SlackAccount>, kind: 'direct' | 'group' | 'channel', name?: string) =>
  rulesFor(accountFor(slack, settings), { surface: surfaceIn({ kind, id: 'X1' }) }, name);

describe('who may talk on Slack', () => {
  it('is paired in direct messages, and needs a listed channel and a mention elsewhere', () => {
    expect(rules({}, 'direct')).toMatchObject({
      kind: 'direct',
      policy: 'pairing',
      setting: 'channels.slack.dmPolicy',
    });
    expect(rules({}, 'channel')).toMatchObject({
      kind: 'shared',
      policy: 'allowlist',
      isListed: false,
      requireMention: true,
    });
  });

  it('is said by the settings of the channel, and of all others', () => {
    const channels = { X1: { isEnabled: true, requireMention: false, users: ['U1'] }, '*': { isEnabled: true } };
    expect(rules({ channels }, 'channel')).toMatchObject({
      isListed: true,
      requireMention: false,
      allowFrom: { entries: ['U1'], matchesNames: false },
    });
    expect(rules({ channels: { '*': { isEnabled: true } } }, 'channel')).toMatchObject({ isListed: true });
    expect(rules({ channels: { C9: { isEnabled: true } } }, 'channel')).toMatchObject({ isListed: false });
    expect(rules({ channels: {}, groupAllowFrom: ['U2'] }, 'channel')).toMatchObject({
      isListed: true,
      allowFrom: { entries: ['U2'] },
    });
    expect(rules({ channels: { C9: { isEnabled: true } }, groupAllowFrom: ['U2'] }, 'channel')).toMatchObject({
      isListed: false,
    });
  });

  it('is no person in a channel that is switched off, also where every channel is open', () => {
    const off = { groupPolicy: 'open', channels: { X1: { isEnabled: false } } } as const;
    expect(rules(off, 'channel')).toMatchObject({ policy: 'disabled', setting: 'channels.slack.channels.X1' });
  });

  it('is found by the name of a channel only where the operator allowed names', () => {
    const channels = { '#ops': { isEnabled: true } };
    expect(rules({ channels }, 'channel', 'ops')).toMatchObject({ isListed: false });
    expect(rules({ channels, matchesNames: true }, 'channel', 'ops')).toMatchObject({ isListed: true });
    expect(rules({ channels: {} }, 'channel', 'constructor')).toMatchObject({ isListed: false });
  });

  it('is no person in group direct messages unless they are switched on, and then in those that are named', () => {
    expect(rules({ groupDirects: { isEnabled: false } }, 'group')).toMatchObject({ policy: 'disabled' });
    expect(rules({ groupDirects: { isEnabled: true } }, 'group')).toMatchObject({ isListed: true });
    expect(rules({ groupDirects: { isEnabled: true, only: ['G9'] } }, 'group')).toMatchObject({ isListed: false });
  });
});
