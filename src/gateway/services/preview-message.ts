// The next request for a message, exactly as it would be sent. The gateway's API and commands use this. It reads the
// session, its history and the texts that plugins have queued, and changes none of them.
// Errors: rejects with NoRequestError when no model would be asked, and as routing and drafting do.

import type { RequestMeasure } from '../../agent/measure-request.ts';
import { previewRequest } from '../../agent/preview-request.ts';
import type { ToldSpan } from '../../agent/request-text.ts';
import type { DraftParts } from '../../agent/run-parts.ts';
import type { CommandList } from '../../commands/chat-command.ts';
import { readInLane, type SaidInLane } from '../../commands/read-in-lane.ts';
import type { ContextReport } from '../../context/report/build-report.ts';
import type { WireRequest } from '../../models/model.ts';
import type { Inbound, Surface } from '../../protocol/inbound.ts';
import { parseSessionKey } from '../../protocol/session-key.ts';
import type { Route } from '../../routing/resolve-route.ts';
import { NoRequestError } from '../errors.ts';

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
  readonly commands: CommandList;
  readonly route: (inbound: Inbound) => Route;
  readonly now: () => number;
}

export async function previewMessage(parts: PreviewParts, request: PreviewRequest): Promise<Preview> {
  const at = request.at?.getTime() ?? parts.now();
  const { agentId, sessionKey, inbound } = await placeOf(parts, request, at);
  const said = readInLane(parts.commands, 'message', inbound);
  if (isAnsweredWithoutModel(said)) throw new NoRequestError({ text: request.message, answer: said.reply });
  const { draft, wire, spans, measure } = await previewRequest(parts.draft, {
    agentId,
    sessionKey,
    inbound,
    text: said.text,
    reset: said.work?.kind === 'new-session' ? said.work.reason : undefined,
    at,
    runHooks: request.runHooks === true,
    signal: new AbortController().signal,
  });
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

/** A plugin's command counts as text here: only its handler knows whether it lets the message go on to the agent. */
function isAnsweredWithoutModel({ command, work, reply, text }: SaidInLane): boolean {
  if (reply !== undefined || command?.when === 'at-once' || work?.kind === 'compaction') return true;
  return work?.kind === 'new-session' && text === '';
}

/** The place of the message: as the request says, else the place of the last message, else as the key says. */
async function placeOf(
  { draft, route }: PreviewParts,
  { sessionKey: asked, agentId: askedAgent, message, channel }: PreviewRequest,
  at: number,
): Promise<{ agentId: string; sessionKey: string; inbound: Inbound }> {
  const named = surfaceOf(asked, channel ?? 'web');
  const inbound = { text: message, at, sessionKey: asked, agentId: askedAgent };
  const { agentId, sessionKey } = route({ ...inbound, surface: named, sender: { id: named.peer.id } });
  const [session] = await draft.store.select('sessions', { where: { sessionKey, endedAt: null }, limit: 1 });
  const surface = channel === undefined ? (session?.surface ?? named) : named;
  return { agentId, sessionKey, inbound: { ...inbound, surface, sender: { id: surface.peer.id } } };
}

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
