import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { forAll } from '../../testkit/for-all.ts';
import { decideTool, matchesGlob } from './decide-tool.ts';
import { resolveToolPolicy, type ToolPolicyFacts } from './resolve-tool-policy.ts';

const policy = (facts: Partial<ToolPolicyFacts>) => resolveToolPolicy({ isOwner: true, ...facts });
const word = (name: string, facts: Partial<ToolPolicyFacts>, owner?: string) => {
  const { isOffered, rule } = decideTool({ name, owner }, policy(facts));
  return `${isOffered ? 'yes' : 'no'}: ${rule}`;
};

describe('the policy of a tool', () => {
  it('forbids nothing where nothing is said', () => {
    expect(policy({})).toEqual([]);
    expect(word('exec', {})).toBe('yes: no rule forbids it');
    expect(word('exec', { global: { place: 'tools', allow: [] } })).toBe('yes: no rule forbids it');
  });

  it('names the entry that decided, as it is written', () => {
    const global = { place: 'tools', profile: 'coding', deny: ['Group:Runtime', 'sessions_*', ' cron '] };
    expect(word('exec', { global })).toBe('no: tools.deny "Group:Runtime"');
    expect(word('sessions_send', { global })).toBe('no: tools.deny "sessions_*"');
    expect(word('cron', { global })).toBe('no: tools.deny " cron "');
    expect(word('message', { global })).toBe('no: not in tools.profile "coding"');
    expect(word('read', { global })).toBe('yes: tools.profile "coding"');
  });

  it('says which list widened a profile', () => {
    const global = { place: 'tools', profile: 'minimal', alsoAllow: ['group:fs'] };
    expect(word('edit', { global })).toBe('yes: tools.alsoAllow "group:fs"');
    expect(word('exec', { global })).toBe('no: not in tools.profile "minimal" and tools.alsoAllow');
    const agent = { place: 'agents.list[a].tools', alsoAllow: ['exec'] };
    expect(word('exec', { global, agent })).toBe('yes: agents.list[a].tools.alsoAllow "exec"');
    expect(word('edit', { global, agent })).toBe(
      'no: not in tools.profile "minimal" and agents.list[a].tools.alsoAllow',
    );
  });

  it('asks every step, and the first that refuses decides', () => {
    const global = { place: 'tools', allow: ['read', 'write'] };
    const globalProvider = { place: 'tools.byProvider["openai"]', deny: ['write'] };
    const agent = { place: 'agents.list[a].tools', allow: ['write'] };
    const facts = { global, globalProvider, agent };
    expect(word('write', facts)).toBe('no: tools.byProvider["openai"].deny "write"');
    expect(word('read', facts)).toBe('no: not in agents.list[a].tools.allow');
    expect(word('edit', facts)).toBe('no: not in tools.allow');
  });

  it('gives whoever may write the patch too, and takes neither for the other in a refusal', () => {
    expect(word('apply_patch', { global: { place: 'tools', allow: ['write'] } })).toBe('yes: tools.allow "write"');
    expect(word('apply_patch', { global: { place: 'tools', deny: ['write'] } })).toBe('yes: no rule forbids it');
    const spawn = ['sessions_spawn'];
    expect(word('sessions_wait', { global: { place: 'tools', allow: spawn } })).toBe(
      'yes: tools.allow "sessions_spawn"',
    );
    expect(word('sessions_wait', { global: { place: 'tools', deny: spawn } })).toBe('no: tools.deny "sessions_spawn"');
  });

  it('knows tools of others by their owner', () => {
    const allow = (...entries: string[]) => ({ global: { place: 'tools', allow: entries } });
    expect(word('files__read', allow('bundle-mcp'), 'bundle-mcp')).toBe('yes: tools.allow "bundle-mcp"');
    expect(word('files__read', allow('files__*'), 'bundle-mcp')).toBe('yes: tools.allow "files__*"');
    expect(word('files__read', allow('notes__*'), 'bundle-mcp')).toBe('no: not in tools.allow');
    expect(word('draw', allow('Painter'), 'painter')).toBe('yes: tools.allow "Painter"');
    expect(word('draw', allow('group:plugins'), 'painter')).toBe('yes: tools.allow "group:plugins"');
    expect(word('read', allow('group:plugins'))).toBe('no: not in tools.allow');
    expect(word('draw', { global: { place: 'tools', deny: ['painter'] } }, 'painter')).toBe('no: tools.deny "painter"');
  });

  it('lets nobody in who calls itself like a tool of the product', () => {
    const global = { place: 'tools', allow: ['group:fs'] };
    expect(word('steal', { global }, 'read')).toBe('no: not in tools.allow');
    expect(word('steal', { global: { place: 'tools', allow: ['group:plugins'] } }, 'read')).toContain('yes');
    expect(word('steal', { global: { place: 'tools', deny: ['read'] } }, 'read')).toContain('no');
  });

  it('keeps what changes the installation for the operator', () => {
    const global = { place: 'tools', allow: ['cron', 'read'] };
    expect(word('cron', { global })).toBe('yes: tools.allow "cron"');
    expect(word('cron', { global, isOwner: false })).toBe('no: only the operator has it, and jobs on a schedule');
    expect(word('read', { global, isOwner: false })).toBe('yes: tools.allow "read"');
  });

  it('gives subagents less, unless the operator lifts it by name', () => {
    const leaf = { depth: 1, maxSpawnDepth: 1 };
    const rule = 'no: subagents do not have it unless tools.subagents.tools.alsoAllow names it';
    expect(word('sessions_send', { subagent: leaf })).toBe(rule);
    expect(word('sessions_list', { subagent: leaf })).toBe(rule);
    expect(word('sessions_list', { subagent: { depth: 1, maxSpawnDepth: 2 } })).toBe('yes: no rule forbids it');
    const written = { alsoAllow: ['sessions_send'], deny: ['exec'] };
    expect(word('sessions_send', { subagent: { ...leaf, written } })).toBe('yes: no rule forbids it');
    expect(word('exec', { subagent: { ...leaf, written } })).toBe('no: tools.subagents.tools.deny "exec"');
    const narrowed = { ...leaf, written: { allow: ['read'] } };
    expect(word('write', { subagent: narrowed })).toBe('no: not in tools.subagents.tools.allow');
  });

  it('a refusal is never lifted by another step', () => {
    const name = fc.constantFrom('read', 'exec', 'cron', 'sessions_send', 'message', 'files__read');
    const list = fc.option(fc.array(fc.oneof(name, fc.constantFrom('*', 'group:fs', 'sessions_*', ''))), {
      nil: undefined,
    });
    const section = fc.record({ place: fc.constant('tools'), allow: list, alsoAllow: list, deny: list });
    forAll([name, section, section], (tool, global, agent) => {
      const isOffered = (facts: Partial<ToolPolicyFacts>) => decideTool({ name: tool }, policy(facts)).isOffered;
      expect(isOffered({ global, agent })).toBe(isOffered({ global }) && isOffered({ agent }));
      if (global.deny?.includes(tool)) expect(isOffered({ global, agent })).toBe(false);
    });
  });
});

describe('a glob', () => {
  it('takes what a regular expression of the same meaning takes', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '_', '.'), maxLength: 8 });
    const pattern = fc.string({ unit: fc.constantFrom('a', 'b', '_', '.', '*'), maxLength: 6 });
    forAll([pattern, text], (glob, name) => {
      const source = glob
        .split('*')
        .map((part) => part.replaceAll('.', '\\.'))
        .join('.*');
      expect(matchesGlob(glob, name)).toBe(new RegExp(`^${source}$`).test(name));
    });
  });
});
