// The kinds of authors are class names of the marks in a request. All stylesheets of the console share one page, so a rule for
// a part of another page must not reach these marks.

import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const folder = new URL('../console/style/', import.meta.url);
const sheets = readdirSync(folder).filter((name) => name.endsWith('.css'));
const [, union = ''] =
  /type AuthorKind = ([^;]+);/.exec(readFileSync(new URL('../context/author.ts', folder), 'utf8')) ?? [];
const kinds = [...union.matchAll(/'(\w+)'/g)].map(([, kind]) => kind);

describe('the marks of authors', () => {
  it('have kinds', () => {
    expect(kinds).toContain('plugin');
  });

  it.each(sheets)('are not restyled by a rule of %s that means something else', (name) => {
    const text = readFileSync(new URL(name, folder), 'utf8').replace(/\/\*.*?\*\//gs, '');
    const selectors = [...text.matchAll(/([^{}]+)\{/g)].flatMap(([, list = '']) => list.split(','));
    const bare = new RegExp(`^\\.(?:${kinds.join('|')})(?![\\w-])[^\\s>+~.]*$`);
    expect(selectors.map((selector) => selector.trim()).filter((selector) => bare.test(selector))).toEqual([]);
  });
});
