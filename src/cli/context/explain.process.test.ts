import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ABSENCE_REASONS } from '../../context/composition.ts';
import { CliHome } from '../fixtures/cli-home.ts';

let home: CliHome;
beforeEach(async () => {
  home = await CliHome.create({
    'AGENTS.md': 'House rules.\nBe polite.\n',
    'agents/main/AGENTS.md': 'You are the ops agent.\n',
    'agents/other/AGENTS.md': 'You are another.\n',
    'openclaw.yaml': `bootstrap:
  hooks: { time-context: { enabled: true } }
  rules:
    - { id: slack, file: SOUL.md, text: "Keep it short.", when: { channel: slack } }
`,
    'workspace/AGENTS.md': '# Rules\n\nBe brief.\nNever delete anything.\n',
    'workspace/TOOLS.md': Array.from({ length: 40 }, (_, i) => `- tool ${i + 1} is here\n`).join(''),
    'workspace/MEMORY.md': 'Ana likes tea.\n',
    'workspace/memory/2026-05-01.md': 'A note.\n',
    'workspace/packages/a/AGENTS.md': 'Nested.\n',
  });
});
afterEach(() => home.remove());

const explain = (...argv: string[]) => home.run(['context', 'explain', ...argv]);

describe('atrium context explain "<text>"', () => {
  it('says whose line it is and where it stands', async () => {
    const { code, out } = await explain('Never delete');
    expect(code).toBe(0);
    expect(out).toMatch(/^"Never delete" is in the prompt, once\.\n\n/);
    expect(out).toMatch(/^prompt line \d+, characters \d+-\d+, in AGENTS\.md, before the cache boundary$/m);
    expect(out).toMatch(/^ {2}AGENTS\.md:4 {2}Never delete$/m);
  });

  it('tells text of a handler behind the boundary from text of the product', async () => {
    const night = await explain('It is night', '--at', '23:30');
    expect(night.out).toMatch(
      /in AGENTS\.md \(time-context\), behind the cache boundary\n {2}handler time-context {2}It/,
    );
    expect((await explain('# Project Context')).out).toContain('Atrium (heading)');
  });

  it('says how often text is there', async () => {
    expect((await explain('is here')).out).toContain('is in the prompt, 40 times.');
    expect((await explain('is here')).out).toContain('... and 30 more places');
  });

  it('helps, and exits with 1, when it finds nothing', async () => {
    const { code, out } = await explain('Never delete somthing');
    expect(code).toBe(1);
    expect(out).toContain('is not in the prompt, and not among what was left out.');
    expect(out).toContain('The closest line is:');
    expect(out).toContain('AGENTS.md:4');
    expect(out).toMatch(/wrote nothing in this situation; it may be theirs in another: time-context, ci-mode\./);
    expect((await explain('be BRIEF')).out).toContain('In other letters it is there:');
  });

  it('prints the same as JSON', async () => {
    expect(await home.runJson(['context', 'explain', 'Be brief.'])).toMatchObject({
      kind: 'text',
      present: true,
      places: [
        { side: 'before-boundary', sections: ['AGENTS.md'], parts: [{ origin: { kind: 'file', lines: [3, 3] } }] },
      ],
    });
  });

  it('wants something to look for', async () => {
    const { code, err } = await explain(' ');
    expect([code, err]).toEqual([2, 'atrium: explain " " is not text to look for.\n']);
    expect((await explain()).code).toBe(2);
  });

  it('takes list items, which begin with a dash, and still knows a misspelt flag', async () => {
    expect((await explain('- tool 3 is here')).out).toMatch(/^"- tool 3 is here" is in the prompt, once\.$/m);
    expect((await explain('- tool 3 is here', '--at', '10:00', '--json')).out).toMatch(/^\{/);
    for (const argv of [['Be brief.', '--jsn'], ['--jsn'], ['--jsn', 'Be brief.']]) {
      const { code, err } = await explain(...argv);
      expect(code).toBe(2);
      expect(err).toMatch(/^error: unknown option '--jsn'\n\(Did you mean --json\?\)/);
    }
    expect((await explain('Be', 'brief.')).out).toMatch(/^"Be brief\." is in the prompt, once\.$/m);
  });

  it('shows text that would steer a terminal without its teeth', async () => {
    await home.write('workspace/SOUL.md', 'fine \x1b[31mred\x1b[0m\n');
    for (const question of ['fine', '\x1b[31mred', 'SOUL.md', 'SOUL.md:1', '\x1b[31mblue']) {
      const { out } = await explain(question);
      expect(out).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f]/);
    }
  });
});

describe('atrium context explain FILE:LINE', () => {
  it('takes bare names, relative, absolute and home paths', async () => {
    for (const file of [
      'AGENTS.md',
      './AGENTS.md',
      home.path('workspace/AGENTS.md'),
      '~/.openclaw/workspace/AGENTS.md',
    ]) {
      const { code, out } = await explain(`${file}:4`);
      expect([code, out.split('\n')[0]]).toEqual([0, 'AGENTS.md:4 is in the prompt.']);
      expect(out).toContain('  > Never delete anything.\n');
    }
    const { out } = await home.run(['context', 'explain', 'workspace/AGENTS.md:3-4'], { cwd: home.stateDir });
    expect(out).toMatch(/^AGENTS\.md:3-4 is in the prompt\.$/m);
  });

  it('follows global files and overrides', async () => {
    expect((await explain('~/.openclaw/AGENTS.md:2')).out).toContain(
      'handler global-files from ~/.openclaw/AGENTS.md:2  Be polite.',
    );
    expect((await explain(home.path('agents/main/AGENTS.md:1'))).out).toContain('handler agent-overrides from');
    expect((await explain(home.path('agents/other/AGENTS.md:1'))).out).toContain('an override for the agent "other"');
  });

  it('explains a whole file: its places, its cuts, and who else writes into it', async () => {
    const { out } = await explain('AGENTS.md');
    expect(out).toMatch(
      /^AGENTS\.md is in the prompt \(42 characters on disk, \d+ with what handlers made of it, \d+ inj/,
    );
    expect(out).toMatch(/^global-files +prepended +24 +0$/m);
    await home.write('openclaw.yaml', 'agents: { defaults: { bootstrapMaxChars: 300 } }');
    const { out: cut } = await explain('TOOLS.md');
    expect(cut).toMatch(/^TOOLS\.md is in the prompt in part/);
    expect(cut).toMatch(/^TOOLS\.md:\d+-\d+ +over-budget +cut by the per-file-limit: a file may bring 300 characters/m);
  });

  it('says of other files why no prompt is made of them', async () => {
    expect((await explain('memory/2026-05-01.md:1')).out).toContain('nothing in it is put into a prompt');
    expect((await explain('packages/a/AGENTS.md')).out).toContain('bootstrap.hooks.bootstrap-extra-files.paths');
    await home.write('openclaw.yaml', 'bootstrap: { hooks: { global-files: { enabled: false } } }');
    expect((await explain('~/.openclaw/AGENTS.md:1')).out).toContain('the handler global-files is switched off');
  });

  it('knows no line beyond the end', async () => {
    const { code, err } = await explain('AGENTS.md:99');
    expect(code).toBe(2);
    expect(err).toBe(`atrium: ${home.path('workspace/AGENTS.md')} has no line 99. Ask for one from 1 to 4.\n`);
  });

  it('takes a file name as text when asked to', async () => {
    expect((await explain('AGENTS.md', '--text')).out).toContain('Atrium (heading)');
  });

  it('takes a file that is nowhere as text', async () => {
    const { code, out } = await explain('NOPE.md:3');
    expect([code, out.split('\n')[0]]).toEqual([
      1,
      '"NOPE.md:3" is not in the prompt, and not among what was left out.',
    ]);
  });
});

describe('every reason for an absence', () => {
  const seen = new Set<string>();
  const expectReason = (out: string, reason: string) => {
    expect(out).toMatch(new RegExp(`^\\S.* {2,}${reason} {2,}\\S`, 'm'));
    seen.add(reason);
  };

  it('is named: what the disk does not give', async () => {
    await home.write('workspace/IDENTITY.md', ' \n');
    await mkdir(join(home.home, 'elsewhere'));
    await home.write('../elsewhere/soul.md', 'Elsewhere.');
    await symlink(join(home.home, 'elsewhere/soul.md'), home.path('workspace/SOUL.md'));
    await home.write('workspace/HEARTBEAT.md', 'x'.repeat(2 * 1024 * 1024 + 1));
    expectReason((await explain('USER.md')).out, 'missing');
    expectReason((await explain('IDENTITY.md')).out, 'empty');
    expectReason((await explain('SOUL.md:1')).out, 'outside-workspace');
    expectReason((await explain('HEARTBEAT.md')).out, 'too-large');
  });

  it.runIf(process.platform === 'linux')('is named: a file that fails while it is read', async () => {
    await home.write('openclaw.yaml', 'bootstrap: { allowedRoots: [/proc] }');
    await symlink('/proc/self/mem', home.path('workspace/SOUL.md'));
    expectReason((await explain('SOUL.md')).out, 'unreadable');
  });

  it('is named: what the session may not see', async () => {
    expectReason((await explain('Ana likes tea.', '--session', 'agent:main:subagent:x')).out, 'filtered-session');
    expectReason((await explain('MEMORY.md:1', '--session', 'agent:main:discord:group:1')).out, 'private-surface');
  });

  it('is named: what handlers and rules did not do, or undid', async () => {
    await home.write('workspace/USER.md', 'Ana.\n');
    await home.writePack(
      'hooks/broken',
      { events: ['agent:bootstrap'] },
      `export default () => { throw new Error('x') }`,
    );
    expectReason((await explain('Ana.', '--type', 'ci')).out, 'removed-by-handler');
    expectReason((await explain('Keep it short.')).out, 'rule-condition-false');
    expectReason((await explain('nobody says this')).out, 'handler-failed');
    expectReason((await explain('nobody says this')).out, 'disabled');
  });

  it('is named: what did not fit', async () => {
    await home.write('openclaw.yaml', 'agents: { defaults: { bootstrapMaxChars: 300, bootstrapTotalMaxChars: 320 } }');
    expectReason((await explain('tool 20 is')).out, 'over-budget');
    expectReason((await explain('TOOLS.md:20')).out, 'over-budget');
    await home.write('workspace/MEMORY.md', 'Ana likes tea. '.repeat(100));
    expectReason((await explain('MEMORY.md')).out, 'over-budget');
  });

  it('has been seen here', () => {
    const expected = ABSENCE_REASONS.filter((reason) => reason !== 'unreadable' || process.platform === 'linux');
    expect([...seen].sort()).toEqual([...expected].sort());
  });
});

describe('atrium context explain, of a file that a rule adds', () => {
  it('says that it is in the prompt, and by whom', async () => {
    await home.write(
      'openclaw.yaml',
      'bootstrap:\n  rules:\n    - { id: duty, file: DUTY.md, text: "Watch the pager." }\n',
    );
    for (const asked of ['DUTY.md', './DUTY.md', home.path('workspace/DUTY.md')]) {
      const { code, out } = await explain(asked);
      expect([code, out]).toEqual([0, expect.stringMatching(/^DUTY\.md is in the prompt/)]);
      expect(out).toMatch(/^ {2}rule duty {2}Watch the pager\.$/m);
    }
    expect((await explain('DUTY.md:1')).out).toMatch(/^DUTY\.md:1 is in the prompt/);
  });
});
