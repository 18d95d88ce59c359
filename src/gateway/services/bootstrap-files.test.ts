import { readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { reply } from '../../testkit/model-server.ts';
import { ScratchGateway } from '../../testkit/scratch-gateway.ts';

describe('a bootstrap file that a person edits', () => {
  let scratch: ScratchGateway;
  beforeAll(async () => {
    scratch = await ScratchGateway.open({ files: { 'workspace/AGENTS.md': 'Be kind.\n' } });
  });
  afterAll(() => scratch.close());
  const files = () => scratch.services.bootstrapFiles;
  const onDisk = (name: string) => readFile(join(scratch.workspaceDir, name), 'utf8');
  const write = async (name: string, text: string | null, version?: string | null) => {
    const read = await files().read('main', name);
    return files().write('main', name, {
      text,
      version: version === undefined ? read.version : version,
      author: 'web',
    });
  };

  it('is read by the next run, and both versions are kept with their authors', async () => {
    await write('AGENTS.md', 'Be brief.\n');
    expect(await onDisk('AGENTS.md')).toBe('Be brief.\n');
    expect(await files().history('main', 'AGENTS.md')).toMatchObject([
      { author: 'web', chars: 10, isCurrent: true },
      { author: 'disk', chars: 9, isCurrent: false },
    ]);
    scratch.model.script([reply('ok')]);
    const { runId } = await scratch.channel.says({}, 'hello');
    await scratch.services.runs.wait(runId);
    expect(scratch.model.requests.at(-1)?.body).toContain('Be brief.');
  });

  it('is not overwritten when somebody else has changed it meanwhile', async () => {
    const { version } = await files().read('main', 'AGENTS.md');
    await writeFile(join(scratch.workspaceDir, 'AGENTS.md'), 'Another program was here.\n');
    await expect(write('AGENTS.md', 'mine', version)).rejects.toMatchObject({
      code: 'ATRIUM_BOOTSTRAP_FILE_CHANGED',
      status: 409,
    });
    expect(await onDisk('AGENTS.md')).toBe('Another program was here.\n');
  });

  it('goes back to any version, and forward again', async () => {
    const first = (await files().history('main', 'AGENTS.md')).at(-1);
    const { version } = await files().read('main', 'AGENTS.md');
    await files().restore('main', 'AGENTS.md', { id: first?.id ?? 0, version, author: 'cli' });
    expect(await onDisk('AGENTS.md')).toBe('Be kind.\n');
    const kept = await files().history('main', 'AGENTS.md');
    // What the other program wrote was found, and is kept too.
    expect(kept.map(({ author }) => author)).toEqual(['cli', 'disk', 'web', 'disk']);
    const again = await files().read('main', 'AGENTS.md');
    await files().restore('main', 'AGENTS.md', { id: kept[1]?.id ?? 0, version: again.version, author: 'cli' });
    expect(await onDisk('AGENTS.md')).toBe('Another program was here.\n');
  });

  it('can be new, and is gone again when that is undone', async () => {
    await rm(join(scratch.workspaceDir, 'SOUL.md'), { force: true });
    expect(await files().read('main', 'SOUL.md')).toMatchObject({ text: null, version: null });
    const { version } = await write('SOUL.md', 'Calm.', null);
    const [, before] = await files().history('main', 'SOUL.md');
    await files().restore('main', 'SOUL.md', { id: before?.id ?? 0, version, author: 'web' });
    await expect(onDisk('SOUL.md')).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('cannot be a link that leads out of the workspace, nor any other file', async () => {
    await writeFile(scratch.home.path('secret.txt'), 'secret');
    await rm(join(scratch.workspaceDir, 'USER.md'), { force: true });
    await symlink(scratch.home.path('secret.txt'), join(scratch.workspaceDir, 'USER.md'));
    const refused = { code: 'ATRIUM_BOOTSTRAP_FILE_REFUSED', status: 422 };
    await expect(files().read('main', 'USER.md')).rejects.toMatchObject(refused);
    await expect(files().write('main', 'USER.md', { text: 'x', version: null, author: 'web' })).rejects.toMatchObject(
      refused,
    );
    expect(await readFile(scratch.home.path('secret.txt'), 'utf8')).toBe('secret');
    expect((await files().list('main')).find(({ name }) => name === 'USER.md')).toMatchObject({
      problem: expect.stringContaining('leads out'),
    });
    for (const name of ['../openclaw.json', 'openclaw.json', 'notes.md'])
      await expect(files().read('main', name)).rejects.toMatchObject({ code: 'ATRIUM_BOOTSTRAP_FILE_UNKNOWN' });
    await expect(files().read('nobody', 'AGENTS.md')).rejects.toMatchObject({ code: 'ATRIUM_AGENT_UNKNOWN' });
  });

  it('keeps a bounded number of versions', async () => {
    for (let number = 0; number < 103; number += 1) await write('TOOLS.md', `Version ${number}.`);
    const kept = await files().history('main', 'TOOLS.md');
    expect(kept).toHaveLength(100);
    const { text } = await files().readVersion('main', 'TOOLS.md', kept.at(-1)?.id ?? 0);
    expect(text).toBe('Version 3.');
  });
});
