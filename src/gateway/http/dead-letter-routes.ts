// Dead letters over the API: what was given up, to be sent again or thrown away by a person.

import { findDeadLetter } from '../../delivery/dead-letters.ts';
import { type ApiParts, BODY_LIMIT, type HttpApp } from './api-parts.ts';
import { parseRequest } from './parse-request.ts';
import { readJsonBody } from './read-json-body.ts';

export function addDeadLetterRoutes(app: HttpApp, { services }: ApiParts): void {
  const { store } = services;
  app.get('/api/deadletters', async (c) => {
    const query = await parseRequest(c.req.query(), (schemas) => schemas.deadLettersQuery);
    const rows = await store.select('deadLetters', {
      where: {
        ...(query.before !== undefined && { id: { lt: query.before } }),
        ...(query.direction !== undefined && { direction: query.direction }),
      },
      orderBy: [['id', 'desc']],
      limit: query.limit + 1,
    });
    const deadLetters = rows.slice(0, query.limit);
    return c.json({ deadLetters, next: rows.length > query.limit ? (deadLetters.at(-1)?.id ?? null) : null });
  });

  app.get('/api/deadletters/:id', async (c) => c.json({ deadLetter: await findDeadLetter(store, c.req.param('id')) }));

  app.post('/api/deadletters/:id/replay', async (c) => {
    await parseRequest(await readJsonBody(c.req.raw, BODY_LIMIT), (schemas) => schemas.emptyBody);
    const { id } = await findDeadLetter(store, c.req.param('id'));
    const { runId } = await services.deadLetters.replay(id);
    return c.json({ runId });
  });

  app.delete('/api/deadletters/:id', async (c) => {
    const { id } = await findDeadLetter(store, c.req.param('id'));
    return c.json({ purged: await services.deadLetters.purge([id]) });
  });

  app.delete('/api/deadletters', async (c) => {
    await parseRequest(c.req.query(), (schemas) => schemas.purgeQuery);
    return c.json({ purged: await services.deadLetters.purge('all') });
  });
}
