// The next request for a message, exactly as it would be sent. The gateway's API and commands use this. It reads the
// session, its history and the texts that plugins have queued, and changes none of them.
// Errors: `previewMessage` rejects with NoRequestError when no model would be asked, and as routing and drafting do.
// `lookAtContext` does so for a message; without one it says why there is no request, as long as there is a context.

import { RequiredPluginError } from '../../agent/errors.ts';
import type { RequestMeasure } from '../../agent/measure-request.ts';
import { previewRequest } from '../../agent/preview-request.ts';
import type { ToldSpan } from '../../agent/request-text.ts';
import type { DraftParts } from '../../agent/run-parts.ts';
import type { CommandList } from '../../commands/chat-command.ts';
import { readInLane, type SaidInLane } from '../../commands/read-in-lane.ts';
import type { Composition } from '../../context/compose.ts';
import type { ContextReport } from '../../context/report/build-report.ts';
import type { WireRequest } from '../../models/model.ts';
import type { AttachmentRef } from '../../protocol/attachment.ts';
import { isAtriumError } from '../../protocol/errors.ts';
import type { Inbound, Overheard, Sender, Surface } from '../../protocol/inbound.ts';
import type { SessionType } from '../../protocol/session-type.ts';
import type { Route } from '../../routing/resolve-route.ts';
import type { ClientRequest } from '../../store/tables.ts';
import type { ContextEngine } from '../composer/context-engine.ts';
import { NoRequestError } from '../errors.ts';
import { type AskedPlace, channelContextOf, previewPlaceOf } from './preview-place.ts';

export interface PreviewRequest extends Omit<AskedPlace, 'sessionType'> {
  readonly message: string;
  /** Who would write it in a shared place. Without it, the operator writes it from elsewhere. */
  readonly sender?: Sender | undefined;
  /** Files that would come with it. They must have been kept before. */
  readonly attachments?: readonly AttachmentRef[] | undefined;
  readonly at?: Date | undefined;
  /** What an API client would ask for besides the words: its tools, and the form of the answer. */
  readonly client?: ClientRequest | undefined;
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
  /** Texts in place of bootstrap files, by name, as if they were saved. */
  readonly texts?: Readonly<Record<string, string>> | undefined;
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
  /** What was said at a place since the agent was last spoken to. Without a gateway it is not known. */
  readonly heardAt?: ((surface: Surface) => readonly Overheard[]) | undefined;
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
    // What keeps every run from starting keeps a look from showing what no run would send.
    if (!isAtriumError(error) || request.message !== undefined || error instanceof RequiredPluginError) throw error;
    // Without a model, or for a folder that is no agent's, there is still a context; one that cannot be composed rejects.
    const { agentId, sessionKey, sessionType, timezone, workspaceDir, texts, channel } = request;
    const situation = {
      agentId,
      sessionKey,
      sessionType,
      timezone,
      workspaceDir,
      texts,
      channel: channelContextOf(channel),
      at,
    };
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
  const { draft, route } = parts;
  const message = { text: request.message, attachments: request.attachments, at };
  const place = await previewPlaceOf({ store: draft.store, route }, request, message);
  const { agentId, sessionKey } = place;
  // Only what people write in the place itself brings along what was said there.
  const overheard = (request.sender && parts.heardAt?.(place.inbound.surface)) ?? [];
  const inbound: Inbound = { ...place.inbound, ...(overheard.length > 0 && { overheard }) };
  const said = readInLane(parts.commands, 'message', inbound);
  if (isAnsweredWithoutModel(said)) throw new NoRequestError({ text: request.message, answer: said.reply });
  const previewed = await previewRequest(inSituation(draft, parts.engine, request), {
    agentId,
    sessionKey,
    inbound,
    text: said.text,
    reset: said.work?.kind === 'new-session' ? said.work.reason : undefined,
    at,
    client: request.client,
    runHooks: request.runHooks === true,
    signal: new AbortController().signal,
  });
  return { agentId, sessionKey, previewed };
}

/** The same parts, with a context for the situation that the request names. */
function inSituation(
  draft: DraftParts,
  engine: PreviewParts['engine'],
  { sessionType, timezone, workspaceDir, texts }: LookRequest,
): DraftParts {
  const asked = { sessionType, timezone, workspaceDir, texts };
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

/** A plugin's command counts as text here: only its handler knows whether it lets the message go on to the agent. */
function isAnsweredWithoutModel({ command, work, reply, text }: SaidInLane): boolean {
  if (reply !== undefined || command?.when === 'at-once' || work?.kind === 'compaction') return true;
  return work?.kind === 'new-session' && text === '';
}
