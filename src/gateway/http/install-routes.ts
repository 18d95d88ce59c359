// Installations over the API: the question whether one may go on. The installing itself is done by the command.

import type { BeforeInstallEvent } from '../../hooks/lifecycle-hooks.ts';
import { type ApiParts, BODY_LIMIT, type HttpApp } from './api-parts.ts';
import { parseRequest } from './parse-request.ts';
import { readJsonBody } from './read-json-body.ts';

export function addInstallRoutes(app: HttpApp, { services }: ApiParts): void {
  app.post('/api/installs/check', async (c) => {
    const body = await parseRequest(await readJsonBody(c.req.raw, BODY_LIMIT), (schemas) => schemas.checkInstallBody);
    return c.json(await services.installs.check(body.event as BeforeInstallEvent, body.context));
  });
}
