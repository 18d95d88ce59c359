import { execFileSync } from 'node:child_process';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CliHome } from '../fixtures/cli-home.ts';

let home: CliHome;
beforeEach(async () => {
  home = await CliHome.create({ 'workspace/AGENTS.md': '# Rules\n\nBe brief.\n' });
});
afterEach(() => home.remove());

const diff = (...argv: string[]) => home.run(['context', 'diff', ...argv]);

describe('atrium context diff --vs-git', () => {
  it('compares with the workspace as it was, wherever that is read from', async () => {
    const git = (...argv: string[]) =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.c', ...argv], { cwd: home.path('workspace') });
    git('init', '-q');
    git('add', '.');
    git('commit', '-qm', 'one');
    expect((await diff('--vs-git', 'HEAD')).out).toContain('The two prompts are the same, byte for byte.');
    await home.write('workspace/AGENTS.md', '# Rules\n\nBe long.\n');
    const { code, out, err } = await diff('--vs-git', 'HEAD', '--exit-code');
    expect([code, err]).toEqual([1, '']);
    expect(out).toMatch(/^ {2}- AGENTS\.md:3 {2}Be long\.$/m);
    expect(out).toMatch(/^ {2}\+ AGENTS\.md:3 {2}Be brief\.$/m);
    expect(out).not.toMatch(/^ {2}[-+].*working directory/m);
    expect(git('status', '--porcelain').toString()).toBe(' M AGENTS.md\n');
    const wrong = await diff('--vs-git', 'nowhere');
    expect(wrong.code).toBe(2);
    expect(wrong.err).toContain('could not be read at the revision "nowhere"');
  });
});
