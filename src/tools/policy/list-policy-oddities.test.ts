import { describe, expect, it } from 'vitest';
import { listPolicyOddities } from './list-policy-oddities.ts';

const known = { tools: [{ name: 'read' }, { name: 'draw', owner: 'painter' }], owners: ['weather'] };

describe('slips in lists of tools', () => {
  it('are told with what was probably meant, in refusals too', () => {
    const sections = [
      { place: 'tools', allow: ['reed', 'grup:fs'], profile: 'codng' },
      { place: 'agents.list[a].tools', deny: ['exce', 'zzzzzzzz_*'] },
    ];
    expect(listPolicyOddities(sections, known)).toEqual([
      'tools.profile "codng" is no profile, so it forbids nothing. Did you mean "coding"?',
      'tools.allow names "reed", which is no tool here. Did you mean "read"?',
      'tools.allow names "grup:fs", which is no tool here. Did you mean "group:fs"?',
      'agents.list[a].tools.deny names "exce", which is no tool here. Did you mean "exec"?',
      'agents.list[a].tools.deny names "zzzzzzzz_*", which is no tool here.',
    ]);
  });

  it('are not names that OpenClaw has, nor those of plugins and servers', () => {
    const allow = [
      'browser',
      'BASH',
      'group:ui',
      'sessions_*',
      '*',
      'painter',
      'weather',
      'bundle-mcp',
      'files__read',
      '',
    ];
    expect(listPolicyOddities([{ place: 'tools', allow }], known)).toEqual([]);
  });

  it('are an empty list, which allows everything', () => {
    expect(listPolicyOddities([{ place: 'tools', allow: [] }], known)).toEqual([
      'tools.allow is empty, which forbids nothing. To offer no tools, write "*" into tools.deny.',
    ]);
    expect(listPolicyOddities([{ place: 'tools', allow: [], alsoAllow: ['read'] }], known)).toEqual([]);
  });
});
