import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { globSync } from 'tinyglobby';
import { expect, it } from 'vitest';
import { ERRORS_PAGE, generateErrorDocs, listErrors } from './error-docs.ts';

const errors = await listErrors();

// The statuses are part of the API. They stand in the page, so a change of one shows in the page and in this test.
it('docs/errors.md is what the definitions say; "npm run docs:errors" writes it', () => {
  expect(readFileSync(ERRORS_PAGE, 'utf8')).toBe(generateErrorDocs(errors));
});

it('every error has a code of its own', () => {
  for (const { definition } of errors) expect(definition.code).toMatch(/^ATRIUM_[A-Z]+(_[A-Z]+)+$/);
  const codes = errors.map(({ definition }) => definition.code);
  expect(codes.filter((code, index) => codes.indexOf(code) !== index)).toEqual([]);
});

it('every error is explained: what it means, and what to do; and its row fits into a table', () => {
  for (const { name, definition } of errors) {
    for (const text of [definition.means, definition.remedy]) {
      expect(text, name).toMatch(/^\S+ .*\.$|^Nothing\b.*\.$/);
      expect(text, name).not.toMatch(/[|\n]/);
    }
    expect([400, 401, 403, 404, 405, 409, 413, 422, 429, 500, 503, 504], name).toContain(definition.status ?? 500);
  }
});

it('every error stands in the errors.ts of its folder, where the page finds it', () => {
  const root = fileURLToPath(new URL('../src', import.meta.url));
  const defined = globSync('**/*.ts', { cwd: root, absolute: true, ignore: '**/*.test.ts' }).flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/class (\w+) extends (?:defineError\(|AtriumError\b)/g)].map(
      (match) => match[1],
    ),
  );
  const base = ['DefinedError'];
  expect(defined.sort()).toEqual([...errors.map(({ name }) => name), ...base].sort());
});

it('an error of a family that no section has is refused', () => {
  const definition = { code: 'ATRIUM_NOVEL_THING', message: 'x', means: 'Something new.', remedy: 'Add a section.' };
  expect(() => generateErrorDocs([{ name: 'NovelError', definition }])).toThrow('belongs to no section');
});
