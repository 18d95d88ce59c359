import { expect, it } from 'vitest';
import { listAgentIds, resolveDefaultAgentId } from '../config/agents.ts';
import type { Config } from '../config/schema.ts';
import { isOnlyAddition, LiveAgents } from './live-agents.ts';

const of = (...list: NonNullable<NonNullable<Config['agents']>['list']>): Config => ({ agents: { list } });

it('takes up an agent that was added, and lets it go again', () => {
  const live = new LiveAgents({ agents: { defaults: { model: 'a/b' } } });
  const { config } = live;
  expect(live.apply(of({ id: 'main' }, { id: 'ops' }))).toBe(true);
  expect(listAgentIds(config)).toEqual(['main', 'ops']);
  expect(resolveDefaultAgentId(config)).toBe('main');
  expect(config.agents?.defaults).toEqual({ model: 'a/b' });
  expect(live.apply(of({ id: 'main' }, { id: 'ops' }))).toBe(false);
  expect(live.apply({})).toBe(true);
  expect(listAgentIds(config)).toEqual(['main']);
});

it('keeps the agents of the start as they were, whatever is written about them', () => {
  const live = new LiveAgents(of({ id: 'a', workspace: '/a' }, { id: 'b' }));
  live.apply(of({ id: 'c', default: true }, { id: 'a', workspace: '/elsewhere' }));
  expect(live.config.agents?.list).toEqual([{ id: 'a', workspace: '/a' }, { id: 'b' }, { id: 'c', default: true }]);
});

it.each([
  ['one more', of({ id: 'a' }), of({ id: 'a' }, { id: 'b' }), true],
  ['one more beside the unwritten one', {}, of({ id: 'main' }, { id: 'b' }), true],
  ['one that was changed', of({ id: 'a' }), of({ id: 'a', workspace: '/x' }, { id: 'b' }), false],
  ['one that is gone', of({ id: 'a' }, { id: 'b' }), of({ id: 'a' }), false],
  ['another default', of({ id: 'a' }), of({ id: 'a' }, { id: 'b', default: true }), false],
])('says whether agents were only added: %s', (_, start, changed, expected) => {
  expect(isOnlyAddition(start, changed)).toBe(expected);
});
