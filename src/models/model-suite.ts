// The suite that every Model must pass. An implementation brings a subject that can be made to answer in each of these
// ways, for example by a scripted server.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Model, ModelEnd, ModelEvent, ModelRequest, WireRequest } from './model.ts';

export interface ModelSubject {
  readonly model: Model;
  /** Returns a request that will be answered with this text. */
  says(text: string): ModelRequest;
  /** Returns a request that will be answered with these tool calls, in this order. */
  calls(...calls: readonly { readonly name: string; readonly input: string }[]): ModelRequest;
  /** Returns a request that the provider refuses for a while. */
  isRateLimited(retryAfterSeconds: number): ModelRequest;
  /** Returns a request whose answer begins and does not end for a minute. */
  dawdles(): ModelRequest;
  /** Returns the bodies that reached the provider. A model without a wire does not have it. */
  readonly sent?: (() => readonly string[]) | undefined;
  /** Resolves when the provider saw that a connection was closed before its answer was complete. */
  readonly sawHangUp?: (() => Promise<void>) | undefined;
  close(): Promise<void>;
}

export function describeModel(name: string, make: () => Promise<ModelSubject>): void {
  describe(`${name} is a model: it`, () => {
    let subject: ModelSubject;

    beforeEach(async () => {
      subject = await make();
    });

    afterEach(() => subject.close());

    const ask = async (request: ModelRequest) => read(subject.model, await subject.model.prepare(request));

    it('answers with text, in pieces that add up', async () => {
      const { text, end, events } = await ask(subject.says('Good morning, Ana. The kettle is on – 你好 👋.'));
      expect(text).toBe('Good morning, Ana. The kettle is on – 你好 👋.');
      expect(end.stop).toBe('stop');
      expect(end.error).toBeUndefined();
      expect(events.filter(({ type }) => type === 'tool-call')).toEqual([]);
    });

    it('says what the call used', async () => {
      const { end } = await ask(subject.says('Hello'));
      expect(end.usage.input).toBeGreaterThan(0);
      expect(end.usage.output).toBeGreaterThan(0);
    });

    it('tells parallel tool calls once each, whole and in order', async () => {
      const { events, end } = await ask(
        subject.calls({ name: 'read', input: '{"path":"AGENTS.md"}' }, { name: 'read', input: '{"path":"ü/SOUL.md"}' }),
      );
      const calls = events.filter((event) => event.type === 'tool-call');
      expect(calls.map(({ name, input }) => ({ name, input: JSON.parse(input) }))).toEqual([
        { name: 'read', input: { path: 'AGENTS.md' } },
        { name: 'read', input: { path: 'ü/SOUL.md' } },
      ]);
      expect(new Set(calls.map(({ id }) => id)).size).toBe(2);
      expect(end.stop).toBe('tool-calls');
    });

    it('ends once, and with nothing behind it', async () => {
      for (const request of [subject.says('Hello'), subject.isRateLimited(1)]) {
        const { events } = await ask(request);
        expect(events.map(({ type }) => type).filter((type) => type === 'end')).toHaveLength(1);
        expect(events.at(-1)?.type).toBe('end');
      }
    });

    it('ends with an error that says whether and when to try again', async () => {
      const { end } = await ask(subject.isRateLimited(7));
      expect(end).toMatchObject({
        stop: 'error',
        error: { kind: 'rate-limit', retryable: true, retryAfterMs: 7_000 },
      });
      expect(end.error?.message).toMatch(/^[^\n]+$/);
    });

    it('never throws, not even for a request that was not prepared', async () => {
      for (const wire of [
        { url: 'nowhere', headers: {}, body: '' },
        { url: '', headers: {}, body: '{' },
      ]) {
        const { events } = await read(subject.model, wire);
        expect(events).toHaveLength(1);
        expect(events[0]).toMatchObject({ type: 'end', stop: 'error', error: { retryable: false } });
      }
    });

    it('writes the same request down with the same bytes', async () => {
      const request = subject.says('Hello');
      const first = await subject.model.prepare(request);
      const second = await subject.model.prepare(structuredClone(request));
      expect(second).toEqual(first);
    });

    it('sends exactly the bytes that it wrote down', async () => {
      const wire = await subject.model.prepare(withHistory(subject.says('Hello')));
      await read(subject.model, wire);
      await read(subject.model, wire);
      if (subject.sent) expect(subject.sent()).toEqual([wire.body, wire.body]);
    });

    it('writes nothing down that only people may see', async () => {
      const { body } = await subject.model.prepare(withHistory(subject.says('Hello')));
      expect(body).toContain('a result for the model');
      expect(body).not.toContain('details for people');
    });

    it('stops when it is told to, and closes the connection', async () => {
      const abort = new AbortController();
      const events: ModelEvent[] = [];
      for await (const event of subject.model.stream(await subject.model.prepare(subject.dawdles()), abort.signal)) {
        events.push(event);
        if (event.type === 'text-delta') abort.abort();
      }
      expect(events.at(-1)).toMatchObject({ type: 'end', stop: 'aborted' });
      expect(events.filter(({ type }) => type === 'end')).toHaveLength(1);
      await subject.sawHangUp?.();
    });

    it('closes the connection when the reader stops', async () => {
      const wire = await subject.model.prepare(subject.dawdles());
      for await (const event of subject.model.stream(wire, new AbortController().signal)) {
        if (event.type === 'text-delta') break;
      }
      await subject.sawHangUp?.();
    });

    it('does not even begin when it was stopped before', async () => {
      const { events } = await read(
        subject.model,
        await subject.model.prepare(subject.says('Hello')),
        AbortSignal.abort(),
      );
      expect(events).toHaveLength(1);
      expect(events[0]).toMatchObject({ type: 'end', stop: 'aborted' });
      if (subject.sent) expect(subject.sent()).toEqual([]);
    });
  });
}

/** Collects all events that a model sends for one request. */
export async function read(
  model: Model,
  wire: WireRequest,
  signal: AbortSignal = new AbortController().signal,
): Promise<{ readonly events: readonly ModelEvent[]; readonly text: string; readonly end: ModelEnd }> {
  const events: ModelEvent[] = [];
  for await (const event of model.stream(wire, signal)) events.push(event);
  const end = events.find((event) => event.type === 'end');
  if (!end) throw new Error('the stream came to an end without saying so');
  const text = events.map((event) => (event.type === 'text-delta' ? event.text : '')).join('');
  return { events, text, end };
}

/** Makes a request with one message of a person and the usual tools. */
export function requestOf(content: string, changes: Partial<ModelRequest> = {}): ModelRequest {
  return {
    system: [{ text: 'You are Ana.\n', cacheBoundary: true }, { text: 'It is Monday.\n' }],
    tools: [
      {
        name: 'read',
        description: 'Reads a file.',
        parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
      },
    ],
    messages: [{ role: 'user', content }],
    ...changes,
  };
}

/** Returns the same request at the end of a conversation with tools. */
function withHistory(request: ModelRequest): ModelRequest {
  const assistant = {
    role: 'assistant',
    content: [
      { type: 'text', text: 'Let me look.' },
      { type: 'tool-call', id: 'call_1', name: 'read', params: { path: 'AGENTS.md' } },
    ],
  } as const;
  return {
    ...request,
    messages: [
      { role: 'user', content: 'What do the rules say?' },
      assistant,
      {
        role: 'tool',
        toolCallId: 'call_1',
        toolName: 'read',
        content: 'a result for the model',
        details: 'details for people',
      },
      { role: 'assistant', content: [{ type: 'text', text: 'To be kind.' }] },
      ...request.messages,
    ],
  };
}
