// Answers that take their time, from both HTTP providers: what counts is how long nothing comes, and not how long an
// answer takes, or how slowly it is read.

import { describe, expect, it, onTestFinished } from 'vitest';
import { huge, type ModelReply, ModelServer, raw, reply } from '../testkit/model-server.ts';
import { createAnthropicModel } from './anthropic/anthropic-model.ts';
import type { Model, ModelEvent } from './model.ts';
import { requestOf } from './model-suite.ts';
import { createOpenAiCompatibleModel } from './openai-compatible/openai-compatible-model.ts';

const providers = [
  { name: 'anthropic', create: createAnthropicModel },
  { name: 'openai-compatible', create: createOpenAiCompatibleModel },
];

describe.each(providers)('an answer of $name', ({ name, create }) => {
  async function modelThatSays(answer: ModelReply, timeoutMs: number): Promise<Model> {
    const server = await ModelServer.start();
    onTestFinished(() => server.close());
    server.script([answer]);
    return create({ provider: name, model: 'small', baseUrl: server.baseUrl, timeoutMs, now: () => 0 });
  }

  const stream = async (model: Model) =>
    model.stream(await model.prepare(requestOf('Hello')), new AbortController().signal);

  it('that is slow but not silent is waited for', async () => {
    const words = 'A word now and a word then, and one more for the road.';
    const impatient = await modelThatSays(reply(words, { pauseMs: 350 }), 2_000);
    let text = '';
    let stop: string | undefined;
    for await (const event of await stream(impatient)) {
      if (event.type === 'text-delta') text += event.text;
      if (event.type === 'end') stop = event.error?.message ?? event.stop;
    }
    expect([text, stop]).toEqual([words, 'stop']);
  });

  it('of ten megabytes arrives whole, however slowly it is read', async () => {
    const impatient = await modelThatSays(huge(10_000_000), 3_000);
    let characters = 0;
    let paused = false;
    let stop: string | undefined;
    for await (const event of await stream(impatient)) {
      if (event.type === 'text-delta') characters += event.text.length;
      if (event.type === 'end') stop = event.error?.message ?? event.stop;
      if (characters > 5_000_000 && !paused) {
        paused = true;
        await new Promise((resolve) => setTimeout(resolve, 3_500));
      }
    }
    expect([characters, stop]).toEqual([10_000_000, 'stop']);
  });

  it.each([
    ['of a line that never ends', `data: ${'x'.repeat(65 * 1024 * 1024)}`],
    ['of one JSON that never ends', `{"choices":["${'x'.repeat(65 * 1024 * 1024)}`],
    ['of nothing but signs of life', ': alive\n\n'.repeat(8 * 1024 * 1024)],
  ])('%s is given up', async (_, bytes) => {
    const model = await modelThatSays(raw(bytes), 20_000);
    const events: ModelEvent[] = [];
    for await (const event of await stream(model)) events.push(event);
    expect(events).toEqual([
      expect.objectContaining({
        type: 'end',
        stop: 'error',
        error: expect.objectContaining({ kind: 'malformed', message: `${name} sent more than 64 MiB` }),
      }),
    ]);
  });
});
