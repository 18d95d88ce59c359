import { describe, expect, it } from 'vitest';
import type { Peer } from '../../protocol/inbound.ts';
import { type Answerer, answererName, mayAllowAlways, mayAnswer, maySee } from './may-answer.ts';

const APPROVERS = ['discord:boss'];
const here = { sessionKey: 'agent:main:here' };
const elsewhere = { sessionKey: 'agent:main:elsewhere' };

describe('who may answer', () => {
  it.each([
    ['the operator on the page', who('web', 'direct', 'tab'), true, true, true],
    ['the operator in a terminal', who('cli', 'direct', 'local'), true, true, true],
    ['a client of the API', who('api', 'direct', 'anybody'), true, true, true],
    ['somebody alone with the agent', who('discord', 'direct', 'ana'), true, false, false],
    ['somebody in a group', who('discord', 'group', 'ana'), false, false, false],
    ['an approver in a group', who('discord', 'group', 'boss'), true, true, false],
    ['an approver in a channel', who('discord', 'channel', 'boss'), true, true, false],
    ['a namesake on another platform', who('slack', 'group', 'boss'), false, false, false],
  ])('%s', (_, answerer, isAllowed, always, seesAll) => {
    expect(mayAnswer(answerer, APPROVERS)).toBe(isAllowed);
    expect(mayAllowAlways(answerer, APPROVERS)).toBe(always);
    expect(maySee(answerer, here)).toBe(true);
    expect(maySee(answerer, elsewhere)).toBe(seesAll);
  });

  it('is written down: the operator by the surface, others by name', () => {
    expect(answererName(who('web', 'direct', 'tab'))).toBe('web');
    expect(answererName(who('discord', 'group', 'boss'))).toBe('discord:boss');
  });
});

function who(channel: string, kind: Peer['kind'], sender: string): Answerer {
  const surface = { channel, accountId: 'default', peer: { kind, id: 'place' } };
  return { ...here, inbound: { surface, sender: { id: sender } } };
}
