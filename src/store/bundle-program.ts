// Makes a program that uses the code of this folder and runs in its own process, for tests that kill it. It is bundled,
// because a process that compiles first takes ten times as long to start.

import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Writes the program into `dir` and returns the path for `node`. Imports are written relative to `src/store`. */
export async function bundleProgram(dir: string, source: string): Promise<string> {
  const { build } = await import('vite');
  const here = fileURLToPath(new URL('.', import.meta.url));
  const root = join(dir, 'program');
  await mkdir(root, { recursive: true });
  await symlink(fileURLToPath(new URL('../../node_modules', import.meta.url)), join(root, 'node_modules'));
  const absolute = source.replace(/from '\.\//g, `from '${here}`);
  await writeFile(join(root, 'program.ts'), absolute);
  await build({
    root,
    configFile: false,
    logLevel: 'silent',
    build: {
      ssr: join(root, 'program.ts'),
      outDir: join(root, 'out'),
      target: 'node20',
      minify: false,
      rolldownOptions: { external: [/^@photostructure\//] },
    },
  });
  return join(root, 'out', 'program.mjs');
}
