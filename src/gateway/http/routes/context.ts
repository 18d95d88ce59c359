// Previews of what a model would be sent.

import { type Route, route } from '../route.ts';
import { checkAgent } from './check-agent.ts';
import { agentId, id, report, requestMeasure, sessionKey, span } from './pieces.ts';

export const CONTEXT_ROUTES: readonly Route[] = [
  route({
    method: 'post',
    path: '/api/context/preview',
    summary: 'The next request for a message, as it would be sent.',
    detail: 'Nothing is consumed.',
    access: 'token',
    body: (z) =>
      z.strictObject({
        message: z.string().max(1_000_000),
        sessionKey: sessionKey(z).optional(),
        agentId: agentId(z).optional(),
        channel: id(z).optional().describe('Where it would be typed, for a session whose key does not say.'),
        at: z.iso.datetime({ offset: true }).optional(),
        runHooks: z.boolean().optional().describe('Also runs prompt hooks that are not declared pure.'),
      }),
    answer: (z) =>
      z.object({
        sessionKey: sessionKey(z),
        agentId: agentId(z),
        provider: z.string(),
        model: z.string(),
        wire: z.object({ url: z.string(), headers: z.record(z.string(), z.string()), body: z.string() }),
        report: report(z),
        spans: z.array(span(z)),
        request: requestMeasure(z),
        placeholders: z.array(z.string()),
      }),
    handle: ({ services, agentIds, body: { at, ...body } }) => {
      checkAgent(body.agentId, agentIds());
      return services.context.preview({ ...body, ...(at !== undefined && { at: new Date(at) }) });
    },
  }),
];
