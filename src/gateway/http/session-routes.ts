// Sessions over the API: which there are, what was said, how one is ended or forgotten.

import { UnknownSessionError } from '../../sessions/errors.ts';
import type { Store, Where } from '../../store/store.ts';
import type { SessionRow } from '../../store/tables.ts';
import { type ApiParts, BODY_LIMIT, type HttpApp } from './api-parts.ts';
import { parseRequest } from './parse-request.ts';
import { readJsonBody } from './read-json-body.ts';

export function addSessionRoutes(app: HttpApp, { services }: ApiParts): void {
  const { store } = services;

  app.get('/api/sessions', async (c) => {
    const query = await parseRequest(c.req.query(), (schemas) => schemas.sessionsQuery);
    const where: Where<'sessions'> = {
      ...(query.before !== undefined && { sessionId: { lt: query.before } }),
      ...(query.agent !== undefined && { agentId: query.agent }),
      ...(query.open !== undefined && { endedAt: query.open === 'true' ? null : { not: null } }),
    };
    const rows = await store.select('sessions', { where, orderBy: [['sessionId', 'desc']], limit: query.limit + 1 });
    const sessions = await services.sessions.show(rows.slice(0, query.limit));
    return c.json({ sessions, next: rows.length > query.limit ? (sessions.at(-1)?.sessionId ?? null) : null });
  });

  app.get('/api/sessions/:session', async (c) => {
    const row = await findSession(store, c.req.param('session'));
    const [session = row] = await services.sessions.show([row]);
    const entries = await store.count('transcript', { sessionId: session.sessionId });
    const all = await store.select('sessions', {
      where: { sessionKey: session.sessionKey, sessionId: { not: session.sessionId } },
      orderBy: [['sessionId', 'desc']],
      limit: MAX_EARLIER,
    });
    return c.json({ session, entries, earlier: await services.sessions.show(all) });
  });

  app.get('/api/sessions/:session/transcript', async (c) => {
    const query = await parseRequest(c.req.query(), (schemas) => schemas.transcriptQuery);
    const { sessionId } = await findSession(store, c.req.param('session'));
    const isAscending = query.order === 'asc';
    const bound = isAscending
      ? query.after !== undefined && { position: { gt: query.after } }
      : query.before !== undefined && { position: { lt: query.before } };
    const rows = await store.select('transcript', {
      where: { sessionId, ...bound },
      orderBy: [['position', query.order]],
      limit: query.limit + 1,
    });
    const other = isAscending ? query.before : query.after;
    const isWithin = (position: number) => other === undefined || (isAscending ? position < other : position > other);
    const page = rows.slice(0, query.limit);
    const entries = page.filter(({ position }) => isWithin(position));
    const hasMore = rows.length > query.limit && entries.length === page.length;
    return c.json({ sessionId, entries, next: hasMore ? (entries.at(-1)?.position ?? null) : null });
  });

  app.post('/api/sessions/:session/reset', async (c) => {
    await parseRequest(await readJsonBody(c.req.raw, BODY_LIMIT), (schemas) => schemas.emptyBody);
    const { sessionKey } = await findSession(store, c.req.param('session'));
    if (!(await services.sessions.end(sessionKey, 'reset'))) throw new UnknownSessionError({ session: sessionKey });
    return c.json({ sessionKey, ended: true });
  });

  app.delete('/api/sessions/:session', async (c) => {
    const { sessionKey } = await findSession(store, c.req.param('session'));
    if (!(await services.sessions.delete(sessionKey))) throw new UnknownSessionError({ session: sessionKey });
    return c.json({ sessionKey, deleted: true });
  });
}

/** By key the session that goes on, else the latest one; by id exactly that one. */
async function findSession(store: Store, name: string): Promise<SessionRow> {
  const [byId] = await store.select('sessions', { where: { sessionId: name }, limit: 1 });
  if (byId) return byId;
  const ofKey = await store.select('sessions', {
    where: { sessionKey: name },
    orderBy: [['sessionId', 'desc']],
    limit: MAX_EARLIER,
  });
  const session = ofKey.find(({ endedAt }) => endedAt === null) ?? ofKey[0];
  if (!session) throw new UnknownSessionError({ session: name.slice(0, 512) });
  return session;
}

const MAX_EARLIER = 50;
