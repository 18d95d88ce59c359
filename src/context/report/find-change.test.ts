import { describe, expect, it } from 'vitest';
import { workspaceForEachTest } from '../../testkit/for-each-test.ts';
import { BootstrapFileHelper } from '../bootstrap-file-helper.ts';

const scratch = workspaceForEachTest({ 'AGENTS.md': '# Rules\n\nBe brief.\n', 'TOOLS.md': 'Use rg.\n' });

describe('the change since the previous composition', () => {
  it('is none when the bytes are the same', async () => {
    const previous = await scratch.compose();
    expect((await scratch.compose({ previous })).report.change).toMatchObject({ changed: false, breaksCache: false });
  });

  it('begins at the first character that differs, with its author and line', async () => {
    const previous = await scratch.compose();
    await scratch.write('AGENTS.md', '# Rules\n\nBe brave.\n');
    const { prompt, report } = await scratch.compose({ previous });
    const at = prompt.text.indexOf('Be brave.') + 'Be br'.length;
    expect(report.change).toMatchObject({
      changed: true,
      firstChangedChar: at,
      firstChangedByte: at,
      breaksCache: true,
      author: { kind: 'file', path: scratch.path('AGENTS.md'), lines: [3, 3] },
    });
  });

  it('counts bytes, of which two letters may share the first', async () => {
    await scratch.write('AGENTS.md', 'çé');
    const previous = await scratch.compose();
    await scratch.write('AGENTS.md', 'çè');
    const { prompt, report } = await scratch.compose({ previous });
    const before = Buffer.byteLength(prompt.text.slice(0, prompt.text.indexOf('è')));
    expect(report.change?.firstChangedByte).toBe(before + 1);
    await scratch.write('AGENTS.md', 'ç😀');
    const smiling = await scratch.compose();
    await scratch.write('AGENTS.md', 'ç😁');
    expect((await scratch.compose({ previous: smiling })).report.change?.firstChangedByte).toBe(before + 3);
  });

  it('names the author of a new layer, and leaves the cache alone behind the boundary', async () => {
    const previous = await scratch.compose();
    scratch.on('night', (context) => new BootstrapFileHelper(context).appendToFile('AGENTS.md', 'Be quiet.'), {
      stability: 'run',
    });
    const night = await scratch.compose({ previous });
    expect(night.report.change).toMatchObject({
      firstChangedChar: previous.prompt.text.length,
      breaksCache: false,
      origin: { kind: 'product', part: 'heading' },
      author: { kind: 'handler', id: 'night' },
      kind: 'heading',
    });
    expect(night.report.change?.summary).toContain('handler night');
    scratch.runner.unregister('agent:bootstrap', 'night');
    const day = await scratch.compose({ previous: night });
    expect(day.report.change).toMatchObject({
      kind: 'layer-gone',
      breaksCache: false,
      author: { kind: 'handler', id: 'night' },
    });
    expect(day.report.change?.summary).toContain('handler night followed');
  });

  it('names the author that stopped writing', async () => {
    const undo = scratch.on('kind', (context) =>
      new BootstrapFileHelper(context).appendToFile('AGENTS.md', 'Be kind.'),
    );
    const previous = await scratch.compose();
    undo();
    const { report } = await scratch.compose({ previous });
    expect(report.change).toMatchObject({ kind: 'text-gone', author: { kind: 'handler', id: 'kind' } });
    expect(report.change?.summary).toMatch(/where handler kind went on$/);
  });

  it('breaks the cache when a cached layer goes, even if nothing follows', async () => {
    const previous = await scratch.compose();
    const job = await scratch.compose({
      previous,
      policy: { subagentFiles: ['AGENTS.md'] },
      sessionKey: 'agent:main:cron:nightly',
      sessionType: 'scheduled',
    });
    expect(job.prompt.text.length).toBe(job.report.change?.firstChangedChar);
    expect(job.report.change?.breaksCache).toBe(true);
  });

  it('names a handler that promised to be static and was not', async () => {
    let count = 0;
    scratch.on('counter', (context) => new BootstrapFileHelper(context).appendToFile('TOOLS.md', `Run ${count++}.`), {
      stability: 'static',
    });
    const previous = await scratch.compose();
    expect((await scratch.compose({ previous })).report.change?.brokenPromises).toEqual(['counter']);
  });
});
