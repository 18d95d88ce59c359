import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CliHome } from '../fixtures/cli-home.ts';

let home: CliHome;
beforeEach(async () => {
  home = await CliHome.create({
    'openclaw.yaml': 'bootstrap: { hooks: { time-context: { enabled: true } } }\n',
    'inline.yaml': 'bootstrap: { hooks: { time-context: { enabled: true, inline: true } } }\n',
    'workspace/AGENTS.md': '# Rules\n\nBe brief.\n',
    'workspace/MEMORY.md': 'Ana likes tea.\n',
    'other/AGENTS.md': '# Rules\n\nBe \x1b[31mloud.\n',
  });
});
afterEach(() => home.remove());

const diff = (...argv: string[]) => home.run(['context', 'diff', ...argv]);

describe('atrium context diff', () => {
  it('compares night with day, however the second time is given', async () => {
    const { code, out, err } = await diff('--at', '10:00', '--at', '23:30');
    expect([code, err]).toEqual([0, '']);
    expect(out).toMatch(/^left {3}.* 10:00 UTC, session .*\nright {2}.* 23:30 UTC, session /);
    expect(out).toMatch(/^AGENTS\.md \(time-context\) +added +0 +253 +\+253 +\+61 +run$/m);
    expect(out).toMatch(/^whole prompt +\d+ +\d+ +\+\d+ +\+\d+$/m);
    expect(out).toMatch(/^ {2}\+ handler time-context {2}## Overnight$/m);
    expect(out).toMatch(
      /^First change: character \d+, behind the cache boundary, in the heading before handler time-con/m,
    );
    expect(out).toMatch(/^The cached prefix survives: the right side begins with the same \d+ characters\.$/m);
    expect((await diff('--at', '10:00', '--vs-at', '23:30')).out).toBe(out);
    expect((await diff('--vs-at', '23:30')).out).toBe(out);
  });

  it('shows the other way round as what goes', async () => {
    const { out } = await diff('--at', '23:30', '--at', '10:00');
    expect(out).toMatch(/^AGENTS\.md \(time-context\) +removed +253 +0 +-253 +-61 +run$/m);
    expect(out).toContain('where the right side ends and the left goes on with handler time-context.');
  });

  it('names the lines that changed, their authors, and a cache that is lost', async () => {
    const { out } = await diff('--vs-workspace', home.path('other'));
    expect(out).toMatch(/^AGENTS\.md +changed/m);
    expect(out).toMatch(/^ {2}- AGENTS\.md:3 {2}Be brief\.$/m);
    expect(out).toMatch(/^ {2}\+ AGENTS\.md:3 {2}Be {2}\[31mloud\.$/m);
    expect(out).toMatch(/^MEMORY\.md: removed \(before the cache boundary\)$/m);
    expect(out).toMatch(/^The cached prefix is lost from there on: \d+ of its \d+ characters stay usable\.$/m);
    expect(out).not.toContain('\x1b');
  });

  it('compares sessions, types, channels, agents and configurations', async () => {
    const session = await diff('--vs-session', 'agent:main:subagent:x');
    expect(session.out).toMatch(/^right .* session agent:main:subagent:x,/m);
    expect(session.out).toMatch(/^MEMORY\.md +removed/m);
    expect((await diff('--vs-type', 'ci')).out).toContain('## CI Mode');
    const configs = await diff(
      '--at',
      '23:30',
      '--config',
      home.path('openclaw.yaml'),
      '--config',
      home.path('inline.yaml'),
    );
    expect(configs.out).toMatch(/^right .*, configuration .*inline\.yaml$/m);
    expect(configs.out).toMatch(/^AGENTS\.md +changed/m);
    expect(configs.out).toMatch(/^AGENTS\.md \(time-context\) +removed/m);
    // Somebody on another channel is not the operator, and is offered fewer tools.
    expect((await diff('--vs-channel', 'slack')).out).toMatch(/^Tool: \w+ +removed/m);
    expect((await diff('--vs-channel', 'cli:local')).code).toBe(0);
  });

  it('exits with 1 on a difference only when asked to', async () => {
    expect((await diff('--vs-at', '23:30', '--exit-code')).code).toBe(1);
    expect((await diff('--vs-at', '11:00', '--exit-code')).code).toBe(0);
  });

  it('prints both sides, the sections and the change as JSON', async () => {
    expect(await home.runJson(['context', 'diff', '--vs-at', '23:30'])).toMatchObject({
      left: { situation: { at: '2026-05-06T10:00:00.000Z' } },
      right: { situation: { at: '2026-05-06T23:30:00.000Z' } },
      same: false,
      sections: [
        { title: 'Opening', change: 'same' },
        { title: 'AGENTS.md', change: 'same' },
        { title: 'TOOLS.md', change: 'same' },
        { title: 'MEMORY.md', change: 'same' },
        { title: 'AGENTS.md (time-context)', change: 'added', tokens: { left: 0, right: 61 } },
      ],
      change: { breaksCache: false, author: { kind: 'handler', id: 'time-context' } },
    });
  });

  it('fits a terminal of 100 columns', async () => {
    await home.write('other/TOOLS.md', `${'long words '.repeat(40)}\n`);
    const { out } = await home.run(['context', 'diff', '--vs-workspace', home.path('other')], { columns: 100 });
    expect(Math.max(...out.split('\n').map((line) => line.length))).toBeLessThanOrEqual(100);
  });

  it('refuses what makes no two sides, in one sentence', async () => {
    const cases: [string[], RegExp][] = [
      [[], /^atrium: There is only one situation to compare\. .*\n$/],
      [['--at', '10:00'], /^atrium: There is only one situation to compare\. .*\n$/],
      [
        ['--at', '1:00', '--at', '2:00', '--at', '3:00'],
        /^atrium: --at "3:00" is one too many: there are two sides.*\n$/,
      ],
      [['--at', '1:00', '--at', '2:00', '--vs-at', '3:00'], /^atrium: --at "3:00" is one too many.*\n$/],
      [['--vs-type', 'odd'], /^atrium: --type "odd" is not one of interactive, subagent, scheduled, ci\.\n$/],
      [['--vs-agent', 'nobody'], /^atrium: There is no agent "nobody"\. .*\n$/],
    ];
    for (const [flags, message] of cases) {
      const { code, out, err } = await diff(...flags);
      expect([code, out]).toEqual([2, '']);
      expect(err).toMatch(message);
    }
  });
});

describe('atrium context diff, of what was removed', () => {
  it('names who took it out, beside who wrote it', async () => {
    await home.write(
      'openclaw.yaml',
      'bootstrap:\n  rules:\n    - { id: gag, file: MEMORY.md, mode: remove, when: { channel: slack } }\n',
    );
    const slack = await diff('--vs-channel', 'slack');
    expect(slack.out).toMatch(/^ {2}- MEMORY\.md:1 \(taken out by rule:gag\) {2}Ana likes tea\.$/m);
    const subagent = await diff('--vs-session', 'agent:main:subagent:x');
    expect(subagent.out).toMatch(/^ {2}- MEMORY\.md:1 \(filtered-session\) {2}Ana likes tea\.$/m);
  });
});
