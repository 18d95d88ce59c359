// Sessions: list them, read what was said, end or delete one.

import { isAbsolute } from 'node:path';
import { newId } from '../../../protocol/new-id.ts';
import { oneLine } from '../../../protocol/one-line.ts';
import { pageSurface } from '../../../protocol/page-surface.ts';
import { resolveSessionType, SESSION_TYPES } from '../../../protocol/session-type.ts';
import { SessionNotBegunError, UnknownSessionError } from '../../../sessions/errors.ts';
import { readAsides } from '../../services/read-asides.ts';
import { searchSaid } from '../../services/search/search-said.ts';
import { type Route, route, type Zod } from '../route.ts';
import {
  agentId,
  at,
  attachment,
  cursor,
  id,
  limit,
  next,
  nextNumber,
  nothing,
  pageOf,
  position,
  sessionKey,
  surface,
  wholeNumber,
} from './pieces.ts';

const LONGEST_TITLE = 200;
const LONGEST_QUEUE = 200;

/** Triggers of these kinds have words that stand in the transcript as somebody's message. */
const SAID_KINDS = ['message', 'api', 'webhook', 'cron', 'spawn'] as const;

const session = (z: Zod) =>
  z.object({
    sessionId: id(z),
    sessionKey: sessionKey(z),
    agentId: agentId(z),
    startedAt: at(z),
    activeAt: at(z),
    endedAt: at(z).nullable(),
    endReason: z.string().nullable(),
    surface: surface(z).nullable(),
    resumedFrom: id(z).nullable(),
    type: z.enum(SESSION_TYPES).describe('What its key says: a conversation, a subagent, or something scheduled.'),
    pageSurface: z
      .string()
      .describe('The name under which every page shows it, so that all of them get what is sent there.'),
    endToTell: z.boolean().describe('It has ended, and its observers are yet to be told.'),
    state: z.record(z.string(), z.unknown()),
    title: z.string().nullable().describe('The title that a person gave it.'),
    archivedAt: at(z).nullable().describe('When a person put it away; the next message brings it back.'),
    seenAt: at(z).nullable().describe('When a person last looked at it; it is unread when `activeAt` is later.'),
    branchOf: id(z).nullable().describe('The session that this one began as a copy of.'),
    branchAt: wholeNumber(z).nullable().describe('The position of the last entry that was copied.'),
    pluginExtensions: z
      .array(z.object({ pluginId: z.string(), namespace: z.string(), value: z.unknown() }))
      .describe('What plugins keep for the session, as far as they show it; of one that has not ended.'),
  });

const listed = (z: Zod) =>
  session(z).extend({
    firstWords: z
      .string()
      .nullable()
      .describe('The beginning of what was said first, to show where there is no title.'),
  });

const entry = (z: Zod) =>
  z.object({
    position: wholeNumber(z),
    runId: id(z),
    at: at(z),
    kind: z.enum(['message', 'notice', 'compaction']),
    message: z.record(z.string(), z.unknown()).describe('Exactly as the model is sent it.'),
    shown: z.string().nullable(),
    meta: z.record(z.string(), z.unknown()),
  });

export const SESSION_ROUTES: readonly Route[] = [
  route({
    method: 'get',
    path: '/api/sessions',
    summary: 'Sessions, the latest first.',
    detail: '`pluginExtensions` is what plugins keep for a session, as far as they show it.',
    access: 'token',
    query: (z) =>
      z.strictObject({
        limit: limit(z),
        before: cursor(z, 'ses').optional().describe('A session id: only sessions that come behind it.'),
        order: z
          .enum(['began', 'active'])
          .default('began')
          .describe('Which comes first: the session that began last, or the one in which something was said last.'),
        archived: z
          .enum(['true', 'false'])
          .optional()
          .describe('Only sessions that a person has put away, or only the others.'),
        open: z
          .enum(['true', 'false'])
          .optional()
          .describe('Only sessions that have not ended, or only those that have.'),
        agent: agentId(z).optional(),
        branchOf: cursor(z, 'ses').optional().describe('A session id: only its branches.'),
      }),
    answer: (z) => z.object({ sessions: z.array(listed(z)), next: next(z) }),
    handle: async ({ services, query: { limit: most, before, order, open, archived, agent, branchOf } }) => {
      const { sessions, ...rest } = await services.sessions.list({
        limit: most,
        before,
        order,
        agentId: agent,
        branchOf,
        isOpen: open === undefined ? undefined : open === 'true',
        isArchived: archived === undefined ? undefined : archived === 'true',
      });
      return { sessions: sessions.map(withType), ...rest };
    },
  }),
  route({
    method: 'get',
    path: '/api/sessions/{session}',
    summary: 'One session by key or id, and earlier ones of the same key.',
    access: 'token',
    answer: (z) => z.object({ session: listed(z), entries: wholeNumber(z), earlier: z.array(session(z)) }),
    handle: async ({ services, params }) => {
      const { session: row, entries, earlier } = await services.sessions.describe(params.session);
      return { session: withType(row), entries, earlier: earlier.map(withType) };
    },
  }),
  route({
    method: 'delete',
    path: '/api/sessions/{session}',
    summary: 'Stops what a session is doing, ends it and removes what was said, from the files too.',
    detail: 'The debug logs that you switched on are yours to remove.',
    access: 'token',
    answer: (z) => z.object({ sessionKey: sessionKey(z), deleted: z.literal(true) }),
    handle: async ({ services, params }) => {
      const key = await services.sessions.findKey(params.session);
      if (!(await services.sessions.delete(key))) throw new UnknownSessionError({ session: key });
      return { sessionKey: key, deleted: true };
    },
  }),
  route({
    method: 'get',
    path: '/api/sessions/{session}/transcript',
    summary: 'What was said, exactly as the model is sent it.',
    access: 'token',
    query: (z) =>
      z.strictObject({
        limit: limit(z),
        order: z.enum(['asc', 'desc']).default('asc'),
        after: position(z).optional().describe('Only entries after this position.'),
        before: position(z).optional().describe('Only entries before this position.'),
      }),
    answer: (z) =>
      z.object({
        sessionId: id(z),
        entries: z.array(entry(z)),
        next: wholeNumber(z)
          .nullable()
          .describe('Hand it in as "after", or "before" when descending; null on the last page.'),
      }),
    handle: async ({ services, params, query }) => {
      const { sessionId } = await services.sessions.find(params.session);
      const isAscending = query.order === 'asc';
      const bound = isAscending
        ? query.after !== undefined && { position: { gt: query.after } }
        : query.before !== undefined && { position: { lt: query.before } };
      const rows = await services.store.select('transcript', {
        where: { sessionId, ...bound },
        orderBy: [['position', query.order]],
        limit: query.limit + 1,
      });
      const other = isAscending ? query.before : query.after;
      const isWithin = (place: number) => other === undefined || (isAscending ? place < other : place > other);
      const { page, ...rest } = pageOf(rows, query.limit, (row) => row.position);
      const entries = page
        .filter((row) => isWithin(row.position))
        .map(({ sessionId: _session, ...entryRow }) => entryRow);
      return { sessionId, entries, next: entries.length === page.length ? rest.next : null };
    },
  }),
  route({
    method: 'get',
    path: '/api/sessions/{session}/queue',
    summary: 'What was said to a session and is not in its transcript yet, in the order in which it will be answered.',
    detail:
      'By key, also for a session that begins with it. One that a run has begun to answer may be in both. `text` is null while a gate has yet to decide about the words.',
    access: 'token',
    answer: (z) =>
      z.object({
        messages: z.array(
          z.object({
            runId: id(z).describe('The run that answers it.'),
            at: at(z),
            text: z.string().nullable(),
            attachments: z.array(attachment(z)),
          }),
        ),
      }),
    handle: async ({ services, params }) => {
      const rows = await services.store.select('inbox', {
        where: { sessionKey: params.session, status: { in: ['queued', 'claimed'] }, kind: { in: SAID_KINDS } },
        orderBy: [['seq', 'asc']],
        limit: LONGEST_QUEUE,
      });
      const isJudged = services.areMessagesJudged();
      const messages = rows.flatMap(({ runId, acceptedAt, payload }) => {
        if (!payload) return [];
        const { text, attachments = [] } = payload.inbound;
        return [{ runId, at: acceptedAt, text: isJudged ? null : text, attachments: isJudged ? [] : attachments }];
      });
      return { messages };
    },
  }),
  route({
    method: 'get',
    path: '/api/sessions/{session}/asides',
    summary: 'What people saw in a conversation on a page besides its transcript, the latest first.',
    detail:
      'Commands that were answered at once, notes of the gateway, and what jobs, heartbeats and other conversations sent there. By key, also for a conversation in which nothing was said yet.',
    access: 'token',
    query: (z) =>
      z.strictObject({
        limit: limit(z),
        before: position(z).optional().describe('The `next` of the page before.'),
        after: position(z).optional().describe('Only parts with a higher number.'),
        since: position(z).optional().describe('Milliseconds since 1970: only what was sent then or later.'),
        until: position(z).optional().describe('Milliseconds since 1970: only what was sent earlier.'),
      }),
    answer: (z) =>
      z.object({
        asides: z.array(
          z.object({
            seq: wholeNumber(z).describe('The number of the part, as the socket has it.'),
            runId: id(z),
            part: wholeNumber(z),
            at: at(z),
            sessionKey: sessionKey(z).describe('The session that it comes from, whose files come with it.'),
            said: z.string().nullable().describe('The command that it answers; null where no command was given here.'),
            text: z.string(),
            attachments: z.array(attachment(z)),
          }),
        ),
        next: nextNumber(z),
      }),
    handle: async ({ services: { store, sessions }, params, query }) => {
      const row = await sessions.find(params.session).catch((error: unknown) => {
        if (error instanceof UnknownSessionError || error instanceof SessionNotBegunError) return undefined;
        throw error;
      });
      return readAsides(store, { ...query, sessionKey: row?.sessionKey ?? params.session, session: row });
    },
  }),
  route({
    method: 'post',
    path: '/api/sessions/{session}/export',
    summary: 'Writes everything that is recorded about a session into a folder on the machine of the gateway.',
    detail:
      'What looks like a secret is removed unless `isRedacted` is false. [recorder.md](recorder.md#bundles) says what is in it.',
    access: 'token',
    body: (z) =>
      z.strictObject({
        parent: z
          .string()
          .min(1)
          .max(4_096)
          .refine(isAbsolute, 'must be an absolute path')
          .optional()
          .describe('The folder in which the bundle is made; default `<state>/exports`. Nothing in it is overwritten.'),
        isRedacted: z.boolean().default(true),
      }),
    answer: (z) =>
      z.object({
        dir: z.string(),
        runs: wholeNumber(z),
        isRedacted: z.boolean(),
        missing: z.array(z.string()).describe('What is not kept any more.'),
      }),
    handle: async ({ services, params, body }) => {
      const sessionKey = await services.sessions.findKey(params.session);
      return services.records.exportSession({ ...body, sessionKey });
    },
  }),
  route({
    method: 'post',
    path: '/api/sessions/{session}/marks',
    summary: 'Gives a session a title, puts it away or takes it out again, or notes that it was looked at.',
    detail: 'What is left out stays as it is. The agent and the conversation are not told.',
    access: 'token',
    body: (z) =>
      z
        .strictObject({
          title: z
            .string()
            .transform((text) => oneLine(text, LONGEST_TITLE))
            .refine((text) => text !== '', 'must have a visible character')
            .nullable()
            .optional()
            .describe('One line of at most 200 characters; null takes the title away.'),
          isArchived: z.boolean().optional(),
          isSeen: z.boolean().optional(),
        })
        .refine((marks) => Object.values(marks).some((mark) => mark !== undefined), 'must have at least one field'),
    answer: (z) => z.object({ session: session(z) }),
    handle: async ({ services, params, body }) => {
      const row = await services.sessions.mark(params.session, body);
      const [marked] = await services.sessions.show([row]);
      return { session: withType(marked ?? { ...row, pluginExtensions: [] }) };
    },
  }),
  route({
    method: 'post',
    path: '/api/sessions/{session}/branch',
    summary: 'Begins a session with a copy of what was said in this one, up to a run.',
    detail:
      'The copy is exact, with its files; the session itself is not changed. What a run that is not over has said is not copied. Asking again with the same `name` gives the same branch.',
    access: 'token',
    body: (z) =>
      z
        .strictObject({
          through: id(z).optional().describe('A run: the branch goes on behind it.'),
          before: id(z).optional().describe('A run: the branch goes on as if it had not been.'),
          name: z
            .string()
            .regex(/^[a-z0-9][a-z0-9-]{0,63}$/)
            .optional()
            .describe('The end of the key of the branch; default: a new one.'),
          title: z
            .string()
            .transform((text) => oneLine(text, LONGEST_TITLE))
            .refine((text) => text !== '', 'must have a visible character')
            .nullable()
            .optional()
            .describe('Null for none; default: whose branch it is.'),
        })
        .refine(({ through, before }) => through === undefined || before === undefined, 'must not have both runs'),
    answer: (z) => z.object({ session: session(z) }),
    handle: async ({ services, params, body: { through, before, name, title }, now }) => {
      const row = await services.sessions.branch(params.session, {
        name: name ?? newId('ses', now()).replace('ses_', 'branch-'),
        point: through !== undefined ? { through } : before !== undefined ? { before } : undefined,
        title,
      });
      const [branched] = await services.sessions.show([row]);
      return { session: withType(branched ?? { ...row, pluginExtensions: [] }) };
    },
  }),
  route({
    method: 'get',
    path: '/api/search',
    summary: 'Finds what people and agents have said, in all sessions, the latest first.',
    detail:
      'Each word of `text` stands in what is found, or begins a word that does. Case and accents do not matter. What was deleted or blocked is not found.',
    access: 'token',
    query: (z) =>
      z.strictObject({
        text: z.string().min(1).max(500),
        agent: agentId(z).optional(),
        limit: limit(z),
        before: position(z).optional().describe('The `next` of the page before.'),
      }),
    answer: (z) =>
      z.object({
        found: z.array(
          z.object({
            sessionId: id(z),
            sessionKey: sessionKey(z),
            agentId: agentId(z),
            position: wholeNumber(z),
            runId: id(z),
            at: at(z),
            role: z.enum(['user', 'assistant']),
            excerpt: z.string(),
          }),
        ),
        next: wholeNumber(z).nullable(),
        unindexed: wholeNumber(z).describe('Entries that were said too recently to be found yet.'),
      }),
    handle: async ({ services: { store }, query: { agent, ...query } }) => ({
      ...(await searchSaid(store, { ...query, agentId: agent })),
      unindexed: await store.count('entriesToIndex'),
    }),
  }),
  route({
    method: 'post',
    path: '/api/sessions/{session}/reset',
    summary: 'Stops the run of a session and ends the session; the next message begins a new one.',
    access: 'token',
    body: nothing,
    answer: (z) => z.object({ sessionKey: sessionKey(z), ended: z.literal(true) }),
    handle: async ({ services, params }) => {
      const key = await services.sessions.findKey(params.session);
      if (!(await services.sessions.reset(key))) throw new UnknownSessionError({ session: key });
      return { sessionKey: key, ended: true };
    },
  }),
];

function withType<Row extends { readonly sessionKey: string }>(row: Row) {
  const { sessionKey: key } = row;
  return { ...row, type: resolveSessionType({ sessionKey: key }), pageSurface: pageSurface(key) };
}
