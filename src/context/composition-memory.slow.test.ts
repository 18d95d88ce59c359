import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { forAllAsync } from '../testkit/for-all.ts';
import { workspaceForEachTest } from '../testkit/for-each-test.ts';
import { BootstrapFileHelper } from './bootstrap-file-helper.ts';
import type { Composition } from './compose.ts';
import { CompositionMemory } from './composition-memory.ts';
import { DEFAULT_POLICY } from './default-policy.ts';

let memory: CompositionMemory;
/** What the handlers of these tests contribute now; the registrations stay. */
let contribution: { by: 'first' | 'second'; text: string };
const policy = { ...DEFAULT_POLICY, maxChars: 300, totalMaxChars: 700 };

const scratch = workspaceForEachTest({ 'AGENTS.md': 'agents', 'TOOLS.md': 'tools' });
beforeEach(async () => {
  memory = new CompositionMemory();
  contribution = { by: 'first', text: 'hello' };
  for (const id of ['first', 'second'] as const) {
    scratch.on(id, (context) => {
      if (contribution.by === id) new BootstrapFileHelper(context).appendToFile('AGENTS.md', contribution.text);
    });
  }
});

const remembering = () => scratch.compose({ input: { memory, policy } });
const anew = () => scratch.compose({ input: { policy } });
const told = ({ prompt, files, report }: Composition) => ({
  ...report,
  text: prompt.text,
  left: files,
  handlers: report.handlers.map(({ ms, ...handler }) => handler),
});

describe('the memory of compositions', () => {
  it('spares a run that changes nothing the pure stages', async () => {
    await scratch.age();
    const first = await remembering();
    const second = await remembering();
    expect(second.prompt).toBe(first.prompt);
    expect(told(second)).toEqual(told(first));
  });

  it('notices another author of the same text', async () => {
    await remembering();
    contribution = { by: 'second', text: 'hello' };
    const second = await remembering();
    expect(second.report.spans.find(({ text }) => text.includes('hello'))?.origin).toMatchObject({ id: 'second' });
  });

  it('notices another kind of session, although its files are the same', async () => {
    const situation = { sessionKey: 'agent:main:subagent:1', sessionType: 'subagent' } as const;
    await remembering();
    const child = await scratch.compose({ ...situation, input: { memory, policy } });
    expect(child.prompt.text).toContain('## Subagent Context');
    expect((await remembering()).prompt.text).not.toContain('## Subagent Context');
  });

  it('is never noticed, for any change between runs', async () => {
    const change = fc.oneof(
      fc.record({ file: fc.constantFrom('AGENTS.md', 'SOUL.md', 'HEARTBEAT.md'), text: fc.string({ maxLength: 500 }) }),
      fc.record({
        by: fc.constantFrom('first' as const, 'second' as const),
        text: fc.constantFrom('a', 'b', 'x'.repeat(400)),
      }),
    );
    await forAllAsync([fc.array(change, { minLength: 1, maxLength: 6 })], 40, async (changes) => {
      for (const each of changes) {
        if ('file' in each) await scratch.write(each.file, each.text);
        else contribution = each;
        expect(told(await remembering())).toEqual(told(await anew()));
      }
    });
  });
});
