// Where the hook packs that come with the product lie. This file stands one folder below the root in the sources, and what
// is built from it does too, so the same relative path leads to the packs in both.

import { fileURLToPath } from 'node:url';

export const BUNDLED_DIR = fileURLToPath(new URL('../hooks/bundled', import.meta.url));
