import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { InternalHookEvent } from '../../protocol/bootstrap-event.ts';
import { folderForTest } from '../../testkit/folder-for-test.ts';
import { loadHookHandler } from './load-hook-handler.ts';

const event: InternalHookEvent = {
  type: 'agent',
  action: 'bootstrap',
  sessionKey: 'agent:main:main',
  context: {},
  timestamp: new Date(0),
  messages: [],
};

let dir: string;
beforeEach(async () => {
  dir = await folderForTest();
});

async function load(files: Record<string, string>, exportName?: string, environment = {}) {
  for (const [name, text] of Object.entries(files)) await writeFile(join(dir, name), text);
  const [first = ''] = Object.keys(files);
  return loadHookHandler({ hook: 'h', path: join(dir, first), rootDir: dir, exportName }, environment);
}

async function answerOf(...args: Parameters<typeof load>): Promise<unknown> {
  const loaded = await load(...args);
  if (!loaded.ok) throw loaded.error;
  return loaded.handler(event);
}

describe('loading a handler', () => {
  it('takes TypeScript with enums, types, top-level await and neighbours', async () => {
    const answer = await answerOf({
      'handler.ts': `
        import type { Nothing } from 'no-such-package';
        import { suffix } from './lib';
        enum Mood { Good = 'good' }
        const word: string = await Promise.resolve(Mood.Good);
        export default (event: { type: string }): string => event.type + ' ' + word + suffix;
      `,
      'lib.ts': `export const suffix: string = '!';`,
    });
    expect(answer).toBe('agent good!');
  });

  it('takes every way in which JavaScript files export a function', async () => {
    expect(await answerOf({ 'a.js': 'export default () => 1' })).toBe(1);
    expect(await answerOf({ 'b.js': 'module.exports = () => 2' })).toBe(2);
    expect(await answerOf({ 'c.js': 'exports.default = () => 3' })).toBe(3);
    expect(await answerOf({ 'd.js': 'exports.run = () => 4' }, 'run')).toBe(4);
    expect(await answerOf({ 'e.mjs': 'export function run() { return 5 }' }, 'run')).toBe(5);
  });

  it('gives it the modules that are handed in, the very same objects', async () => {
    class BootstrapFileHelper {}
    const virtualModules = { atrium: { name: 'door' }, 'atrium/context': { BootstrapFileHelper } };
    const source = `import { BootstrapFileHelper } from 'atrium/context'; import { name } from 'atrium';
      export default () => [BootstrapFileHelper, name];`;
    for (const file of ['h.ts', 'h.js', 'h.mjs']) {
      expect(await answerOf({ [file]: source }, undefined, { virtualModules })).toEqual([BootstrapFileHelper, 'door']);
    }
    const required = `const context = require('atrium/context'); module.exports = () => context.BootstrapFileHelper;`;
    expect(await answerOf({ 'r.js': required }, undefined, { virtualModules })).toBe(BootstrapFileHelper);
  });

  it('evaluates a neighbour once, however many files import it', async () => {
    const answer = await answerOf({
      'handler.ts': `import { shared } from './shared'; import { same } from './other'; export default () => shared === same;`,
      'other.ts': `export { shared as same } from './shared';`,
      'shared.ts': 'export const shared = {};',
    });
    expect(answer).toBe(true);
  });

  it('sees an edit, in every kind of file', async () => {
    for (const [file, source] of [
      ['a.ts', 'export default () => VALUE'],
      ['b.js', 'module.exports = () => VALUE'],
      ['c.mjs', 'export default () => VALUE'],
    ] as const) {
      expect(await answerOf({ [file]: source.replace('VALUE', '1') })).toBe(1);
      expect(await answerOf({ [file]: source.replace('VALUE', '2') })).toBe(2);
    }
  });
});

describe('a handler that cannot be loaded', () => {
  async function errorOf(...args: Parameters<typeof load>) {
    const loaded = await load(...args);
    return loaded.ok ? undefined : loaded.error;
  }

  it('is an error that carries what the file threw', async () => {
    const error = await errorOf({ 'handler.ts': `throw new Error('no\\u001b[31m token')` });
    expect(error).toMatchObject({ code: 'ATRIUM_HOOK_HANDLER_LOAD', hook: 'h', reason: 'no [31m token' });
    expect(error?.cause).toBeInstanceOf(Error);
    expect(await errorOf({ 'handler.js': 'throw undefined' })).toMatchObject({ reason: 'threw undefined' });
    const unshowable = await errorOf({ 'x.js': 'throw { toString() { throw 1 } }' });
    expect(unshowable).toMatchObject({ reason: 'threw something that cannot be shown' });
  });

  it('names the module that is missing, and the place of a syntax error', async () => {
    const missing = await errorOf({ 'handler.ts': `import { x } from 'no-such-package'; export default () => x;` });
    expect(missing?.message).toContain(`Cannot find module 'no-such-package'`);
    const broken = await errorOf({ 'broken.ts': 'export default (\n' });
    expect(broken).toMatchObject({ code: 'ATRIUM_HOOK_HANDLER_LOAD' });
    expect(broken?.message).toContain('broken.ts:2');
  });

  it('says which functions there are when the export is another one', async () => {
    const error = await errorOf({ 'handler.ts': 'export const run = () => {}; export const size = 3;' });
    expect(error).toMatchObject({ code: 'ATRIUM_HOOK_HANDLER_EXPORT', exportName: 'default', functions: ['run'] });
    // Functions have a property `call`, but that is not an export.
    expect(await errorOf({ 'b.js': 'export default () => {}' }, 'call')).toMatchObject({ functions: ['default'] });
    expect(await errorOf({ 'c.js': 'module.exports = () => {}' }, 'call')).toMatchObject({ exportName: 'call' });
  });

  it('is given up when its top-level code never ends', async () => {
    const error = await errorOf({ 'handler.ts': 'await new Promise(() => {}); export default () => {};' }, undefined, {
      loadTimeoutMs: 30,
    });
    expect(error).toMatchObject({ code: 'ATRIUM_HOOK_HANDLER_LOAD_TIMEOUT', afterMs: 30 });
  });

  it('may not be a link to somewhere else, nor be gone, nor be a directory', async () => {
    const inner = join(dir, 'inner');
    await mkdir(join(inner, 'index.js'), { recursive: true });
    await writeFile(join(dir, 'outside.js'), 'globalThis.escaped = true; export default () => {}');
    await symlink(join(dir, 'outside.js'), join(inner, 'handler.js'));
    const from = (name: string) => loadHookHandler({ hook: 'h', path: join(inner, name), rootDir: inner });
    expect(await from('handler.js')).toMatchObject({ ok: false, error: { code: 'ATRIUM_HOOK_HANDLER_OUTSIDE' } });
    expect(await from('../outside.js')).toMatchObject({ ok: false, error: { code: 'ATRIUM_HOOK_HANDLER_OUTSIDE' } });
    expect(await from('gone.js')).toMatchObject({ ok: false, error: { reason: 'the file is not there' } });
    expect(await from('index.js')).toMatchObject({ ok: false, error: { reason: 'not a regular file' } });
    expect(globalThis).not.toHaveProperty('escaped');
  });
});
