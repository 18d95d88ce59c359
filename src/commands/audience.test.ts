import { describe, expect, it } from 'vitest';
import type { Peer } from '../protocol/inbound.ts';
import { type Audience, refusalOf } from './audience.ts';

const PEOPLE = { approvers: ['discord:boss'], owners: ['discord:own'], allowFrom: {} };

describe('who may use a command', () => {
  it.each([
    ['the operator on the page', sent('web', 'direct', 'tab'), true, true],
    ['the operator in a terminal', sent('cli', 'direct', 'local'), true, true],
    ['a client of the API', sent('api', 'direct', 'anybody'), true, true],
    ['a person alone with the agent', sent('discord', 'direct', 'ana'), true, false],
    ['a person in a group', sent('discord', 'group', 'ana'), false, false],
    ['an approver in a group', sent('discord', 'group', 'boss'), true, true],
    ['an approver in a channel', sent('discord', 'channel', 'boss'), true, true],
    ['an owner alone with the agent', sent('discord', 'direct', 'OWN'), true, true],
    ['an owner in a group', sent('discord', 'group', 'own'), false, false],
    ['a namesake of an owner', sent('slack', 'direct', 'own'), true, false],
    ['a namesake on another platform', sent('slack', 'group', 'boss'), false, false],
  ])('%s', (_, inbound, isAnswerer, isApprover) => {
    const may = (who: Audience) => refusalOf({ name: 'x', who }, inbound, PEOPLE) === undefined;
    expect([may('anyone'), may('answerers'), may('approvers')]).toEqual([true, isAnswerer, isApprover]);
  });

  it('is said to a person who may not', () => {
    const eve = sent('discord', 'group', 'eve');
    expect(refusalOf({ name: 'secret', who: 'approvers' }, eve, PEOPLE)).toBe(
      'You may not use /secret here. Only the operator and those named in approvals.approvers may.',
    );
    expect(refusalOf({ name: 'approve', who: 'answerers' }, eve, PEOPLE)).toBe(
      'You may not answer approvals here. In a group or channel only people that the operator named in approvals.approvers may.',
    );
  });
});

describe('commands.allowFrom', () => {
  const may = (inbound: ReturnType<typeof sent>, allowFrom: Record<string, readonly (string | number)[]>) =>
    refusalOf({ name: 'new', who: 'anyone' }, inbound, { approvers: [], owners: ['telegram:boss'], allowFrom }) ===
    undefined;
  const ana = sent('discord', 'direct', 'ana');
  const number = sent('telegram', 'group', '4711');

  it('names who may use commands on a channel, by id, with the channel before it, or as a number', () => {
    expect(may(ana, { discord: ['Ana'] })).toBe(true);
    expect(may(ana, { discord: ['discord:ana'] })).toBe(true);
    expect(may(number, { telegram: [4711] })).toBe(true);
    expect(may(ana, { discord: ['eve'] })).toBe(false);
    expect(may(ana, { discord: [] })).toBe(false);
    expect(may(ana, { discord: ['*'] })).toBe(true);
  });

  it('has a list for the other channels, which the own list of a channel replaces', () => {
    expect(may(ana, { '*': ['eve'] })).toBe(false);
    expect(may(ana, { '*': ['eve'], discord: ['ana'] })).toBe(true);
    expect(may(ana, { '*': ['ana'], discord: ['eve'] })).toBe(false);
    expect(may(ana, { telegram: ['eve'] })).toBe(true);
    expect(may(sent('constructor', 'direct', 'ana'), {})).toBe(true);
  });

  it('never keeps out who has the token', () => {
    for (const channel of ['web', 'cli', 'api'])
      expect(may(sent(channel, 'direct', 'any'), { '*': ['eve'] })).toBe(true);
    expect(may(sent('telegram', 'direct', 'boss'), { '*': ['eve'] })).toBe(true);
    expect(may(sent('telegram', 'group', 'boss'), { '*': ['eve'] })).toBe(false);
  });
});

function sent(channel: string, kind: Peer['kind'], sender: string) {
  return { surface: { channel, accountId: 'default', peer: { kind, id: 'place' } }, sender: { id: sender } };
}
