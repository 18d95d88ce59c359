// The answers to /context over a real composition. People read them, so the whole texts are pinned, and a change here
// must be intended.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BootstrapFileHelper } from '../../context/bootstrap-file-helper.ts';
import type { ContextReport } from '../../context/report/build-report.ts';
import { ScratchWorkspace } from '../../testkit/scratch-workspace.ts';
import { formatContextView, parseContextView } from './context-view.ts';

let scratch: ScratchWorkspace;
let report: ContextReport;
beforeAll(async () => {
  scratch = await ScratchWorkspace.create({
    'AGENTS.md': '# Rules\n\nBe brief.\n',
    'SOUL.md': `${'You are calm.\n'.repeat(8)}`,
    'TOOLS.md': 'Use rg.\n'.repeat(30),
    'MEMORY.md': 'Ana likes tea.\n',
  });
  scratch.on('night', (context) => new BootstrapFileHelper(context).appendToFile('AGENTS.md', 'Be quiet.'), {
    stability: 'run',
  });
  scratch.on('broken', () => {
    throw new Error('boom\u001b[2J');
  });
  const situation = { sessionKey: 'agent:main:discord:channel:1', policy: { maxChars: 150 } };
  ({ report } = await scratch.compose(situation));
});
afterAll(() => scratch.remove());

/** The size of the opening depends on the path of the scratch folder, and times depend on the machine. */
function shown(view: 'list' | 'detail' | 'map'): string {
  return formatContextView(report, view).replace(/\d+\.\d ms/g, '0.0 ms');
}

const HEAD = () => {
  const { chars, tokens, stable } = report.prompt;
  return `Context of agent main, interactive, session agent:main:discord:channel:1
${chars.toLocaleString('en-US')} characters, about ${tokens} tokens; the first ${stable.chars.toLocaleString('en-US')} can be cached
Budget: 287 of 60,000 characters used, 150 a file`;
};

const LEFT_OUT = `Left out
- MEMORY.md: private-surface (several people read this surface)
- broken: handler-failed (failed: boom)
- IDENTITY.md: missing (no such file)
- USER.md: missing (no such file)
- HEARTBEAT.md: missing (no such file)
- BOOTSTRAP.md: missing (no such file)

Warnings
- handler broken failed: boom; its change was dropped
- workspace bootstrap file TOOLS.md is 239 chars (limit 150); truncating in injected context`;

describe('/context', () => {
  it('list names the files with their sizes, and what was left out with its reason', () => {
    expect(shown('list')).toBe(`${HEAD()}

Files
- AGENTS.md: 27 characters, about 8 tokens
- SOUL.md: 111 characters, about 29 tokens
- TOOLS.md: 149 of 240 characters (trimmed: per-file-limit)

${LEFT_OUT}`);
  });

  it('detail names layers with their authors, cuts with their lines, and handlers', () => {
    expect(shown('detail')).toBe(`${HEAD()}

Layers that can be cached
- AGENTS.md (static): 18 characters, about 5 tokens, from AGENTS.md:1-3
- SOUL.md (static): 111 characters, about 29 tokens, from SOUL.md:1-8
- TOOLS.md (static): 149 characters, about 45 tokens, from TOOLS.md:1-5,29-30

Layers behind the cache boundary
- AGENTS.md (night) (run): 9 characters, about 3 tokens, from handler night

Cuts
- TOOLS.md lines 5-29: 191 characters, about 56 tokens (per-file-limit)

Handlers, in calling order
- night (priority 100, 0.0 ms): AGENTS.md appended
- broken (priority 100, 0.0 ms): threw, its change was dropped: boom

${LEFT_OUT}`);
  });

  it('map draws every part of the prompt to scale, with the cache boundary', () => {
    const lines = shown('map').split('\n');
    expect(lines.slice(0, 5).join('\n')).toBe(`${HEAD()}\n\n\`\`\``);
    const drawn = lines.slice(5, -1);
    const rows = drawn.filter((line) => !line.startsWith('---'));
    expect(rows.map((line) => line.slice(0, 24).trim())).toEqual([
      'Atrium: preamble',
      'AGENTS.md',
      'SOUL.md',
      'TOOLS.md',
      'Atrium: cut notice',
      'AGENTS.md (night)',
    ]);
    expect(rows[2]).toMatch(/^SOUL\.md {18}#{3,5}\.{25,27} {5}125 +1\d %$/);
    expect(drawn.at(-2)).toBe(`--- cache boundary, at character ${report.prompt.stable.chars} ---`);
    const sizes = rows.map((line) => Number(line.slice(55, 63).replaceAll(',', '')));
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(report.prompt.chars);
    for (const line of drawn) expect(line.length).toBeLessThanOrEqual(70);
  });

  it('shows the same of a report that was kept without its texts', () => {
    const kept = {
      ...report,
      spans: report.spans.map((span) => ({ ...span, text: '' })),
      cuts: report.cuts.map((each) => ({ ...each, text: '' })),
    };
    for (const view of ['list', 'detail', 'map'] as const) {
      expect(formatContextView(kept, view)).toBe(formatContextView(report, view));
    }
  });

  it('shows of a path outside the workspace its end only, and no more entries than fit', () => {
    const file = { status: 'injected', rawChars: 3, injectedChars: 3, injectedTokens: 1 } as const;
    const files = [
      { ...file, name: 'A', path: '/home/ana/.openclaw/AGENTS.md' },
      ...Array.from({ length: 40 }, (_, at) => ({ ...file, name: `${at}`, path: scratch.path(`${at}\u202e.md`) })),
    ];
    const text = formatContextView({ ...report, files }, 'list');
    expect(text).toContain('- …/.openclaw/AGENTS.md: 3 characters');
    expect(text).toContain('- 7 .md: 3 characters, about 1 token\n');
    expect(text).toContain('- and 11 more');
    expect(text).not.toContain('/home/ana');
  });

  it('draws an empty prompt too', () => {
    const prompt = { ...report.prompt, chars: 0, stable: { ...report.prompt.stable, chars: 0 } };
    expect(formatContextView({ ...report, prompt, layers: [], spans: [] }, 'map')).toContain(
      'cache boundary, at character 0',
    );
  });

  it('without a word is the list, and with an unknown one none', () => {
    expect(['', ' LIST ', 'detail', 'map', 'everything'].map(parseContextView)).toEqual([
      'list',
      'list',
      'detail',
      'map',
      undefined,
    ]);
  });
});
