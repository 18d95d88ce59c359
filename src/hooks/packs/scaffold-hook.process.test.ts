import { spawnSync } from 'node:child_process';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, it } from 'vitest';
import { type InternalHookEvent, isAgentBootstrapEvent } from '../../protocol/bootstrap-event.ts';
import { folderForTest } from '../../testkit/folder-for-test.ts';
import { discoverHooks } from './discover-hooks.ts';
import { loadHookHandler } from './load-hook-handler.ts';
import { saveHookScaffold, scaffoldHook } from './scaffold-hook.ts';

let dir: string;
beforeEach(async () => {
  dir = await folderForTest();
});

describe('a new hook', () => {
  it('is discovered as it stands, with nothing to mend', async () => {
    await saveHookScaffold(scaffoldHook(join(dir, 'state/hooks'), 'my-first-hook'));
    const { packs, problems } = await discoverHooks({ managedDir: join(dir, 'state/hooks') });
    expect(problems).toEqual([]);
    expect(packs).toMatchObject([{ name: 'my-first-hook', metadata: { events: ['agent:bootstrap'], priority: 150 } }]);
  });

  it('works with the modules that the product hands in', async () => {
    const scaffold = scaffoldHook(dir, 'greeter');
    await saveHookScaffold(scaffold);
    const appended: unknown[] = [];
    class BootstrapFileHelper {
      appendToFile(...args: unknown[]) {
        appended.push(args);
      }
    }
    const loaded = await loadHookHandler(
      { hook: 'greeter', path: join(scaffold.dir, 'handler.ts'), rootDir: scaffold.dir },
      { virtualModules: { 'atrium/context': { BootstrapFileHelper, isAgentBootstrapEvent } } },
    );
    const event: InternalHookEvent = {
      type: 'agent',
      action: 'bootstrap',
      sessionKey: 'agent:main:main',
      context: { workspaceDir: '/w', bootstrapFiles: [] },
      timestamp: new Date(0),
      messages: [],
    };
    if (loaded.ok) await loaded.handler(event);
    expect(appended).toEqual([['AGENTS.md', '## Greeter\n\nWrite here what the agent should know.']]);
  });

  it('brings a test that passes, and that fails when the handler is broken', async () => {
    const scaffold = scaffoldHook(dir, 'greeter');
    await saveHookScaffold(scaffold);
    const passed = await runTestsOf(scaffold.dir);
    expect(passed.output).toMatch(/pass 2/);
    expect(passed.status).toBe(0);
    await writeFile(join(scaffold.dir, 'handler.ts'), 'export default function handler() {}');
    const failed = await runTestsOf(scaffold.dir);
    expect(failed.output).toMatch(/fail 1/);
    expect(failed.status).not.toBe(0);
  });

  it('never overwrites', async () => {
    await mkdir(join(dir, 'taken'));
    await expect(saveHookScaffold(scaffoldHook(dir, 'taken'))).rejects.toMatchObject({ code: 'ATRIUM_HOOK_EXISTS' });
    expect(await readdir(join(dir, 'taken'))).toEqual([]);
    await writeFile(join(dir, 'file'), 'mine');
    await expect(saveHookScaffold(scaffoldHook(dir, 'file'))).rejects.toMatchObject({ code: 'ATRIUM_HOOK_EXISTS' });
    expect(await readFile(join(dir, 'file'), 'utf8')).toBe('mine');
  });
});

describe('the name of a hook', () => {
  it('is in kebab case', () => {
    for (const name of ['a', 'a1', 'time-of-day', 'v2-notes']) expect(scaffoldHook(dir, name).name).toBe(name);
  });

  it('is refused otherwise, with one that would do', () => {
    const suggestions = {
      MyHook: 'my-hook',
      'my hook!': 'my-hook',
      '../../etc': 'etc',
      '2-fast': 'fast',
      a__b: 'a-b',
      '-x-': 'x',
    };
    for (const [name, suggestion] of Object.entries(suggestions)) {
      expect(() => scaffoldHook(dir, name)).toThrow(
        expect.objectContaining({ code: 'ATRIUM_HOOK_NAME_INVALID', suggestion }),
      );
    }
    for (const name of ['', '..', '한글', '7']) {
      expect(() => scaffoldHook(dir, name)).toThrow(expect.objectContaining({ suggestion: undefined }));
    }
    expect(() => scaffoldHook(dir, 'a'.repeat(65))).toThrow(/at most 64/);
  });
});

/** The tests run in a process of their own, as the command runs them: `node:test` reports when the process ends. */
async function runTestsOf(hookDir: string): Promise<{ status: number | null; output: string }> {
  const script = join(dir, 'run-tests.mjs');
  await writeFile(
    script,
    `import { createJiti } from ${JSON.stringify(import.meta.resolve('jiti'))};
    const { testHook } = await createJiti(import.meta.url).import(${JSON.stringify(fileURLToPath(new URL('./test-hook.ts', import.meta.url)))});
    class BootstrapFileHelper {
      constructor(context) { this.context = context; }
      appendToFile(name, text) { this.context.bootstrapFiles.find((file) => file.name === name).content += text; }
    }
    const isAgentBootstrapEvent = (event) => event.type === 'agent' && event.action === 'bootstrap';
    const virtualModules = { 'atrium/context': { BootstrapFileHelper, isAgentBootstrapEvent } };
    await testHook({ name: 'greeter', dir: ${JSON.stringify(hookDir)} }, { virtualModules });`,
  );
  const env = { PATH: process.env.PATH, JITI_FS_CACHE: 'false' };
  const { status, stdout } = spawnSync(process.execPath, [script], { encoding: 'utf8', env });
  return { status, output: stdout };
}
