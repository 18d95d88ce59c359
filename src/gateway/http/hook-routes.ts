// Hook handlers over the API: who is called, who is not and why, how the calls went; and letting suspended ones go on.

import { type ApiParts, BODY_LIMIT, type HttpApp } from './api-parts.ts';
import { parseRequest } from './parse-request.ts';
import { readJsonBody } from './read-json-body.ts';

export function addHookRoutes(app: HttpApp, { services }: ApiParts): void {
  app.get('/api/hooks', async (c) => c.json(await services.hooks.status()));

  app.post('/api/hooks/rearm', async (c) => {
    const { name } = await parseRequest(await readJsonBody(c.req.raw, BODY_LIMIT), (schemas) => schemas.rearmBody);
    return c.json({ rearmed: await services.hooks.rearm(name) });
  });
}
