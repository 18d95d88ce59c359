// Previews of what a model would be sent.

import { packComposition } from '../../../context/packed-composition.ts';
import { SESSION_TYPES } from '../../../protocol/session-type.ts';
import { MAX_TEXT_BYTES } from '../../../tools/file-text.ts';
import type { UploadName } from '../../services/attachments.ts';
import type { Services } from '../../services/services.ts';
import { type ChatWishes, readChatWishes, withoutWishes } from '../client-request.ts';
import { chatTuningShape } from '../client-tuning.ts';
import { type Route, route, type Zod } from '../route.ts';
import { checkAgent } from './check-agent.ts';
import { agentId, id, namedUpload, report, requestMeasure, sessionKey, span } from './pieces.ts';

const wire = (z: Zod) =>
  z.object({
    url: z.string(),
    headers: z.record(z.string(), z.string()),
    body: z.string().describe('With the hash of every image in place of its bytes.'),
    images: z
      .array(z.object({ at: z.int(), hash: z.string(), size: z.int() }))
      .optional()
      .describe('Where in the body images are named, which are sent there in base64.'),
  });

const sender = (z: Zod) =>
  z
    .strictObject({ id: id(z), name: z.string().max(512).optional(), username: z.string().max(512).optional() })
    .describe('Who would write it in a group or channel. Without it, the operator does, from elsewhere.');

const uploads = (z: Zod) =>
  z
    .array(namedUpload(z))
    .max(100)
    .optional()
    .describe('Files that were uploaded with `POST /api/attachments`. They can still be sent afterwards.');

/** What a chat completion may ask for too. A value that is not allowed is refused in the same words as there. */
const chatWishes = (z: Zod) => ({
  tools: z.array(z.unknown()).nullish().describe('The functions that an API client would bring.'),
  tool_choice: z.unknown().optional(),
  parallel_tool_calls: z.boolean().nullish(),
  response_format: z.unknown().optional(),
  ...chatTuningShape(z),
});

interface Situation extends ChatWishes {
  readonly at?: string | undefined;
  readonly attachments?: readonly UploadName[] | undefined;
}

/** A preview brings nothing, so it does not use an upload up. */
async function readSituation<Body extends Situation>(services: Services, body: Body) {
  const { at, attachments = [], ...rest } = body;
  const found = await services.attachments.findUploads(attachments);
  const client = readChatWishes(body);
  return {
    ...withoutWishes(rest),
    ...(found.length > 0 && { attachments: found.map(({ upload: _, ...ref }) => ref) }),
    ...(Object.keys(client).length > 0 && { client }),
    ...(at !== undefined && { at: new Date(at) }),
  };
}

export const CONTEXT_ROUTES: readonly Route[] = [
  route({
    method: 'post',
    path: '/api/context/look',
    summary: 'What an agent would read in a situation, and the whole request around it.',
    detail: 'Nothing is consumed. `composition` is packed: the text of each file is there once.',
    access: 'token',
    bodyLimit: 2 * MAX_TEXT_BYTES,
    body: (z) =>
      z.strictObject({
        message: z.string().max(1_000_000).optional(),
        attachments: uploads(z),
        sessionKey: sessionKey(z).optional(),
        agentId: agentId(z).optional(),
        channel: id(z).optional(),
        sender: sender(z).optional(),
        sessionType: z.enum(SESSION_TYPES).optional().describe('Instead of what the session says.'),
        timezone: z.string().max(100).optional(),
        workspaceDir: z.string().max(4_096).optional().describe("A folder instead of the agent's workspace."),
        ...chatWishes(z),
        at: z.iso.datetime({ offset: true }).optional(),
        runHooks: z.boolean().optional(),
        texts: z
          .record(z.string().max(100), z.string().max(MAX_TEXT_BYTES))
          .optional()
          .describe('Texts in place of bootstrap files, by name, as if they were saved.'),
        config: z
          .record(z.string(), z.unknown())
          .optional()
          .describe('Settings that are merged over the configuration. Those that would load code are refused.'),
      }),
    answer: (z) =>
      z.object({
        sessionKey: sessionKey(z).nullable(),
        agentId: agentId(z),
        composition: z.looseObject({ report: report(z) }),
        request: z
          .object({
            provider: z.string(),
            model: z.string(),
            wire: wire(z),
            spans: z.array(span(z)),
            measure: requestMeasure(z),
          })
          .nullable(),
        problem: z.string().nullable().describe('Why there would be no request.'),
        placeholders: z.array(z.string()).describe('What a run would have and this does not show.'),
        configuration: z
          .looseObject({ files: z.array(z.looseObject({ path: z.string() })) })
          .describe('The files that it comes from, without their content.'),
      }),
    handle: async ({ services, body }) => {
      const look = await services.context.look(await readSituation(services, body));
      const { config: _, ...configuration } = look.configuration;
      return { ...look, composition: packComposition(look.composition), configuration };
    },
  }),
  route({
    method: 'post',
    path: '/api/context/preview',
    summary: 'The next request for a message, as it would be sent.',
    detail: 'Nothing is consumed. The fields from `tools` to `verbosity` are those of a chat completion.',
    access: 'token',
    body: (z) =>
      z.strictObject({
        message: z.string().max(1_000_000),
        attachments: uploads(z),
        sessionKey: sessionKey(z).optional(),
        agentId: agentId(z).optional(),
        channel: id(z).optional().describe('Where it would be typed, for a session whose key does not say.'),
        sender: sender(z).optional(),
        ...chatWishes(z),
        at: z.iso.datetime({ offset: true }).optional(),
        runHooks: z.boolean().optional().describe('Also runs prompt hooks that are not declared pure.'),
      }),
    answer: (z) =>
      z.object({
        sessionKey: sessionKey(z),
        agentId: agentId(z),
        provider: z.string(),
        model: z.string(),
        wire: wire(z),
        report: report(z),
        spans: z.array(span(z)),
        request: requestMeasure(z),
        placeholders: z.array(z.string()),
      }),
    handle: async ({ services, agentIds, body }) => {
      checkAgent(body.agentId, agentIds());
      return services.context.preview(await readSituation(services, body));
    },
  }),
];
