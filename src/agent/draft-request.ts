// Drafts the request for one message: the model, what plugins add, what the agent reads, and what the prompt hooks
// change. A run and a preview both use this code, and therefore a preview shows exactly what is sent.
// A preview (`pure`) calls only handlers that declare themselves pure; the others are listed in `placeholders`. Nothing
// is written or consumed here.

import type { Composition } from '../context/compose.ts';
import type { ToolSpec } from '../models/model.ts';
import type { Message, UserMessage } from '../protocol/message.ts';
import { oneLine } from '../protocol/one-line.ts';
import { requesterOf } from '../protocol/requester.ts';
import { isCronSessionKey, isSubagentSessionKey, parseSessionKey } from '../protocol/session-key.ts';
import { isForSeveralPeople, lineageOf } from '../store/lineage-of.ts';
import { toolSpecs } from '../tools/toolset.ts';
import { attachFiles } from './attach-files.ts';
import { chooseModel } from './choose-model.ts';
import { clientTools, refuseTakenNames } from './client-tools.ts';
import { describeSender } from './describe-sender.ts';
import { rewrittenPieces, spansOfTalk } from './message-spans.ts';
import { modelContextOf } from './model-context.ts';
import type { OpenRun } from './open-run.ts';
import { prepareMessage } from './prepare-message.ts';
import type { RequestDraft, RequestSpan } from './request-draft.ts';
import { piecesOfMessage, piecesOfTool } from './request-text.ts';
import type { DraftParts } from './run-parts.ts';
import { shapePrompt } from './shape-prompt.ts';
import { writeMessage } from './write-message.ts';

/** `preview` calls pure handlers only; `preview-all` calls all handlers; `run` is a real run. */
export type DraftMode = 'run' | 'preview' | 'preview-all';

/** A preview does not record the calls of handlers. */
export function askingIn(mode: DraftMode): { readonly pureOnly: boolean; readonly record: boolean } {
  return { pureOnly: mode === 'preview', record: mode === 'run' };
}

export type RunSubject = Pick<
  OpenRun,
  | 'agentId'
  | 'sessionKey'
  | 'session'
  | 'text'
  | 'history'
  | 'past'
  | 'trigger'
  | 'inbound'
  | 'context'
  | 'startedAt'
  | 'signal'
  | 'runId'
  | 'child'
  | 'client'
> & {
  /**
   * Set for a preview of a message that would begin a new session: the texts that are queued for the old one would be
   * removed.
   */
  readonly wouldStartOver?: boolean | undefined;
};

export async function draftRequest(parts: DraftParts, run: RunSubject, mode: DraftMode): Promise<RequestDraft> {
  const chosen = await chooseModel(parts, run, mode);
  const told = {
    ...run,
    context: { ...run.context, ...modelContextOf(chosen.model, parts.compaction(run.agentId)) },
  };
  const prepared = await prepareMessage(parts, told, mode);
  const composition = await composeContext(parts, told, mode);
  const attached = await attachFiles(parts, run.inbound.attachments ?? [], chosen.model);
  const { pieces } = attached;
  const described = describeSender(run);
  const shaped = await shapePrompt(parts, told, {
    mode,
    composition,
    prepared,
    described: described.pieces,
    attached: pieces,
    legacy: chosen.legacy,
  });

  const said: UserMessage = {
    role: 'user',
    content: shaped.user.map(({ text }) => text).join(''),
    ...(attached.images.length === 0 ? {} : { attachments: attached.images }),
  };
  const user = await writeMessage(parts, told, said, askingIn(mode));
  const userPieces = rewrittenPieces(shaped.user, textOfUser(user.message), user.rewrittenBy ?? '');
  const { provider, model } = chosen.model;
  const { agentId, sessionKey } = run;
  const { sessionId } = run.session;
  const requester = requesterOf(run.inbound);
  const own = await parts.tools({ agentId, sessionKey, sessionId, requester, provider, model });
  const brought = clientTools(parts, run.client);
  refuseTakenNames(brought, own);
  const offered = [...own, ...brought];
  const tools = toolSpecs(offered);
  const owners = new Map(offered.map((tool) => [tool.name, tool.owner]));
  const messages: Message[] = [...run.history, user.message];
  return {
    model: chosen.model,
    fallbacks: chosen.fallbacks,
    request: { system: shaped.system, tools, messages, ...(run.client?.wishes && { wishes: run.client.wishes }) },
    user,
    userPieces,
    judged: [...pieces, ...described.words],
    composition,
    pieces: shaped.pieces,
    injections: prepared.injections,
    spans: [
      ...shaped.systemSpans,
      ...tools.flatMap((tool, index) => spansOfTool(tool, index, authorOfTool(tool.name, owners.get(tool.name)))),
      ...spansOfTalk(run.past, userPieces, user.message),
    ],
    placeholders: [...chosen.placeholders, ...prepared.placeholders, ...shaped.placeholders, ...(user.skipped ?? [])],
  };
}

/** What the agent reads: the composition of its bootstrap files for this session, at the time the run began. */
export async function composeContext(parts: DraftParts, run: RunSubject, mode: DraftMode): Promise<Composition> {
  // A key that names its channel speaks for itself, wherever the message was typed.
  const isNamed = parseSessionKey(run.sessionKey).channel !== undefined;
  return parts.context.compose({
    agentId: run.agentId,
    sessionKey: run.sessionKey,
    sessionId: run.session.sessionId,
    trigger: run.trigger,
    channel: isNamed ? undefined : { provider: run.inbound.surface.channel },
    channelName: channelNameOf(run.inbound),
    isForSeveralPeople: await isReadBySeveral(parts, run),
    at: new Date(run.startedAt),
    runId: run.runId,
    record: mode === 'run',
  });
}

/** A child works for every session above it, and a job may answer in a group; their keys say neither. */
async function isReadBySeveral({ store }: DraftParts, { sessionKey, inbound }: RunSubject): Promise<boolean> {
  if (isSubagentSessionKey(sessionKey)) return isForSeveralPeople(await lineageOf(store, sessionKey));
  return isCronSessionKey(sessionKey) && inbound.surface.peer.kind !== 'direct';
}

/** The contract's name for it in what a platform says about a message. */
function channelNameOf({ metadata }: RunSubject['inbound']): string | undefined {
  const name = metadata?.channelName;
  return typeof name === 'string' && name !== '' ? oneLine(name, MAX_CHANNEL_NAME) : undefined;
}

const MAX_CHANNEL_NAME = 200;

/** A tool that a plugin or a server elsewhere brought names its owner. */
function authorOfTool(name: string, owner: string | undefined): string {
  return owner === undefined ? `tool ${name}` : `tool ${name} of ${owner}`;
}

/** The same tools are offered run after run, at the same places. */
function spansOfTool(tool: ToolSpec, index: number, origin: string): readonly RequestSpan[] {
  const { name, description, parameters } = tool;
  const known = TOOL_SPANS.get(parameters);
  const { index: at, origin: by } = known?.spans[0] ?? {};
  if (known?.name === name && known.description === description && at === index && by === origin) return known.spans;
  const spans = piecesOfTool(tool).map(
    (piece): RequestSpan => ({ where: 'tools', index, origin, chars: piece.length }),
  );
  TOOL_SPANS.set(parameters, { name, description, spans });
  return spans;
}

const TOOL_SPANS = new WeakMap<
  ToolSpec['parameters'],
  { readonly name: string; readonly description: string; readonly spans: readonly RequestSpan[] }
>();

function textOfUser(message: Message): string {
  return piecesOfMessage(message).join('');
}
