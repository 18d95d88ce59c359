// The gateway as a whole over the API: its status, what can be typed into a chat, a message to an agent, where a message would go, and what a model
// would be sent.

import { listCommands } from '../../commands/list-commands.ts';
import { nearMatch } from '../../protocol/near-match.ts';
import { UnknownAgentError } from '../../routing/errors.ts';
import { type ApiParts, BODY_LIMIT, type HttpApp } from './api-parts.ts';
import { parseRequest } from './parse-request.ts';
import { readJsonBody } from './read-json-body.ts';
import { receiveOnce } from './receive-once.ts';

export function addGatewayRoutes(app: HttpApp, { services, agentIds, now }: ApiParts): void {
  const checkAgent = (agentId: string | undefined) => {
    const known = agentIds();
    if (agentId === undefined || known.includes(agentId)) return;
    throw new UnknownAgentError({ agentId, known, suggestion: nearMatch(agentId, known) });
  };

  app.get('/api/status', async (c) => c.json(await services.status()));

  app.get('/api/agents', async (c) => c.json({ agents: (await services.status()).agents }));

  app.get('/api/commands', (c) => c.json({ commands: listCommands(services.commands.list()) }));

  app.post('/api/messages', async (c) => {
    const json = await readJsonBody(c.req.raw, BODY_LIMIT);
    const { id, user, ...body } = await parseRequest(json, (schemas) => schemas.sendMessageBody);
    checkAgent(body.agentId);
    const accepted = await receiveOnce(services, {
      text: body.text,
      at: now(),
      user: user ?? body.sessionKey ?? 'default',
      agentId: body.agentId,
      sessionKey: body.sessionKey,
      idempotencyKey: id ?? c.req.header('idempotency-key'),
    });
    return c.json(accepted, 202);
  });

  app.post('/api/context/preview', async (c) => {
    const json = await readJsonBody(c.req.raw, BODY_LIMIT);
    const { at, ...body } = await parseRequest(json, (schemas) => schemas.previewBody);
    checkAgent(body.agentId);
    return c.json(await services.context.preview({ ...body, ...(at !== undefined && { at: new Date(at) }) }));
  });

  app.post('/api/route/explain', async (c) => {
    const json = await readJsonBody(c.req.raw, BODY_LIMIT);
    const body = await parseRequest(json, (schemas) => schemas.explainRouteBody);
    checkAgent(body.agentId);
    const { channel, accountId, peer, threadId, sender, sessionKey, agentId } = body;
    const explanation = await services.route({
      surface: { channel, accountId, peer, threadId },
      sender: { id: sender ?? peer.id },
      text: '',
      at: now(),
      sessionKey,
      agentId,
    });
    return c.json(explanation);
  });
}
