import { existsSync } from 'node:fs';
import { readFile, readlink, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { withScratchTree } from './scratch-tree.ts';

it('a scratch tree holds what a case describes and is gone afterwards', async () => {
  const root = await withScratchTree({ $WS: 'ws', $OUT: 'out' }, async (scratch) => {
    const ws = scratch.path('$WS');
    await scratch.write(ws, {
      'again.md': { hardlink: '$WS/deep/a.md' },
      'deep/a.md': ['a', { text: 'b', repeat: 2 }],
      'link.md': { symlink: '$OUT/x.md' },
      'bytes.md': { base64: '77u/' },
      empty: { dir: true },
    });
    expect(await readFile(join(ws, 'deep/a.md'), 'utf8')).toBe('abb');
    expect((await stat(join(ws, 'again.md'))).nlink).toBe(2);
    expect(await readlink(join(ws, 'link.md'))).toBe(join(scratch.path('$OUT'), 'x.md'));
    expect([...(await readFile(join(ws, 'bytes.md')))]).toEqual([0xef, 0xbb, 0xbf]);
    expect((await stat(join(ws, 'empty'))).isDirectory()).toBe(true);
    return scratch.root;
  });
  expect(existsSync(root)).toBe(false);
});

it('placeholders and real paths are translated in both directions', async () => {
  await withScratchTree({ $ROOT: '.', $WS: 'ws', $CWD: '/somewhere/else' }, async (scratch) => {
    const real = scratch.toReal({ '$WS/k': ['$WS/a', '$CWD/b', '$OTHER'] });
    expect(real).toEqual({ [`${scratch.root}/ws/k`]: [`${scratch.root}/ws/a`, '/somewhere/else/b', '$OTHER'] });
    expect(scratch.toPlaceholders(real)).toEqual({ '$WS/k': ['$WS/a', '$CWD/b', '$OTHER'] });
    expect(scratch.toPlaceholders(`${scratch.root}/wsx`)).toBe('$ROOT/wsx');
  });
});
