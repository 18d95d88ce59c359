import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { workspaceForEachTest } from '../../testkit/for-each-test.ts';
import { BootstrapFileHelper } from '../bootstrap-file-helper.ts';
import type { Composition } from '../compose.ts';
import type { Cut } from '../composition.ts';
import { KeptSectionsOverBudgetError, KeptSectionsOverTokenBudgetError } from '../errors.ts';
import { createGlobalFilesHandler } from '../handlers/global-files/handler.ts';

const scratch = workspaceForEachTest({ 'AGENTS.md': 'agents', 'TOOLS.md': 'tools' });

/** Numbered lines of ten characters each, so that offsets and lines can be told from one another. */
const lines = (count: number, word = 'line') =>
  Array.from({ length: count }, (_, i) => `${word} ${`${i + 1}`.padStart(4, '0')}\n`).join('');
const file = ({ report }: Composition, name: string) => report.files.find((each) => each.name === name);
const absence = ({ report }: Composition, name: string) => report.absences.filter(({ what }) => what === name);
const lineText = (text: string, [from, to]: readonly [number, number]) =>
  text
    .split('\n')
    .slice(from - 1, to)
    .join('\n');

describe('a file that is too long', () => {
  it('is cut in the middle, with a marker, and the cut is named by its lines', async () => {
    const text = lines(300);
    await scratch.write('SOUL.md', text);
    const composition = await scratch.compose({ policy: { maxChars: 1_000 } });
    const [cut, ...others] = composition.report.cuts;
    expect(others).toEqual([]);
    expect(cut).toMatchObject({ file: 'SOUL.md', path: scratch.path('SOUL.md'), cause: 'per-file-limit' });
    expect(cut).not.toHaveProperty('source');
    expect(cut?.chars).toBe(cut?.text.length);
    expect(cut?.tokens).toBeGreaterThan(0);
    expect(lineText(text, cut?.lines ?? [0, 0])).toContain(cut?.text.trim());
    expect(lineText(text, cut?.lines ?? [0, 0]).split('\n')).toHaveLength(cut?.text.split('\n').length ?? 0);
    expect(composition.prompt.text).toContain('[...truncated, read SOUL.md for full content...]');
    expect(composition.prompt.text).toContain('line 0001');
    expect(composition.prompt.text).toContain('line 0300');
    expect(file(composition, 'SOUL.md')).toMatchObject({ status: 'trimmed', rawChars: text.length });
    expect(file(composition, 'SOUL.md')?.injectedChars).toBeLessThanOrEqual(1_000);
  });

  it('names its lines in the file itself, also behind a global file that was put before it', async () => {
    await scratch.writeState('SOUL.md', 'global one\nglobal two\n');
    const text = lines(300);
    await scratch.write('SOUL.md', text);
    scratch.register('global-files', createGlobalFilesHandler({ stateDir: scratch.stateDir }));
    const { report } = await scratch.compose({ policy: { maxChars: 1_000 } });
    expect(report.cuts).toHaveLength(1);
    const [cut] = report.cuts as [Cut];
    expect(cut.path).toBe(scratch.path('SOUL.md'));
    expect(cut).not.toHaveProperty('source');
    expect(lineText(text, cut.lines)).toContain(cut.text.trim());
  });

  it('names the global file when the cut lies in that', async () => {
    const shared = lines(300, 'glob');
    const path = await scratch.writeState('SOUL.md', shared);
    await scratch.write('SOUL.md', 'short\n');
    scratch.register('global-files', createGlobalFilesHandler({ stateDir: scratch.stateDir }));
    const { report } = await scratch.compose({ policy: { maxChars: 1_000 } });
    const [cut] = report.cuts as [Cut];
    expect(cut).toMatchObject({ file: 'SOUL.md', path: scratch.path('SOUL.md'), source: path });
    expect(lineText(shared, cut.lines)).toContain(cut.text.trim());
  });

  it('names both when the cut lies in both', async () => {
    const shared = lines(150, 'glob');
    const own = lines(150);
    const path = await scratch.writeState('SOUL.md', shared);
    await scratch.write('SOUL.md', own);
    scratch.register('global-files', createGlobalFilesHandler({ stateDir: scratch.stateDir }));
    const { report } = await scratch.compose({ policy: { maxChars: 1_000 } });
    const [first, second] = report.cuts as [Cut, Cut];
    expect(report.cuts).toHaveLength(2);
    expect(first.source).toBe(path);
    expect(first.lines[1]).toBe(150);
    expect(second).not.toHaveProperty('source');
    expect(second.lines[0]).toBe(1);
    expect(lineText(own, second.lines)).toContain(second.text.trim());
    expect(first.text + second.text).toContain('---');
  });

  it('names lines of the text as the handlers left it where it stands in no file', async () => {
    scratch.on('adds', (context) => new BootstrapFileHelper(context).addFile('LONG.md', lines(300)));
    const { report } = await scratch.compose({ policy: { maxChars: 1_000 } });
    const [cut] = report.cuts as [Cut];
    expect(cut.file).toBe('LONG.md');
    expect(lineText(lines(300), cut.lines)).toContain(cut.text.trim());
  });

  it('keeps the authors of what is left, and marks what was reworded', async () => {
    await scratch.write('AGENTS.md', `# Rules\n\n${lines(300, '- must')}`);
    const { report } = await scratch.compose({ policy: { maxChars: 2_000 } });
    const authors = report.spans.filter(({ origin }) => origin.kind === 'file' && origin.path.endsWith('AGENTS.md'));
    expect(authors.some(({ origin }) => origin.kind === 'file' && origin.derived)).toBe(true);
    expect(report.spans.some(({ origin }) => origin.kind === 'product' && origin.part === 'trim-marker')).toBe(true);
    const plain = await scratch.compose({ policy: { maxChars: 2_000, policyDigest: false } });
    expect(plain.prompt.text).not.toContain('Policy digest');
  });
});

describe('a total that is short', () => {
  const big = () => Promise.all(['AGENTS.md', 'SOUL.md', 'TOOLS.md'].map((name) => scratch.write(name, lines(500))));

  it('bounds all files together', async () => {
    await big();
    for (const totalMaxChars of [100, 1_000, 5_000, 12_000]) {
      const { report } = await scratch.compose({ policy: { totalMaxChars } });
      expect(report.budget.usedChars).toBeLessThanOrEqual(totalMaxChars);
      expect(report.cuts.length).toBeGreaterThan(0);
      expect(report.cuts.every(({ cause }) => cause === 'total-limit')).toBe(true);
    }
  });

  it('does not drop a small file because large ones came first', async () => {
    await big();
    await scratch.write('USER.md', 'Ana, who likes short answers.');
    const { prompt } = await scratch.compose({ policy: { totalMaxChars: 3_000 } });
    expect(prompt.text).toContain('Ana, who likes short answers.');
  });

  it('gives way by declared priority, lowest first, and says what was dropped', async () => {
    await big();
    const policy = { totalMaxChars: 70, priority: ['TOOLS.md', 'SOUL.md'] };
    const composition = await scratch.compose({ policy });
    expect(composition.report.layers.map(({ title }) => title)).toEqual(['TOOLS.md']);
    expect(absence(composition, 'AGENTS.md')).toMatchObject([
      { reason: 'over-budget', path: scratch.path('AGENTS.md'), text: lines(500) },
    ]);
    expect(file(composition, 'AGENTS.md')).toMatchObject({ status: 'absent', reason: 'over-budget' });
  });

  it('follows load order where nothing is declared', async () => {
    await big();
    const { report } = await scratch.compose({ policy: { totalMaxChars: 70 } });
    expect(report.layers.map(({ title }) => title)).toEqual(['AGENTS.md']);
  });
});

describe('a limit in tokens', () => {
  it('is kept, and named as the cause', async () => {
    await scratch.write('SOUL.md', lines(500));
    const { report } = await scratch.compose({ policy: { maxTokens: 300 } });
    const tokens = report.layers.reduce((sum, layer) => sum + layer.tokens, 0);
    expect(tokens).toBeLessThanOrEqual(300);
    expect(tokens).toBeGreaterThan(100);
    expect(report.cuts.at(-1)?.cause).toBe('token-limit');
  });
});

describe('kept sections', () => {
  const text = `# A\n\n${lines(200)}\n<!-- keep -->\n## Safety\n\nNever do harm.\n\n## Other\n\n${lines(200)}`;

  it('survive in full, by comment', async () => {
    await scratch.write('AGENTS.md', text);
    const { prompt, report } = await scratch.compose({ policy: { maxChars: 500 } });
    expect(prompt.text).toContain('## Safety\n\nNever do harm.');
    expect(report.cuts.length).toBeGreaterThan(0);
    for (const cut of report.cuts) expect(cut.text).not.toContain('Never do harm');
  });

  it('survive in full, by name in the configuration', async () => {
    await scratch.write('AGENTS.md', text.replace('<!-- keep -->\n', ''));
    const policy = { maxChars: 500, keep: ['AGENTS.md#Safety'] };
    expect((await scratch.compose({ policy })).prompt.text).toContain('## Safety\n\nNever do harm.');
  });

  it('that do not fit make composing fail, and the error says by how much', async () => {
    await scratch.write('AGENTS.md', `<!-- keep -->\n# All\n\n${lines(100)}`);
    const failure = await scratch.compose({ policy: { maxChars: 500 } }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(KeptSectionsOverBudgetError);
    const { overBy, neededChars, availableChars, message } = failure as KeptSectionsOverBudgetError;
    expect(neededChars).toBeGreaterThan(1_000);
    expect(overBy).toBe(neededChars - availableChars);
    expect(message).toContain(`${overBy} more than the 500 allowed`);
    await expect(scratch.compose({ policy: { maxChars: neededChars } })).resolves.toBeDefined();
    await expect(scratch.compose({ policy: { maxChars: neededChars - 1 } })).rejects.toThrow('1 more');
  });

  it('that do not fit the total, or the tokens, make it fail as well', async () => {
    await scratch.write('AGENTS.md', `<!-- keep -->\n# All\n\n${lines(100)}`);
    await expect(scratch.compose({ policy: { totalMaxChars: 500 } })).rejects.toThrow(/bootstrapTotalMaxChars/);
    await expect(scratch.compose({ policy: { maxTokens: 20 } })).rejects.toThrow(KeptSectionsOverTokenBudgetError);
  });

  it('that are named and not there, and comments that keep nothing, are worth a warning', async () => {
    await scratch.write('AGENTS.md', 'no heading\n<!-- keep -->\n');
    const { report } = await scratch.compose({ policy: { keep: ['AGENTS.md#Safety'] } });
    expect(report.warnings).toEqual([
      'bootstrap.keep names AGENTS.md#Safety, but AGENTS.md has no such heading',
      'AGENTS.md line 2: no heading follows this keep comment, so it keeps nothing',
    ]);
  });
});

describe('a file that is not there', () => {
  it('leaves a marker when it is required, and a line in the report when it is not', async () => {
    await rm(scratch.path('TOOLS.md'));
    const composition = await scratch.compose();
    expect(composition.prompt.text).toContain(`[MISSING] Expected at: ${scratch.path('TOOLS.md')}`);
    expect(composition.prompt.text).not.toContain('SOUL.md');
    expect(absence(composition, 'TOOLS.md')).toMatchObject([{ reason: 'missing' }]);
    expect(absence(composition, 'SOUL.md')).toMatchObject([{ reason: 'missing' }]);
    const marker = composition.report.spans.find(({ text }) => text.startsWith('[MISSING]'));
    expect(marker?.origin).toEqual({ kind: 'product', part: 'missing-marker' });
  });

  it('leaves a marker in any case when the operator wants it so', async () => {
    const { prompt } = await scratch.compose({ policy: { missingMarkers: 'all' } });
    expect(prompt.text).toContain(`[MISSING] Expected at: ${scratch.path('SOUL.md')}`);
  });

  it('leaves none when a handler provides it', async () => {
    await rm(scratch.path('AGENTS.md'));
    scratch.on('provides', (context) => new BootstrapFileHelper(context).addFile('AGENTS.md', 'provided'));
    const composition = await scratch.compose();
    expect(composition.prompt.text).toContain('\n## AGENTS.md\n\nprovided\n');
    expect(composition.prompt.text).not.toContain('[MISSING]');
    expect(absence(composition, 'AGENTS.md')).toMatchObject([
      { reason: 'missing', detail: 'no such file; a handler provides this file instead' },
    ]);
  });

  it('says so when a handler gives it a text and leaves it marked as missing', async () => {
    await rm(scratch.path('AGENTS.md'));
    scratch.on('forgets', ({ bootstrapFiles }) => {
      const entry = bootstrapFiles.find(({ name }) => name === 'AGENTS.md');
      if (entry) entry.content = 'lost words';
    });
    const composition = await scratch.compose();
    expect(composition.prompt.text).not.toContain('lost words');
    expect(absence(composition, 'AGENTS.md')).toMatchObject([
      { reason: 'missing', detail: expect.stringContaining('left it marked as missing'), text: 'lost words' },
    ]);
  });

  it.each([
    'appendToFile',
    'prependToFile',
  ] as const)('keeps its marker when a handler only adds to it: %s', async (edit) => {
    await rm(scratch.path('AGENTS.md'));
    const plain = await scratch.compose();
    scratch.on('hour', (context) => new BootstrapFileHelper(context)[edit]('AGENTS.md', 'It is late.'), {
      stability: 'run',
    });
    scratch.on('day', (context) => new BootstrapFileHelper(context)[edit]('AGENTS.md', 'It is Friday.'), {
      stability: 'run',
    });
    const composition = await scratch.compose();
    expect(composition.prompt.text).toContain(`[MISSING] Expected at: ${scratch.path('AGENTS.md')}`);
    expect(composition.prompt.text).toContain('It is late.');
    expect(composition.prompt.text).toContain('It is Friday.');
    expect(absence(composition, 'AGENTS.md')).toMatchObject([{ reason: 'missing', detail: 'no such file' }]);
    const { prompt } = composition.report;
    expect(prompt.stable.hash).toBe(plain.report.prompt.stable.hash);
  });

  it('has the same stable text whether or not something that passes is added to it first', async () => {
    await rm(scratch.path('AGENTS.md'));
    let isLate = false;
    scratch.on(
      'hour',
      (context) => isLate && new BootstrapFileHelper(context).appendToFile('AGENTS.md', 'It is late.'),
      {
        stability: 'run',
      },
    );
    scratch.on('house', (context) => new BootstrapFileHelper(context).appendToFile('AGENTS.md', 'House rules.'), {
      stability: 'static',
    });
    const day = await scratch.compose();
    isLate = true;
    const night = await scratch.compose();
    expect(night.prompt.text).toContain('It is late.');
    expect(night.report.prompt.stable).toEqual(day.report.prompt.stable);
    for (const { prompt } of [day, night]) expect(prompt.text).toContain('[MISSING] Expected at: ');
  });

  it('has a set of required files of its own in openboa', async () => {
    const { prompt } = await scratch.compose({ taxonomy: 'openboa' });
    for (const name of ['AGENT.md', 'PROFILE.md', 'MANDATE.md', 'IDENTITY.md'])
      expect(prompt.text).toContain(`[MISSING] Expected at: ${join(scratch.workspaceDir, name)}`);
    expect(prompt.text).not.toContain('Expected at: USER.md');
  });
});

describe('a file that says nothing', () => {
  it.each(['', '  \n\t\n'])('is skipped, with a reason: %j', async (text) => {
    await scratch.write('SOUL.md', text);
    const composition = await scratch.compose();
    expect(composition.prompt.text).not.toContain('## SOUL.md');
    expect(absence(composition, 'SOUL.md')).toMatchObject([{ reason: 'empty', path: scratch.path('SOUL.md') }]);
    expect(file(composition, 'SOUL.md')).toMatchObject({ status: 'absent', reason: 'empty' });
  });
});

describe('text that changes by session or run', () => {
  const nightText = (length: number) =>
    scratch.on('night', (context) => new BootstrapFileHelper(context).appendToFile('AGENTS.md', 'n'.repeat(length)), {
      stability: 'run',
    });

  it('does not move the cuts of the files, so that the cached part stays the same', async () => {
    await scratch.write('AGENTS.md', lines(300));
    await scratch.write('TOOLS.md', lines(300, 'tool'));
    const policy = { maxChars: 2_000, totalMaxChars: 3_000 };
    const stable = async (length: number) => {
      const undo = nightText(length);
      const { prompt } = await scratch.compose({ policy });
      undo();
      return prompt.text.slice(0, prompt.cacheBoundary);
    };
    const short = await stable(10);
    expect(await stable(250)).toBe(short);
    expect(await stable(5_000)).toBe(short);
  });

  it('has a tenth of the total to itself, and is cut like a file when that is not enough', async () => {
    await scratch.write('AGENTS.md', lines(300));
    nightText(5_000);
    const { report, prompt } = await scratch.compose({ policy: { maxChars: 3_000, totalMaxChars: 3_000 } });
    expect(report.budget.usedChars).toBeLessThanOrEqual(3_000);
    expect(prompt.text).toContain('nnnnnnnnnn');
    expect(prompt.text).toContain('read AGENTS.md (night) for full content');
    expect(report.cuts.map((cut) => cut.file)).toContain('AGENTS.md (night)');
  });

  it('has nothing where the files have used up the tokens, and that is said', async () => {
    await scratch.write('AGENTS.md', 'a rule');
    nightText(20);
    const { report } = await scratch.compose({ policy: { maxTokens: 1 } });
    expect(report.layers.reduce((sum, { tokens }) => sum + tokens, 0)).toBeLessThanOrEqual(1);
    expect(report.absences).toContainEqual(
      expect.objectContaining({ what: 'AGENTS.md (night)', reason: 'over-budget' }),
    );
  });

  it('gives way to sections that must be kept, and says so', async () => {
    const kept = `<!-- keep -->\n# Safety\n${'s'.repeat(2_900)}`;
    await scratch.write('AGENTS.md', kept);
    await scratch.write('TOOLS.md', 't');
    nightText(500);
    const composition = await scratch.compose({ policy: { maxChars: 3_000, totalMaxChars: 3_000 } });
    expect(composition.prompt.text).toContain('s'.repeat(2_900));
    expect(composition.report.budget.usedChars).toBeLessThanOrEqual(3_000);
    expect([
      ...composition.report.cuts.map((cut) => cut.file),
      ...composition.report.absences.map(({ what }) => what),
    ]).toContain('AGENTS.md (night)');
  });
});
