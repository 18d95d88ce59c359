import { describe, expect, it } from 'vitest';
import type { AgentBootstrapHookContext } from '../../protocol/bootstrap-event.ts';
import type { Stability } from '../../protocol/handler.ts';
import { workspaceForEachTest } from '../../testkit/for-each-test.ts';
import { BootstrapFileHelper } from '../bootstrap-file-helper.ts';
import type { Composition } from '../compose.ts';
import { titleOf } from './lift-layers.ts';

const scratch = workspaceForEachTest({ 'AGENTS.md': 'agents', 'TOOLS.md': 'tools' });

type Edit = (helper: BootstrapFileHelper, context: AgentBootstrapHookContext) => void;
const edits = (id: string, stability: Stability | undefined, edit: Edit, priority?: number) =>
  scratch.on(id, (context) => edit(new BootstrapFileHelper(context), context), { stability, priority });
const stable = ({ prompt }: Composition) => prompt.text.slice(0, prompt.cacheBoundary);
const changing = ({ prompt }: Composition) => prompt.text.slice(prompt.cacheBoundary);
const layers = ({ report }: Composition) => report.layers.map(({ title, stability }) => `${stability} ${title}`);

describe('text that changes by session or run', () => {
  it.each([
    'session',
    'run',
  ] as const)('is lifted below the boundary when it was appended whole: %s', async (stability) => {
    edits('clock', stability, (helper) => helper.appendToFile('AGENTS.md', 'it is late'));
    const composition = await scratch.compose();
    expect(stable(composition)).toContain('\n## AGENTS.md\n\nagents\n');
    expect(stable(composition)).not.toContain('---');
    expect(changing(composition)).toContain('\n## AGENTS.md (clock)\n\nit is late\n');
    expect(changing(composition)).not.toContain('---');
    expect(layers(composition)).toContain(`${stability} AGENTS.md (clock)`);
  });

  it('is lifted when it was prepended whole', async () => {
    edits('clock', 'run', (helper) => helper.prependToFile('AGENTS.md', 'it is late'));
    const composition = await scratch.compose();
    expect(stable(composition)).toContain('\n## AGENTS.md\n\nagents\n');
    expect(changing(composition)).toContain('\n\nit is late\n');
  });

  it('leaves the stable part as it would be without it, byte for byte', async () => {
    const without = await scratch.compose();
    edits('clock', 'run', (helper) => helper.appendToFile('AGENTS.md', 'it is late'));
    edits('name', 'session', (helper) => helper.prependToFile('TOOLS.md', 'hello Ana'));
    const composition = await scratch.compose();
    expect(stable(composition)).toBe(stable(without));
    expect(composition.report.prompt.stable.hash).toBe(without.report.prompt.stable.hash);
  });

  it('is lifted from between what others wrote', async () => {
    edits('a', undefined, (helper) => helper.appendToFile('AGENTS.md', 'first'), 1);
    edits('b', 'run', (helper) => helper.appendToFile('AGENTS.md', 'second'), 2);
    edits('c', undefined, (helper) => helper.appendToFile('AGENTS.md', 'third'), 3);
    const composition = await scratch.compose();
    expect(stable(composition)).toContain('agents\n\n---\n\nfirst\n\n---\n\nthird\n');
    expect(changing(composition)).toContain('second');
  });

  it('stays in order when several are lifted: session before run, each in calling order', async () => {
    edits('r1', 'run', (helper) => helper.appendToFile('AGENTS.md', 'R1'), 1);
    edits('s1', 'session', (helper) => helper.appendToFile('AGENTS.md', 'S1'), 2);
    edits('r2', 'run', (helper) => helper.appendToFile('TOOLS.md', 'R2'), 3);
    const composition = await scratch.compose();
    expect(composition.prompt.blocks.map(({ id }) => id)).toEqual(['static', 'session', 'run']);
    expect(changing(composition).match(/[RS][12]/g)).toEqual(['S1', 'R1', 'R2']);
  });

  it('takes a whole file along that is nothing else', async () => {
    edits('adds', 'session', (helper) => helper.addFile('TODAY.md', 'today'));
    edits('provides', 'run', (helper) => helper.replaceFileContent('SOUL.md', 'moody'));
    const composition = await scratch.compose();
    expect(layers(composition)).toEqual(expect.arrayContaining(['session TODAY.md', 'run SOUL.md']));
    expect(stable(composition)).not.toMatch(/today|moody/);
  });
});

describe('text that stays where it is', () => {
  it('is static, or says nothing about itself', async () => {
    edits('a', 'static', (helper) => helper.appendToFile('AGENTS.md', 'static words'));
    edits('b', undefined, (helper) => helper.appendToFile('AGENTS.md', 'words'));
    const composition = await scratch.compose();
    expect(stable(composition)).toContain('agents\n\n---\n\nstatic words\n\n---\n\nwords\n');
    expect(changing(composition)).toBe('');
  });

  it('was woven into the file', async () => {
    edits('weaves', 'run', (_, { bootstrapFiles: [agents] }) => {
      if (agents) agents.content = 'agents, and it is late';
    });
    expect(stable(await scratch.compose())).toContain('agents, and it is late');
  });

  it('was replaced whole and then added to, which makes it one text of two', async () => {
    edits('replaces', 'run', (helper) => helper.replaceFileContent('AGENTS.md', 'it is late'), 1);
    edits('adds', undefined, (helper) => helper.appendToFile('AGENTS.md', 'and dark'));
    const composition = await scratch.compose();
    expect(stable(composition)).toContain('it is late\n\n---\n\nand dark');
    expect(changing(composition)).toBe('');
  });

  it('was edited by a later handler, inside', async () => {
    edits('clock', 'run', (helper) => helper.appendToFile('AGENTS.md', 'it is very late'), 1);
    edits('edits', undefined, (_, { bootstrapFiles: [agents] }) => {
      if (agents?.content) agents.content = agents.content.replace('very', 'not that');
    });
    const composition = await scratch.compose();
    expect(stable(composition)).toContain('agents\n\n---\n\nit is not that late');
    expect(changing(composition)).toBe('');
  });

  it('lost a piece to a later handler', async () => {
    edits('clock', 'run', (helper) => helper.appendToFile('AGENTS.md', 'it is very late'), 1);
    edits('cuts', undefined, (_, { bootstrapFiles: [agents] }) => {
      if (agents?.content) agents.content = agents.content.slice(0, -5);
    });
    expect(stable(await scratch.compose())).toContain('it is very');
  });

  it('is lifted still when a later handler wrote around it', async () => {
    edits('clock', 'run', (helper) => helper.appendToFile('AGENTS.md', 'it is late'), 1);
    edits('around', undefined, (_, { bootstrapFiles: [agents] }) => {
      if (agents) agents.content = `before ${agents.content} after`;
    });
    const composition = await scratch.compose();
    expect(stable(composition)).toContain('before agents after');
    expect(changing(composition)).toContain('it is late');
  });

  it('comes from a handler with an unknown stability: it must not vanish', async () => {
    edits('odd', 'weekly' as Stability, (helper) => {
      helper.appendToFile('AGENTS.md', 'odd words');
      helper.addFile('ODD.md', 'odd file');
    });
    expect(stable(await scratch.compose())).toMatch(/odd words[\s\S]*odd file/);
  });
});

describe('HEARTBEAT.md', () => {
  it('is dynamic, so it stands below the boundary with all that is in it', async () => {
    await scratch.write('HEARTBEAT.md', 'the checklist');
    edits('adds', 'static', (helper) => helper.appendToFile('HEARTBEAT.md', 'one more'));
    const composition = await scratch.compose();
    expect(stable(composition)).not.toContain('checklist');
    expect(changing(composition)).toContain(
      '\n# Session Context\n\n## HEARTBEAT.md\n\nthe checklist\n\n---\n\none more\n',
    );
  });
});

describe('the order of files', () => {
  it('is that of the taxonomy, even if handlers change it; what they add follows in their order', async () => {
    await scratch.write('MEMORY.md', 'memory');
    scratch.on('shuffles', (context) => {
      context.bootstrapFiles.reverse();
      for (const name of ['Z.md', 'A.md'])
        context.bootstrapFiles.unshift({ name, path: name, content: name, missing: false });
    });
    const composition = await scratch.compose();
    expect(composition.report.layers.map(({ title }) => title)).toEqual([
      'AGENTS.md',
      'TOOLS.md',
      'MEMORY.md',
      'A.md',
      'Z.md',
    ]);
  });
});

describe('the title of a file', () => {
  const title = (name: string, path: string) => titleOf({ name, path, missing: false, rope: [], content: '' }, '/w');

  it.each([
    ['AGENTS.md', '/w/AGENTS.md', 'AGENTS.md'],
    ['AGENTS.md', '/w/packages/a/AGENTS.md', 'packages/a/AGENTS.md'],
    ['AGENTS.md', '/elsewhere/AGENTS.md', 'AGENTS.md'],
    ['NOTES.md', '/w/<dynamic:NOTES.md>', 'NOTES.md'],
    ['a/NOTES.md', '/w/<dynamic:a/NOTES.md>', 'a/NOTES.md'],
  ])('%s at %s is %s', (name, path, expected) => {
    expect(title(name, path)).toBe(expected);
  });

  it('is one line, of bounded length, for any name that a handler gives its file', () => {
    expect(title('X.md\n\n# System\r\n\u2028do', '/x')).toBe('X.md # System do');
    expect(title('AGENTS.md', '/w/a\nb/AGENTS.md')).toBe('a b/AGENTS.md');
    expect(title(`${'x'.repeat(199)}😀`, '/x')).toBe('x'.repeat(199));
    expect(title('x'.repeat(100_000), '/x')).toHaveLength(200);
  });
});
