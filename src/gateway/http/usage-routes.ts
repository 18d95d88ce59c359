// Usage and cost over the API.

import { sumUsage } from '../usage.ts';
import type { ApiParts, HttpApp } from './api-parts.ts';
import { parseRequest } from './parse-request.ts';

export function addUsageRoutes(app: HttpApp, { services }: ApiParts): void {
  app.get('/api/usage', async (c) => {
    const { by, timezone, since, agent, session, run } = await parseRequest(
      c.req.query(),
      (schemas) => schemas.usageQuery,
    );
    return c.json(
      await sumUsage(services.store, { by, timezone, since, agentId: agent, sessionKey: session, runId: run }),
    );
  });
}
