import { describe, expect, it } from 'vitest';
import { resolveContextInjectionMode } from './context-injection.ts';
import type { Config } from './schema.ts';

const mode = (defaults: string | undefined, own: string | undefined, agentId?: string) => {
  return resolveContextInjectionMode(
    { agents: { defaults: { contextInjection: defaults }, list: [{ id: 'a', contextInjection: own }] } } as Config,
    agentId,
  );
};

describe('the context injection mode', () => {
  it('is always unless something is set', () => {
    expect(resolveContextInjectionMode(undefined)).toBe('always');
    expect(resolveContextInjectionMode({}, 'a')).toBe('always');
  });

  it("is the agent's own when it is a known one, else the shared one", () => {
    expect(mode('never', 'continuation-skip', 'a')).toBe('continuation-skip');
    expect(mode('never', 'bogus', 'a')).toBe('never');
    expect(mode('never', 'always', 'b')).toBe('never');
    expect(mode('never', 'always')).toBe('never');
  });

  it('passes an unknown shared word on', () => {
    expect(mode('bogus', undefined)).toBe('bogus');
  });
});
