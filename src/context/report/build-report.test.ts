import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { workspaceForEachTest } from '../../testkit/for-each-test.ts';
import type { ScratchSituation } from '../../testkit/scratch-workspace.ts';
import { BootstrapFileHelper } from '../bootstrap-file-helper.ts';

const scratch = workspaceForEachTest({
  'AGENTS.md': '# Rules\n\nBe brief.\n',
  'TOOLS.md': 'Use rg.\n',
  'HEARTBEAT.md': '- look at the mail\n',
  'MEMORY.md': 'Ana likes tea.\n',
});

const SITUATIONS: ScratchSituation[] = [
  {},
  { sessionKey: 'agent:main:subagent:x', sessionType: 'subagent' },
  { sessionKey: 'agent:main:discord:channel:1' },
  { policy: { maxChars: 20 } },
  { policy: { totalMaxChars: 30 } },
  { taxonomy: 'openboa' },
];

describe('the report', () => {
  it('has spans that join to the prompt, in any situation', async () => {
    scratch.on('night', (context) => new BootstrapFileHelper(context).appendToFile('AGENTS.md', 'Be quiet.'), {
      stability: 'run',
    });
    for (const situation of SITUATIONS) {
      const { prompt, report } = await scratch.compose(situation);
      expect(report.spans.map((span) => span.text).join('')).toBe(prompt.text);
      for (const { start, end, text } of report.spans) expect(prompt.text.slice(start, end)).toBe(text);
    }
  });

  it('says where each layer stands', async () => {
    scratch.on('night', (context) => new BootstrapFileHelper(context).appendToFile('AGENTS.md', 'Be quiet.'), {
      stability: 'run',
    });
    for (const policy of [{}, { maxChars: 12 }, { totalMaxChars: 25 }]) {
      const { prompt, report } = await scratch.compose({ policy });
      expect(report.layers).not.toEqual([]);
      for (const { title, start, end, chars } of report.layers) {
        expect(prompt.text.slice(0, start).endsWith(`\n## ${title}\n\n`)).toBe(true);
        expect(prompt.text[end]).toBe('\n');
        expect(end - start).toBe(chars);
      }
      const starts = report.layers.map((layer) => layer.start);
      expect(starts).toEqual([...starts].sort((a, b) => a - b));
    }
  });

  it('counts a file on disk, with what handlers made of it, and as injected', async () => {
    scratch.on('more', (context) => new BootstrapFileHelper(context).appendToFile('AGENTS.md', 'And kind.'));
    const { report } = await scratch.compose();
    expect(report.files[0]).toMatchObject({ name: 'AGENTS.md', status: 'injected', diskChars: 19, rawChars: 35 });
    expect(report.files[0]?.injectedChars).toBe(35);
    expect(report.budget.usedChars).toBe(report.layers.reduce((sum, layer) => sum + layer.chars, 0));
  });

  it('names the limit of a file that was trimmed, also when only lifted text was', async () => {
    const { report } = await scratch.compose({ policy: { maxChars: 12 } });
    expect(report.files.find(({ name }) => name === 'AGENTS.md')).toMatchObject({
      status: 'trimmed',
      reason: 'per-file-limit',
    });
    scratch.on('night', (context) => new BootstrapFileHelper(context).appendToFile('TOOLS.md', 'z'.repeat(300)), {
      stability: 'run',
    });
    const lifted = await scratch.compose({ policy: { maxChars: 200 } });
    expect(lifted.report.files.find(({ name }) => name === 'TOOLS.md')).toMatchObject({
      status: 'trimmed',
      reason: 'per-file-limit',
    });
  });

  it('lists files that are absent once each, and no handler among them', async () => {
    await mkdir(join(scratch.workspaceDir, 'SOUL.md'));
    const absences = [{ what: 'hook x', path: '/somewhere/HOOK.md', reason: 'disabled' as const, detail: 'off' }];
    const { report } = await scratch.compose({ sessionKey: 'agent:main:subagent:x', input: { absences } });
    const absent = report.files.filter(({ status }) => status === 'absent').map(({ name, reason }) => [name, reason]);
    expect(absent).toContainEqual(['SOUL.md', 'missing']);
    expect(absent).toContainEqual(['MEMORY.md', 'filtered-session']);
    expect(absent.map(([name]) => name)).not.toContain('hook x');
    expect(new Set(report.files.map(({ path }) => path)).size).toBe(report.files.length);
  });

  it('calls a rule by the id that its author gave it', async () => {
    scratch.on('rule:tone', (context) => new BootstrapFileHelper(context).appendToFile('AGENTS.md', 'Kindly.'), {
      authorship: 'rule',
    });
    const { report } = await scratch.compose();
    expect(report.spans.find(({ text }) => text.includes('Kindly'))?.origin).toEqual({ kind: 'rule', id: 'tone' });
  });
});
