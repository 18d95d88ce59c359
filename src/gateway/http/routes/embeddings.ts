// OpenAI's embeddings. The model is one of a configured provider and not an agent, because an agent gives answers.

import type { z } from 'zod';
import { CLIENT_GONE_STATUS } from '../client-run.ts';
import { errorBody } from '../error-answer.ts';
import { JsonReply } from '../json-reply.ts';
import { type ApiRequest, type Route, route, type Zod } from '../route.ts';
import { statusOfKind } from '../run-failure.ts';
import { wholeNumber } from './pieces.ts';

const MOST_INPUTS = 2_048;
const MOST_TOKENS = 100_000;

const embeddingsBody = (z: Zod) => {
  const text = z.string().min(1);
  const tokens = z.array(wholeNumber(z)).min(1).max(MOST_TOKENS);
  return z.strictObject({
    model: z.string().min(1).max(256).describe('`<provider>/<model>`, or a model that a configured provider lists.'),
    input: z.union([text, z.array(text).min(1).max(MOST_INPUTS), tokens, z.array(tokens).min(1).max(MOST_INPUTS)]),
    dimensions: z.int().min(1).max(65_536).optional(),
    encoding_format: z.enum(['float', 'base64']).optional(),
    user: z.string().max(512).optional(),
  });
};
type EmbeddingsBody = z.infer<ReturnType<typeof embeddingsBody>>;

export const EMBEDDING_ROUTES: readonly Route[] = [
  route({
    method: 'post',
    path: '/v1/embeddings',
    summary: "OpenAI's embeddings, made by a configured provider with an API like OpenAI's or Google's.",
    detail: `At most ${MOST_INPUTS} inputs at once; see [clients.md](clients.md#embeddings).`,
    access: 'ready',
    body: embeddingsBody,
    bodyLimit: 8 * 1_048_576,
    answer: (z) =>
      z.object({
        object: z.literal('list'),
        data: z.array(z.looseObject({ embedding: z.union([z.string(), z.array(z.number())]) })),
        model: z.string(),
        usage: z.object({ prompt_tokens: wholeNumber(z), total_tokens: wholeNumber(z) }),
      }),
    handle: answerEmbeddings,
  }),
];

async function answerEmbeddings({
  services,
  body: { model, ...request },
  signal,
}: ApiRequest<unknown, unknown, EmbeddingsBody>): Promise<Response | JsonReply> {
  const made = await services.embeddings.make(model, request, signal);
  if (!('failure' in made)) {
    const usage = { prompt_tokens: made.tokens, total_tokens: made.tokens };
    return new JsonReply({ object: 'list', data: made.data, model, usage });
  }
  if (signal.aborted) return new Response(null, { status: CLIENT_GONE_STATUS });
  const { kind, message, retryAfterMs, status: answered = 0 } = made.failure;
  // A redirect is a matter of the configuration, which the client cannot mend.
  const status = kind === 'bad-request' && answered >= 400 ? 400 : statusOfKind(kind);
  return new JsonReply(errorBody({ status, code: 'embeddings_failed', message }, true), {
    status,
    headers: retryAfterMs === undefined ? {} : { 'retry-after': String(Math.ceil(retryAfterMs / 1_000)) },
  });
}
