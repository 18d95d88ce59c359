// Plugins over the API: what is known of each, and loading them again.

import { type ApiParts, BODY_LIMIT, type HttpApp } from './api-parts.ts';
import { parseRequest } from './parse-request.ts';
import { readJsonBody } from './read-json-body.ts';

export function addPluginRoutes(app: HttpApp, { services }: ApiParts): void {
  const checkEmpty = async (request: Request) => {
    await parseRequest(await readJsonBody(request, BODY_LIMIT), (schemas) => schemas.emptyBody);
  };

  app.get('/api/plugins', (c) => c.json({ plugins: services.plugins.list() }));

  app.get('/api/plugins/:id', (c) => c.json({ plugin: services.plugins.inspect(c.req.param('id')) }));

  app.post('/api/plugins/reload', async (c) => {
    await checkEmpty(c.req.raw);
    return c.json({ plugins: await services.plugins.reloadAll() });
  });

  app.post('/api/plugins/:id/reload', async (c) => {
    await checkEmpty(c.req.raw);
    return c.json({ plugin: await services.plugins.reload(c.req.param('id')) });
  });
}
