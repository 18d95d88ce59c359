import { describe, expect, it } from 'vitest';
import type { AgentBootstrapHookContext } from '../protocol/bootstrap-event.ts';
import { noteAbsence, openEditJournal } from './bootstrap-edits.ts';
import { BootstrapFileHelper } from './bootstrap-file-helper.ts';
import { CachedFileSource } from './sources/file-source.ts';
import { OPENBOA_TAXONOMY, OPENCLAW_TAXONOMY, type Taxonomy } from './taxonomy.ts';

function contextOf(): AgentBootstrapHookContext {
  return {
    workspaceDir: '/w',
    bootstrapFiles: [
      { name: 'AGENTS.md', path: '/w/AGENTS.md', content: 'agents', missing: false },
      { name: 'SOUL.md', path: '/w/SOUL.md', missing: true },
      { name: 'TOOLS.md', path: '/w/TOOLS.md', missing: false },
    ],
  };
}

const file = (context: AgentBootstrapHookContext, name: string) =>
  context.bootstrapFiles.filter((each) => each.name === name);

/** Handlers are tested by hand-made contexts, so the helper must not need anything that only composition opens. */
describe.each([
  ['on a hand-made context', () => {}],
  [
    'on a recorded context',
    (context: AgentBootstrapHookContext) => openEditJournal(context, OPENCLAW_TAXONOMY, new CachedFileSource()),
  ],
])('the helper %s', (_, open) => {
  const start = () => {
    const context = contextOf();
    open(context);
    return { context, helper: new BootstrapFileHelper(context) };
  };

  it('adds a file, with a path of its own or the one that it is given', () => {
    const { context, helper } = start();
    helper.addFile('NOTES.md', 'notes');
    helper.addFile('NOTES.md', 'more', '/w/more.md');
    expect(file(context, 'NOTES.md')).toEqual([
      { name: 'NOTES.md', path: '<dynamic:NOTES.md>', content: 'notes', missing: false },
      { name: 'NOTES.md', path: '/w/more.md', content: 'more', missing: false },
    ]);
  });

  it('adds beside an existing file, not into it', () => {
    const { context, helper } = start();
    helper.addFile('AGENTS.md', 'second');
    expect(file(context, 'AGENTS.md').map(({ content }) => content)).toEqual(['agents', 'second']);
  });

  it('removes every file of a name, in a new list', () => {
    const { context, helper } = start();
    const before = context.bootstrapFiles;
    helper.addFile('AGENTS.md', 'second');
    helper.removeFile('AGENTS.md');
    expect(context.bootstrapFiles.map(({ name }) => name)).toEqual(['SOUL.md', 'TOOLS.md']);
    expect(before).toHaveLength(4);
    helper.removeFile('NOTHING.md');
    expect(context.bootstrapFiles).toHaveLength(2);
  });

  it('prepends with a rule between, or creates the file', () => {
    const { context, helper } = start();
    helper.prependToFile('AGENTS.md', 'first');
    expect(helper.getFileContent('AGENTS.md')).toBe('first\n\n---\n\nagents');
    helper.prependToFile('NOTES.md', 'notes');
    expect(file(context, 'NOTES.md')).toEqual([
      { name: 'NOTES.md', path: '<dynamic:NOTES.md>', content: 'notes', missing: false },
    ]);
  });

  it('appends with a rule between, or creates the file', () => {
    const { context, helper } = start();
    helper.appendToFile('AGENTS.md', 'last');
    expect(helper.getFileContent('AGENTS.md')).toBe('agents\n\n---\n\nlast');
    helper.appendToFile('NOTES.md', 'notes');
    expect(helper.getFileContent('NOTES.md')).toBe('notes');
    expect(context.bootstrapFiles).toHaveLength(4);
  });

  it('takes a missing file for none when it appends or prepends: a new one stands beside it', () => {
    const { context, helper } = start();
    helper.appendToFile('SOUL.md', 'soul');
    expect(file(context, 'SOUL.md')).toEqual([
      { name: 'SOUL.md', path: '/w/SOUL.md', missing: true },
      { name: 'SOUL.md', path: '<dynamic:SOUL.md>', content: 'soul', missing: false },
    ]);
  });

  it('takes a file without content for an empty one', () => {
    const { helper } = start();
    helper.appendToFile('TOOLS.md', 'last');
    expect(helper.getFileContent('TOOLS.md')).toBe('\n\n---\n\nlast');
  });

  it('replaces the whole content, also of a missing file, or creates the file', () => {
    const { context, helper } = start();
    helper.replaceFileContent('AGENTS.md', 'new');
    helper.replaceFileContent('SOUL.md', 'soul');
    helper.replaceFileContent('NOTES.md', 'notes');
    expect(context.bootstrapFiles).toEqual([
      { name: 'AGENTS.md', path: '/w/AGENTS.md', content: 'new', missing: false },
      { name: 'SOUL.md', path: '/w/SOUL.md', content: 'soul', missing: false },
      { name: 'TOOLS.md', path: '/w/TOOLS.md', missing: false },
      { name: 'NOTES.md', path: '<dynamic:NOTES.md>', content: 'notes', missing: false },
    ]);
  });

  it('says whether a file is there, and what is in it', () => {
    const { helper } = start();
    expect(['AGENTS.md', 'SOUL.md', 'TOOLS.md', 'NOTES.md'].map((name) => helper.hasFile(name))).toEqual([
      true,
      false,
      true,
      false,
    ]);
    expect(helper.getFileContent('AGENTS.md')).toBe('agents');
    expect(helper.getFileContent('SOUL.md')).toBeUndefined();
    expect(helper.getFileContent('TOOLS.md')).toBeUndefined();
    expect(helper.getFileContent('NOTES.md')).toBeUndefined();
  });

  it('takes any name for a name', () => {
    const { context, helper } = start();
    helper.addFile('constructor', 'odd');
    expect(file(context, 'constructor')).toHaveLength(1);
    expect(helper.hasFile('constructor')).toBe(true);
  });
});

describe('in an openboa workspace', () => {
  const openboa = (taxonomy: Taxonomy = OPENBOA_TAXONOMY) => {
    const context: AgentBootstrapHookContext = {
      workspaceDir: '/w',
      bootstrapFiles: [
        { name: 'AGENT.md', path: '/w/AGENT.md', content: 'agent', missing: false },
        { name: 'PROFILE.md', path: '/w/PROFILE.md', content: 'profile', missing: false },
      ],
    };
    openEditJournal(context, taxonomy, new CachedFileSource());
    return { context, helper: new BootstrapFileHelper(context) };
  };

  it('handlers that say AGENTS.md and SOUL.md reach AGENT.md and PROFILE.md', () => {
    const { context, helper } = openboa();
    helper.appendToFile('AGENTS.md', 'more');
    helper.replaceFileContent('SOUL.md', 'new');
    expect(helper.hasFile('AGENTS.md')).toBe(true);
    expect(helper.getFileContent('SOUL.md')).toBe('new');
    expect(context.bootstrapFiles.map(({ name, content }) => [name, content])).toEqual([
      ['AGENT.md', 'agent\n\n---\n\nmore'],
      ['PROFILE.md', 'new'],
    ]);
    helper.removeFile('SOUL.md');
    expect(context.bootstrapFiles.map(({ name }) => name)).toEqual(['AGENT.md']);
  });

  it('no such thing happens in the other set', () => {
    const { context, helper } = openboa(OPENCLAW_TAXONOMY);
    helper.appendToFile('AGENTS.md', 'more');
    expect(context.bootstrapFiles.map(({ name }) => name)).toEqual(['AGENT.md', 'PROFILE.md', 'AGENTS.md']);
  });
});

describe('a record of edits', () => {
  it('belongs to one context and is not seen by its handler', () => {
    const context = contextOf();
    const journal = openEditJournal(context, OPENCLAW_TAXONOMY, new CachedFileSource());
    new BootstrapFileHelper(context).appendToFile('AGENTS.md', 'last');
    new BootstrapFileHelper(contextOf()).appendToFile('AGENTS.md', 'elsewhere');
    expect([...journal.edits.values()]).toEqual([[{ mode: 'append', parts: [{ text: 'last' }], separated: true }]]);
    expect(Object.keys(context)).toEqual(['workspaceDir', 'bootstrapFiles']);
  });

  it('holds what a handler says it left out, and nothing from contexts without a journal', () => {
    const context = contextOf();
    const journal = openEditJournal(context, OPENCLAW_TAXONOMY, new CachedFileSource());
    const note = { reason: 'disabled', what: 'x', detail: 'off' } as const;
    noteAbsence(context, note);
    noteAbsence(contextOf(), note);
    expect(journal.notes).toEqual([note]);
  });
});
