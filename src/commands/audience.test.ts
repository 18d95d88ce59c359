import { describe, expect, it } from 'vitest';
import type { Peer } from '../protocol/inbound.ts';
import { type Audience, refusalOf } from './audience.ts';

const APPROVERS = ['discord:boss'];

describe('who may use a command', () => {
  it.each([
    ['the operator on the page', sent('web', 'direct', 'tab'), true, true],
    ['the operator in a terminal', sent('cli', 'direct', 'local'), true, true],
    ['a client of the API', sent('api', 'direct', 'anybody'), true, true],
    ['a person alone with the agent', sent('discord', 'direct', 'ana'), true, false],
    ['a person in a group', sent('discord', 'group', 'ana'), false, false],
    ['an approver in a group', sent('discord', 'group', 'boss'), true, true],
    ['an approver in a channel', sent('discord', 'channel', 'boss'), true, true],
    ['a namesake on another platform', sent('slack', 'group', 'boss'), false, false],
  ])('%s', (_, inbound, isAnswerer, isApprover) => {
    const may = (who: Audience) => refusalOf({ name: 'x', who }, inbound, APPROVERS) === undefined;
    expect([may('anyone'), may('answerers'), may('approvers')]).toEqual([true, isAnswerer, isApprover]);
  });

  it('is said to a person who may not', () => {
    const eve = sent('discord', 'group', 'eve');
    expect(refusalOf({ name: 'secret', who: 'approvers' }, eve, APPROVERS)).toBe(
      'You may not use /secret here. Only the operator and those named in approvals.approvers may.',
    );
    expect(refusalOf({ name: 'approve', who: 'answerers' }, eve, APPROVERS)).toBe(
      'You may not answer approvals here. In a group or channel only people that the operator named in approvals.approvers may.',
    );
  });
});

function sent(channel: string, kind: Peer['kind'], sender: string) {
  return { surface: { channel, accountId: 'default', peer: { kind, id: 'place' } }, sender: { id: sender } };
}
