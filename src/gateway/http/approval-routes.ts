// Approvals over the API: what waits for a person and what became of it, to be answered; and the rules that "allow-always"
// has left, to be revoked.

import type { ApprovalRow } from '../../store/tables.ts';
import { type ApiParts, BODY_LIMIT, type HttpApp } from './api-parts.ts';
import { parseRequest } from './parse-request.ts';
import { readJsonBody } from './read-json-body.ts';

export function addApprovalRoutes(app: HttpApp, { services }: ApiParts): void {
  const { store } = services;

  app.get('/api/approvals', async (c) => {
    const query = await parseRequest(c.req.query(), (schemas) => schemas.approvalsQuery);
    const rows = await store.select('approvals', {
      where: {
        ...(query.status === 'waiting' && { status: 'waiting' }),
        ...(query.session !== undefined && { sessionKey: query.session }),
        ...(query.before !== undefined && { seq: { lt: query.before } }),
      },
      orderBy: [['seq', 'desc']],
      limit: query.limit + 1,
    });
    const approvals = rows.slice(0, query.limit);
    const next = rows.length > query.limit ? (approvals.at(-1)?.seq ?? null) : null;
    return c.json({ approvals: approvals.map(told), next });
  });

  app.get('/api/approvals/rules', async (c) => {
    const rules = await store.select('allowRules', { orderBy: [['id', 'desc']], limit: MOST_RULES });
    return c.json({ rules });
  });

  app.delete('/api/approvals/rules/:id', async (c) => {
    const id = c.req.param('id');
    await services.approvals.revokeRule(id);
    return c.json({ id, revoked: true });
  });

  app.post('/api/approvals/:id', async (c) => {
    const body = await readJsonBody(c.req.raw, BODY_LIMIT);
    const { decision, from } = await parseRequest(body, (schemas) => schemas.answerApprovalBody);
    return c.json({ approval: told(await services.approvals.answer(c.req.param('id'), decision, { by: from })) });
  });
}

const MOST_RULES = 1_000;

/** The digest is between the gateway and itself. */
function told({ digest: _digest, ...approval }: ApprovalRow): Omit<ApprovalRow, 'digest'> {
  return approval;
}
