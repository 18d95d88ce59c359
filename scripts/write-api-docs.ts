// The command `npm run docs:api`: writes what the routes and the fields of a chat completion say into docs/api.md.

import { readFileSync, writeFileSync } from 'node:fs';
import { generateApiDocs } from './api-docs.ts';
import { replacePart } from './hook-docs.ts';

for (const part of generateApiDocs()) writeFileSync(part.file, replacePart(readFileSync(part.file, 'utf8'), part));
