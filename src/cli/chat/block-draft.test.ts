import { lexer } from 'marked';
import { describe, expect, it } from 'vitest';
import { VirtualScreen } from '../fixtures/virtual-screen.ts';
import { terminalStyle } from '../output/terminal-style.ts';
import { BlockDraft } from './block-draft.ts';
import { ChatDraft } from './chat-draft.ts';
import { LiveRegion } from './live-region.ts';

const style = terminalStyle({ isTerminal: true, variables: { NO_COLOR: '1' } });

class Terminal {
  readonly screen: VirtualScreen;
  readonly region: LiveRegion;
  readonly draft: ChatDraft;

  constructor(columns = 40, rows = 10) {
    this.screen = new VirtualScreen(columns, rows);
    this.region = new LiveRegion(this.screen);
    this.draft = new ChatDraft(
      new BlockDraft({
        frame: () => ({ lexer, style, width: this.screen.columns - 1 }),
        write: (text) => this.region.write(text),
        preview: (lines) => this.region.show([...lines, '* working']),
        height: () => this.region.height - 1,
      }),
    );
  }

  /** The answer in small pieces, as models send it. */
  says(text: string, isShown = true): this {
    for (const piece of text.match(/[\s\S]{1,3}/g) ?? []) this.draft.add(piece, isShown);
    return this;
  }
}

const ANSWER =
  '# Top\n\nA paragraph.\n\n- one\n- two\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```ts\nlet x;\n```\n\nThe end.';
const RENDERED = '# Top\n\nA paragraph.\n\n• one\n• two\n\na │ b\n──┼──\n1 │ 2\n\n  ┄ ts\n  let x;\n\nThe end.';

describe('an answer that comes in pieces', () => {
  it('shows the block that is not finished as it was typed, and the finished ones rendered', () => {
    const terminal = new Terminal().says('# Top\n\nSome **wor');
    expect(terminal.screen.text).toBe('# Top\n\nSome **wor\n* working');
    terminal.says('ds**\n\n- one\n- tw');
    expect(terminal.screen.text).toBe('# Top\n\nSome **words**\n\n- one\n- tw\n* working');
  });

  it.each([
    [40, 10],
    [80, 24],
    [200, 50],
    [20, 4],
  ])('ends as if it had come at once, without doubled lines, at %ix%i', (columns, rows) => {
    const terminal = new Terminal(columns, rows).says(ANSWER);
    expect(terminal.draft.confirm(ANSWER)).toBe(true);
    terminal.region.clear();
    expect(terminal.screen.text).toBe(RENDERED);
  });

  it('does not double lines of a block that is taller than the screen', () => {
    const list = Array.from({ length: 40 }, (_, index) => `- item ${index}x`).join('\n');
    const terminal = new Terminal(40, 8).says(list);
    terminal.draft.confirm(list);
    terminal.region.clear();
    expect(terminal.screen.text).toBe(list.replaceAll('- ', '• '));
  });

  it('keeps everything when the window becomes wider in between', () => {
    const terminal = new Terminal(30, 10).says(ANSWER.slice(0, 50));
    terminal.screen.columns = 80;
    terminal.says(ANSWER.slice(50));
    terminal.draft.confirm(ANSWER);
    terminal.region.clear();
    expect(terminal.screen.text).toBe(RENDERED);
  });

  it('overwrites nothing that stood above when the window becomes narrower in a terminal that breaks no lines', () => {
    const terminal = new Terminal(40, 10);
    terminal.region.write('one\ntwo\nthree\n');
    terminal.says('A line that is much wider than the window will be.');
    terminal.screen.columns = 12;
    terminal.says(' More.');
    expect(terminal.screen.text).toMatch(/^one\ntwo\nthree\nA line/);
  });

  it('takes back what is not finished when the person is asked meanwhile, and prints it once when it is delivered', () => {
    const terminal = new Terminal().says('First.\n\nSecond, ');
    terminal.says('hidden', false);
    terminal.region.clear();
    expect(terminal.screen.text).toBe('First.');
    expect(terminal.draft.confirm('First.\n\nSecond, hidden')).toBe(true);
    terminal.region.clear();
    expect(terminal.screen.text).toBe('First.\n\nSecond, hidden');
  });

  it('stays when it is cut off', () => {
    const terminal = new Terminal().says('Half of **the');
    terminal.draft.end();
    terminal.region.clear();
    expect(terminal.screen.text).toBe('Half of **the');
  });
});
