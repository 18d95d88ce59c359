// The command `npm run docs:keys`: writes what the table of OpenClaw's keys says into docs/openclaw-keys.md.

import { writeFileSync } from 'node:fs';
import { generateKeyDocs, KEYS_PAGE } from './openclaw-key-docs.ts';

writeFileSync(KEYS_PAGE, generateKeyDocs());
