// Tools over the API: which of them an agent is offered, and why.

import type { ApiParts, HttpApp } from './api-parts.ts';
import { parseRequest } from './parse-request.ts';

export function addToolRoutes(app: HttpApp, { services }: ApiParts): void {
  app.get('/api/tools/explain', async (c) => {
    const query = await parseRequest(c.req.query(), (schemas) => schemas.explainToolsQuery);
    const { session: sessionKey, agent: agentId, provider, model } = query;
    return c.json(await services.tools.explain({ sessionKey, agentId, provider, model }));
  });
}
