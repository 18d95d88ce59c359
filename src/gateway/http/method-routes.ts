// Methods over the API: which there are, and a call of one of them.

import { isJsonObject } from '../../protocol/json.ts';
import { RequestInvalidError } from '../errors.ts';
import { type ApiParts, BODY_LIMIT, type HttpApp } from './api-parts.ts';
import { readJsonBody } from './read-json-body.ts';

export function addMethodRoutes(app: HttpApp, { services }: ApiParts): void {
  app.get('/api/methods', (c) => c.json({ methods: services.methods.list() }));

  app.post('/api/methods/:method', async (c) => {
    const body = await readJsonBody(c.req.raw, BODY_LIMIT);
    const params = isJsonObject(body) ? (body.params ?? {}) : undefined;
    if (!isJsonObject(params))
      throw new RequestInvalidError({ problem: 'params: it must be an object.', param: 'params' });
    const payload = await services.methods.call(c.req.param('method'), params, { id: 'api' });
    return c.json({ ok: true, payload: payload ?? null });
  });
}
