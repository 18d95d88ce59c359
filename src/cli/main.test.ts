import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ScratchHome } from '../testkit/scratch-home.ts';

let home: ScratchHome;
beforeEach(async () => {
  home = await ScratchHome.create({ 'workspace/AGENTS.md': 'Be brief.\n' });
});
afterEach(() => home.remove());

describe('the process of a command', () => {
  it('ends although a handler left a timer running', async () => {
    await home.writePack(
      'hooks/pins',
      { events: ['agent:bootstrap'] },
      'export default () => { setInterval(() => {}, 1000); };',
    );
    expect((await runProcess('context', 'preview')).stdout).toContain('Be brief.');
  });

  it('outlives what a handler does behind its back, and says so', async () => {
    const stray =
      'export default async () => { Promise.reject(new Error("stray")); await new Promise((ok) => setTimeout(ok, 20)); };';
    await home.writePack('hooks/strays', { events: ['agent:bootstrap'] }, stray);
    const { stdout, stderr } = await runProcess('context', 'preview');
    expect(stdout).toContain('Be brief.');
    expect(stderr).toContain('probably in a handler: Error: stray');
  });

  it('exits with the code of the command', async () => {
    await expect(runProcess('context', 'preview', '--tz', 'Mars')).rejects.toMatchObject({ code: 2 });
  });
});

function runProcess(...argv: string[]): Promise<{ stdout: string; stderr: string }> {
  const jiti = fileURLToPath(new URL('../../node_modules/jiti/lib/jiti-cli.mjs', import.meta.url));
  const main = fileURLToPath(new URL('./main.ts', import.meta.url));
  const env = { PATH: process.env.PATH, HOME: home.home, JITI_FS_CACHE: 'false' };
  return promisify(execFile)(process.execPath, [jiti, main, ...argv], { env, timeout: 15_000 });
}
