import { describe, expect, it } from 'vitest';
import type { Message } from '../../protocol/message.ts';
import type { ModelRequest } from '../model.ts';
import { describeModel, read, requestOf } from '../model-suite.ts';
import { createMirrorModel } from './mirror-model.ts';

const mirror = createMirrorModel();

describeModel('mirror', async () => ({
  model: createMirrorModel(),
  says: (text) => requestOf(`say ${text}`),
  calls: (...calls) => requestOf(calls.map(({ name, input }) => `call ${name} ${input}`).join('\n')),
  isRateLimited: (seconds) => requestOf(`fail rate-limit ${seconds}`),
  dawdles: () => requestOf('say Hold on\nwait 60'),
  close: async () => {},
}));

async function ask(content: string, changes: Partial<ModelRequest> = {}) {
  return read(mirror, await mirror.prepare(requestOf(content, changes)));
}

describe('mirror', () => {
  it('describes what it was given when it is asked for nothing', async () => {
    const system = [
      { text: '# Project Context\n\nRules.\n\n## AGENTS.md\n\nBe kind.\n', cacheBoundary: true },
      { text: '# Run Context\n\nIt is Monday.\n' },
    ];
    const { text, end } = await ask('hello there', { system });
    expect(text).toBe(
      [
        'I am Mirror. I am not a language model: I stand in while none is configured, and I show what one would be given.',
        '',
        'System prompt: 79 characters in 2 blocks.',
        '  1. 50 characters, the end of what may be cached',
        '     # Project Context (27)',
        '     ## AGENTS.md (23)',
        '  2. 29 characters',
        '     # Run Context (29)',
        'Tools (1): read.',
        'History: none, this is the beginning.',
        'Your message: 11 characters, "hello there".',
        '',
        'I also obey plain requests, one a line. Try:',
        '  say Good morning',
        '  call read {"path":"AGENTS.md"}',
        '  wait 10',
        '  fail rate-limit',
        '',
        'To talk to a language model, set ANTHROPIC_API_KEY, OPENAI_API_KEY or OPENROUTER_API_KEY and start again, or see "atrium docs models".',
      ].join('\n'),
    );
    expect(end.stop).toBe('stop');
  });

  it('counts the history', async () => {
    const messages: Message[] = [
      { role: 'user', content: 'hi' },
      { role: 'assistant', content: [{ type: 'text', text: 'hello' }] },
      { role: 'user', content: 'and now?' },
    ];
    const { text } = await ask('', { messages, system: [], tools: [] });
    expect(text).toContain('History: 2 messages (1 from people, 1 from me, 0 from tools).');
    expect(text).toContain('System prompt: none.');
    expect(text).toContain('Tools: none.');
  });

  it('shows what tools answered', async () => {
    const messages: Message[] = [
      { role: 'user', content: 'call read {"path":"A"}\ncall read {"path":"B"}\ncall read {"path":"C"}' },
      { role: 'assistant', content: [] },
      { role: 'tool', toolCallId: '1', toolName: 'read', content: 'Be kind.' },
      { role: 'tool', toolCallId: '2', toolName: 'read', content: 'There is no B.', isError: true },
      { role: 'tool', toolCallId: '3', toolName: 'read', content: 'one\ntwo' },
    ];
    const { text, end } = await ask('', { messages });
    expect(text).toBe('read answered: "Be kind."\nread failed: "There is no B."\nread answered:\none\ntwo');
    expect(end.stop).toBe('stop');
  });

  it('finds requests on any line, and takes the lines below a say with it', async () => {
    const { text, events } = await ask('[from a plugin]\n\nsay one\n  two\ncall read {"path":"A"}');
    expect(text).toBe('one\n  two');
    expect(events.filter(({ type }) => type === 'tool-call')).toHaveLength(1);
  });

  it('passes broken parameters on as they were written', async () => {
    const { events } = await ask('call read {"path":');
    expect(events).toContainEqual({ type: 'tool-call', id: 'call_1_1', name: 'read', input: '{"path":' });
  });

  it('calls a tool without parameters when it was offered, and one that was not only with them', async () => {
    const names = async (content: string) =>
      (await ask(content)).events.flatMap((event) => (event.type === 'tool-call' ? [event.name] : []));
    expect(await names('call read')).toEqual(['read']);
    expect(await names('call me')).toEqual([]);
    expect(await names('call me later')).toEqual([]);
    expect(await names('call nothing {}')).toEqual(['nothing']);
  });

  it.each([
    ['server', true],
    ['malformed', true],
    ['overloaded', true],
    ['auth', false],
    ['context-length', false],
  ])('fails as asked: %s', async (kind, retryable) => {
    const { end } = await ask(`fail ${kind}`);
    expect(end).toMatchObject({ stop: 'error', error: { kind, retryable } });
  });

  it('says something before it fails when both are asked for', async () => {
    const { text, end } = await ask('say so far\nfail network');
    expect(text).toBe('so far');
    expect(end.error?.kind).toBe('network');
  });

  it('waits as long as asked, at most a minute', async () => {
    const { text } = await ask('wait 0.05\nsay done');
    expect(text).toBe('. \ndone');
  });

  it('gives every call of a conversation another id', async () => {
    const idOf = async (changes: Partial<ModelRequest>) =>
      (await ask('call read {}', changes)).events.flatMap((event) => (event.type === 'tool-call' ? [event.id] : []));
    const later: Message[] = [
      { role: 'user', content: 'hi' },
      { role: 'assistant', content: [{ type: 'text', text: 'hello' }] },
      { role: 'user', content: 'call read {}' },
    ];
    expect(await idOf({})).not.toEqual(await idOf({ messages: later }));
  });
});
