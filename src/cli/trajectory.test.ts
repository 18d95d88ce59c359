import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CliHome } from './fixtures/cli-home.ts';
import { RunningGateway } from './fixtures/running-gateway.ts';

let running: RunningGateway;
beforeEach(async () => {
  running = await RunningGateway.create();
});
afterEach(() => running.remove());

const run = (...argv: readonly string[]) => running.home.run(argv);

async function exported(...flags: readonly string[]): Promise<string> {
  const { sessionKey } = running.filled;
  const made = await running.home.runJson(['export-trajectory', '--session', sessionKey, ...flags]);
  return (made as { dir: string }).dir;
}

describe('atrium export-trajectory', () => {
  it('writes a folder that another machine can read, with a gateway and without one', async () => {
    const { sessionKey, runId, requestBody } = running.filled;
    const dir = await exported();
    expect(dir).toMatch(/\/exports\/trajectory-agent_main_web_direct_tab-1-[0-9a-f]{12}-20260506-100000$/);
    expect((await stat(dir)).mode & 0o777).toBe(0o700);
    await running.start();
    const out = join(running.home.home, 'bundles');
    const elsewhere = await exported('--out', out);
    expect(await readdir(out)).toHaveLength(1);

    const other = await CliHome.create();
    for (const bundle of [dir, elsewhere]) {
      const { code, out: told } = await other.run(['trajectory', 'open', bundle]);
      expect(code).toBe(0);
      expect(told).toMatch(new RegExp(`^session +${sessionKey}$`, 'm'));
      expect(told).toContain('all as they were written');
      expect(told).toMatch(new RegExp(`^${runId} +done `, 'm'));
      expect(await readFile(join(bundle, 'runs', runId, 'requests', '1.json'), 'utf8')).toBe(requestBody);
    }
    await other.remove();
  });

  it('shows a run as "atrium run show" does', async () => {
    const { runId } = running.filled;
    const shown = await run('run', 'show', runId);
    const { out } = await run('trajectory', 'open', await exported(), '--run', runId);
    expect(out.slice(0, shown.out.length)).toBe(shown.out);
    expect((await run('trajectory', 'open', await exported(), '--run', 'last')).out).toBe(out);
    expect(out).toContain(`runs/${runId}/requests/1.json`);
  });

  it('takes the spelling of OpenClaw, and one session at a time', async () => {
    const { sessionKey } = running.filled;
    expect((await run('export-trajectory', '--sessionKey', sessionKey)).out).toContain('1 run written to');
    expect((await run('export-trajectory', '--sessionKey', sessionKey, '--session', 'other')).code).toBe(2);
    expect((await run('export-trajectory')).err).toContain('Say which session with --session KEY.');
    expect((await run('export-trajectory', '--session', 'agent:main:nowhere')).err).toContain(
      'is not the key of a session',
    );
    await running.start();
    expect((await run('export-trajectory', '--session', 'agent:main:nowhere')).err).toContain('There is no session');
  });

  it('is refused where no folder can be made', async () => {
    const { sessionKey } = running.filled;
    const { code, err } = await run('export-trajectory', '--session', sessionKey, '--out', '/proc/no/such');
    expect(code).toBe(2);
    expect(err).toContain('/proc/no/such');
  });

  it('says what is wrong with a bundle', async () => {
    const dir = await exported();
    await writeFile(join(dir, 'usage.jsonl'), 'changed');
    const { code, out } = await run('trajectory', 'open', dir);
    expect(code).toBe(1);
    expect(out).toContain('usage.jsonl: changed');
    expect((await run('trajectory', 'open', dir, '--run', 'run_x')).err).toContain('has no run "run_x"');
    await writeFile(join(dir, 'runs', running.filled.runId, 'run.json'), '{}');
    expect((await run('trajectory', 'open', dir, '--run', running.filled.runId)).err).toContain('cannot be shown');
    expect((await run('trajectory', 'open', running.home.home)).err).toContain('has no manifest.json');
  });

  it('has nothing to write in a home without a store', async () => {
    const home = await CliHome.create();
    expect(await home.run(['export-trajectory', '--session', 'agent:main:main'])).toMatchObject({ code: 2 });
    await home.remove();
  });
});
