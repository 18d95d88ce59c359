import { describe, expect, it } from 'vitest';
import { workspaceForEachTest } from '../../testkit/for-each-test.ts';
import { BootstrapFileHelper } from '../bootstrap-file-helper.ts';
import { createGlobalFilesHandler } from '../handlers/global-files/handler.ts';

const scratch = workspaceForEachTest({ 'AGENTS.md': '# Rules\n\nBe kind.\n', 'TOOLS.md': 'tools\n\n\n' });

describe('the prompt', () => {
  it('is the product’s text, then the files, each under its heading', async () => {
    const { prompt } = await scratch.compose();
    const [, context] = prompt.text.split('\n# Project Context\n');
    expect(context).toBe('\n## AGENTS.md\n\n# Rules\n\nBe kind.\n\n## TOOLS.md\n\ntools\n');
    expect(prompt.text).toMatch(/^You are the agent "main", running in Atrium/);
    expect(prompt.text).toContain(`Your working directory is ${scratch.workspaceDir}.`);
  });

  it('knows an agent without a name', async () => {
    expect((await scratch.compose({ agentId: undefined })).prompt.text).toMatch(/^You are an agent, running/);
  });

  it('is the same bytes for the same input', async () => {
    const first = await scratch.compose();
    const second = await scratch.compose();
    expect(second.prompt.text).toBe(first.prompt.text);
    expect(second.report.prompt).toEqual(first.report.prompt);
    expect((await ScratchWorkspaceAgain()).prompt.text).toBe(first.prompt.text);
  });

  async function ScratchWorkspaceAgain() {
    const input = scratch.input();
    const { CachedFileSource } = await import('../sources/file-source.ts');
    return scratch.compose({ input: { ...input, files: new CachedFileSource() } });
  }

  it('is its blocks, joined; the boundary stands behind the last static one', async () => {
    await scratch.write('HEARTBEAT.md', 'beat');
    scratch.on('clock', (context) => new BootstrapFileHelper(context).appendToFile('AGENTS.md', 'late'), {
      stability: 'run',
    });
    const { prompt } = await scratch.compose();
    expect(prompt.blocks.map(({ id, stability }) => [id, stability])).toEqual([
      ['static', 'static'],
      ['session', 'session'],
      ['run', 'run'],
    ]);
    expect(prompt.blocks.map(({ text }) => text).join('')).toBe(prompt.text);
    expect(prompt.cacheBoundary).toBe(prompt.blocks[0]?.text.length);
    expect(prompt.text.slice(prompt.cacheBoundary)).toBe(
      '\n# Session Context\n\n## HEARTBEAT.md\n\nbeat\n\n# Run Context\n\n## AGENTS.md (clock)\n\nlate\n',
    );
  });

  it('has no block for what there is none of, and its boundary is then its end', async () => {
    const { prompt } = await scratch.compose();
    expect(prompt.blocks.map(({ id }) => id)).toEqual(['static']);
    expect(prompt.cacheBoundary).toBe(prompt.text.length);
  });
});

describe('the notice of cuts', () => {
  const long = Array.from({ length: 200 }, (_, i) => `line ${i + 1}\n`).join('');

  it('names the files and lines that are not shown, unless it is switched off', async () => {
    await scratch.write('SOUL.md', long);
    const { prompt, report } = await scratch.compose({ policy: { maxChars: 500 } });
    const [cut] = report.cuts;
    const notice = `- SOUL.md, lines ${cut?.lines[0]} to ${cut?.lines[1]} (${cut?.chars} characters)`;
    expect(prompt.text).toContain(notice);
    expect(report.spans.find(({ text }) => text.includes(notice))?.origin).toEqual({
      kind: 'product',
      part: 'cut-notice',
    });
    expect((await scratch.compose({ policy: { maxChars: 500, cutNotice: false } })).prompt.text).not.toContain(notice);
  });

  it('names the file that the lines are really in', async () => {
    const path = await scratch.writeState('SOUL.md', long);
    scratch.register('global-files', createGlobalFilesHandler({ stateDir: scratch.stateDir }));
    const { prompt } = await scratch.compose({ policy: { maxChars: 500 } });
    expect(prompt.text).toMatch(new RegExp(`- ${path}, lines \\d+ to \\d+`));
  });

  it('stands on the side of the boundary of what was cut, also when nothing of that is left', async () => {
    scratch.on('clock', (context) => new BootstrapFileHelper(context).appendToFile('TOOLS.md', long), {
      stability: 'run',
    });
    for (const policy of [{ maxChars: 500 }, { totalMaxChars: 60 }]) {
      const { prompt, report } = await scratch.compose({ policy });
      expect(report.cuts.map(({ file, stability }) => [file, stability])).toContainEqual(['TOOLS.md (clock)', 'run']);
      expect(prompt.text.slice(0, prompt.cacheBoundary)).not.toContain('clock');
      expect(prompt.text.slice(prompt.cacheBoundary)).toMatch(/^- TOOLS\.md \(clock\), lines \d/m);
    }
  });

  it('is bounded', async () => {
    scratch.on('adds', (context) => {
      for (let i = 0; i < 30; i++) new BootstrapFileHelper(context).addFile(`F${i}.md`, long);
    });
    const { prompt } = await scratch.compose({ policy: { maxChars: 500 } });
    expect(prompt.text.match(/^- F\d+\.md, lines/gm)).toHaveLength(20);
    expect(prompt.text).toContain('- and 10 more places');
  });
});

describe('the skills catalogue', () => {
  const skills = [
    { name: 'deploy', description: 'Ships it.', path: '/w/skills/deploy/SKILL.md' },
    { name: 'plain', description: '', path: '/w/skills/plain/SKILL.md' },
  ];

  it('stands before the files: name, description and location, one line each', async () => {
    const { prompt } = await scratch.compose({ skills });
    expect(prompt.text).toContain(
      '\n- deploy: Ships it. (/w/skills/deploy/SKILL.md)\n- plain (/w/skills/plain/SKILL.md)\n\n# Project Context\n',
    );
    expect(prompt.text.indexOf('## Skills')).toBeLessThan(prompt.text.indexOf('# Project Context\n\n##'));
  });

  it('names the skill’s file as the author of its words', async () => {
    const { report } = await scratch.compose({ skills });
    expect(report.spans.find(({ text }) => text === 'Ships it.')?.origin).toEqual({
      kind: 'file',
      path: '/w/skills/deploy/SKILL.md',
      derived: true,
    });
  });

  it('is not there without skills', async () => {
    expect((await scratch.compose()).prompt.text).not.toContain('## Skills');
  });
});

it('writes every word of its own as the product’s', async () => {
  const { report } = await scratch.compose();
  const ours = report.spans.filter(({ origin }) => origin.kind === 'product').map(({ text }) => text);
  expect(ours.join('')).not.toMatch(/Be kind|tools\n/);
  expect(ours).toContain('\n\n## TOOLS.md\n\n');
});
