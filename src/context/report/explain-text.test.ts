import { describe, expect, it } from 'vitest';
import { workspaceForEachTest } from '../../testkit/for-each-test.ts';
import { BootstrapFileHelper } from '../bootstrap-file-helper.ts';
import { explainText, isExplained } from './explain-text.ts';

const scratch = workspaceForEachTest({
  'AGENTS.md': '# Rules\n\nBe brief.\nNever delete anything.\n',
  'TOOLS.md': 'Use rg.\nBe brief.\n',
  'MEMORY.md': 'Ana likes tea.\n',
});

describe('explainText', () => {
  it('says where a line stands and whose it is', async () => {
    const composition = await scratch.compose();
    const { present, places, absent } = explainText(composition, 'Never delete anything.');
    expect([present, places.length, absent]).toEqual([true, 1, []]);
    const start = composition.prompt.text.indexOf('Never delete');
    const line = composition.prompt.text.split('\n').indexOf('Never delete anything.') + 1;
    expect(places[0]).toEqual({
      start,
      end: start + 22,
      lines: [line, line],
      side: 'before-boundary',
      sections: ['AGENTS.md'],
      parts: [
        {
          text: 'Never delete anything.',
          start,
          end: start + 22,
          origin: { kind: 'file', path: scratch.path('AGENTS.md'), lines: [4, 4] },
        },
      ],
    });
  });

  it('finds every place, and copies that were left out beside one that is there', async () => {
    expect(explainText(await scratch.compose(), 'Be brief.').places).toHaveLength(2);
    await scratch.write('MEMORY.md', 'Be brief.\n');
    const shared = await scratch.compose({ sessionKey: 'agent:main:discord:channel:1' });
    const { places, absent } = explainText(shared, 'Be brief.');
    expect(places).toHaveLength(2);
    expect(absent).toMatchObject([{ reason: 'private-surface', what: 'MEMORY.md', lines: [1, 1] }]);
  });

  it('takes text apart that several authors wrote', async () => {
    scratch.on('kind', (context) => new BootstrapFileHelper(context).appendToFile('AGENTS.md', 'Be kind.'));
    const { places } = explainText(await scratch.compose(), 'anything.\n\n\n---\n\nBe kind.');
    expect(places[0]?.parts.map(({ origin }) => origin.kind)).toEqual(['file', 'handler']);
  });

  it('does not mind how text was wrapped', async () => {
    const { present, spacingDiffers } = explainText(await scratch.compose(), 'Be brief. Never\r\n  delete anything.');
    expect([present, spacingDiffers]).toEqual([true, true]);
  });

  it('explains lines by themselves when they stand nowhere together', async () => {
    const explanation = explainText(await scratch.compose(), 'Use rg.\nNever delete anything.');
    expect(explanation.present).toBe(true);
    expect(explanation.lines?.map(({ places }) => places[0]?.sections)).toEqual([['TOOLS.md'], ['AGENTS.md']]);
    const half = explainText(await scratch.compose(), 'Use rg.\nNobody said this.');
    expect([half.present, isExplained(half)]).toEqual([false, false]);
  });

  it('names the limit that cut a line, and the line', async () => {
    await scratch.write('TOOLS.md', Array.from({ length: 80 }, (_, i) => `- tool ${i + 1} is here\n`).join(''));
    const perFile = await scratch.compose({ policy: { maxChars: 400 } });
    expect(explainText(perFile, 'tool 40 is').absent).toEqual([
      {
        reason: 'over-budget',
        what: 'TOOLS.md',
        path: scratch.path('TOOLS.md'),
        lines: [40, 40],
        detail: 'cut by the per-file-limit: a file may bring 400 characters (bootstrapMaxChars)',
      },
    ]);
    const total = await scratch.compose({ policy: { totalMaxChars: 60 } });
    expect(explainText(total, 'tool 40 is').absent).toMatchObject([
      { reason: 'over-budget', detail: expect.stringContaining('bootstrapTotalMaxChars') },
    ]);
    const tokens = await scratch.compose({ policy: { maxTokens: 40 } });
    expect(explainText(tokens, 'tool 40 is').absent).toMatchObject([
      { reason: 'over-budget', detail: expect.stringContaining('bootstrapMaxTokens') },
    ]);
  });

  it('finds text that a cut went through', async () => {
    await scratch.write('TOOLS.md', `${'word '.repeat(300)}\n`);
    const composition = await scratch.compose({ policy: { maxChars: 500 } });
    const cut = composition.report.cuts[0];
    const torn = `${'word '.repeat(299)}word`;
    expect(explainText(composition, torn).absent).toMatchObject([{ reason: 'over-budget', lines: cut?.lines }]);
    expect(explainText(composition, 'Be brief.').absent).toEqual([]);
  });

  it('names the handler that took a file, or a line, away', async () => {
    scratch.on('no-tools', (context) => new BootstrapFileHelper(context).removeFile('TOOLS.md'));
    scratch.on('soften', (context) => {
      for (const file of context.bootstrapFiles) file.content = file.content?.replace('Never delete anything.\n', '');
    });
    const composition = await scratch.compose();
    expect(explainText(composition, 'Use rg.').absent).toMatchObject([
      { reason: 'removed-by-handler', by: 'no-tools' },
    ]);
    expect(explainText(composition, 'Never delete anything.').absent).toMatchObject([
      { reason: 'removed-by-handler', by: 'soften', what: 'AGENTS.md' },
    ]);
  });

  it('helps with what it cannot find: other letters, the closest line, handlers that wrote nothing', async () => {
    scratch.on('quiet', () => {});
    scratch.on('broken', () => {
      throw new Error('no luck');
    });
    const composition = await scratch.compose();
    expect(explainText(composition, 'NEVER DELETE').help?.otherCase?.sections).toEqual(['AGENTS.md']);
    const { help } = explainText(composition, 'Never delete everything');
    expect(help?.closest?.parts[0]?.text).toBe('Never delete anything.');
    expect(help?.silent).toEqual(['quiet']);
    expect(help?.unheard).toMatchObject([{ reason: 'handler-failed', by: 'broken' }]);
    expect(explainText(composition, 'zzz qqq').help?.closest).toBeUndefined();
    const shared = await scratch.compose({ sessionKey: 'agent:main:discord:channel:1' });
    expect(explainText(shared, 'ana likes TEA').help?.absentInOtherCase).toMatchObject([{ reason: 'private-surface' }]);
  });
});
