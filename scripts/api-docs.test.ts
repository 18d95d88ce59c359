import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { ROUTES } from '../src/gateway/http/routes/all-routes.ts';
import { generateApiDocs } from './api-docs.ts';
import { replacePart } from './hook-docs.ts';

it.each(
  generateApiDocs(),
)('the table "$mark" in docs/api.md is what the code says; "npm run docs:api" writes it', (part) => {
  const written = readFileSync(part.file, 'utf8');
  expect(replacePart(written, part)).toBe(written);
});

it('every endpoint has a method and path of its own, and its words fit into a table', () => {
  const names = ROUTES.map(({ method, path }) => `${method} ${path}`);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  for (const { path, summary, detail } of ROUTES) {
    expect(summary, path).toMatch(/^\S.*\.$/);
    expect(`${summary}${detail ?? ''}`, path).not.toMatch(/[|\n]/);
  }
});
