import { describe, expect, it } from 'vitest';
import { listAgentIds, resolveAgentConfig, resolveDefaultAgentId, withFixedAgents } from './agents.ts';
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
