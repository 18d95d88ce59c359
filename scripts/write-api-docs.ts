// The command `npm run docs:api`: writes what the routes say into docs/api.md.

import { readFileSync, writeFileSync } from 'node:fs';
import { generateApiDocs } from './api-docs.ts';
import { replacePart } from './hook-docs.ts';

const part = generateApiDocs();
writeFileSync(part.file, replacePart(readFileSync(part.file, 'utf8'), part));
