// Approvals: list the tool calls that wait for a person and those that were answered, and answer them; list and revoke
// the rules that "allow-always" has created.

import type { ApprovalRow } from '../../../store/tables.ts';
import { type Route, route, type Zod } from '../route.ts';
import { agentId, at, id, limit, nextNumber, pageOf, position, sessionKey, wholeNumber } from './pieces.ts';

const DECISIONS = ['allow-once', 'allow-always', 'deny'] as const;

const approval = (z: Zod) =>
  z.object({
    id: id(z),
    seq: wholeNumber(z),
    runId: id(z),
    sessionKey: sessionKey(z),
    agentId: agentId(z),
    toolCallId: z.string(),
    toolName: z.string(),
    params: z.record(z.string(), z.unknown()).describe('Exactly what would run.'),
    requester: z.record(z.string(), z.unknown()),
    policyVersion: z.string(),
    contextHash: z.string().describe('Of what the model had read when it asked.'),
    askedBy: z.string(),
    title: z.string(),
    description: z.string(),
    severity: z.enum(['info', 'warning', 'critical']),
    allowedDecisions: z.array(z.enum(DECISIONS)),
    rule: z.record(z.string(), z.unknown()).nullable().describe('What "allow-always" would write down.'),
    createdAt: at(z),
    expiresAt: at(z),
    timeoutBehavior: z.enum(['allow', 'deny']),
    status: z.enum(['waiting', 'answered', 'void']),
    decision: z.enum([...DECISIONS, 'timeout', 'cancelled']).nullable(),
    decidedAt: at(z).nullable(),
    decidedBy: z.string().nullable(),
  });

export const APPROVAL_ROUTES: readonly Route[] = [
  route({
    method: 'get',
    path: '/api/approvals',
    summary: 'Tool calls that wait for a person, or all of them; the latest first.',
    detail:
      '`status=all` also gives those that were answered, with everything that is kept of them. [approvals.md](approvals.md) explains them.',
    access: 'token',
    query: (z) =>
      z.strictObject({
        limit: limit(z),
        before: position(z).optional().describe('The seq of an approval: only those asked for before it.'),
        status: z.enum(['waiting', 'all']).default('waiting'),
        session: sessionKey(z).optional(),
      }),
    answer: (z) => z.object({ approvals: z.array(approval(z)), next: nextNumber(z) }),
    handle: async ({ services, query }) => {
      const rows = await services.store.select('approvals', {
        where: {
          ...(query.status === 'waiting' && { status: 'waiting' }),
          ...(query.session !== undefined && { sessionKey: query.session }),
          ...(query.before !== undefined && { seq: { lt: query.before } }),
        },
        orderBy: [['seq', 'desc']],
        limit: query.limit + 1,
      });
      const { page, ...rest } = pageOf(rows, query.limit, ({ seq }) => seq);
      return { approvals: page.map(told), ...rest };
    },
  }),
  route({
    method: 'post',
    path: '/api/approvals/{id}',
    summary: 'Answers a tool call that waits, and lets its run go on.',
    detail:
      'The decision is `allow-once`, `allow-always` or `deny`. 409 when it does not wait any more, 400 when it does not offer the decision.',
    access: 'token',
    body: (z) =>
      z.strictObject({
        decision: z.enum(DECISIONS),
        from: z.enum(['api', 'web', 'cli']).default('api').describe('Where it was answered, for the record.'),
      }),
    answer: (z) => z.object({ approval: approval(z) }),
    handle: async ({ services, params, body: { decision, from } }) => ({
      approval: told(await services.approvals.answer(params.id, decision, { by: from })),
    }),
  }),
  route({
    method: 'get',
    path: '/api/approvals/rules',
    summary: 'The commands that may run without asking.',
    access: 'token',
    answer: (z) =>
      z.object({
        rules: z.array(
          z.object({
            id: id(z),
            agentId: agentId(z),
            toolName: z.string(),
            argv: z.array(z.string()),
            cwd: z.string(),
            createdAt: at(z),
            createdBy: z.string(),
            approvalId: id(z).nullable(),
          }),
        ),
      }),
    handle: async ({ services }) => ({
      rules: await services.store.select('allowRules', { orderBy: [['id', 'desc']], limit: MOST_RULES }),
    }),
  }),
  route({
    method: 'delete',
    path: '/api/approvals/rules/{id}',
    summary: 'Revokes such a rule.',
    access: 'token',
    answer: (z) => z.object({ id: id(z), revoked: z.literal(true) }),
    handle: async ({ services, params }) => {
      await services.approvals.revokeRule(params.id);
      return { id: params.id, revoked: true };
    },
  }),
];

const MOST_RULES = 1_000;

/** The digest has no use outside of the gateway. */
function told({ digest: _digest, ...row }: ApprovalRow): Omit<ApprovalRow, 'digest'> {
  return row;
}
