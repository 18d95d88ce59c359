// The AI SDK's packages are widely used and kept by many hands, so they are the measure: what Atrium sends is what they
// would send, byte for byte, and what it reads in an answer is what they read. Where Atrium differs on purpose, the
// difference has a test of its own below.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MODEL_PROTOCOLS } from '../protocol/model-protocol.ts';
import { Answer } from './answer.ts';
import { AnswerReader } from './answer-reader.ts';
import { createAnthropicModel } from './anthropic/anthropic-model.ts';
import { MESSAGE_EVENTS } from './anthropic/message-events.ts';
import { AnswerWishError } from './errors.ts';
import { sdkEvents, sdkRequest } from './fixtures/ai-sdk.ts';
import { type GeneratedAnswer, generatedAnswer } from './fixtures/generated-answers.ts';
import { generatedRequest, generatedWishes } from './fixtures/generated-requests.ts';
import { CONTENT_EVENTS } from './google/content-events.ts';
import { createGoogleModel } from './google/google-model.ts';
import type { ModelEvent } from './model.ts';
import { CHAT_EVENTS } from './openai-compatible/chat-events.ts';
import { createOpenAiCompatibleModel } from './openai-compatible/openai-compatible-model.ts';
import { createOpenAiResponsesModel } from './openai-responses/openai-responses-model.ts';
import { RESPONSES_EVENTS } from './openai-responses/responses-events.ts';

const CREATE = {
  'anthropic-messages': createAnthropicModel,
  'openai-completions': createOpenAiCompatibleModel,
  'openai-responses': createOpenAiResponsesModel,
  'google-generative-ai': createGoogleModel,
};
const PROTOCOLS = {
  'openai-completions': CHAT_EVENTS,
  'anthropic-messages': MESSAGE_EVENTS,
  'openai-responses': RESPONSES_EVENTS,
  'google-generative-ai': CONTENT_EVENTS,
};
type Api = GeneratedAnswer['api'];

describe.each(MODEL_PROTOCOLS)('a request over %s', (api) => {
  it('goes to the same address with the same headers and the same bytes as from the SDK', async () => {
    let compared = 0;
    await fc.assert(
      fc.asyncProperty(generatedRequest, async ({ request, settings }) => {
        const sdk = await sdkRequest(api, request, settings).catch(() => undefined);
        const ours = await CREATE[api](settings)
          .prepare(request)
          .catch(() => undefined);
        if (sdk === undefined) {
          expect(ours).toBeUndefined();
          return;
        }
        compared += 1;
        expect(ours?.body).toBe(sdk.body);
        const { 'user-agent': userAgent, ...headers } = ours?.headers ?? {};
        expect({ ...ours, headers }).toEqual(sdk);
        expect(userAgent).toMatch(/^atrium\//);
      }),
      { numRuns: 120 },
    );
    expect(compared).toBeGreaterThan(80);
  });
});

/** What each protocol has words for. The SDK has the effort and the verbosity of the Responses API at other places. */
const WORDS = {
  'anthropic-messages': ['temperature', 'topP', 'maxTokens', 'stop'],
  'openai-completions': [
    ...['temperature', 'topP', 'maxTokens', 'stop', 'presencePenalty', 'frequencyPenalty', 'seed'],
    ...['effort', 'verbosity'],
  ],
  'openai-responses': ['temperature', 'topP', 'maxTokens'],
  'google-generative-ai': [
    ...['temperature', 'topP', 'maxTokens', 'stop', 'presencePenalty', 'frequencyPenalty', 'seed'],
  ],
};

describe.each(MODEL_PROTOCOLS)('what a client asks for, over %s,', (api) => {
  it('is written with the same bytes as by the SDK, or refused by name where the SDK leaves it out', async () => {
    let same = 0;
    await fc.assert(
      fc.asyncProperty(generatedRequest, generatedWishes(WORDS[api]), async ({ request, settings: given }, wishes) => {
        const wished = { ...request, wishes };
        const { temperature: _, topP: __, ...settings } = given;
        const sdk = await sdkRequest(api, wished, settings).catch(() => undefined);
        if (sdk === undefined) return;
        try {
          expect((await CREATE[api](settings).prepare(wished)).body).toBe(sdk.body);
          same += 1;
        } catch (error) {
          // Some models refuse some of it themselves.
          if (!(error instanceof AnswerWishError)) throw error;
        }
      }),
      { numRuns: 300 },
    );
    expect(same).toBeGreaterThan(100);
  });
});

/** Like the SDK's reading, it ends with undefined where there is an error. */
function ourEvents({ api, pieces }: GeneratedAnswer): (ModelEvent | undefined)[] {
  const answer = new Answer();
  const reader = new AnswerReader(answer, PROTOCOLS[api]);
  for (const piece of pieces) reader.take(piece);
  reader.end();
  const { reason, toolCalls, usage, isOver } = answer;
  if (!isOver) return [...answer.takeSaid(), undefined];
  const stop = reason !== 'complete' ? reason : toolCalls.length > 0 ? 'tool-calls' : 'stop';
  return [...answer.takeSaid(), ...toolCalls, { type: 'end', stop, usage }];
}

const bytesOf = (api: Api, ...events: readonly object[]): GeneratedAnswer => ({
  api,
  pieces: [Buffer.from(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''))],
});
const chunk = (delta: object, more: object = {}) => ({ choices: [{ index: 0, delta, ...more }] });
const piece = (more: object) => chunk({ tool_calls: [more] });
const chat = (...events: readonly object[]) => bytesOf('openai-completions', ...events);
const messages = (...events: readonly object[]) =>
  bytesOf(
    'anthropic-messages',
    { type: 'message_start', message: { id: 'm', usage: { input_tokens: 3, output_tokens: 1 } } },
    ...events,
  );
const stopsFor = (reason: string) => chunk({}, { finish_reason: reason });
const endsFor = (reason: string) => [
  { type: 'message_delta', delta: { stop_reason: reason }, usage: { output_tokens: 7 } },
  { type: 'message_stop' },
];

describe('an answer', () => {
  it('is read as the SDK reads it, event by event', async () => {
    // At the limit of an answer the SDK tells a call without parameters, which is the one difference for these answers.
    const cutCall = ({ type, ...call }: ModelEvent, stop: unknown) =>
      stop === 'length' && type === 'tool-call' && 'input' in call && call.input === '{}';
    const withoutCut = (events: readonly (ModelEvent | undefined)[]) => {
      const end = events.at(-1);
      return events.filter((event) => !event || !cutCall(event, end?.type === 'end' ? end.stop : undefined));
    };
    await fc.assert(
      fc.asyncProperty(generatedAnswer, async (answer) => {
        expect(withoutCut(ourEvents(answer))).toEqual(withoutCut(await sdkEvents(answer.api, answer.pieces)));
      }),
      { numRuns: 200 },
    );
  });

  it.each<[string, GeneratedAnswer]>([
    [
      'every piece of a call repeats its id and name',
      chat(
        piece({ index: 0, id: 'a', function: { name: 'read', arguments: '{"pa' } }),
        piece({ index: 0, id: 'a', function: { name: 'read', arguments: 'th":{' } }),
        piece({ index: 0, id: 'a', function: { name: 'read', arguments: '}}' } }),
        stopsFor('tool_calls'),
      ),
    ],
    [
      'every piece of a call has an id of its own',
      chat(
        piece({ index: 0, id: 'a', function: { name: 'read', arguments: '{"path":' } }),
        piece({ index: 0, id: 'b', function: { arguments: '"A"}' } }),
        stopsFor('tool_calls'),
      ),
    ],
    [
      'two whole calls have one index',
      chat(
        piece({ index: 0, id: 'a', function: { name: 'read', arguments: '{"path":"A"}' } }),
        piece({ index: 0, id: 'b', function: { name: 'read', arguments: '{"path":"B"}' } }),
        stopsFor('tool_calls'),
      ),
    ],
    [
      'a whole call follows at the index of one that was not completed',
      chat(
        piece({ index: 0, id: 'a', function: { name: 'read', arguments: '{"path":' } }),
        piece({ index: 0, id: 'b', function: { name: 'read', arguments: '{"path":"B"}' } }),
        stopsFor('tool_calls'),
      ),
    ],
    [
      'a call has no index',
      chat(
        piece({ id: 'a', function: { name: 'read', arguments: '{"path":' } }),
        piece({ function: { arguments: '"A"}' } }),
        stopsFor('tool_calls'),
      ),
    ],
    [
      'two calls with ids have no index',
      chat(
        piece({ id: 'a', function: { name: 'read', arguments: '{"path":' } }),
        piece({ id: 'b', function: { name: 'write', arguments: '{"path":' } }),
        piece({ id: 'a', function: { arguments: '"A"}' } }),
        piece({ id: 'b', function: { arguments: '"B"}' } }),
        stopsFor('tool_calls'),
      ),
    ],
    [
      'the name of a call comes late',
      chat(
        piece({ index: 0, id: 'a', function: { arguments: '{"path":' } }),
        piece({ index: 0, function: { name: 'read', arguments: '"A"}' } }),
        stopsFor('tool_calls'),
      ),
    ],
    [
      'calls come in another order than their indexes',
      chat(
        piece({ index: 1, id: 'b', function: { name: 'write', arguments: '{}' } }),
        piece({ index: 0, id: 'a', function: { name: 'read', arguments: '{}' } }),
        stopsFor('tool_calls'),
      ),
    ],
    [
      'later pieces of a call have a blank name and id',
      chat(
        piece({ index: 0, id: 'a', function: { name: 'read', arguments: '{"a":' } }),
        piece({ index: 0, id: '', function: { name: '', arguments: '1}' } }),
        stopsFor('tool_calls'),
      ),
    ],
    ['an error is reported', chat(chunk({ content: 'Hi' }), { error: { message: 'Busy', code: 429 } })],
    [
      'an error is reported over messages',
      messages({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }),
    ],
    [
      'the beginning of a message comes twice',
      messages(
        { type: 'message_start', message: { id: 'm', usage: { input_tokens: 3 } } },
        { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hi' } },
        ...endsFor('end_turn'),
      ),
    ],
    [
      'another message begins inside the first',
      messages({ type: 'message_start', message: { id: 'other', usage: { input_tokens: 3 } } }, ...endsFor('end_turn')),
    ],
    [
      'the provider has used a tool of its own',
      messages(
        {
          type: 'content_block_start',
          index: 0,
          content_block: { type: 'server_tool_use', id: 's', name: 'web_search', input: {} },
        },
        { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: '{"query":"x"}' } },
        { type: 'content_block_stop', index: 0 },
        { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'Hi' } },
        ...endsFor('end_turn'),
      ),
    ],
    [
      'a call has its parameters at the beginning',
      messages(
        {
          type: 'content_block_start',
          index: 0,
          content_block: { type: 'tool_use', id: 't', name: 'read', input: { path: 'A' } },
        },
        { type: 'content_block_stop', index: 0 },
        ...endsFor('tool_use'),
      ),
    ],
  ])('is read as the SDK reads it when %s', async (_, answer) => {
    const sdk = await sdkEvents(answer.api, answer.pieces);
    expect(ourEvents(answer)).toEqual(sdk);
  });
});

describe('an answer on which Atrium and the SDK differ on purpose:', () => {
  const call = (input: string) => ({ type: 'tool-call', id: 'a', name: 'read', input });

  it('a call that was cut before its first parameter is not told', async () => {
    const answer = chat(piece({ index: 0, id: 'a', function: { name: 'read', arguments: '' } }), stopsFor('length'));
    expect(await sdkEvents(answer.api, answer.pieces)).toContainEqual(call('{}'));
    expect(ourEvents(answer)).toEqual([expect.objectContaining({ type: 'end', stop: 'length' })]);
  });

  it('a piece that fits two calls belongs to the later one, and is not thrown away', async () => {
    const answer = chat(
      piece({ id: 'a', function: { name: 'read', arguments: '{"path":"A"}' } }),
      piece({ id: 'b', function: { name: 'read', arguments: '' } }),
      piece({ function: { arguments: '{"path":"B"}' } }),
      stopsFor('tool_calls'),
    );
    expect(await sdkEvents(answer.api, answer.pieces)).toContainEqual({ ...call('{}'), id: 'b' });
    expect(ourEvents(answer)).toContainEqual({ ...call('{"path":"B"}'), id: 'b' });
  });

  it('a call without a name makes the answer fail, and is not passed over', async () => {
    const answer = chat(
      piece({ index: 0, id: 'a', function: { name: '', arguments: '{"path":"A"}' } }),
      stopsFor('tool_calls'),
    );
    expect(await sdkEvents(answer.api, answer.pieces)).toEqual([expect.objectContaining({ stop: 'stop' })]);
    expect(ourEvents(answer)).toEqual([undefined]);
  });

  it('a call whose block is not closed is told', async () => {
    const start = { type: 'content_block_start', index: 0 };
    const answer = messages(
      { ...start, content_block: { type: 'tool_use', id: 'a', name: 'read', input: {} } },
      { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: '{}' } },
      ...endsFor('tool_use'),
    );
    expect(await sdkEvents(answer.api, answer.pieces)).not.toContainEqual(call('{}'));
    expect(ourEvents(answer)).toContainEqual(call('{}'));
  });

  it('parameters of a call that never began make the answer fail, and are not passed over', async () => {
    const answer = messages(
      { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: '{}' } },
      ...endsFor('tool_use'),
    );
    expect(await sdkEvents(answer.api, answer.pieces)).toEqual([expect.objectContaining({ stop: 'stop' })]);
    expect(ourEvents(answer)).toEqual([undefined]);
  });

  it('text that stands in the beginning of a block or of a message is told', async () => {
    const answer = messages(
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'Hi' } },
      ...endsFor('end_turn'),
    );
    expect(await sdkEvents(answer.api, answer.pieces)).toEqual([expect.objectContaining({ type: 'end' })]);
    expect(ourEvents(answer)).toContainEqual({ type: 'text-delta', text: 'Hi' });
  });

  it.each([
    ['an id', [{ index: 0 }, { index: 1 }]],
    [
      'an id of its own',
      [
        { index: 0, id: 'call_0' },
        { index: 0, id: 'call_0' },
      ],
    ],
    ['an id and an index', [{}, {}]],
  ])('a call without %s gets an id that is the same each time', async (_, marks) => {
    const answer = chat(
      ...marks.map((mark) => piece({ ...mark, function: { name: 'read', arguments: '{"path":"A"}' } })),
      stopsFor('tool_calls'),
    );
    const sdk = await sdkEvents(answer.api, answer.pieces);
    expect(sdk.filter((event) => event?.type === 'tool-call')).toHaveLength(2);
    expect(ourEvents(answer).slice(0, 2)).toEqual([
      { ...call('{"path":"A"}'), id: 'call_0' },
      { ...call('{"path":"A"}'), id: 'call_1' },
    ]);
  });
});
