import { readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CliHome } from './fixtures/cli-home.ts';

let home: CliHome;
beforeEach(async () => {
  home = await CliHome.create({ 'openclaw.json': '{ a broken home' });
});
afterEach(() => home.remove());

const examples = fileURLToPath(new URL('../../examples', import.meta.url));

describe('atrium tour', () => {
  it('tells the same story twice, whatever the home, the clock and the variables are', async () => {
    const first = await home.run(['tour']);
    expect([first.code, first.err]).toEqual([0, '']);
    const env = { CI: 'true', OPENCLAW_STATE_DIR: '/nowhere', OPENCLAW_PROFILE: 'dev', TZ: 'Asia/Tokyo' };
    expect(await home.run(['tour'], { now: new Date(0), env })).toEqual(first);
  });

  it('writes nothing, neither in the home nor beside the examples', async () => {
    const before = await readdir(examples, { recursive: true });
    await home.run(['tour']);
    expect(await readdir(examples, { recursive: true })).toEqual(before);
    expect(await readdir(home.home, { recursive: true })).toEqual(['.openclaw', '.openclaw/openclaw.json']);
  });

  it('shows layers, absences, the night, the cuts and the authors as they are', async () => {
    const { out } = await home.run(['tour']);
    expect(out).toMatch(/^AGENTS\.md \(rule:friday-freeze\) +by session/m);
    expect(out).toMatch(/^TOOLS\.md \(hook:on-call\) +by session/m);
    expect(out).toMatch(/MEMORY\.md: filtered-session\. subagent sessions read only AGENTS\.md/);
    expect(out).toContain('New in the prompt: AGENTS.md (time-context).');
    expect(out).toContain('what the provider cached still counts');
    expect(out).toMatch(/AGENTS\.md lines \d+-\d+: \d+ characters \(about \d+ tokens\) cut, per-file-limit/);
    expect(out).toContain('is still there, whole');
    expect(out).toMatch(/Always name the ring\. +workspace\/TOOLS\.md, line 4/);
    expect(out).toMatch(/Today is Friday\. +the rule friday-freeze/);
    expect(out).toMatch(/On call today: the field team\. +the hook pack on-call/);
  });

  it('ends with commands that exist', async () => {
    const { out } = await home.run(['tour']);
    const commands = [...out.slice(out.indexOf('Now with your own agent')).matchAll(/^ {2}atrium (\S+) (\S+)/gm)];
    expect(commands.length).toBeGreaterThan(5);
    for (const [, group = '', name = ''] of commands) {
      const help = await home.run([group, name, '--help']);
      expect(help.out).toContain(`Usage: atrium ${group} ${name}`);
    }
  });
});

describe('the example home', () => {
  const env = { OPENCLAW_STATE_DIR: examples, OPENCLAW_WORKSPACE_DIR: `${examples}/workspace` };

  it('is valid and has nothing to mend', async () => {
    for (const argv of [
      ['agents', 'validate'],
      ['hooks', 'check'],
      ['config', 'check'],
    ]) {
      expect(await home.run(argv, { env })).toMatchObject({ code: 0, err: '' });
    }
  });
});
