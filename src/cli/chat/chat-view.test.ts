import { describe, expect, test } from 'vitest';
import type { ServerFrame } from '../../channels/server-frame.ts';
import { ChatView } from './chat-view.ts';

const live = { runId: 'run_1', sessionKey: 'agent:main:main', at: 0, attempt: 1, call: 1 };
const ready = (last: number): ServerFrame => ({ type: 'ready', surface: 'local', last });
const delta = (text: string): ServerFrame => ({ ...live, type: 'text-delta', text });
const start: ServerFrame = { ...live, type: 'run-start', agentId: 'main', sessionId: 'ses_1' } as ServerFrame;
const part = (seq: number, text: string, runId = 'run_1'): ServerFrame => ({ type: 'part', seq, runId, part: 1, text });

class Screen {
  out = '';
  complaints: string[] = [];
  isWaiting = true;
  readonly view: ChatView;

  constructor(isPlain = false) {
    this.view = new ChatView({
      write: (text) => {
        this.out += text;
      },
      complain: (sentence) => this.complaints.push(sentence),
      isPlain,
      isWaiting: () => this.isWaiting,
    });
  }

  show(...frames: readonly ServerFrame[]): string {
    for (const frame of frames) this.view.show(frame);
    return this.out;
  }
}

describe('a terminal', () => {
  test('shows a draft as it comes and does not repeat it when it is delivered', () => {
    expect(new Screen().show(ready(4), start, delta('Hello '), delta('there.'), part(5, 'Hello there.'))).toBe(
      'Hello there.\n',
    );
  });

  test('recognises a long answer part by part', () => {
    const screen = new Screen();
    screen.show(ready(0), start, delta('First paragraph.\n\nSecond paragraph.'));
    expect(screen.show(part(1, 'First paragraph.'), part(2, 'Second paragraph.'))).toBe(
      'First paragraph.\n\nSecond paragraph.\n',
    );
  });

  test('shows the answer to a command amid a draft, and does not repeat the draft for that', () => {
    const screen = new Screen();
    screen.show(ready(0), start, delta('Hello '));
    screen.view.echo('/status');
    screen.show(part(1, 'Agent: main', 'run_2'), delta('there.'));
    expect(screen.show(part(2, 'Hello there.'))).toBe('Hello \n> /status\nAgent: main\nthere.\n');
  });

  test('shows what was delivered where it is not the draft', () => {
    expect(new Screen().show(ready(0), start, delta('Helo'), part(1, 'Hello.'))).toBe('Helo\nHello.\n');
  });

  test('shows no part twice, and nothing from before it came', () => {
    const screen = new Screen();
    screen.show(ready(7), part(7, 'old'), part(8, 'new'), part(8, 'new'));
    expect(screen.out).toBe('new\n');
    expect(screen.view.last).toBe(8);
  });

  test('goes on from where it was after a break, and from the beginning of a new store', () => {
    const screen = new Screen();
    screen.show(ready(7), part(8, 'a'), ready(9), part(9, 'b'));
    expect(screen.view.last).toBe(9);
    expect(screen.show(ready(2), part(3, 'c'))).toBe('a\nb\nc\n');
  });

  test('says that it tries again, and which tools are used, in a line each', () => {
    const screen = new Screen();
    screen.show(
      ready(0),
      start,
      delta('half'),
      { ...live, type: 'text-reset', reason: 'overloaded' } as ServerFrame,
      { ...live, type: 'tool-start', toolCallId: 't', name: 'read', params: { path: 'a\nb' } } as ServerFrame,
      {
        ...live,
        type: 'tool-end',
        toolCallId: 't',
        name: 'read',
        isError: true,
        ms: 1,
        content: `${'👍'.repeat(200)}`,
      } as ServerFrame,
    );
    const [half, again, tool, failed] = screen.out.split('\n');
    expect([half, again, tool]).toEqual(['half', '  · trying again: overloaded', '  · read {"path":"a\\nb"}']);
    expect(failed).toMatch(/^ {2}· read failed: (👍)+…$/u);
  });

  test('leaves out whatever could steer the terminal', () => {
    expect(new Screen().show(ready(0), part(1, 'a\x1b[2Jb\x07\u202ec\r\nd'))).toBe('a[2Jbc\nd\n');
    expect(new Screen().show(ready(0), start, delta('\x1b]0;title\x07x'))).toBe(']0;titlex');
  });

  test('shows what is said elsewhere without drafts, while somebody types', () => {
    const screen = new Screen();
    screen.isWaiting = false;
    const surface = { channel: 'cli', accountId: 'default', peer: { kind: 'direct', id: 'local' } };
    screen.show(ready(0), { ...live, type: 'message-accepted', text: 'hi', surface } as ServerFrame, start);
    expect(screen.show(delta('hel'), part(1, 'hello'))).toBe('  · from elsewhere: hi\nhello\n');
  });

  test('tells what went wrong in a line of its own', () => {
    const screen = new Screen();
    screen.show(ready(0), start, delta('half'), { type: 'error', message: 'No\nsuch agent.' });
    expect([screen.out, screen.complaints]).toEqual(['half\n', ['No such agent.']]);
  });
});

describe('an answer that is half shown', () => {
  test('goes on where it stopped, when the person was asked for a message in the middle of it', () => {
    const screen = new Screen();
    screen.show(ready(0), start, delta('First half, '));
    screen.isWaiting = false;
    screen.show(delta('second half.'));
    expect(screen.out).toBe('First half, ');
    expect(screen.show(part(1, 'First half, second half.'))).toBe('First half, second half.\n');
  });

  test('is printed whole and once to somebody who came in the middle of it', () => {
    const screen = new Screen();
    screen.show(ready(0), delta('second half.'));
    expect(screen.show(part(1, 'First half, second half.'))).toBe('First half, second half.\n');
  });

  test('is not mixed up with a command that was typed meanwhile', () => {
    const screen = new Screen();
    screen.show(ready(0), start, delta('First half, '));
    screen.isWaiting = false;
    screen.show(part(1, 'A new session begins.', 'run_2'), delta('second half.'));
    expect(screen.show(part(2, 'First half, second half.'))).toBe(
      'First half, \nA new session begins.\nsecond half.\n',
    );
  });

  test('is complete even when the last words of the draft were lost', () => {
    expect(new Screen().show(ready(0), start, delta('Hello the'), part(1, 'Hello there.'))).toBe('Hello there.\n');
  });
});

describe('a connection that breaks in the middle of an answer', () => {
  const step = (call: number, text: string, attempt = 1) =>
    ({ ...live, attempt, call, type: 'text-delta', text }) as ServerFrame;
  const again = { ...live, attempt: 2, type: 'run-start', agentId: 'main', sessionId: 'ses_1' } as ServerFrame;
  const tool = (type: 'tool-start' | 'tool-end', id = 't1') =>
    ({ ...live, type, toolCallId: id, name: 'read', params: {}, isError: true, ms: 1, content: 'gone' }) as ServerFrame;

  test('prints nothing twice when the gateway tells again what the run has shown', () => {
    const screen = new Screen();
    screen.show(ready(0), start, step(1, 'Let me '), step(1, 'look.'), tool('tool-start'), tool('tool-end'));
    screen.show(step(2, 'Half of '), ready(0));
    screen.show(start, step(1, 'Let me look.'), tool('tool-start'), tool('tool-end'), step(2, 'Half of the '));
    expect(screen.show(step(2, 'answer.'), part(1, 'Half of the answer.'))).toBe(
      'Let me look.\n  · read {}\n  · read failed: gone\nHalf of the answer.\n',
    );
  });

  test('prints what was missed: the end of a step, and the steps behind it', () => {
    const screen = new Screen();
    screen.show(ready(0), start, step(1, 'Let '), ready(0));
    screen.show(start, step(1, 'Let me look.'), tool('tool-start'), step(2, 'Here'));
    expect(screen.show(step(2, ' it is.'), part(1, 'Here it is.'))).toBe('Let me look.\n  · read {}\nHere it is.\n');
  });

  test('goes on with the delivered answer, when the run ended meanwhile', () => {
    const screen = new Screen();
    screen.show(ready(0), start, delta('First half, '), ready(1));
    expect(screen.show(part(1, 'First half, and the end.'))).toBe('First half, and the end.\n');
  });

  test('goes on with the same words when the gateway was started again, and begins a line for others', () => {
    const same = new Screen();
    same.show(ready(0), start, delta('Half of '), ready(0), again, step(1, 'Ha', 2), step(1, 'lf of the', 2));
    expect(same.show(step(1, ' answer.', 2), part(1, 'Half of the answer.'))).toBe('Half of the answer.\n');
    const other = new Screen();
    other.show(ready(0), start, delta('Half of '), ready(0), again, step(1, 'Ha', 2), step(1, 'rdly.', 2));
    expect(other.show(part(1, 'Hardly.'))).toBe('Half of \nHardly.\n');
  });

  test('leaves what was shown on the screen, when the run has no answer', () => {
    const screen = new Screen();
    screen.show(ready(0), start, delta('Half of '), ready(0));
    screen.view.endTurn('run_1');
    expect(screen.show(part(1, 'Another.', 'run_2'))).toBe('Half of \nAnother.\n');
  });
});

describe('a pipe', () => {
  test('gets answers only, whole, and only its own', () => {
    const screen = new Screen(true);
    screen.view.claim('run_1');
    screen.show(ready(0), start, delta('Hel'), part(1, 'Theirs.', 'run_0'), part(2, 'Hello.'));
    screen.view.note('connected again');
    expect(screen.out).toBe('Hello.\n');
    expect(screen.view.last).toBe(2);
  });

  test('gets an answer that was there before the message was acknowledged', () => {
    const screen = new Screen(true);
    screen.show(ready(0), part(1, 'Hello.'));
    expect(screen.out).toBe('');
    screen.view.claim('run_1');
    expect(screen.out).toBe('Hello.\n');
  });
});

describe('a question of a run', () => {
  const asked = {
    type: 'approval-start',
    runId: 'run_1',
    sessionKey: 'k',
    at: 0,
    approvalId: 'k3f9-x2mq',
    toolCallId: 'c1',
    toolName: 'exec',
    title: 'Run a\u001b[2J command',
    description: 'make',
    severity: 'warning',
    allowedDecisions: ['allow-once', 'deny'],
    expiresAt: 1,
  } as const satisfies ServerFrame;

  test.each([
    ['whoever waits reads it as a part', { isPlain: false, isWaiting: true }, '', []],
    [
      'others are told',
      { isPlain: false, isWaiting: false },
      '  · approval k3f9-x2mq waits (allow-once | deny): Run a [2J command\n',
      [],
    ],
    [
      'the operator of a script is told aside',
      { isPlain: true, isWaiting: true },
      '',
      [
        'approval k3f9-x2mq waits: Run a [2J command: make. Answer it with: atrium approvals answer k3f9-x2mq allow-once | deny',
      ],
    ],
  ])('%s, once', (_, { isPlain, isWaiting }, written, complaints) => {
    let out = '';
    const heard: string[] = [];
    const view = new ChatView({
      write: (text) => {
        out += text;
      },
      complain: (sentence) => heard.push(sentence),
      isPlain,
      isWaiting: () => isWaiting,
    });
    view.show(asked);
    if (!isPlain && !isWaiting)
      view.noteApproval({ id: asked.approvalId, runId: 'run_1', title: 'again', allowedDecisions: [] });
    expect(out).toBe(written);
    expect(heard).toEqual(complaints);
  });
});
