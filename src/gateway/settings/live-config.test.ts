import { expect, it } from 'vitest';
import { listAgentIds, resolveDefaultAgentId } from '../../config/agents.ts';
import { formatConfigPath } from '../../config/config-path.ts';
import type { Config } from '../../config/schema.ts';
import { LiveConfig, listWaitingSettings } from './live-config.ts';

/** As people write it; with the place at the start where that was another one. */
const waiting = (before: Config, after: Config) =>
  listWaitingSettings(before, after).map(({ atStart, now }) =>
    [...new Set([atStart, now].map(formatConfigPath))].join(', now '),
  );

const of = (...list: NonNullable<NonNullable<Config['agents']>['list']>): Config => ({ agents: { list } });

it('takes up an agent that was added, and lets it go again', () => {
  const live = new LiveConfig({ agents: { defaults: { model: 'a/b' } } });
  const { config } = live;
  const added = { agents: { defaults: { model: 'a/b' }, list: [{ id: 'main' }, { id: 'ops' }] } };
  expect(live.apply(added)).toBe(true);
  expect(listAgentIds(config)).toEqual(['main', 'ops']);
  expect(resolveDefaultAgentId(config)).toBe('main');
  expect(config.agents?.defaults).toEqual({ model: 'a/b' });
  expect(live.apply(added)).toBe(false);
  expect(live.apply({})).toBe(true);
  expect(listAgentIds(config)).toEqual(['main']);
});

it('takes up what is changed about an agent, and lets one go that is not there any more', () => {
  const live = new LiveConfig(of({ id: 'a' }, { id: 'b' }));
  live.apply(of({ id: 'a', model: 'x/y', tools: { deny: ['exec'] } }));
  expect(live.config.agents?.list).toEqual([{ id: 'a', model: 'x/y', tools: { deny: ['exec'] } }]);
});

it('keeps the folders of the agents of the start, and the default agent', () => {
  const live = new LiveConfig(of({ id: 'a', workspace: '/a' }, { id: 'b' }));
  const changed = of({ id: 'c', default: true }, { id: 'a', workspace: '/elsewhere', name: 'Ada' });
  live.apply(changed);
  expect(live.config.agents?.list).toEqual([{ id: 'a', workspace: '/a', name: 'Ada', default: true }, { id: 'c' }]);
  expect(waiting(of({ id: 'a', workspace: '/a' }, { id: 'b' }), changed)).toEqual([
    'agents.list[0].workspace, now agents.list[1].workspace',
    'agents.list[0].default',
  ]);
});

it('does the same with agents by name, which stay where they are written', () => {
  const start: Config = {
    agents: { defaults: { systemAgent: { agentId: 'a' } }, entries: { b: {}, a: { workspace: '/a' } } },
  };
  const live = new LiveConfig(start);
  const changed: Config = {
    agents: {
      defaults: { systemAgent: { agentId: 'c' } },
      entries: { c: {}, a: { workspace: '/elsewhere', name: 'Ada' } },
    },
  };
  expect(live.apply(changed)).toBe(true);
  expect(live.config.agents?.entries).toEqual({ a: { workspace: '/a', name: 'Ada', default: true }, c: {} });
  expect([listAgentIds(live.config), resolveDefaultAgentId(live.config)]).toEqual([['a', 'c'], 'a']);
  expect(waiting(start, changed)).toEqual(['agents.entries.a.workspace', 'agents.defaults.systemAgent']);
});

it('takes up a setting, and keeps the one beside it that waits for the next start', () => {
  const start: Config = { session: { idleMinutes: 5, mainKey: 'home' }, gateway: { port: 1, drainSeconds: 3 } };
  const live = new LiveConfig(start);
  const changed: Config = { session: { idleMinutes: 9 }, gateway: { port: 2, drainSeconds: 4 }, logging: {} };
  live.apply(changed);
  expect(live.config.session).toEqual({ idleMinutes: 9, mainKey: 'home' });
  expect(live.config.gateway).toEqual({ port: 1, drainSeconds: 4 });
  expect(live.config.logging).toBeUndefined();
  expect(waiting(start, changed)).toEqual(['session.mainKey']);
});

it('forgets a section that is gone', () => {
  const live = new LiveConfig({ tools: { deny: ['exec'], web: { fetch: { enabled: false } } }, models: {} });
  live.apply({});
  expect(live.config.tools).toEqual({ web: { fetch: { enabled: false } } });
  expect(live.config.models).toBeUndefined();
});

it.each([
  ['one more', of({ id: 'a' }), of({ id: 'a' }, { id: 'b' }), []],
  ['one more beside the unwritten one', {}, of({ id: 'main' }, { id: 'b' }), []],
  ['one with another model', of({ id: 'a' }), of({ id: 'a', model: 'x/y' }), []],
  ['one that is gone', of({ id: 'a' }, { id: 'b' }), of({ id: 'a' }), []],
  ['one that moved', of({ id: 'a' }), of({ id: 'a', workspace: '/x' }), ['agents.list[0].workspace']],
  ['another default', of({ id: 'a' }), of({ id: 'a' }, { id: 'b', default: true }), ['agents.list[1].default']],
  [
    'one that is not the default any more',
    of({ id: 'a', default: true }, { id: 'b' }),
    of({ id: 'a', default: false }, { id: 'b', default: true }),
    ['agents.list[0].default', 'agents.list[1].default'],
  ],
  ['another order', of({ id: 'a' }, { id: 'b' }), of({ id: 'b' }, { id: 'a' }), ['agents.list[0].id']],
  ['none any more', of({ id: 'a' }), {}, ['agents.list[0].id']],
])('says what waits when agents are changed: %s', (_, start, changed, expected) => {
  expect(waiting(start, changed)).toEqual(expected);
});
