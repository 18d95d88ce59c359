import { describe, expect, it } from 'vitest';
import { rulesFor } from './access.ts';
import type { TelegramAccount } from './account.ts';
import { accountFor } from './fixtures/telegram-rig.ts';
import { surfaceOf } from './surface.ts';

const account = (settings: Partial<TelegramAccount>) =>
  accountFor({ apiRoot: '' }, { token: '1:x' }, { allowFrom: ['tg:5', 'telegram:6', ' 7 '], ...settings });

const rules = (
  settings: Partial<TelegramAccount>,
  type: 'private' | 'supergroup' | 'channel',
  id = 5,
  topic?: number,
) => rulesFor(account(settings), { surface: surfaceOf('default', { id, type }, topic), sender: { id: '5' } });

describe('the rules of a direct chat', () => {
  it('are those of the account, with plain ids', () => {
    expect(rules({ dmPolicy: 'pairing' }, 'private')).toEqual({
      kind: 'direct',
      policy: 'pairing',
      allowFrom: { entries: ['5', '6', '7'], matchesNames: false },
      setting: 'channels.telegram.dmPolicy',
    });
  });

  it('may be the own ones of the chat, and of a topic in it', () => {
    const direct = {
      '5': {
        dmPolicy: 'allowlist' as const,
        allowFrom: ['9'],
        topics: { '3': { enabled: false }, '4': { allowFrom: ['8'] } },
      },
    };
    expect(rules({ direct }, 'private')).toMatchObject({
      policy: 'allowlist',
      allowFrom: { entries: ['9'] },
      setting: 'channels.telegram.direct.5',
    });
    expect(rules({ direct }, 'private', 5, 3)).toMatchObject({ policy: 'disabled' });
    expect(rules({ direct }, 'private', 5, 4)).toMatchObject({ allowFrom: { entries: ['8'] } });
    expect(rules({ direct: { '5': { enabled: false } } }, 'private')).toMatchObject({ policy: 'disabled' });
  });
});

describe('the rules of a group', () => {
  it('shut every group that the settings do not name', () => {
    expect(rules({ groupPolicy: 'allowlist' }, 'supergroup')).toMatchObject({ policy: 'allowlist', isListed: false });
    expect(rules({ groupPolicy: 'allowlist', groups: { '5': {} } }, 'supergroup')).toMatchObject({ isListed: true });
    expect(rules({ groupPolicy: 'allowlist', groups: { '*': {} } }, 'supergroup')).toMatchObject({ isListed: true });
    expect(rules({ groupPolicy: 'open' }, 'supergroup')).toMatchObject({ policy: 'open' });
    expect(rules({ groupPolicy: 'open', groups: { '6': {} } }, 'supergroup')).toMatchObject({
      policy: 'allowlist',
      isListed: false,
    });
  });

  it('need a mention, unless the topic, the group or the settings for all say otherwise', () => {
    const groups = {
      '*': { requireMention: false },
      '5': {
        requireMention: true,
        topics: { '1': { requireMention: false }, '7': {}, '*': { requireMention: false } },
      },
      '6': {},
    };
    const needs = (id: number, topic?: number) => {
      const found = rules({ groups }, 'supergroup', id, topic);
      return found.kind === 'shared' && found.requireMention;
    };
    expect(rules({}, 'supergroup')).toMatchObject({ requireMention: true });
    expect([needs(5), needs(5, 7), needs(5, 8), needs(6), needs(9)]).toEqual([false, true, false, false, false]);
  });

  it('name the people of the topic, the group or the account; a channel speaks for itself', () => {
    const groups = { '5': { allowFrom: ['11'], topics: { '7': { allowFrom: ['12'] } } }, '6': {} };
    const settings = { groupPolicy: 'allowlist' as const, groups };
    const people = (given: Partial<TelegramAccount>, id: number, topic?: number) =>
      rules({ ...settings, ...given }, 'supergroup', id, topic).allowFrom?.entries;
    expect(people({}, 5)).toEqual(['11']);
    expect(people({}, 5, 7)).toEqual(['12']);
    expect(people({}, 6)).toEqual(['5', '6', '7']);
    expect(people({ groupAllowFrom: ['*'] }, 6)).toEqual(['*']);
    expect(people({ groupPolicy: 'open' }, 6)).toBeUndefined();
    expect(rules(settings, 'channel', 6).allowFrom).toBeUndefined();
    expect(rules(settings, 'supergroup', 5)).toMatchObject({ peopleSetting: 'channels.telegram.groups.5.allowFrom' });
    // A group without people is shut, and the refusal names the setting.
    expect(rules({ ...settings, allowFrom: [] }, 'supergroup', 6)).toMatchObject({
      allowFrom: { entries: [] },
      peopleSetting: 'channels.telegram.groupAllowFrom',
    });
  });

  it('are shut for a group or a topic that is switched off', () => {
    const groups = { '5': { enabled: false }, '6': { topics: { '7': { enabled: false } } } };
    expect(rules({ groups }, 'supergroup', 5)).toMatchObject({ policy: 'disabled', isListed: false });
    expect(rules({ groups }, 'supergroup', 6, 7)).toMatchObject({ policy: 'disabled', isListed: false });
    expect(rules({ groups }, 'supergroup', 6)).toMatchObject({ isListed: true });
  });
});
