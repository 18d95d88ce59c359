import { describe, expect, it } from 'vitest';
import {
  agentPathOf,
  agentPlaceOf,
  listAgentIds,
  resolveAgentConfig,
  resolveDefaultAgentId,
  withAgents,
  withFixedAgents,
} from './agents.ts';
import type { Config } from './schema.ts';

describe('the agents of a configuration', () => {
  it('are found by any spelling of their id, and the first of two with the same id counts', () => {
    const cfg: Config = {
      agents: {
        list: [
          { id: 'Coder', name: 'first' },
          { id: 'coder', name: 'second' },
        ],
      },
    };
    expect(resolveAgentConfig(cfg, ' CODER ')?.name).toBe('first');
    expect(listAgentIds(cfg)).toEqual(['coder']);
    expect(resolveAgentConfig(cfg, 'main')).toBeUndefined();
  });

  it('are read again when a program has changed its configuration', () => {
    const list: { id: string; default?: boolean }[] = [{ id: 'one' }];
    const cfg: Config = { agents: { list } };
    expect([listAgentIds(cfg), resolveDefaultAgentId(cfg)]).toEqual([['one'], 'one']);
    const two: (typeof list)[number] = { id: 'two' };
    list.push(two);
    expect(listAgentIds(cfg)).toEqual(['one', 'two']);
    two.default = true;
    expect(resolveDefaultAgentId(cfg)).toBe('two');
    two.id = 'three';
    expect(resolveAgentConfig(cfg, 'three')).toBe(two);
    expect(resolveAgentConfig(cfg, 'two')).toBeUndefined();
    list[0] = { id: 'four' };
    expect(listAgentIds(cfg)).toEqual(['four', 'three']);
  });

  it('are those that make sense, in a configuration that was never checked', () => {
    const cfg = { agents: { list: [null, 'words', { id: 7 }, { id: 'real' }] } } as unknown as Config;
    expect(listAgentIds(cfg)).toEqual(['main', 'real']);
    expect(listAgentIds({ agents: { list: 'none' } } as unknown as Config)).toEqual(['main']);
    expect(resolveDefaultAgentId({})).toBe('main');
  });
});

it('sees a change of a list that a program made itself, and gives out one that cannot change', () => {
  const list = [{ id: 'one' }, { id: 'two', default: true }];
  const config = { agents: { list } };
  expect(resolveDefaultAgentId(config)).toBe('two');
  const fixed = withFixedAgents(config);
  list[0] = { id: 'three' };
  expect(listAgentIds(config)).toEqual(['three', 'two']);
  expect(listAgentIds(fixed)).toEqual(['one', 'two']);
  expect(() => (fixed.agents?.list ?? []).push({ id: 'four' })).toThrow(TypeError);
  expect(withFixedAgents({})).toEqual({});
});

describe('agents by name, as newer homes of OpenClaw have them', () => {
  const config: Config = {
    agents: { defaults: { systemAgent: { agentId: 'home' } }, entries: { work: { name: 'Work' }, Home: {} } },
  };

  it('are agents like those of the list, and one of them is the default one', () => {
    expect(listAgentIds(config)).toEqual(['work', 'home']);
    expect(resolveAgentConfig(config, 'work')).toEqual({ id: 'work', name: 'Work' });
    expect(resolveDefaultAgentId(config)).toBe('home');
    expect(resolveDefaultAgentId({ agents: { entries: { other: {}, main: {} } } })).toBe('main');
    expect(resolveDefaultAgentId({ agents: { entries: { other: {} } } })).toBe('other');
    expect(resolveDefaultAgentId({ agents: { entries: { a: {}, b: { default: true } } } })).toBe('b');
  });

  it('are named by where they are written', () => {
    expect(agentPathOf(config, 'HOME')).toEqual(['agents', 'entries', 'Home']);
    expect(agentPathOf(config, 'nobody')).toBeUndefined();
    expect(agentPlaceOf(config, 'home')).toBe('agents.entries.Home');
    const both: Config = { agents: { list: [{ id: 'a' }], entries: { b: {} } } };
    expect([agentPathOf(both, 'a'), agentPathOf(both, 'b')]).toEqual([
      ['agents', 'list', 0],
      ['agents', 'entries', 'b'],
    ]);
    expect(agentPlaceOf(both, 'a')).toBe('agents.list[a]');
  });

  it('stay in their form when they are changed or fixed', () => {
    const changed = withAgents(config, [{ id: 'home', name: 'Casa' }, { id: 'new' }]);
    expect(changed.agents).toMatchObject({ list: undefined, entries: { Home: { name: 'Casa' }, new: {} } });
    expect(listAgentIds(changed)).toEqual(['home', 'new']);
    const both: Config = { agents: { list: [{ id: 'a' }], entries: { b: {} } } };
    const mixed = withAgents(both, [{ id: 'b', name: 'B' }, { id: 'c' }]);
    expect(mixed.agents).toEqual({ list: [{ id: 'c' }], entries: { b: { name: 'B' } } });
    const fixed = withFixedAgents(config);
    expect(resolveAgentConfig(fixed, 'work')).toBe(resolveAgentConfig(fixed, 'work'));
    expect(listAgentIds(fixed)).toEqual(['work', 'home']);
  });

  it('are read again when a program has changed one', () => {
    const entries: Record<string, { name?: string }> = { one: {} };
    const own: Config = { agents: { entries } };
    expect(listAgentIds(own)).toEqual(['one']);
    entries.one = { name: 'Uno' };
    entries.two = {};
    expect([listAgentIds(own), resolveAgentConfig(own, 'one')?.name]).toEqual([['one', 'two'], 'Uno']);
  });
});
