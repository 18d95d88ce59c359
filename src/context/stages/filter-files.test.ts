import { mkdir, rm, symlink } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import type { AgentBootstrapHookContext } from '../../protocol/bootstrap-event.ts';
import { workspaceForEachTest } from '../../testkit/for-each-test.ts';
import type { ScratchSituation } from '../../testkit/scratch-workspace.ts';
import type { Composition } from '../compose.ts';
import { createRuleHandler } from '../handlers/rules/handler.ts';
import { filterBootstrapFilesForSession, SUBAGENT_BOOTSTRAP_ALLOWLIST } from './filter-files.ts';

const ALL = ['AGENTS', 'SOUL', 'TOOLS', 'IDENTITY', 'USER', 'HEARTBEAT', 'BOOTSTRAP', 'MEMORY'].map((n) => `${n}.md`);
const ALLOWED = ['AGENTS.md', 'SOUL.md', 'TOOLS.md', 'IDENTITY.md', 'USER.md'];
const SUBAGENT: ScratchSituation = { sessionKey: 'agent:main:subagent:1', sessionType: 'subagent' };
const CRON: ScratchSituation = { sessionKey: 'agent:main:cron:daily', sessionType: 'scheduled', trigger: 'cron' };
const GROUP: ScratchSituation = { sessionKey: 'agent:main:discord:group:1' };

const scratch = workspaceForEachTest(Object.fromEntries(ALL.map((name) => [name, `text of ${name}`])));

const names = ({ files }: Composition) => files.map(({ name }) => name);
const filtered = ({ report }: Composition, reason = 'filtered-session') =>
  report.absences.filter((absence) => absence.reason === reason).map(({ what }) => what);
const bring = (name: string, path: string, content = 'brought') =>
  scratch.on('brings', (context: AgentBootstrapHookContext) => {
    context.bootstrapFiles.push({ name, path, content, missing: false });
  });

describe('subagents and cron jobs', () => {
  it.each([
    ['a subagent', SUBAGENT],
    ['a subagent of no agent', { sessionKey: 'subagent:1' }],
    ['a subagent without a key', { sessionType: 'subagent' }],
    ['a subagent by its session id', { sessionId: 'agent:main:subagent:1' }],
    ['a cron job', CRON],
    ['a key in another case', { sessionKey: 'AGENT:main:SUBAGENT:1' }],
  ] as [string, ScratchSituation][])('read five files: %s', async (_, situation) => {
    const composition = await scratch.compose(situation);
    expect(names(composition)).toEqual(ALLOWED);
    expect(filtered(composition)).toContain('MEMORY.md');
    for (const name of ['MEMORY', 'HEARTBEAT', 'BOOTSTRAP'])
      expect(composition.prompt.text).not.toContain(`text of ${name}`);
  });

  it('do not show their handlers what they may not read', async () => {
    let seen: string[] = [];
    scratch.on('looks', ({ bootstrapFiles }) => {
      seen = bootstrapFiles.map(({ name }) => name);
    });
    await scratch.compose(SUBAGENT);
    expect(seen).toEqual(ALLOWED);
  });

  it('read what the operator says instead', async () => {
    const policy = { subagentFiles: ['AGENTS.md', 'MEMORY.md'] };
    expect(names(await scratch.compose({ ...SUBAGENT, policy }))).toEqual(['AGENTS.md', 'MEMORY.md']);
    expect(names(await scratch.compose({ ...CRON, policy: { subagentFiles: [] } }))).toEqual([]);
  });

  it('of a group read no file that the group must not read, whatever the operator lets subagents read', async () => {
    const policy = { subagentFiles: ['AGENTS.md', 'MEMORY.md'] };
    for (const helper of [SUBAGENT, CRON]) {
      const composition = await scratch.compose({ ...helper, isForSeveralPeople: true, policy });
      expect(names(composition)).toEqual(['AGENTS.md']);
      expect(filtered(composition, 'private-surface')).toEqual(['MEMORY.md']);
      expect(composition.prompt.text).not.toContain('text of MEMORY');
      const open = { ...policy, withholdOnSharedSurfaces: [] };
      expect(names(await scratch.compose({ ...helper, isForSeveralPeople: true, policy: open }))).toContain(
        'MEMORY.md',
      );
    }
  });

  it('read the openboa set in an openboa workspace', async () => {
    for (const name of ['AGENT.md', 'PROFILE.md', 'MANDATE.md']) await scratch.write(name, name);
    expect(names(await scratch.compose({ ...SUBAGENT, taxonomy: 'openboa' }))).toEqual([
      'AGENT.md',
      'PROFILE.md',
      'MANDATE.md',
      'TOOLS.md',
      'IDENTITY.md',
    ]);
  });
});

describe('all other sessions', () => {
  it.each([
    ['a main session', { sessionKey: 'agent:main:main' }],
    ['a direct message', { sessionKey: 'agent:main:discord:direct:1' }],
    ['no key at all', {}],
    ['a bare cron key', { sessionKey: 'cron:daily' }],
    ['a heartbeat', { sessionKey: 'agent:main:main:heartbeat', sessionType: 'scheduled', trigger: 'heartbeat' }],
  ] as [string, ScratchSituation][])('reads every file: %s', async (_, situation) => {
    const expected = situation.trigger === 'heartbeat' ? ALL.filter((name) => name !== 'BOOTSTRAP.md') : ALL;
    expect(names(await scratch.compose(situation))).toEqual(expected);
  });
});

describe('no handler can hand a subagent a file that it may not read', () => {
  const refused = async (name: string, path: string, situation = SUBAGENT) => {
    bring(name, path);
    const composition = await scratch.compose(situation);
    expect(composition.files.some(({ content }) => content === 'brought')).toBe(false);
    expect(composition.prompt.text).not.toContain('brought');
    expect(composition.report.absences).toContainEqual(expect.objectContaining({ what: name, text: 'brought' }));
  };

  it('by its name', () => refused('MEMORY.md', scratch.path('elsewhere.md')));
  it('by its name in another spelling', () => refused('memory.md', scratch.path('elsewhere.md')));
  it('by its path under an allowed name', () => refused('NOTES.md', scratch.path('MEMORY.md')));
  it('by a name that no list knows', () => refused('NOTES.md', scratch.path('NOTES.md')));

  it('by its path, however it is written', async () => {
    await scratch.write('sub/keep', '');
    const spellings = ['MEMORY.md', './MEMORY.md', 'sub/../MEMORY.md', `${scratch.workspaceDir}/./sub/../MEMORY.md`];
    await rm(scratch.path('AGENTS.md'));
    for (const path of spellings) {
      const undo = bring('AGENTS.md', path);
      const { prompt, report } = await scratch.compose(SUBAGENT);
      expect(prompt.text, path).not.toContain('brought');
      expect(report.absences).toContainEqual(expect.objectContaining({ reason: 'filtered-session', text: 'brought' }));
      undo();
    }
    bring('AGENTS.md', '~/workspace/MEMORY.md');
    expect((await scratch.compose(SUBAGENT)).prompt.text).not.toContain('brought');
  });

  it('by a nested file of that name', () => refused('AGENTS.md', scratch.path('sub/MEMORY.md')));

  it('through a link', async () => {
    await symlink('MEMORY.md', scratch.path('notes.md'));
    await refused('AGENTS.md', scratch.path('notes.md'));
  });

  it('through a link to the folder', async () => {
    await symlink('.', scratch.path('here'));
    await refused('AGENTS.md', scratch.path('here/MEMORY.md'));
  });

  it('by the place that the file’s own link leads to', async () => {
    await rm(scratch.path('MEMORY.md'));
    await scratch.write('notes/brain.md', 'memories');
    await symlink('notes/brain.md', scratch.path('MEMORY.md'));
    await refused('AGENTS.md', scratch.path('notes/brain.md'));
  });

  it('by renaming an entry that it was given', async () => {
    scratch.on('adds', ({ bootstrapFiles }) => {
      bootstrapFiles.push({
        name: 'HEARTBEAT.md',
        path: scratch.path('HEARTBEAT.md'),
        content: 'beat',
        missing: false,
      });
    });
    scratch.on('renames', ({ bootstrapFiles }) => {
      for (const file of bootstrapFiles) if (file.name === 'HEARTBEAT.md') file.name = 'TOOLS.md';
    });
    expect((await scratch.compose(SUBAGENT)).prompt.text).not.toContain('beat');
  });

  it('but text that it wrote itself under an allowed name is its own', async () => {
    scratch.on('writes', ({ bootstrapFiles: [agents] }) => {
      if (agents) agents.content = 'PASTED';
    });
    const composition = await scratch.compose(SUBAGENT);
    expect(composition.prompt.text).toContain('PASTED');
    expect(composition.report.spans.find(({ text }) => text.includes('PASTED'))?.origin).toMatchObject({
      kind: 'handler',
      id: 'writes',
    });
  });
});

describe('a workspace file that is a link', () => {
  it('is judged by where it leads: an allowed name for a withheld file', async () => {
    await rm(scratch.path('AGENTS.md'));
    await symlink('MEMORY.md', scratch.path('AGENTS.md'));
    const composition = await scratch.compose(SUBAGENT);
    expect(names(composition)).not.toContain('AGENTS.md');
    expect(composition.prompt.text).not.toContain('text of MEMORY.md');
  });

  it('does no harm to the file that it leads to', async () => {
    await rm(scratch.path('MEMORY.md'));
    await symlink('AGENTS.md', scratch.path('MEMORY.md'));
    expect(names(await scratch.compose(SUBAGENT))).toEqual(ALLOWED);
    expect(names(await scratch.compose(GROUP))).toContain('AGENTS.md');
  });
});

describe('groups and channels', () => {
  it.each([
    'agent:main:discord:group:1',
    'agent:main:slack:channel:c',
    'agent:main:slack:channel:c:thread:2',
  ])('do not get the memory: %s', async (sessionKey) => {
    const composition = await scratch.compose({ sessionKey });
    expect(names(composition)).toEqual(ALL.filter((name) => name !== 'MEMORY.md'));
    expect(filtered(composition, 'private-surface')).toEqual(['MEMORY.md']);
    expect(composition.prompt.text).not.toContain('text of MEMORY.md');
  });

  it('do not get it under its other spelling, nor from a handler, by name, path or link', async () => {
    await scratch.write('memory.md', 'text of small memory');
    await symlink('MEMORY.md', scratch.path('notes.md'));
    const brought: [string, string][] = [
      ['MEMORY.md', scratch.path('other.md')],
      ['Memory.md', scratch.path('other.md')],
      ['NOTES.md', scratch.path('MEMORY.md')],
      ['NOTES.md', scratch.path('sub/memory.md')],
      ['NOTES.md', scratch.path('notes.md')],
    ];
    for (const [name, path] of brought) {
      const undo = bring(name, path);
      const { prompt } = await scratch.compose(GROUP);
      expect(prompt.text, `${name} at ${path}`).not.toMatch(/brought|memory/i);
      undo();
    }
  });

  it('do not get the file that the memory’s link leads to', async () => {
    await rm(scratch.path('MEMORY.md'));
    await scratch.write('notes/brain.md', 'memories');
    await symlink('notes/brain.md', scratch.path('MEMORY.md'));
    bring('NOTES.md', scratch.path('notes/brain.md'));
    expect((await scratch.compose(GROUP)).prompt.text).not.toContain('brought');
  });

  it('do not get the memory through another file that is a link to the same place', async () => {
    await scratch.write('notes/brain.md', 'private memories');
    for (const name of ['MEMORY.md', 'SOUL.md']) {
      await rm(scratch.path(name));
      await symlink('notes/brain.md', scratch.path(name));
    }
    expect((await scratch.compose(GROUP)).prompt.text).not.toContain('private memories');
  });

  it('get other files that a handler brings', async () => {
    bring('NOTES.md', scratch.path('NOTES.md'));
    expect((await scratch.compose(GROUP)).prompt.text).toContain('brought');
  });

  it('are kept from what the operator says, and from that only', async () => {
    const policy = { withholdOnSharedSurfaces: ['USER.md', 'soul.md'] };
    const composition = await scratch.compose({ ...GROUP, policy });
    expect(filtered(composition, 'private-surface')).toEqual(['SOUL.md', 'USER.md']);
    expect(names(composition)).toContain('MEMORY.md');
    const open = await scratch.compose({ ...GROUP, policy: { withholdOnSharedSurfaces: [] } });
    expect(names(open)).toEqual(ALL);
  });
});

it('says what was kept away, with its text, so that a line of it can be asked for', async () => {
  const { report } = await scratch.compose(SUBAGENT);
  expect(report.absences).toContainEqual({
    what: 'MEMORY.md',
    path: scratch.path('MEMORY.md'),
    reason: 'filtered-session',
    detail: 'subagent sessions read only AGENTS.md, SOUL.md, IDENTITY.md, USER.md, TOOLS.md',
    text: 'text of MEMORY.md',
  });
});

it('says nothing of files that are not there', async () => {
  await Promise.all(ALL.map((name) => rm(scratch.path(name))));
  await mkdir(scratch.path('sub'));
  expect(filtered(await scratch.compose(SUBAGENT))).toEqual([]);
});

describe('the filter by name alone', () => {
  const files = [...ALL, 'memory.md'].map((name) => ({ name, path: `/w/${name}`, content: name, missing: false }));
  const kept = (key?: string) => filterBootstrapFilesForSession(files, key).map(({ name }) => name);

  it('lets subagents and cron jobs have five files, all other sessions all files', () => {
    for (const key of ['agent:main:subagent:1', 'subagent:x', 'agent:main:cron:x']) expect(kept(key)).toEqual(ALLOWED);
    for (const key of [undefined, 'agent:main:main', 'cron:x', 'agent:main:main:subagent:1'])
      expect(kept(key)).toHaveLength(9);
    expect([...SUBAGENT_BOOTSTRAP_ALLOWLIST].sort()).toEqual([...ALLOWED].sort());
  });

  it('gives a new list and takes another allowlist', () => {
    expect(filterBootstrapFilesForSession(files)).not.toBe(files);
    expect(filterBootstrapFilesForSession(files, 'subagent:x', new Set(['TOOLS.md']))).toHaveLength(1);
  });
});

describe('text that a bundled handler carries in', () => {
  const secret = 'text of MEMORY.md';

  it.each([
    ['subagents', SUBAGENT],
    ['cron jobs', CRON],
    ['groups', GROUP],
  ])('is judged by the file it stands in: not for %s', async (_, situation) => {
    await symlink(scratch.path('MEMORY.md'), scratch.path('notes.md'));
    const rule = { id: 'r', file: 'AGENTS.md', mode: 'append' as const, when: {}, from: [scratch.path('notes.md')] };
    scratch.register('rule:r', createRuleHandler({ rule, variables: {}, roots: [scratch.workspaceDir] }));
    const composition = await scratch.compose(situation);
    expect(composition.prompt.text).not.toContain(secret);
    expect(composition.files.find(({ name }) => name === 'AGENTS.md')?.content).toBe('text of AGENTS.md');
    expect(composition.report.absences).toContainEqual(
      expect.objectContaining({ what: 'text in AGENTS.md', path: scratch.path('MEMORY.md'), text: secret }),
    );
  });

  it('stays where the file itself may be read', async () => {
    await symlink(scratch.path('MEMORY.md'), scratch.path('notes.md'));
    const rule = { id: 'r', file: 'AGENTS.md', mode: 'append' as const, when: {}, from: [scratch.path('notes.md')] };
    scratch.register('rule:r', createRuleHandler({ rule, variables: {}, roots: [scratch.workspaceDir] }));
    const { files } = await scratch.compose();
    expect(files.find(({ name }) => name === 'AGENTS.md')?.content).toContain(secret);
  });
});

it('takes the session id for the key when the key is blank', async () => {
  const composition = await scratch.compose({ sessionKey: '', sessionId: 'agent:main:discord:group:1' });
  expect(composition.prompt.text).not.toContain('text of MEMORY.md');
});
