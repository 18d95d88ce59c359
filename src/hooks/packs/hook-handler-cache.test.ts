import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HookHandlerCache } from './hook-handler-cache.ts';
import { loadHookHandler } from './load-hook-handler.ts';

let dir: string;
let loads: number;
let cache: HookHandlerCache;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'atrium-cache-'));
  loads = 0;
  cache = new HookHandlerCache((file) => {
    loads++;
    return loadHookHandler(file);
  });
});
afterEach(() => rm(dir, { recursive: true, force: true }));

function load(exportName?: string) {
  return cache.load({ hook: 'h', path: join(dir, 'handler.ts'), rootDir: dir, exportName });
}

describe('keeping loaded handlers', () => {
  it('gives the same function until the file changes', async () => {
    await writeFile(join(dir, 'handler.ts'), 'export default () => 1');
    const [first, second] = [await load(), await load()];
    expect(second).toBe(first);
    expect(loads).toBe(1);
    await writeFile(join(dir, 'handler.ts'), 'export default () => 22');
    const third = await load();
    expect(third.ok && third.handler({} as never)).toBe(22);
  });

  it('notices a neighbour that changed, but not a test', async () => {
    await writeFile(join(dir, 'handler.ts'), `import { value } from './value'; export default () => value`);
    await writeFile(join(dir, 'value.ts'), 'export const value = 1');
    await load();
    await writeFile(join(dir, 'handler.test.ts'), '// new');
    await load();
    expect(loads).toBe(1);
    await writeFile(join(dir, 'value.ts'), 'export const value = 1_000');
    const again = await load();
    expect(again.ok && again.handler({} as never)).toBe(1000);
  });

  it('keeps exports of one file apart', async () => {
    await writeFile(join(dir, 'handler.ts'), 'export const a = () => 1; export const b = () => 2;');
    expect(await load('a')).not.toEqual(await load('b'));
  });

  it('does not try a broken file again before it is edited', async () => {
    await writeFile(join(dir, 'handler.ts'), 'throw new Error("load")');
    expect([(await load()).ok, (await load()).ok]).toEqual([false, false]);
    expect(loads).toBe(1);
    await writeFile(join(dir, 'handler.ts'), 'export default () => {}');
    expect((await load()).ok).toBe(true);
  });

  it('loads once for two who ask at the same time', async () => {
    await writeFile(join(dir, 'handler.ts'), 'export default () => 1');
    await Promise.all([load(), load()]);
    expect(loads).toBe(1);
  });
});
