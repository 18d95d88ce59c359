// The next request for a message, exactly as it would be sent. The gateway's API and commands use this. It reads the
// session, its history and the texts that plugins have queued, and changes none of them.
// Errors: `previewMessage` rejects with NoRequestError when no model would be asked, and as routing and drafting do.
// `lookAtContext` does so for a message; without one it says why there is no request, as long as there is a context.

import type { RequestMeasure } from '../../agent/measure-request.ts';
import { previewRequest } from '../../agent/preview-request.ts';
import type { ToldSpan } from '../../agent/request-text.ts';
import type { DraftParts } from '../../agent/run-parts.ts';
import { TERMINAL_SURFACE } from '../../channels/cli/cli-channel.ts';
import type { CommandList } from '../../commands/chat-command.ts';
import { readInLane, type SaidInLane } from '../../commands/read-in-lane.ts';
import type { Composition } from '../../context/compose.ts';
import type { ContextReport } from '../../context/report/build-report.ts';
import type { WireRequest } from '../../models/model.ts';
import { DEFAULT_ACCOUNT_ID } from '../../protocol/agent-id.ts';
import type { ChannelContext } from '../../protocol/bootstrap-event.ts';
import { buildCronSessionKey } from '../../protocol/build-session-key.ts';
import { isAtriumError } from '../../protocol/errors.ts';
import type { Inbound, Surface } from '../../protocol/inbound.ts';
import { parseSessionKey } from '../../protocol/session-key.ts';
import type { SessionType } from '../../protocol/session-type.ts';
import type { Route } from '../../routing/resolve-route.ts';
import type { ContextEngine } from '../composer/context-engine.ts';
import { NoRequestError } from '../errors.ts';
import { DEFAULT_USER } from '../http/receive-once.ts';

export interface PreviewRequest {
  readonly sessionKey?: string | undefined;
  readonly agentId?: string | undefined;
  readonly message: string;
  /**
   * The channel on which the message would be typed, for a session whose key does not say; `name:id` names a place on
   * it too.
   */
  readonly channel?: string | undefined;
  readonly at?: Date | undefined;
  /** Also runs prompt hooks that are not declared pure. */
  readonly runHooks?: boolean | undefined;
}

/** A situation that differs from the one of the session; only the composition knows it. */
export interface LookRequest extends Omit<PreviewRequest, 'message'> {
  /** Without a message, the request is shown up to it. */
  readonly message?: string | undefined;
  readonly sessionType?: SessionType | undefined;
  readonly timezone?: string | undefined;
  readonly workspaceDir?: string | undefined;
}

/** What an agent would read, and the whole request around it. */
export interface ContextLook {
  readonly sessionKey: string | null;
  readonly agentId: string;
  readonly composition: Composition;
  /** Null when there would be none. */
  readonly request: LookedRequest | null;
  /** Why there is no request. */
  readonly problem: string | null;
  readonly placeholders: readonly string[];
}

export type LookedRequest = Pick<Preview, 'provider' | 'model' | 'wire' | 'spans'> & {
  readonly measure: RequestMeasure;
};

export interface Preview {
  readonly sessionKey: string;
  readonly agentId: string;
  readonly provider: string;
  readonly model: string;
  readonly wire: WireRequest;
  readonly report: ContextReport;
  /** The author of each part of the body's texts, in the order of the body. */
  readonly spans: readonly ToldSpan[];
  /** The sizes of the whole request: system, tools, history and message. */
  readonly request: RequestMeasure;
  /**
   * Hooks that a run would call and the preview did not; the preview equals the real request byte for byte only when
   * there are none.
   */
  readonly placeholders: readonly string[];
}

export interface PreviewParts {
  readonly draft: DraftParts;
  readonly engine: Pick<ContextEngine, 'compose'>;
  readonly commands: CommandList;
  readonly route: (inbound: Inbound) => Route;
  readonly now: () => number;
}

export async function previewMessage(parts: PreviewParts, request: PreviewRequest): Promise<Preview> {
  const { sessionKey, agentId, previewed } = await preview(parts, request);
  const { draft, wire, spans, measure } = previewed;
  const { provider, model } = draft.model;
  return {
    sessionKey,
    agentId,
    provider,
    model,
    wire,
    report: draft.composition.report,
    spans,
    request: measure,
    placeholders: draft.placeholders,
  };
}

export async function lookAtContext(parts: PreviewParts, request: LookRequest): Promise<ContextLook> {
  const at = request.at ?? new Date(parts.now());
  try {
    const { sessionKey, agentId, previewed } = await preview(parts, { ...request, at, message: request.message ?? '' });
    const { draft, wire, spans, measure } = previewed;
    const { provider, model } = draft.model;
    return {
      sessionKey,
      agentId,
      composition: draft.composition,
      request: { provider, model, wire, spans, measure },
      problem: null,
      placeholders: draft.placeholders,
    };
  } catch (error) {
    if (!isAtriumError(error) || request.message !== undefined) throw error;
    // Without a model, or for a folder that is no agent's, there is still a context; one that cannot be composed rejects.
    const { agentId, sessionKey, sessionType, timezone, workspaceDir, channel } = request;
    const situation = { agentId, sessionKey, sessionType, timezone, workspaceDir, channel: channelOf(channel), at };
    const composition = await parts.engine.compose(situation);
    return {
      sessionKey: sessionKey ?? null,
      agentId: composition.report.situation.agentId ?? '',
      composition,
      request: null,
      problem: error.message,
      placeholders: [],
    };
  }
}

async function preview(parts: PreviewParts, request: PreviewRequest & LookRequest) {
  const at = request.at?.getTime() ?? parts.now();
  const { agentId, sessionKey, inbound } = await placeOf(parts, request, at);
  const said = readInLane(parts.commands, 'message', inbound);
  if (isAnsweredWithoutModel(said)) throw new NoRequestError({ text: request.message, answer: said.reply });
  const previewed = await previewRequest(inSituation(parts.draft, parts.engine, request), {
    agentId,
    sessionKey,
    inbound,
    text: said.text,
    reset: said.work?.kind === 'new-session' ? said.work.reason : undefined,
    at,
    runHooks: request.runHooks === true,
    signal: new AbortController().signal,
  });
  return { agentId, sessionKey, previewed };
}

/** The same parts, with a context for the situation that the request names. */
function inSituation(
  draft: DraftParts,
  engine: PreviewParts['engine'],
  { sessionType, timezone, workspaceDir }: LookRequest,
): DraftParts {
  const asked = { sessionType, timezone, workspaceDir };
  const named = Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined));
  if (Object.keys(named).length === 0) return draft;
  return {
    ...draft,
    context: {
      compose: (request) => engine.compose({ ...request, ...named }),
      workspaceDirOf: (agentId) => workspaceDir ?? draft.context.workspaceDirOf(agentId),
    },
  };
}

function channelOf(channel: string | undefined): ChannelContext | undefined {
  const [provider = '', ...rest] = (channel ?? '').split(':');
  const channelId = rest.join(':');
  return provider === '' ? undefined : { provider, ...(channelId === '' ? {} : { channelId }) };
}

/** A plugin's command counts as text here: only its handler knows whether it lets the message go on to the agent. */
function isAnsweredWithoutModel({ command, work, reply, text }: SaidInLane): boolean {
  if (reply !== undefined || command?.when === 'at-once' || work?.kind === 'compaction') return true;
  return work?.kind === 'new-session' && text === '';
}

/** The place of the message: as the request says, else where the operator spoke last, else as the key says. */
async function placeOf(
  { draft, route }: PreviewParts,
  { sessionKey: named, agentId: askedAgent, sessionType, message, channel }: PreviewRequest & LookRequest,
  at: number,
): Promise<{ agentId: string; sessionKey: string; inbound: Inbound }> {
  // What a job reads follows from the key of its session.
  const ofJob = sessionType === 'scheduled' && channel === undefined ? sessionKeyOfJob : undefined;
  const asked = named ?? ofJob?.(route, { text: message, at, agentId: askedAgent });
  const inbound = { text: message, at, sessionKey: asked, agentId: askedAgent };
  const surfaces =
    asked === undefined && channel === undefined ? OPERATORS_SURFACES : [surfaceOf(asked, channel ?? 'cli')];
  const places: Place[] = [];
  for (const place of surfaces) {
    const { agentId, sessionKey } = route({ ...inbound, surface: place, sender: { id: place.peer.id } });
    const [session] = await draft.store.select('sessions', { where: { sessionKey, endedAt: null }, limit: 1 });
    const surface = channel === undefined ? (session?.surface ?? place) : place;
    places.push({ agentId, sessionKey, surface, activeAt: session?.activeAt ?? 0 });
  }
  const { agentId, sessionKey, surface } = places.reduce((last, each) => (each.activeAt > last.activeAt ? each : last));
  return { agentId, sessionKey, inbound: { ...inbound, surface, sender: { id: surface.peer.id } } };
}

function sessionKeyOfJob(route: PreviewParts['route'], inbound: Omit<Inbound, 'surface' | 'sender'>): string {
  const [surface] = OPERATORS_SURFACES;
  const { agentId } = route({ ...inbound, surface, sender: { id: surface.peer.id } });
  return buildCronSessionKey({ agentId, jobId: 'preview' });
}

interface Place {
  readonly agentId: string;
  readonly sessionKey: string;
  readonly surface: Surface;
  /** When a run of its session began last. */
  readonly activeAt: number;
}

/**
 * Where a message without a session goes: that of `atrium chat` and that of `atrium agent`. The session in which was
 * spoken last is the one that is meant.
 */
const OPERATORS_SURFACES: readonly [Surface, ...Surface[]] = [
  { channel: 'cli', accountId: DEFAULT_ACCOUNT_ID, peer: { kind: 'direct', id: TERMINAL_SURFACE } },
  { channel: 'api', accountId: DEFAULT_ACCOUNT_ID, peer: { kind: 'direct', id: DEFAULT_USER } },
];

/** `channel` may name a place on it too: `slack:C042`. */
function surfaceOf(sessionKey: string | undefined, channel: string): Surface {
  const key = parseSessionKey(sessionKey);
  const [name = '', ...rest] = channel.split(':');
  const id = rest.join(':');
  const kind = key.surface === 'group' || key.surface === 'channel' ? key.surface : id === '' ? 'direct' : 'channel';
  return {
    channel: key.channel ?? name,
    accountId: 'default',
    peer: { kind, id: key.peerId ?? (id === '' ? 'preview' : id) },
    threadId: key.threadId,
  };
}
