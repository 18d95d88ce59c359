// Does what one plugin asks of the gateway, and records it in the plugin's name. Requests go the same way as those of a
// client: through the inbox, the outbox and the schedule. The loader decides whether a plugin may still ask.

import { findApiKey } from '../../config/model-provider.ts';
import type { Config } from '../../config/schema.ts';
import { hookContextOf } from '../../hooks/hook-context-of.ts';
import { hookMessageOf } from '../../hooks/hook-message.ts';
import { PluginRefusedError } from '../../plugins/errors.ts';
import type {
  PluginCronRequest,
  PluginHost,
  PluginLogEntry,
  PluginMessage,
  PluginRunRequest,
} from '../../plugins/plugin-host.ts';
import { APPROVAL_DECISIONS } from '../../protocol/approval-decision.ts';
import { type Inbound, peerOfAddress, type Surface } from '../../protocol/inbound.ts';
import { newId } from '../../protocol/new-id.ts';
import { parseAgentSessionKey } from '../../protocol/session-key.ts';
import { timeLimit } from '../../protocol/time-limit.ts';
import { silentSurface } from '../../schedule/deliver-target.ts';
import type { Store, Write } from '../../store/store.ts';
import type { GatewayDelivery } from '../gateway-delivery.ts';
import type { Services } from '../services/services.ts';
import type { GatewayMethods } from './gateway-methods.ts';
import { askCron } from './plugin-cron.ts';
import type { SessionExtensions } from './session-extensions.ts';
import { type WriteConfigParts, writePluginConfig } from './write-plugin-config.ts';

export interface PluginHostParts extends WriteConfigParts {
  readonly store: Store;
  readonly settings: () => Config;
  readonly services: () => Pick<
    Services,
    'inbox' | 'route' | 'runs' | 'sessions' | 'injections' | 'approvals' | 'jobs'
  >;
  readonly delivery: () => Pick<GatewayDelivery, 'plan' | 'channelOf' | 'wake'>;
  readonly methods: GatewayMethods;
  readonly sessionState: Pick<SessionExtensions, 'read' | 'patch'>;
  /** Whether the operator lets the plugin add text to prompts. */
  readonly mayInject: (pluginId: string) => boolean;
  /** Whether the operator lets the plugin read conversations. */
  readonly mayReadConversations: (pluginId: string) => boolean;
  readonly log: (pluginId: string, entry: PluginLogEntry) => void;
  readonly now: () => number;
}

const MAX_TEXT_CHARS = 100_000;
const WAIT_MS = 60_000;
const MAX_WAIT_MS = 600_000;

/** The limit for messages and runs. Without it, a plugin that answers its own messages would never stop. */
const MOST_A_MINUTE = 120;

/** The limit for short requests that read or write. Waiting for a run is not among them. */
const MOST_AT_ONCE = 2;

export function createPluginHost(parts: PluginHostParts, pluginId: string): PluginHost {
  const pace = paceOf(parts.now);
  const checkPace = (what: string) => {
    if (!pace()) throw refuse(`it ${what} ${MOST_A_MINUTE} times within a minute, which is the most`);
  };
  const refuse = (detail: string) => new PluginRefusedError({ pluginId, detail });
  const inTurn = fewAtATime(MOST_AT_ONCE);
  const checkMayInject = () => {
    if (parts.mayInject(pluginId)) return;
    throw refuse(`plugins.entries.${pluginId}.hooks.allowPromptInjection is false, so it may add nothing to prompts`);
  };
  const queue = async (request: Parameters<PluginHost['queueInjection']>[0]) => {
    checkMayInject();
    return parts.services().injections.queue({ ...request, owner: pluginId });
  };
  return {
    log: (entry) => parts.log(pluginId, entry),
    queueInjection: (request) => inTurn(() => queue(request)),
    readSessionState: (place) => inTurn(() => parts.sessionState.read(pluginId, place)),
    patchSessionState: (patch) => inTurn(() => parts.sessionState.patch(pluginId, patch)),
    enqueueSystemEvent: async ({ text, sessionKey }) => (await inTurn(() => queue({ text, sessionKey }))).enqueued,
    sendMessage: async (message) => {
      checkPace('spoke or started runs');
      return sendMessage(parts, pluginId, message);
    },
    startRun: async (request) => {
      checkPace('spoke or started runs');
      return startRun(parts, pluginId, request, checkMayInject);
    },
    waitForRun: (request) => waitForRun(parts, pluginId, request),
    readSessionMessages: (request) => inTurn(() => readSessionMessages(parts, pluginId, request)),
    deleteSession: async ({ sessionKey }) => {
      const route = parts.services().route(inboundOf(sessionKey, parts.now()));
      if (!(await hasBegun(parts, pluginId, route.sessionKey))) {
        throw refuse(`it did not begin the session ${JSON.stringify(sessionKey.slice(0, 200))}`);
      }
      await parts.services().sessions.delete(route.sessionKey);
    },
    resolveApproval: async ({ id, decision }) => {
      const known = APPROVAL_DECISIONS.find((each) => each === decision);
      if (!known) throw refuse(`an approval is answered with ${APPROVAL_DECISIONS.join(', ')}`);
      const name = `plugin:${pluginId}`;
      if (known !== 'deny' && !parts.settings().approvals?.approvers?.includes(name)) {
        throw refuse(`it may not allow anything. Add ${JSON.stringify(name)} to approvals.approvers if it may`);
      }
      await parts.services().approvals.answer(id, known, { by: name });
    },
    callMethod: ({ method, params }) => parts.methods.call(method, params, { id: `plugin:${pluginId}` }),
    cron: async (request) => {
      if (speaksWhereOthersTalk(request)) checkMayInject();
      return inTurn(() => askCron({ store: parts.store, jobs: () => parts.services().jobs }, pluginId, request));
    },
    writeConfig: (config) => writePluginConfig(parts, pluginId, config),
    readProviderKey: async (provider) => findApiKey(parts.settings(), provider, parts.environment.variables),
  };
}

/** False once there were too many within the last minute. */
function paceOf(now: () => number): () => boolean {
  let taken: readonly number[] = [];
  return () => {
    const at = now();
    taken = taken.filter((each) => at - each < MINUTE_MS && each <= at);
    if (taken.length >= MOST_A_MINUTE) return false;
    taken = [...taken, at];
    return true;
  };
}

const MINUTE_MS = 60_000;

/** Sends a message without a run. It passes the same hooks as an answer, is split, and is kept until it has arrived. */
async function sendMessage(
  parts: PluginHostParts,
  pluginId: string,
  { channel, to, text, accountId = 'default', threadId }: PluginMessage,
): Promise<{ readonly runId: string }> {
  const delivery = parts.delivery();
  const refuse = (detail: string) => new PluginRefusedError({ pluginId, detail });
  if (!delivery.channelOf(channel)) throw refuse(`there is no channel ${JSON.stringify(channel.slice(0, 80))} here`);
  if (text.trim() === '' || text.length > MAX_TEXT_CHARS) {
    throw refuse(`a message has between 1 and ${MAX_TEXT_CHARS} characters`);
  }
  const surface: Surface = {
    channel,
    accountId,
    peer: peerOfAddress(to),
    ...(threadId === undefined ? {} : { threadId }),
  };
  const now = parts.now();
  const runId = newId('note', now);
  const inbound: Inbound = { surface, sender: { id: surface.peer.id }, text: '', at: now };
  const { sessionKey, agentId } = parts.services().route(inbound);
  const context = hookContextOf('message', { agentId, sessionKey, runId, surface });
  const { rows } = await delivery.plan({ runId, sessionKey, surface, text, context });
  await parts.store.commit(
    rows.map((row): Write => ({ insert: 'outbox', row })),
    { site: 'control' },
  );
  delivery.wake();
  return { runId };
}

/** A job of the main session speaks in that session, and a changed job may belong to another owner. */
function speaksWhereOthersTalk(request: PluginCronRequest): boolean {
  if (request.op === 'add') return request.job.sessionTarget === 'main';
  return request.op === 'update' && ['message', 'payload', 'sessionTarget'].some((name) => name in request.patch);
}

/** The session `plugin:<id>`, or one whose key begins with that. No person talks there. */
function isOwnSession(sessionKey: string, pluginId: string): boolean {
  const own = `plugin:${pluginId}`.toLowerCase();
  const { rest = '' } = parseAgentSessionKey(sessionKey) ?? {};
  return rest === own || rest.startsWith(`${own}:`);
}

/** The message is the plugin's, and nothing in it is a command. A session that has a surface answers there. */
async function startRun(
  parts: PluginHostParts,
  pluginId: string,
  { message, sessionKey = `plugin:${pluginId}`, agentId, idempotencyKey }: PluginRunRequest,
  checkMayInject: () => void,
): Promise<{ readonly runId: string; readonly sessionKey: string }> {
  if (message.trim() === '') throw new PluginRefusedError({ pluginId, detail: 'a run needs something to answer' });
  const now = parts.now();
  const inbound: Inbound = {
    surface: silentSurface(`plugin:${pluginId}`),
    sender: { id: `plugin:${pluginId}`, name: `plugin ${pluginId}` },
    text: message,
    at: now,
    sessionKey,
    ...(agentId === undefined ? {} : { agentId }),
    fromAgent: { runId: `plugin:${pluginId}`, call: idempotencyKey ?? newId('call', now), path: [] },
    metadata: { plugin: pluginId },
  };
  const route = parts.services().route(inbound);
  if (!isOwnSession(route.sessionKey, pluginId)) checkMayInject();
  const where = { sessionKey: route.sessionKey, endedAt: null };
  const [session] = await parts.store.select('sessions', { where, limit: 1 });
  const received = await parts
    .services()
    .inbox.receive({ ...inbound, ...(session?.surface && { surface: session.surface }) });
  return { runId: received.runId, sessionKey: received.sessionKey };
}

/** The reply of a run in another session is given only to a plugin that may read conversations. */
async function waitForRun(
  parts: PluginHostParts,
  pluginId: string,
  { runId, timeoutMs = WAIT_MS }: { readonly runId: string; readonly timeoutMs?: number | undefined },
): ReturnType<PluginHost['waitForRun']> {
  const late = new Error('The time is over.');
  const limit = timeLimit(Math.min(Math.max(0, timeoutMs), MAX_WAIT_MS), () => late);
  try {
    const { status, outcome, sessionKey } = await parts.services().runs.wait(runId, limit.signal);
    const { reply, error } = outcome ?? {};
    const mayRead = isOwnSession(sessionKey, pluginId) || parts.mayReadConversations(pluginId);
    return {
      status: status === 'done' ? 'ok' : 'error',
      ...(mayRead && reply !== undefined ? { reply } : {}),
      ...(status === 'done' ? {} : { error }),
    };
  } catch (error) {
    if (error === late) return { status: 'timeout' };
    throw error;
  } finally {
    limit.clear();
  }
}

const MOST_MESSAGES = 200;

/** The messages of another session are given only to a plugin that may read conversations. */
async function readSessionMessages(
  parts: PluginHostParts,
  pluginId: string,
  { sessionKey: asked, limit = MOST_MESSAGES }: Parameters<PluginHost['readSessionMessages']>[0],
): ReturnType<PluginHost['readSessionMessages']> {
  const { sessionKey } = parts.services().route(inboundOf(asked, parts.now()));
  const mayRead = parts.mayReadConversations(pluginId) || (await hasBegun(parts, pluginId, sessionKey));
  if (!mayRead) {
    const setting = `plugins.entries.${pluginId}.hooks.allowConversationAccess`;
    throw new PluginRefusedError({ pluginId, detail: `it may not read conversations; set ${setting} if it may` });
  }
  const [session] = await parts.store.select('sessions', {
    where: { sessionKey },
    orderBy: [['startedAt', 'desc']],
    limit: 1,
  });
  if (!session) return { messages: [] };
  const rows = await parts.store.select('transcript', {
    where: { sessionId: session.sessionId, kind: 'message' },
    orderBy: [['position', 'desc']],
    limit: Math.min(Math.max(1, Math.trunc(limit)), MOST_MESSAGES),
  });
  const messages = rows.toReversed().map(({ message, at }) => hookMessageOf(message, at));
  return { messages: JSON.parse(JSON.stringify(messages)) };
}

/** A plugin has begun its own sessions, and those whose first message it wrote. */
async function hasBegun({ store }: PluginHostParts, pluginId: string, sessionKey: string): Promise<boolean> {
  if (isOwnSession(sessionKey, pluginId)) return true;
  const [first] = await store.select('inbox', { where: { sessionKey }, orderBy: [['seq', 'asc']], limit: 1 });
  return first?.payload?.inbound.sender.id === `plugin:${pluginId}`;
}

/** A message that only serves to look up its session. */
function inboundOf(sessionKey: string, at: number): Inbound {
  return { surface: silentSurface('plugin'), sender: { id: 'plugin' }, text: '', at, sessionKey };
}

function fewAtATime(most: number): <Value>(begin: () => Promise<Value>) => Promise<Value> {
  const waiting: (() => void)[] = [];
  let going = 0;
  return async (begin) => {
    if (going >= most) await new Promise<void>((resume) => waiting.push(resume));
    else going += 1;
    try {
      return await begin();
    } finally {
      // The next call takes the place over, after everything else that was ready has had its turn.
      const next = waiting.shift();
      if (next) setImmediate(next);
      else going -= 1;
    }
  };
}
