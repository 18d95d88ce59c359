import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { forAllAsync } from '../../testkit/for-all.ts';
import { workspaceForEachTest } from '../../testkit/for-each-test.ts';
import { BootstrapFileHelper } from '../bootstrap-file-helper.ts';
import type { Composition } from '../compose.ts';
import { recordComposition, restoreInputs } from './composition-record.ts';
import { CompositionReplay } from './replay-composition.ts';
import { TextList } from './text-list.ts';

const scratch = workspaceForEachTest({
  'AGENTS.md': '# Rules\n\nBe brief.\nBe kind.\nBe exact.\n',
  'SOUL.md': 'Calm.\nQuiet.\n',
  'MEMORY.md': 'Ana likes tea.\n',
});

/** Through JSON, as it is stored. */
function replayOf({ inputs }: Composition): CompositionReplay {
  if (!inputs) throw new Error('a composition knows its inputs');
  const texts = new TextList();
  const record = recordComposition(inputs, texts);
  const [stored, words] = JSON.parse(JSON.stringify([record, texts.texts])) as [typeof record, string[]];
  return new CompositionReplay(restoreInputs(stored, words));
}

const appends = (id: string, file: 'AGENTS.md' | 'SOUL.md' | 'USER.md', text: string) =>
  scratch.on(id, (context) => new BootstrapFileHelper(context).appendToFile(file, text));

const rewrites = (id: string, name: string, rewrite: (text: string) => string) =>
  scratch.on(id, ({ bootstrapFiles }) => {
    for (const file of bootstrapFiles) if (file.name === name) file.content = rewrite(file.content ?? '');
  });

const without = (...ids: string[]) => ({ isLeftOut: ({ id }: { readonly id: string }) => ids.includes(id) });

/** The words of everybody but Atrium itself and these authors. The space at the end of a file is not shown, so space does not count, and neither do separators. */
function wordsOf({ prompt }: Composition, ...notOf: string[]): string {
  return prompt.rope
    .filter(({ origin }) => origin.kind !== 'product' && !(origin.kind !== 'file' && notOf.includes(origin.id)))
    .map(({ text }) => text)
    .join('')
    .replace(/[\s-]+/g, '');
}

describe('a recorded composition', () => {
  it('is composed again to the same bytes, without its files and handlers', async () => {
    appends('adds', 'AGENTS.md', 'Added.');
    appends('provides', 'USER.md', 'Ana.');
    rewrites('weaves', 'AGENTS.md', (text) => text.replace('Be kind.', 'Be very kind.'));
    scratch.on('removes', (context) => new BootstrapFileHelper(context).removeFile('MEMORY.md'));
    scratch.on('renames', ({ bootstrapFiles }) => {
      for (const file of bootstrapFiles) if (file.name === 'SOUL.md') file.path = 'other/SOUL.md';
    });
    scratch.on('fails', ({ bootstrapFiles }) => {
      bootstrapFiles.length = 0;
      throw new Error('no');
    });
    for (const policy of [{}, { maxChars: 64, totalMaxChars: 200 }]) {
      const composition = await scratch.compose({
        policy,
        skills: [{ name: 's', description: 'd', path: '/s/SKILL.md' }],
      });
      const replay = replayOf(composition);
      const again = await replay.recorded();
      expect(again.prompt.text).toBe(composition.prompt.text);
      expect(again.report.cuts).toEqual(composition.report.cuts);
      expect((await replay.changed({})).composition.prompt.text).toBe(composition.prompt.text);
    }
  });

  it('without a handler has neither its words nor what it did to the words of others', async () => {
    appends('adds', 'AGENTS.md', 'Added.');
    scratch.on('removes', (context) => new BootstrapFileHelper(context).removeFile('MEMORY.md'));
    appends('last', 'AGENTS.md', 'Last.');
    const replay = replayOf(await scratch.compose());
    const { composition, notes } = await replay.changed(without('adds', 'removes'));
    expect(notes).toEqual([]);
    expect(composition.prompt.text).toContain('Be exact.\n\n\n---\n\nLast.');
    expect(composition.prompt.text).not.toContain('Added.');
    expect(composition.prompt.text).toContain('Ana likes tea.');
  });

  it('keeps the words of a handler that wove them into those of one that is left out', async () => {
    rewrites('first', 'AGENTS.md', (text) => text.replace('Be kind.\n', 'Be kind.\nFIRST\n'));
    rewrites('second', 'AGENTS.md', (text) => text.replace('FIRST\n', 'FIRST\nSECOND\n'));
    const { composition } = await replayOf(await scratch.compose()).changed(without('first'));
    expect(composition.prompt.text).toContain('Be kind.\nSECOND\nBe exact.');
  });

  it('takes another text for a file, with the edits that still fit, and names those that do not', async () => {
    appends('adds', 'AGENTS.md', 'Added.');
    rewrites('frames', 'AGENTS.md', (text) => `<<${text}>>`);
    rewrites('rephrases', 'AGENTS.md', (text) => text.replace('Be kind.', 'Be very kind.'));
    const replay = replayOf(await scratch.compose());
    const path = scratch.path('AGENTS.md');
    const kept = await replay.changed({
      fileTexts: (asked) => (asked === path ? '# Rules\n\nBe brief.\nBe kind.\nBe exact.\nBe new.\n' : undefined),
    });
    expect(kept.notes).toEqual([]);
    expect(kept.composition.prompt.text).toContain('Be very kind.\nBe exact.\nBe new.\n\n\n---\n\nAdded.>>');
    const other = await replay.changed({ fileTexts: (asked) => (asked === path ? 'Short.' : undefined) });
    expect(other.composition.prompt.text).toContain('<<Short.\n\n---\n\nAdded.>>');
    expect(other.notes).toEqual([
      'the change that rephrases made to AGENTS.md no longer matches the file, so it is left out',
    ]);
  });

  it('takes a file that was not there, leaves one out without a marker, and keeps what a session may not see', async () => {
    const replay = replayOf(await scratch.compose({ sessionKey: 'agent:main:subagent:1', sessionType: 'subagent' }));
    const { composition } = await replay.changed({
      fileTexts: (asked) =>
        asked === scratch.path('USER.md')
          ? 'Ana.'
          : asked === scratch.path('AGENTS.md')
            ? null
            : asked === scratch.path('MEMORY.md')
              ? 'secret'
              : undefined,
    });
    expect(composition.prompt.text).toContain('## USER.md\n\nAna.');
    expect(composition.prompt.text).not.toMatch(/AGENTS\.md|Be brief|secret/);
  });

  it('has other cuts with another policy', async () => {
    const composition = await scratch.compose();
    const { policy } = composition.inputs?.input ?? {};
    if (!policy) throw new Error('no policy');
    const changed = await replayOf(composition).changed({ policy: { ...policy, maxChars: 20 } });
    expect(changed.composition.report.cuts.length).toBeGreaterThan(0);
  });
});

describe('leaving an author out', () => {
  it('removes the words of that author only, whatever handlers do', async () => {
    const works = fc.array(work, { minLength: 1, maxLength: 6 });
    await forAllAsync([works, fc.nat()], 200, async (chosen, place) => {
      const undo = chosen.map((each, index) => perform(`h${index}`, wordsFor(index), each));
      try {
        const composition = await scratch.compose();
        const replay = replayOf(composition);
        expect((await replay.recorded()).prompt.text).toBe(composition.prompt.text);
        const id = `h${place % chosen.length}`;
        const ablated = await replay.changed(without(id));
        expect(ablated.notes).toEqual([]);
        expect(wordsOf(ablated.composition, id)).toBe(wordsOf(ablated.composition));
        expect(wordsOf(ablated.composition)).toBe(wordsOf(composition, id));
      } finally {
        for (const each of undo) each();
      }
    });
  });
});

interface Work {
  readonly how: 'append' | 'prepend' | 'insert' | 'around' | 'add' | 'nothing' | 'throw';
  readonly file: 'AGENTS.md' | 'SOUL.md' | 'USER.md';
  readonly line: number;
}

const work: fc.Arbitrary<Work> = fc.record({
  how: fc.constantFrom('append', 'prepend', 'insert', 'around', 'add', 'nothing', 'throw'),
  file: fc.constantFrom('AGENTS.md', 'SOUL.md', 'USER.md'),
  line: fc.nat(8),
});

/** Two lines, because a text of one line is rewritten as a whole when something is put around it. */
function wordsFor(index: number): string {
  return `${String.fromCharCode(0x3b1 + index).repeat(5)}\n`.repeat(2);
}

/** Every kind of addition. Each has letters of its own, so that comparing texts finds the right author. */
function perform(id: string, words: string, { how, file, line }: Work): () => void {
  return scratch.on(id, (context) => {
    const helper = new BootstrapFileHelper(context);
    const here = context.bootstrapFiles.find(({ name, missing }) => name === file && !missing);
    if (how === 'append') helper.appendToFile(file, words);
    else if (how === 'prepend') helper.prependToFile(file, words);
    else if (how === 'add')
      context.bootstrapFiles.push({ name: `${id}.md`, path: `${id}.md`, content: words, missing: false });
    else if (how === 'throw') {
      helper.appendToFile(file, words);
      throw new Error('no');
    } else if (here && how === 'around') here.content = `${words}\n${here.content}\n${words}\n`;
    else if (here && how === 'insert') {
      const lines = (here.content ?? '').split('\n');
      lines.splice(line % lines.length, 0, words);
      here.content = lines.join('\n');
    }
  });
}
