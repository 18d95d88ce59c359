import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ContextReport } from '../../context/report/build-report.ts';
import { CliHome } from '../fixtures/cli-home.ts';

let home: CliHome;
beforeEach(async () => {
  home = await CliHome.create({
    'AGENTS.md': 'House rules.\n',
    'agents/main/AGENTS.md': 'You are the ops agent.\n',
    'openclaw.json': '{ agents: { defaults: { bootstrapMaxChars: 300 } }, bootstrap: { kep: [] } }',
    'openclaw.yaml': `bootstrap:
  hooks: { time-context: { enabled: true } }
  rules:
    - { id: slack, file: SOUL.md, text: "Keep it short.", when: { channel: slack } }
    - { id: footer, file: AGENTS.md, text: "Sign your messages." }
agents: { defaults: { bootstrapMaxChars: 400 } }
`,
    'workspace/AGENTS.md': '# Rules\n\nBe brief.\n',
    'workspace/SOUL.md': 'Warm.\n',
    'workspace/TOOLS.md': Array.from({ length: 40 }, (_, i) => `- tool ${i + 1} is here\n`).join(''),
    'workspace/HEARTBEAT.md': '- look at the mail\n',
    'workspace/MEMORY.md': 'Ana likes tea.\n',
    'workspace/skills/pdf/SKILL.md': '---\nname: pdf\ndescription: Reads PDF files.\n---\n',
  });
  await home.writePack(
    'hooks/shouty',
    { events: ['agent:bootstrap'], priority: 120 },
    `export default ({ context }) => { context.bootstrapFiles[0].content = context.bootstrapFiles[0].content.replace('brief', 'BRIEF'); }`,
  );
  await home.writePack(
    'hooks/broken',
    { events: ['agent:bootstrap'] },
    `export default () => { throw new Error('no luck') }`,
  );
});
afterEach(() => home.remove());

const SITUATIONS = [
  [],
  ['--at', '23:30'],
  ['--at', '07:30', '--tz', 'Asia/Tokyo'],
  ['--session', 'agent:main:subagent:x'],
  ['--session', 'agent:main:discord:channel:1', '--channel', 'slack:C1'],
  ['--type', 'ci'],
];

describe('atrium context report --json', () => {
  it('holds spans that join to exactly what preview prints', async () => {
    for (const flags of SITUATIONS) {
      const report = (await home.runJson(['context', 'report', ...flags])) as ContextReport;
      const preview = await home.run(['context', 'preview', '--body', ...flags]);
      expect(report.spans.map(({ text }) => text).join('')).toBe(preview.out);
      expect(report.prompt.chars).toBe(preview.out.length);
      for (const { text, start, end, origin } of report.spans) {
        expect(preview.out.slice(start, end)).toBe(text);
        if (origin.kind === 'file' && !origin.derived) expect(origin.lines).toHaveLength(2);
      }
    }
  });

  it('adds where the configuration comes from', async () => {
    expect(await home.runJson(['context', 'report'])).toMatchObject({
      version: 1,
      config: {
        files: [{ path: home.path('openclaw.json') }, { path: home.path('openclaw.yaml') }],
        merged: { overridden: ['agents.defaults.bootstrapMaxChars'] },
        warnings: [{ path: 'bootstrap.kep', suggestion: 'keep' }],
      },
    });
  });

  it('gives every origin its kind: file, handler, rule, product', async () => {
    const { spans } = (await home.runJson(['context', 'report', '--at', '23:30'])) as ContextReport;
    const origins = spans.map(({ origin }) => origin);
    expect(origins).toContainEqual({ kind: 'file', path: home.path('workspace/SOUL.md'), lines: [1, 1] });
    expect(origins).toContainEqual({
      kind: 'handler',
      id: 'global-files',
      path: home.path('AGENTS.md'),
      lines: [1, 1],
    });
    expect(origins).toContainEqual({ kind: 'handler', id: 'time-context' });
    expect(origins).toContainEqual({ kind: 'rule', id: 'footer' });
    expect(origins).toContainEqual({ kind: 'product', part: 'heading' });
  });
});

describe('atrium context report', () => {
  it('shows sizes, layers, files, cuts, handlers, absences, configuration and warnings', async () => {
    const { code, out, err } = await home.run(['context', 'report', '--at', '23:30']);
    expect([code, err]).toEqual([0, '']);
    expect(out).toMatch(
      /^situation {2}agent main, interactive, Wed 2026-05-06 23:30 UTC, session agent:main:cli:direct:local, channel cli$/m,
    );
    expect(out).toMatch(/^prompt +[\d,]+ characters, about [\d,]+ tokens; sha256 [0-9a-f]{16}$/m);
    expect(out).toMatch(/^cacheable +the first [\d,]+ characters/m);
    expect(out).toMatch(/^AGENTS\.md \(time-context\) +run .* behind the boundary$/m);
    expect(out).toMatch(/^TOOLS\.md +7\d\d +7\d\d +399 +\d+ +trimmed: per-file-limit$/m);
    expect(out).toMatch(/^TOOLS\.md +\d+-\d+ +\d+ +\d+ +per-file-limit$/m);
    expect(out).toMatch(/^global-files +10 +static +[\d.]+ +done +AGENTS\.md prepended \+13$/m);
    expect(out).toMatch(/^hook:broken +\d+ .* threw +no luck; its change was dropped$/m);
    expect(out).toMatch(/^hook:shouty +120 .* done +AGENTS\.md edited \+5 -5$/m);
    expect(out).toMatch(/^rule slack +rule-condition-false +channel is cli, wanted "slack"$/m);
    expect(out).toMatch(/^USER\.md +missing +no such file$/m);
    expect(out).toContain('~/.openclaw/openclaw.yaml (yaml)');
    expect(out).toContain('it wins at agents.defaults.bootstrapMaxChars');
    expect(out).toContain('Did you mean "keep"?');
    const handlers = ['global-files', 'agent-overrides', 'time-context', 'hook:shouty', 'rule:slack', 'ci-mode'];
    const places = handlers.map((id) => out.indexOf(`\n${id} `));
    expect(places).toEqual([...places].sort((a, b) => a - b));
  });

  it('fits a terminal of 100 columns', async () => {
    for (const flags of SITUATIONS) {
      const { out } = await home.run(['context', 'report', ...flags], { columns: 100 });
      expect(Math.max(...out.split('\n').map((line) => line.length))).toBeLessThanOrEqual(100);
    }
  });

  it('lets nothing from a file or a handler steer the terminal', async () => {
    await home.writePack(
      'hooks/hostile',
      { events: ['agent:bootstrap'] },
      `export default ({ context }) => {
         context.bootstrapFiles.push({ name: '\\x1b[2JEVIL.md', path: '/x/\\x1b]0;t\\x07.md', content: 'x', missing: false });
       }`,
    );
    const { out } = await home.run(['context', 'report']);
    expect(out).toContain('EVIL.md');
    expect(out).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f]/);
  });

  it('refuses bad input in one sentence', async () => {
    const cases: [string[], RegExp][] = [
      [['--agent', 'nobody'], /^atrium: There is no agent "nobody"\. .*\n$/],
      [['--workspace', '/nowhere/at/all'], /^atrium: There is no workspace at \/nowhere\/at\/all\. .*\n$/],
      [['--config', 'nope.json'], /^atrium: There is no configuration file .*nope\.json\. .*\n$/],
      [['--at', 'noon'], /^atrium: --at "noon" is not a time .*\n$/],
      [['--tz', 'Mars/Base'], /^atrium: --tz "Mars\/Base" is not a time zone .*\n$/],
    ];
    for (const [flags, message] of cases) {
      const { code, out, err } = await home.run(['context', 'report', ...flags]);
      expect([code, out]).toEqual([2, '']);
      expect(err).toMatch(message);
    }
  });
});
