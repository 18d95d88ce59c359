import { describe, expect, it } from 'vitest';
import { workspaceForEachTest } from '../../testkit/for-each-test.ts';
import { settlePath } from './settle-files.ts';

const scratch = workspaceForEachTest({ 'AGENTS.md': 'agents' });

const bring = (id: string, path: unknown, content = id) =>
  scratch.on(id, ({ bootstrapFiles }) => {
    bootstrapFiles.push({ name: 'EXTRA.md', path: path as string, content, missing: false });
  });

describe('an entry of a handler', () => {
  it.each([
    undefined,
    42,
    '',
    '   ',
  ])('without a path is dropped, with the sentence that people search for: %j', async (path) => {
    bring('brings', path);
    const { files, report } = await scratch.compose();
    expect(files.map(({ name }) => name)).not.toContain('EXTRA.md');
    expect(report.warnings).toContain(
      'skipping bootstrap file "EXTRA.md" — missing or invalid "path" field (hook may have used "filePath" instead)',
    );
    expect(report.absences).toContainEqual(expect.objectContaining({ what: 'EXTRA.md', reason: 'handler-failed' }));
  });

  it('belongs to the workspace when its path is relative', async () => {
    bring('brings', 'notes/EXTRA.md');
    const { files } = await scratch.compose();
    expect(files.at(-1)?.path).toBe(scratch.path('notes/EXTRA.md'));
  });

  it('at a path that is taken is dropped, and the first one stays', async () => {
    bring('first', 'EXTRA.md');
    bring('second', './notes/../EXTRA.md');
    const { files, report } = await scratch.compose();
    expect(files.filter(({ name }) => name === 'EXTRA.md').map(({ content }) => content)).toEqual(['first']);
    expect(report.absences).toContainEqual(
      expect.objectContaining({ path: scratch.path('EXTRA.md'), text: 'second', reason: 'removed-by-handler' }),
    );
  });

  it('that only has a label does not take the place of another with the same', async () => {
    bring('first', '<dynamic:EXTRA.md>');
    bring('second', '<dynamic:EXTRA.md>');
    const { prompt } = await scratch.compose();
    expect(prompt.text).toContain('first');
    expect(prompt.text).toContain('second');
  });
});

describe('settling a path', () => {
  it.each([
    ['a.md', '/w/a.md'],
    ['./a/../b.md', '/w/b.md'],
    ['../a.md', '/a.md'],
    ['/x/../y.md', '/y.md'],
    ['~', '/home/me'],
    ['~/a.md', '/home/me/a.md'],
    ['~you/a.md', '/w/~you/a.md'],
    ['  a.md  ', '/w/a.md'],
  ])('%s is %s', (path, expected) => {
    expect(settlePath(path, '/w', '/home/me')).toBe(expected);
  });
});
