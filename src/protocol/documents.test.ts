import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { DOCUMENTS } from './documents.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

it('lists every document, and no other', async () => {
  const files = (await readdir(join(root, 'docs'))).filter((name) => name.endsWith('.md'));
  expect(Object.keys(DOCUMENTS).sort()).toEqual(files.map((name) => name.replace(/\.md$/, '')).sort());
});

it('names a document in messages by its command, never by a file that a reader may not find', async () => {
  const found: string[] = [];
  for (const folder of ['src', 'extensions', 'console']) {
    const names = await readdir(join(root, folder), { recursive: true });
    for (const name of names.filter((each) => /(?<!\.test)\.tsx?$/.test(each))) {
      const text = await readFile(join(root, folder, name), 'utf8').catch(() => '');
      text.split('\n').forEach((line, index) => {
        // Comments are for those who have the repository.
        const isComment = /^\s*(?:\/\/|\/?\*)/.test(line);
        if (!isComment && /\bdocs\/[\w-]+\.md/.test(line)) found.push(`${folder}/${name}:${index + 1}`);
      });
    }
  }
  expect(found).toEqual([]);
});
