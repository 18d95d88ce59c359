// The command `npm run docs:hooks`: writes what the code says into docs/hooks.md and docs/lifecycle.md.

import { readFileSync, writeFileSync } from 'node:fs';
import { generateHookDocs, replacePart } from './hook-docs.ts';

for (const part of generateHookDocs()) {
  writeFileSync(part.file, replacePart(readFileSync(part.file, 'utf8'), part));
}
