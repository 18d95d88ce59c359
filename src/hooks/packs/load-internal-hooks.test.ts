import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { folderForTest } from '../../testkit/folder-for-test.ts';
import type { HookLoadPolicy } from './internal-hooks-configured.ts';
import { loadHookHandler } from './load-hook-handler.ts';
import { loadInternalHooks } from './load-internal-hooks.ts';

let root: string;
beforeEach(async () => {
  root = await folderForTest();
});

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), text);
}

async function writePack(dir: string, section: object, handler = 'export default () => {}'): Promise<void> {
  await write(`${dir}/HOOK.md`, `---\ndescription: d\nmetadata: ${JSON.stringify({ openclaw: section })}\n---\n`);
  await write(`${dir}/handler.ts`, handler);
}

function load(internal?: unknown, policy: HookLoadPolicy = 'managed-by-default') {
  return loadInternalHooks({
    config: internal === undefined ? {} : { hooks: { internal } },
    policy,
    directories: { managedDir: join(root, 'state/hooks'), workspaceDir: join(root, 'ws') },
    machine: { platform: 'linux', env: {}, path: '' },
    loadHandler: (file) => loadHookHandler(file),
  });
}

describe('loading internal hooks', () => {
  it('takes managed packs from an untouched home, and none of the workspace', async () => {
    await writePack('state/hooks/mine', { events: ['agent:bootstrap'] });
    await writePack('ws/hooks/theirs', { events: ['agent:bootstrap'] });
    const { registrations, packs } = await load();
    expect(registrations.map(({ owner }) => owner)).toEqual(['mine']);
    expect(packs).toMatchObject([
      { kind: 'loaded', pack: { name: 'mine' } },
      { kind: 'ineligible', pack: { name: 'theirs' }, unmet: [{ code: 'disabled' }] },
    ]);
  });

  it('takes nothing unasked where the policy is to be asked', async () => {
    await writePack('state/hooks/mine', { events: ['command'] });
    expect((await load(undefined, 'configured-only')).registrations).toEqual([]);
    expect((await load({ enabled: true }, 'configured-only')).registrations).toHaveLength(1);
    expect((await load({ entries: { other: {} } }, 'configured-only')).packs).toMatchObject([{ kind: 'not-selected' }]);
  });

  it('takes nothing at all when hooks are switched off', async () => {
    await writePack('state/hooks/mine', { events: ['command'] }, 'globalThis.ran = true; export default () => {}');
    expect((await load({ enabled: false, entries: { mine: { enabled: true } } })).registrations).toEqual([]);
    expect(globalThis).not.toHaveProperty('ran');
  });

  it('takes a workspace pack whose entry says so', async () => {
    await writePack('ws/hooks/theirs', { events: ['agent:bootstrap'], hookKey: 'key' });
    expect((await load({ entries: { theirs: { enabled: true } } })).registrations).toEqual([]);
    expect((await load({ entries: { key: { enabled: true } } })).registrations).toHaveLength(1);
  });

  it('says how a bootstrap handler is to be run, with a priority in any case', async () => {
    const declared = { priority: 7, stability: 'static', onError: 'abort', timeoutMs: 9 };
    await writePack('state/hooks/declared', { events: ['agent:bootstrap'], ...declared });
    await writePack('state/hooks/plain', { events: ['agent:bootstrap'] });
    const { registrations } = await load();
    expect(registrations.map(({ bootstrap }) => bootstrap)).toEqual([declared, { priority: 150 }]);
  });

  it('makes a hook that could never fire an error, without running it', async () => {
    await writePack('state/hooks/deaf', { events: [] }, 'globalThis.ran = true; export default () => {}');
    const { packs } = await load();
    expect(packs).toMatchObject([{ kind: 'failed', error: { code: 'ATRIUM_HOOK_NO_EVENTS', hook: 'deaf' } }]);
    expect(globalThis).not.toHaveProperty('ran');
  });

  it('goes on past a pack that cannot be loaded', async () => {
    await writePack('state/hooks/a', { events: ['command'] }, 'throw new Error("broken")');
    await writePack('state/hooks/b', { events: ['command'] });
    const { registrations, packs } = await load();
    expect(registrations.map(({ owner }) => owner)).toEqual(['b']);
    expect(packs).toMatchObject([{ kind: 'failed', error: { reason: 'broken' } }, { kind: 'loaded' }]);
  });
});

describe('handlers that the configuration names by file', () => {
  it('come after the packs, from inside the workspace only', async () => {
    await writePack('state/hooks/mine', { events: ['command'] });
    await write('ws/lib/old.mjs', 'export const run = () => {}');
    await write('outside.mjs', 'export default () => {}');
    await symlink(join(root, 'outside.mjs'), join(root, 'ws/link.mjs'));
    const { registrations, failures } = await load({
      handlers: [
        { event: 'command:new', module: './lib/old.mjs', export: 'run' },
        { event: 'command:new', module: join(root, 'ws/lib/old.mjs') },
        { event: 'command:new', module: '../outside.mjs' },
        { event: 'command:new', module: 'link.mjs' },
        { event: 'command:new', module: 'gone.mjs' },
        { event: 'command:new' },
        null,
      ],
    });
    expect(registrations.map(({ owner, source, events }) => [owner, source, events])).toEqual([
      ['mine', 'openclaw-managed', ['command']],
      ['handlers[0]', 'config', ['command:new']],
    ]);
    expect(failures.map(({ code }) => code)).toEqual([
      ...Array(3).fill('ATRIUM_HOOK_HANDLER_OUTSIDE'),
      ...Array(3).fill('ATRIUM_HOOK_HANDLER_LOAD'),
    ]);
  });
});
