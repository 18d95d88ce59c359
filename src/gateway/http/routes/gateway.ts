// The gateway as a whole: its status, its agents, a message to an agent, and the route that a message would take.

import type { JsonObject } from '../../../protocol/json.ts';
import { DANGERS } from '../../../protocol/unused-setting.ts';
import { RequestInvalidError } from '../../errors.ts';
import { DEFAULT_USER, receiveOnce } from '../receive-once.ts';
import { type Route, route, type Zod } from '../route.ts';
import { checkAgent } from './check-agent.ts';
import { activeDebugLogs } from './debug.ts';
import { shownNode } from './nodes.ts';
import { account, agentId, at, id, namedUpload, peer, sessionKey, wholeNumber } from './pieces.ts';
import { recordSizes } from './records.ts';

const agent = (z: Zod) =>
  z.object({
    agentId: agentId(z),
    name: z.string().optional().describe('What people call it.'),
    emoji: z.string().optional(),
    isDefault: z.boolean(),
    workspaceDir: z.string(),
    model: z.string(),
    fallbacks: z.array(z.string()),
  });

const channel = (z: Zod) =>
  z.object({
    id: z.string(),
    guarantee: z.object({ level: z.enum(['exactly-once', 'at-least-once', 'at-most-once']), because: z.string() }),
    maxTextLength: z.number(),
    accounts: z.array(account(z)).optional(),
  });

export const GATEWAY_ROUTES: readonly Route[] = [
  route({
    method: 'get',
    path: '/api/status',
    summary: 'What is running.',
    detail:
      'Also the guarantee of each channel, warnings, what was changed since the start and needs a restart, and the settings that were found and are not used.',
    access: 'token',
    answer: (z) =>
      z.object({
        version: z.string(),
        url: z.string(),
        startedAt: at(z),
        store: z.string(),
        stateDir: z.string(),
        agents: z.array(agent(z)),
        channels: z.array(channel(z)),
        running: z.array(z.object({ sessionKey: sessionKey(z), runId: id(z), since: at(z) })),
        waiting: wholeNumber(z),
        approvals: wholeNumber(z),
        pairing: z
          .object({ waiting: wholeNumber(z), refused: wholeNumber(z) })
          .describe('People on chat platforms who wait for an answer, and messages that were refused since the start.'),
        outbox: z.object({ queued: wholeNumber(z), failed: wholeNumber(z) }),
        deadLetters: z.object({ in: wholeNumber(z), out: wholeNumber(z) }),
        sessions: wholeNumber(z),
        schedule: z.object({
          isEnabled: z.boolean(),
          jobs: wholeNumber(z),
          next: z.object({ id: id(z), name: z.string(), at: at(z) }).nullable(),
        }),
        warnings: z.array(z.string()),
        keys: z
          .array(z.object({ key: z.string(), from: z.string(), problem: z.string().optional() }))
          .describe('From where each key and token comes. Values are never shown.'),
        changedSinceStart: z
          .array(z.object({ path: z.string(), inUse: z.unknown(), inFile: z.unknown() }))
          .describe(
            'What the configuration says differently since the start and what only a restart takes up. Secrets are hidden, and null means that it is not set.',
          ),
        unused: z.array(
          z.object({
            path: z.string(),
            danger: z.enum(DANGERS),
            sentence: z.string(),
            refuses: z.enum(['start', 'tools']).nullable(),
            isAccepted: z.boolean(),
          }),
        ),
        debug: activeDebugLogs(z),
        trajectory: z
          .object({ isOn: z.boolean(), dir: z.string() })
          .describe('Whether trajectories are written, and where.'),
        records: recordSizes(z),
        nodes: z
          .array(shownNode(z))
          .optional()
          .describe('The gateways that share the database; absent where the store is a file.'),
      }),
    handle: ({ services }) => services.status(),
  }),
  route({
    method: 'get',
    path: '/api/config',
    summary: 'How far the gateway follows its configuration files.',
    detail: 'What can be taken up at once is taken up first.',
    access: 'token',
    answer: (z) =>
      z.object({
        files: z.array(z.string()),
        waiting: z.array(z.string()).describe('What the files say differently; it is taken up at the next start.'),
        problem: z.string().nullable().describe('Why the files cannot be used as they are now.'),
      }),
    handle: ({ services }) => services.configuration.state(),
  }),
  route({
    method: 'get',
    path: '/api/agents',
    summary: 'The agents with their models and workspaces.',
    access: 'token',
    answer: (z) => z.object({ agents: z.array(agent(z)) }),
    handle: async ({ services }) => ({ agents: (await services.status({ kinds: false })).agents }),
  }),
  route({
    method: 'post',
    path: '/api/messages',
    summary: 'Sends a message to an agent; the answer is the run that it became.',
    detail:
      'With an `id` it is accepted once. Without a session it goes to the session of its `user`, or of the user `default`.',
    access: 'ready',
    body: (z) =>
      z.strictObject({
        text: z.string().max(1_000_000).describe('It may be empty when there are files.'),
        attachments: z
          .array(namedUpload(z))
          .max(100)
          .optional()
          .describe('Files that were uploaded with `POST /api/attachments`.'),
        sessionKey: sessionKey(z).optional(),
        agentId: agentId(z).optional(),
        user: id(z).optional().describe('Who is talking; each user has a session of their own.'),
        id: z.string().min(1).max(255).optional().describe('A name for this message. Sent again, it is accepted once.'),
        metadata: z.looseObject({}).optional().describe('What else is known about it, for plugins.'),
      }),
    answer: (z) =>
      z.object({ outcome: z.enum(['accepted', 'duplicate', 'handled']), runId: id(z), sessionKey: sessionKey(z) }),
    status: 202,
    handle: async ({ services, agentIds, now, header, body }) => {
      const { id: name, user, text, metadata, attachments = [], ...place } = body;
      checkAgent(place.agentId, agentIds());
      if (text === '' && attachments.length === 0)
        throw new RequestInvalidError({ problem: 'A message needs a text or a file.', param: 'text' });
      const files = await services.attachments.findUploads(attachments);
      return receiveOnce(services, {
        text,
        attachments: files,
        at: now(),
        user: user ?? place.sessionKey ?? DEFAULT_USER,
        agentId: place.agentId,
        sessionKey: place.sessionKey,
        idempotencyKey: name ?? header('idempotency-key'),
        metadata: metadata as JsonObject | undefined,
      });
    },
  }),
  route({
    method: 'post',
    path: '/api/route/explain',
    summary: 'Where a message would go, and why.',
    detail: '`peer` is `{ kind, id }` with the kind `direct`, `group` or `channel`.',
    access: 'token',
    body: (z) =>
      z.strictObject({
        channel: id(z),
        accountId: id(z).default('default'),
        peer: peer(z),
        threadId: id(z).optional(),
        sender: id(z).optional().describe('Default: the peer, when it is a person.'),
        sessionKey: sessionKey(z).optional(),
        agentId: agentId(z).optional(),
      }),
    answer: (z) => z.object({ agentId: agentId(z), sessionKey: sessionKey(z), rules: z.array(z.string()) }),
    handle: ({ services, agentIds, now, body }) => {
      checkAgent(body.agentId, agentIds());
      const { channel: platform, accountId, threadId, sender, ...asked } = body;
      const found = services.route({
        surface: { channel: platform, accountId, peer: body.peer, threadId },
        sender: { id: sender ?? body.peer.id },
        text: '',
        at: now(),
        sessionKey: asked.sessionKey,
        agentId: asked.agentId,
      });
      return { agentId: found.agentId, sessionKey: found.sessionKey, rules: found.rules };
    },
  }),
];
