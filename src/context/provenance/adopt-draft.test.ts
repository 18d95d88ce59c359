import { describe, expect, it } from 'vitest';
import type { AgentBootstrapHookContext } from '../../protocol/bootstrap-event.ts';
import type { WorkspaceBootstrapFile } from '../../protocol/bootstrap-file.ts';
import { InvalidHandlerResult } from '../../protocol/handler.ts';
import { editBootstrapFile, openEditJournal } from '../bootstrap-edits.ts';
import { BootstrapFileHelper } from '../bootstrap-file-helper.ts';
import type { ContextFile } from '../composition.ts';
import { CachedFileSource } from '../sources/file-source.ts';
import { OPENCLAW_TAXONOMY } from '../taxonomy.ts';
import { type AdoptedFiles, adoptDraft } from './adopt-draft.ts';
import { EMPTY_ROPE, ropeText } from './rope.ts';

const AUTHOR = { kind: 'handler', id: 'mine' } as const;

function present(name: string, text: string): ContextFile {
  const path = `/w/${name}`;
  const source = { text };
  const rope = text === '' ? EMPTY_ROPE : [{ text, origin: { kind: 'file', path } as const, source, start: 0 }];
  return { name, path, missing: false, content: text, rope, source, realPath: `/real/${name}` };
}

function missing(name: string): ContextFile {
  const absence = { reason: 'missing', detail: 'no such file' } as const;
  return { name, path: `/w/${name}`, missing: true, content: undefined, rope: EMPTY_ROPE, absence };
}

const BEFORE: readonly ContextFile[] = [
  present('AGENTS.md', 'a\nb\nc\n'),
  present('SOUL.md', 'soul'),
  missing('USER.md'),
];

function adopt(edit: (context: AgentBootstrapHookContext) => unknown, before = BEFORE): AdoptedFiles {
  const copies = before.map(({ name, path, content, missing: isMissing }): WorkspaceBootstrapFile => {
    return content === undefined ? { name, path, missing: isMissing } : { name, path, content, missing: isMissing };
  });
  const context: AgentBootstrapHookContext = { workspaceDir: '/w', bootstrapFiles: [...copies] };
  const journal = openEditJournal(context, OPENCLAW_TAXONOMY, new CachedFileSource());
  const left = edit(context);
  return adoptDraft(before, left === undefined ? context : left, copies, journal, AUTHOR);
}

const helped = (edit: (helper: BootstrapFileHelper) => void, before?: readonly ContextFile[]) =>
  adopt((context) => edit(new BootstrapFileHelper(context)), before);
const agents = ({ files }: AdoptedFiles) => files.find(({ name }) => name === 'AGENTS.md');

function first(context: AgentBootstrapHookContext): WorkspaceBootstrapFile {
  const [file] = context.bootstrapFiles;
  if (!file) throw new Error('there is no file');
  return file;
}

describe('an untouched draft', () => {
  it('is the files as they were, by identity', () => {
    expect(adopt(() => {}).files).toBe(BEFORE);
    expect(helped((helper) => void helper.getFileContent('AGENTS.md')).files).toBe(BEFORE);
  });

  it('is one with equal copies, too: each still is its file', () => {
    const { files, changes } = adopt((context) => {
      context.bootstrapFiles = context.bootstrapFiles.map((file) => ({ ...file }));
    });
    expect(changes).toEqual([]);
    files.forEach((file, index) => {
      expect(file).toBe(BEFORE[index]);
    });
  });
});

describe('edits through the helper', () => {
  it('are recorded exactly: appended', () => {
    const adopted = helped((helper) => helper.appendToFile('AGENTS.md', 'more'));
    expect(agents(adopted)?.rope.map(({ text, origin }) => [text, origin.kind])).toEqual([
      ['a\nb\nc\n', 'file'],
      ['\n\n---\n\nmore', 'handler'],
    ]);
    expect(adopted.changes).toEqual([{ file: 'AGENTS.md', change: 'appended', addedText: 'more', removedText: '' }]);
  });

  it('are recorded exactly: prepended', () => {
    const adopted = helped((helper) => helper.prependToFile('AGENTS.md', 'first'));
    expect(agents(adopted)?.rope.map(({ text, origin }) => [text, origin.kind])).toEqual([
      ['first\n\n---\n\n', 'handler'],
      ['a\nb\nc\n', 'file'],
    ]);
    expect(adopted.changes).toEqual([{ file: 'AGENTS.md', change: 'prepended', addedText: 'first', removedText: '' }]);
  });

  it('are recorded exactly: replaced, even if parts stay the same by chance', () => {
    const adopted = helped((helper) => helper.replaceFileContent('AGENTS.md', 'a\nb\nnew\n'));
    expect(agents(adopted)?.rope).toEqual([expect.objectContaining({ text: 'a\nb\nnew\n', origin: AUTHOR })]);
    expect(adopted.changes).toEqual([
      { file: 'AGENTS.md', change: 'replaced', addedText: 'a\nb\nnew\n', removedText: 'a\nb\nc\n' },
    ]);
  });

  it('are recorded exactly: a file added, and a missing one provided', () => {
    const added = helped((helper) => helper.addFile('NOTES.md', 'notes', '/w/NOTES.md'));
    expect(added.changes).toEqual([{ file: 'NOTES.md', change: 'added', addedText: 'notes', removedText: '' }]);
    expect(added.files.at(-1)).toMatchObject({
      name: 'NOTES.md',
      path: '/w/NOTES.md',
      content: 'notes',
      missing: false,
    });
    const provided = helped((helper) => helper.replaceFileContent('USER.md', 'somebody'));
    expect(provided.files[2]).toMatchObject({
      name: 'USER.md',
      content: 'somebody',
      missing: false,
      absence: undefined,
    });
    expect(provided.changes).toEqual([{ file: 'USER.md', change: 'replaced', addedText: 'somebody', removedText: '' }]);
  });

  it('add up when there are several', () => {
    const adopted = helped((helper) => {
      helper.appendToFile('AGENTS.md', 'last');
      helper.prependToFile('AGENTS.md', 'first');
    });
    expect(ropeText(agents(adopted)?.rope ?? [])).toBe('first\n\n---\n\na\nb\nc\n\n\n---\n\nlast');
    expect(agents(adopted)?.rope.filter(({ origin }) => origin.kind === 'file')).toHaveLength(1);
    expect(adopted.changes).toEqual([{ file: 'AGENTS.md', change: 'edited', addedText: 'lastfirst', removedText: '' }]);
  });

  it('tell of what lasted when a replacement came later', () => {
    const adopted = helped((helper) => {
      helper.appendToFile('AGENTS.md', 'gone');
      helper.replaceFileContent('AGENTS.md', 'new');
      helper.appendToFile('AGENTS.md', 'more');
    });
    expect(adopted.changes).toEqual([
      { file: 'AGENTS.md', change: 'replaced', addedText: 'newmore', removedText: 'a\nb\nc\n' },
    ]);
  });

  it('name the file that a text was carried in from, and its place there', () => {
    const source = { text: 'shared\nrules\n' };
    const adopted = adopt((context) =>
      editBootstrapFile(context, 'prepend', 'AGENTS.md', [
        { text: 'rules\n', from: { path: '/state/AGENTS.md', source, start: 7 } },
      ]),
    );
    expect(agents(adopted)?.rope[0]).toMatchObject({
      text: 'rules\n',
      origin: { kind: 'handler', id: 'mine', path: '/state/AGENTS.md' },
      source,
      start: 7,
    });
  });

  it('are still exact on copies that the handler made itself', () => {
    const adopted = adopt((context) => {
      context.bootstrapFiles = context.bootstrapFiles.map((file) => ({ ...file }));
      new BootstrapFileHelper(context).appendToFile('AGENTS.md', 'more');
    });
    expect(adopted.changes[0]?.change).toBe('appended');
  });

  it('give way to comparison when the handler went on by hand', () => {
    const adopted = adopt((context) => {
      new BootstrapFileHelper(context).appendToFile('AGENTS.md', 'more');
      first(context).content += ' and more';
    });
    expect(adopted.changes).toEqual([
      { file: 'AGENTS.md', change: 'edited', addedText: '\n\n---\n\nmore and more', removedText: '' },
    ]);
    expect(agents(adopted)?.rope.at(-1)?.contribution).toBeUndefined();
  });

  it('say that a file was replaced when it was taken out and added again', () => {
    const adopted = helped((helper) => {
      helper.removeFile('AGENTS.md');
      helper.addFile('AGENTS.md', 'new', '/w/AGENTS.md');
    });
    expect(adopted.changes).toEqual([
      { file: 'AGENTS.md', change: 'replaced', addedText: 'new', removedText: 'a\nb\nc\n' },
    ]);
    expect(adopted.removed).toEqual([]);
  });
});

describe('plain assignments', () => {
  it('are attributed by comparison, in place and on copies alike', () => {
    const inPlace = adopt((context) => {
      first(context).content = 'a\nB\nc\n';
    });
    const onCopies = adopt((context) => {
      context.bootstrapFiles = context.bootstrapFiles.map((file) =>
        file.name === 'AGENTS.md' ? { ...file, content: 'a\nB\nc\n' } : file,
      );
    });
    for (const adopted of [inPlace, onCopies]) {
      expect(adopted.changes).toEqual([{ file: 'AGENTS.md', change: 'edited', addedText: 'B', removedText: 'b' }]);
      expect(agents(adopted)?.rope.map(({ origin }) => origin.kind)).toEqual(['file', 'handler', 'file']);
      expect(agents(adopted)?.realPath).toBe('/real/AGENTS.md');
    }
  });

  it('tell a rewrite from an edit', () => {
    const adopted = adopt((context) => {
      first(context).content = 'something else';
    });
    expect(adopted.changes[0]).toMatchObject({ change: 'rewritten', removedText: 'a\nb\nc\n' });
  });

  it('report what was taken out, but not what was missing anyway', () => {
    const adopted = adopt((context) => {
      context.bootstrapFiles = [];
    });
    expect(adopted.files).toEqual([]);
    expect(adopted.removed.map(({ name }) => name)).toEqual(['AGENTS.md', 'SOUL.md']);
    expect(adopted.changes.map(({ file, change }) => `${change} ${file}`)).toEqual([
      'removed AGENTS.md',
      'removed SOUL.md',
      'removed USER.md',
    ]);
  });

  it('can mark a file as missing, which takes it out', () => {
    const adopted = adopt((context) => {
      first(context).missing = true;
    });
    expect(agents(adopted)).toMatchObject({ missing: true, absence: { reason: 'removed-by-handler' } });
    expect(adopted.changes).toEqual([
      { file: 'AGENTS.md', change: 'removed', addedText: '', removedText: 'a\nb\nc\n' },
    ]);
  });

  it('can rename a file, which no longer vouches for its real path when the path changed', () => {
    const renamed = adopt((context) => {
      first(context).name = 'OTHER.md';
    });
    expect(renamed.files[0]).toMatchObject({ name: 'OTHER.md', path: '/w/AGENTS.md', realPath: '/real/AGENTS.md' });
    expect(renamed.renamed).toEqual([{ from: BEFORE[0], to: 'OTHER.md' }]);
    expect(renamed.changes).toEqual([
      { file: 'AGENTS.md', change: 'renamed', addedText: 'OTHER.md', removedText: 'AGENTS.md' },
    ]);
    const moved = adopt((context) => {
      first(context).path = '/w/other.md';
      first(context).content = 'a\nb\n';
    });
    expect(moved.files[0]).toMatchObject({ path: '/w/other.md', realPath: undefined });
    expect(moved.changes.map(({ change }) => change)).toEqual(['renamed', 'edited']);
  });

  it('can add a file by its path alone, which is then called as on disk', () => {
    const adopted = adopt((context) => {
      context.bootstrapFiles.push({ path: 'pack:/w/shared/MEMORY.md', content: 'x' } as never);
    });
    expect(adopted.files.at(-1)).toMatchObject({ name: 'MEMORY.md', path: 'pack:/w/shared/MEMORY.md', content: 'x' });
  });

  it('may say that nothing is there in either way', () => {
    const adopted = adopt((context) => {
      context.bootstrapFiles.push({ name: 'X.md', path: '/w/X.md', content: null, missing: false } as never);
    });
    expect(adopted.files.at(-1)).toMatchObject({ content: undefined, missing: false });
  });
});

describe('nonsense', () => {
  const entries: Record<string, unknown> = {
    'a text': 'AGENTS.md',
    null: null,
    'a number': 7,
    'an entry without a name or a path': { content: 'x' },
    'an entry with a name that is no text': { name: 7, path: '/w/X.md', content: 'x' },
    'content that is no text': { name: 'X.md', path: '/w/X.md', content: 42 },
    'content that is a boxed text': { name: 'X.md', path: '/w/X.md', content: new String('x') },
    'content that is a list': { name: 'X.md', path: '/w/X.md', content: ['x'] },
  };

  it.each(Object.entries(entries))('as an entry is refused: %s', (_, entry) => {
    const leave = () =>
      adopt((context) => {
        context.bootstrapFiles.push(entry as WorkspaceBootstrapFile);
      });
    expect(leave).toThrow(InvalidHandlerResult);
  });

  it.each([
    ['nothing', undefined],
    ['null', null],
    ['an object', {}],
    ['a text', 'AGENTS.md'],
    ['something like a list', { length: 1, 0: {} }],
  ])('as a list is refused: %s', (_, list) => {
    const leave = () =>
      adopt((context) => {
        context.bootstrapFiles = list as never;
      });
    expect(leave).toThrow('bootstrapFiles is not a list');
  });

  it('as a context is refused', () => {
    expect(() => adopt(() => null)).toThrow('the context is not an object');
    expect(() => adopt(() => 'context')).toThrow(InvalidHandlerResult);
  });

  it('is a list with holes, whether it grew or not', () => {
    const grow = () =>
      adopt((context) => {
        context.bootstrapFiles.length = 5;
      });
    const hollow = () =>
      adopt((context) => {
        delete context.bootstrapFiles[0];
      });
    expect(grow).toThrow('entry 3 is not an object');
    expect(hollow).toThrow('entry 0 is not an object');
  });

  it('is a list without end', () => {
    const leave = () =>
      adopt((context) => {
        const [file] = context.bootstrapFiles;
        context.bootstrapFiles = Array.from({ length: 10_001 }, () => file) as never;
      });
    expect(leave).toThrow('10001 entries');
  });

  it('is not what a list of the handler’s own making says when asked, but what it holds', () => {
    const { files } = adopt((context) => {
      const sly = context.bootstrapFiles.slice(0, 2);
      context.bootstrapFiles = Object.assign(sly, { map: () => [], every: () => true, [Symbol.iterator]: () => [] });
    });
    expect(files.map(({ name }) => name)).toEqual(['AGENTS.md', 'SOUL.md']);
  });

  it('is not a path that is no text, which a later stage drops with a word', () => {
    const { files } = adopt((context) => {
      context.bootstrapFiles.push({ name: 'X.md', filePath: '/w/X.md', content: 'x', missing: false } as never);
    });
    expect(files.at(-1)).toMatchObject({ name: 'X.md', path: '' });
  });
});

it('adopts the context that the handler put in the place of the first', () => {
  const adopted = adopt((context) => ({ ...context, bootstrapFiles: context.bootstrapFiles.slice(0, 1) }));
  expect(adopted.files.map(({ name }) => name)).toEqual(['AGENTS.md']);
});

it('lists the same entry twice when the handler did', () => {
  const adopted = adopt((context) => {
    context.bootstrapFiles.push(first(context));
  });
  expect(adopted.files.map(({ name }) => name)).toEqual(['AGENTS.md', 'SOUL.md', 'USER.md', 'AGENTS.md']);
});
