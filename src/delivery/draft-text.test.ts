import { describe, expect, it } from 'vitest';
import { draftTextOf, type ShownTool } from './draft-text.ts';

const tool = (name: string, state: ShownTool['state'] = 'done'): ShownTool => ({ toolCallId: name, name, state });

describe('what a draft shows', () => {
  it('is nothing when drafts are off, and the text so far when they are partial', () => {
    const source = { text: 'Half a sent', tools: [tool('read')] };
    expect(draftTextOf('off', source)).toBe('');
    expect(draftTextOf('partial', source)).toBe('Half a sent');
  });

  it.each([
    ['First.\n\nSecond, not', 'First.'],
    ['First', ''],
    ['One.\n\n```\na\n\nb', 'One.'],
    ['One.\n\n```\na\n\nb\n```\n\nNext', 'One.\n\n```\na\n\nb\n```'],
  ])('is whole paragraphs of %j in block mode', (text, shown) => {
    expect(draftTextOf('block', { text, tools: [] })).toBe(shown);
  });

  it('is the tools at work in progress mode, the latest ones, and never the text', () => {
    expect(draftTextOf('progress', { text: '', tools: [tool('read'), tool('exec', 'working')] })).toBe(
      'Working …\n✓ read\n… exec',
    );
    const many = Array.from({ length: 10 }, (_, index) => tool(`t${index}`, index === 9 ? 'failed' : 'done'));
    const shown = draftTextOf('progress', { text: 'secret', tools: many });
    expect(shown).toMatch(/^Writing the answer …\n✓ 2 earlier steps\n✓ t2\n/);
    expect(shown).toMatch(/✗ t9$/);
    expect(shown).not.toContain('secret');
  });
});
