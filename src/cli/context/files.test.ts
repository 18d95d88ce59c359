import { readFile, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FileVersion } from '../../gateway/services/bootstrap-files.ts';
import { RunningGateway } from '../fixtures/running-gateway.ts';

describe('atrium context edit, history and restore', () => {
  let running: RunningGateway;
  beforeAll(async () => {
    running = await RunningGateway.create();
    await running.home.write('workspace/AGENTS.md', 'Be kind.\n');
    await running.start();
  });
  afterAll(() => running.remove());
  const context = (...argv: readonly string[]) => running.home.run(['context', ...argv]);
  const onDisk = () => readFile(running.home.path('workspace/AGENTS.md'), 'utf8');

  it('puts a new text in a file, lists both, and goes back', async () => {
    expect((await context('history', 'AGENTS.md')).out).toContain('not edited through the gateway yet');
    const draft = running.home.path('draft.md');
    await writeFile(draft, 'Be brief.\n');
    expect((await context('edit', 'AGENTS.md', '--with', draft)).out).toContain('10 characters now');
    expect(await onDisk()).toBe('Be brief.\n');
    expect((await context('edit', 'AGENTS.md', '--with', draft)).out).toContain('has this text already');
    const { versions } = (await running.home.runJson(['context', 'history', 'AGENTS.md'])) as {
      versions: FileVersion[];
    };
    expect(versions).toMatchObject([{ author: 'cli', isCurrent: true }, { author: 'disk' }]);
    const first = String(versions[1]?.id);
    expect((await context('history', 'AGENTS.md', '--show', first)).out).toBe('Be kind.\n');
    await context('restore', 'AGENTS.md', first);
    expect(await onDisk()).toBe('Be kind.\n');
  });

  it('names what cannot be edited', async () => {
    expect((await context('edit', 'NOTES.md', '--with', running.home.path('draft.md'))).err).toContain(
      'not a bootstrap file',
    );
    expect((await context('edit', 'AGENTS.md', '--with', '/nowhere.md')).err).toContain('there is none');
    expect((await context('restore', 'AGENTS.md', '999')).err).toContain('no version 999');
    expect((await context('restore', 'AGENTS.md', 'x')).err).toContain('the number of a version');
  });
});
