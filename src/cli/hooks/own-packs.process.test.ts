import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runAtrium } from '../../testkit/atrium-process.ts';
import { CliHome } from '../fixtures/cli-home.ts';

let home: CliHome;
beforeEach(async () => {
  home = await CliHome.create({ 'workspace/AGENTS.md': 'Be kind.', 'workspace/TOOLS.md': 'None.' });
});
afterEach(() => home.remove());

describe('atrium hooks new', () => {
  it('writes a pack that works at once', async () => {
    const { code, out } = await home.run(['hooks', 'new', 'greeter']);
    expect(code).toBe(0);
    for (const name of ['HOOK.md', 'handler.ts', 'handler.test.ts']) {
      expect(out).toContain(home.path(`hooks/greeter/${name}`));
    }
    expect(out).toContain('atrium hooks test greeter');
    expect((await home.run(['hooks', 'check'])).code).toBe(0);
    expect((await home.run(['context', 'preview'])).out).toContain(
      '## Greeter\n\nWrite here what the agent should know.',
    );
  });

  it('writes one into the workspace, where it waits to be allowed', async () => {
    const { out } = await home.run(['hooks', 'new', 'greeter', '--workspace']);
    expect(out).toContain(home.path('workspace/hooks/greeter/HOOK.md'));
    expect(out).toContain('atrium hooks enable greeter');
    expect((await home.run(['context', 'preview'])).out).not.toContain('## Greeter');
    await home.run(['hooks', 'enable', 'greeter']);
    expect((await home.run(['context', 'preview'])).out).toContain('## Greeter');
  });
});

describe('atrium hooks test', () => {
  it('passes for a new hook and fails for a broken one', async () => {
    await home.run(['hooks', 'new', 'greeter']);
    const passed = await runProcess(['hooks', 'test', 'greeter']);
    expect(passed.output).toMatch(/pass 2/);
    expect(passed.code).toBe(0);
    await home.write('hooks/greeter/handler.ts', 'export default function handler() {}');
    const failed = await runProcess(['hooks', 'test', 'greeter']);
    expect(failed.output).toMatch(/fail 1/);
    expect(failed.code).toBe(1);
  });

  it('says when there is nothing to run', async () => {
    await home.writePack('hooks/untested', { events: ['agent:bootstrap'] });
    const { code, err } = await home.run(['hooks', 'test', 'untested']);
    expect([code, err]).toEqual([
      2,
      `atrium: The hook "untested" has no tests. Add a handler.test.ts to ${home.path('hooks/untested')}.\n`,
    ]);
  });

  it('refuses what is no pack', async () => {
    await home.writePack('hooks/greeter', { events: ['agent:bootstrap'] });
    expect((await home.run(['hooks', 'test', 'greter'])).err).toBe(
      'atrium: There is no hook pack "greter". Did you mean "greeter"?\n',
    );
    const { code, err } = await home.run(['hooks', 'test', 'time-context']);
    expect(code).toBe(2);
    expect(err).toMatch(/There is no hook pack "time-context"/);
  });
});

/** In a process of its own: `node:test` reports, and sets the exit code, when the process ends. */
async function runProcess(argv: readonly string[]): Promise<{ code: number | null; output: string }> {
  const { code, out } = await runAtrium(argv, { home: home.home });
  return { code, output: out };
}
