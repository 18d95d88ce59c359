import { PassThrough } from 'node:stream';
import type { ReadStream, WriteStream } from 'node:tty';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { VirtualScreen } from '../fixtures/virtual-screen.ts';
import { ApprovalQuestions } from './approval-questions.ts';
import { ChatPrompt } from './chat-prompt.ts';

let input: PassThrough;
let screen: VirtualScreen;
let prompt: ChatPrompt;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  input = new PassThrough();
  screen = new VirtualScreen();
  prompt = new ChatPrompt({
    input: input as unknown as ReadStream,
    output: Object.assign(new PassThrough(), {
      columns: 80,
      rows: 24,
      isTTY: true,
      write: (text: string) => screen.write(text),
    }) as unknown as WriteStream,
    history: [],
    historySize: 10,
    interrupt: () => {},
    sendAtOnce: () => false,
    complete: async () => [],
  });
});
afterEach(() => {
  prompt.close();
  vi.useRealTimers();
});

const type = (text: string) => input.emit('data', Buffer.from(text));

describe('a message of several lines', () => {
  it('goes on behind a backslash', async () => {
    const said = prompt.next();
    type('roses are red\\\r');
    expect(screen.text).toBe('> roses are red\\\n…');
    type('violets are blue\r');
    expect(await said).toBe('roses are red\nviolets are blue');
    expect(screen.text).toContain('… violets are blue');
  });
});

describe('a tool call that waits', () => {
  const approval = {
    id: 'k3f9-x2mq',
    runId: 'run_1',
    title: 'Run a\x1b[2J command',
    allowedDecisions: ['allow-once', 'deny'],
  };
  const sent: string[] = [];
  let questions: ApprovalQuestions;
  let said: Promise<string | undefined>;
  beforeEach(() => {
    sent.length = 0;
    questions = new ApprovalQuestions({
      ask: (question) => prompt.ask(question),
      answer: (command) => sent.push(command),
    });
    said = prompt.next();
    questions.add(approval);
  });

  it.each([
    ['y', '/approve k3f9-x2mq allow-once'],
    ['n', '/approve k3f9-x2mq deny'],
  ])('is answered by the key %s alone', (key, command) => {
    expect(screen.text).toBe('Run a [2J command (y once, n deny) >');
    type(key);
    expect(sent).toEqual([]);
    vi.advanceTimersByTime(1_000);
    expect(sent).toEqual([command]);
    expect(screen.text).toBe('>');
  });

  it('is not answered by a message, a paste, or a key that it does not offer', async () => {
    type('yes, but why?');
    vi.advanceTimersByTime(1_000);
    type('\x03');
    type('\x1b[200~y\x1b[201~');
    type('\x7f');
    type('a');
    vi.advanceTimersByTime(1_000);
    expect(sent).toEqual([]);
    type('nd that\r');
    expect(await said).toBe('and that');
    expect(sent).toEqual([]);
  });

  it('is not answered by a word that is typed quickly', () => {
    type('n');
    vi.advanceTimersByTime(100);
    type('o');
    vi.advanceTimersByTime(1_000);
    expect(sent).toEqual([]);
  });

  it('offers always where that is possible, and asks for the next one behind it', () => {
    questions.add({
      id: 'aaaa-bbbb',
      runId: 'run_1',
      title: 'Write',
      allowedDecisions: ['allow-once', 'allow-always', 'deny'],
    });
    type('y');
    vi.advanceTimersByTime(1_000);
    expect(screen.text).toBe('Write (y once, a always, n deny) >');
    type('a');
    vi.advanceTimersByTime(1_000);
    expect(sent).toEqual(['/approve k3f9-x2mq allow-once', '/approve aaaa-bbbb allow-always']);
    expect(questions.ids).toEqual([]);
  });

  it('is not asked any more when it was answered elsewhere', () => {
    const frame = { type: 'approval-end', approvalId: approval.id, decision: 'deny', by: 'web' } as const;
    questions.see({ ...frame, sessionKey: 'agent:main:main', runId: 'run_1', at: 0 });
    expect(screen.text).toBe('>');
  });
});
