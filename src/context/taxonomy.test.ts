import { describe, expect, it } from 'vitest';
import { bootstrapNames, canonicalFileName, OPENBOA_TAXONOMY, OPENCLAW_TAXONOMY, TAXONOMIES } from './taxonomy.ts';

describe('the openclaw set', () => {
  it('has its files in load order, two of them required and one dynamic', () => {
    expect(bootstrapNames(OPENCLAW_TAXONOMY)).toEqual([
      'AGENTS.md',
      'SOUL.md',
      'TOOLS.md',
      'IDENTITY.md',
      'USER.md',
      'HEARTBEAT.md',
      'BOOTSTRAP.md',
      'MEMORY.md',
    ]);
    expect(OPENCLAW_TAXONOMY.files.filter(({ required }) => required).map(({ name }) => name)).toEqual([
      'AGENTS.md',
      'TOOLS.md',
    ]);
    expect(OPENCLAW_TAXONOMY.files.filter(({ dynamic }) => dynamic).map(({ name }) => name)).toEqual(['HEARTBEAT.md']);
  });

  it('lets subagents read five, and keeps memory private', () => {
    expect(OPENCLAW_TAXONOMY.subagentFiles).toEqual(['AGENTS.md', 'SOUL.md', 'IDENTITY.md', 'USER.md', 'TOOLS.md']);
    expect(OPENCLAW_TAXONOMY.privateFiles).toEqual(['MEMORY.md', 'memory.md']);
  });
});

describe('the openboa set', () => {
  it('has its files in load order, five of them required', () => {
    expect(bootstrapNames(OPENBOA_TAXONOMY)).toEqual([
      'AGENT.md',
      'PROFILE.md',
      'MANDATE.md',
      'TOOLS.md',
      'IDENTITY.md',
      'BOOTSTRAP.md',
      'USER.md',
      'MEMORY.md',
    ]);
    expect(OPENBOA_TAXONOMY.files.filter(({ required }) => required)).toHaveLength(5);
    expect(OPENBOA_TAXONOMY.subagentFiles).toEqual(['AGENT.md', 'PROFILE.md', 'MANDATE.md', 'TOOLS.md', 'IDENTITY.md']);
  });
});

it.each(
  Object.values(TAXONOMIES),
)('explains every file of $id, and lets subagents read only files that it has', (set) => {
  for (const { role } of set.files) expect(role).toMatch(/^[A-Z].*\.$/);
  for (const name of set.subagentFiles) expect(bootstrapNames(set)).toContain(name);
  expect(set.folders).toEqual(['memory', '.learnings']);
});

it('knows the other set’s names for its own files, and leaves every other name alone', () => {
  expect(canonicalFileName(OPENBOA_TAXONOMY, 'AGENTS.md')).toBe('AGENT.md');
  expect(canonicalFileName(OPENBOA_TAXONOMY, 'SOUL.md')).toBe('PROFILE.md');
  expect(canonicalFileName(OPENCLAW_TAXONOMY, 'AGENTS.md')).toBe('AGENTS.md');
  for (const name of ['TOOLS.md', 'constructor', '__proto__', 'toString']) {
    expect(canonicalFileName(OPENBOA_TAXONOMY, name)).toBe(name);
  }
});
