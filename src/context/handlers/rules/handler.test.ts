import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { workspaceForEachTest } from '../../../testkit/for-each-test.ts';
import type { Composition } from '../../compose.ts';
import { createRuleHandler } from './handler.ts';
import type { Rule } from './rule.ts';

const scratch = workspaceForEachTest({ 'AGENTS.md': 'rules', 'SOUL.md': 'soul' });

function composeWith(rule: Partial<Rule>, situation = {}): Promise<Composition> {
  const handler = createRuleHandler({
    rule: { id: 'quiet', file: 'AGENTS.md', mode: 'append', when: {}, ...rule },
    variables: {},
    roots: [scratch.stateDir],
  });
  const undo = scratch.register('rule:quiet', handler, { authorship: 'rule', stability: rule.stability });
  return scratch.compose(situation).finally(undo);
}
const contentOf = ({ files }: Composition, name = 'AGENTS.md') =>
  files.filter((file) => file.name === name && !file.missing).map(({ content }) => content);
const noteOf = ({ report }: Composition) => report.absences.find(({ by }) => by === 'rule:quiet');

describe('a rule', () => {
  it.each([
    ['append', ['rules\n\n---\n\nhush']],
    ['prepend', ['hush\n\n---\n\nrules']],
    ['replace', ['hush']],
    ['add', ['rules', 'hush']],
  ] as const)('can %s its text', async (mode, expected) => {
    expect(contentOf(await composeWith({ mode, text: 'hush' }))).toEqual(expected);
  });

  it('can remove a file', async () => {
    const composition = await composeWith({ mode: 'remove', file: 'SOUL.md' });
    expect(contentOf(composition, 'SOUL.md')).toEqual([]);
    expect(noteOf(composition)).toMatchObject({ what: 'SOUL.md', reason: 'removed-by-handler' });
  });

  it('can create a file of any name', async () => {
    expect(contentOf(await composeWith({ file: 'EXTRA.md', text: 'hush' }), 'EXTRA.md')).toEqual(['hush']);
  });

  it('is the author of its text, as a rule and not as a handler', async () => {
    const { report } = await composeWith({ text: 'hush' });
    const span = report.spans.find(({ text }) => text.includes('hush'));
    expect(span?.origin).toEqual({ kind: 'rule', id: 'quiet' });
    expect(report.handlers[0]).toMatchObject({ id: 'rule:quiet', authorship: 'rule' });
  });

  it('can take its text from a file, which is then named with its lines', async () => {
    const from = await scratch.writeState('quiet.md', 'hush\nnow\n');
    const composition = await composeWith({ from: [from] });
    expect(contentOf(composition)).toEqual(['rules\n\n---\n\nhush\nnow\n']);
    const span = composition.report.spans.find(({ text }) => text.startsWith('hush'));
    expect(span?.origin).toEqual({ kind: 'rule', id: 'quiet', path: from, lines: [1, 2] });
  });

  it('takes the first of its places in which there is something', async () => {
    const from = [join(scratch.stateDir, 'none.md'), await scratch.writeState('rules/quiet.md', 'hush')];
    expect(contentOf(await composeWith({ from }))).toEqual(['rules\n\n---\n\nhush']);
  });

  it('says so when that file is not there or may not be read', async () => {
    const missing = await composeWith({ from: [join(scratch.stateDir, 'none.md')] });
    expect(contentOf(missing)).toEqual(['rules']);
    expect(noteOf(missing)).toMatchObject({ reason: 'missing', what: expect.stringContaining('rule quiet') });
    const outside = await composeWith({ from: [await scratch.writeOutside('secret.md', 'secret')] });
    expect(outside.prompt.text).not.toContain('secret');
    expect(noteOf(outside)).toMatchObject({ reason: 'outside-workspace' });
  });

  it('leaves no trace when its text says nothing', async () => {
    const blank = await scratch.writeState('blank.md', ' \n');
    for (const rule of [
      { text: '' },
      { text: ' \n' },
      { from: [blank] },
      { from: [blank], mode: 'replace' },
    ] as const) {
      const composition = await composeWith(rule);
      expect(contentOf(composition)).toEqual(['rules']);
      expect(noteOf(composition)?.reason).toBe('empty');
    }
  });

  it('can empty a file when that is what it says', async () => {
    expect(contentOf(await composeWith({ mode: 'replace', text: '' }))).toEqual(['']);
  });

  it('does nothing when its conditions do not hold, and says which', async () => {
    const composition = await composeWith({ text: 'hush', when: { hours: '22-6', weekend: false } });
    expect(contentOf(composition)).toEqual(['rules']);
    expect(noteOf(composition)).toMatchObject({
      what: 'rule quiet',
      reason: 'rule-condition-false',
      detail: 'hours is 10:00, wanted "22-6"',
    });
  });

  it('acts when they do', async () => {
    const at = new Date('2026-05-06T23:00:00Z');
    expect(contentOf(await composeWith({ text: 'hush', when: { hours: '22-6' } }, { at }))).toEqual([
      'rules\n\n---\n\nhush',
    ]);
  });

  it('is kept below the boundary when it says that it changes', async () => {
    const { prompt } = await composeWith({ text: 'hush', stability: 'run' });
    expect(prompt.text.slice(0, prompt.cacheBoundary)).not.toContain('hush');
    expect(prompt.text).toContain('hush');
  });

  it('cannot bring a subagent what it may not read', async () => {
    const composition = await composeWith({ file: 'MEMORY.md', text: 'hush' }, { sessionKey: 'agent:main:subagent:1' });
    expect(composition.prompt.text).not.toContain('hush');
  });

  it('finds openboa’s files under the other set’s names', async () => {
    await scratch.write('AGENT.md', 'agent');
    const composition = await composeWith({ text: 'hush' }, { taxonomy: 'openboa' });
    expect(contentOf(composition, 'AGENT.md')).toEqual(['agent\n\n---\n\nhush']);
  });
});
