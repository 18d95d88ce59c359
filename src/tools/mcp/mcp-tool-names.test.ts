import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyString } from '../../testkit/any-string.ts';
import { forAll } from '../../testkit/for-all.ts';
import { mcpToolNames } from './mcp-tool-names.ts';

const named = (...tools: readonly (readonly [string, string])[]) =>
  mcpToolNames(tools.map(([server, tool]) => ({ server, tool })));

describe('the names of MCP tools', () => {
  it('are the server and the tool, in letters that every provider takes', () => {
    expect(named(['files', 'read_file'], ['my notes', 'search.all'], ['n', '書く'])).toEqual([
      'files__read_file',
      'my_notes__search_all',
      'n___',
    ]);
  });

  it('get a suffix where two would be alike, whichever comes first', () => {
    const [first, second] = named(['files', 'a.b'], ['files', 'a b']);
    expect(first).toMatch(/^files__a_b_[0-9a-f]{8}$/);
    expect(second).toMatch(/^files__a_b_[0-9a-f]{8}$/);
    expect(named(['files', 'a b'], ['files', 'a.b'])).toEqual([second, first]);
    expect(named(['a', 'b__c'], ['a__b', 'c']).every((name) => /^a__b__c_[0-9a-f]{8}$/.test(name ?? ''))).toBe(true);
  });

  it('are unlike in every spelling, since models write names in several', () => {
    const names = named(['files', 'Read'], ['files', 'read']);
    expect(new Set(names.map((name) => name?.toLowerCase())).size).toBe(2);
  });

  it('that are too long are cut and keep a part that is theirs alone', () => {
    const [first, second] = named(['files', `${'x'.repeat(80)}1`], ['files', `${'x'.repeat(80)}2`]);
    expect(first).toHaveLength(64);
    expect(first).not.toBe(second);
  });

  it('are safe and unique for whatever servers call their tools', () => {
    const tool = fc.tuple(anyString({ maxLength: 80 }), anyString({ maxLength: 80 }));
    forAll([fc.uniqueArray(tool, { selector: (each) => JSON.stringify(each) })], 30, (tools) => {
      const names = named(...tools);
      for (const name of names) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
      expect(new Set(names.map((name) => name?.toLowerCase())).size).toBe(tools.length);
    });
  });
});
