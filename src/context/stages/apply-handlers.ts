// Lets the bootstrap handlers edit the files, each on a draft of its own. A draft is adopted as a whole or dropped as
// a whole: a handler that throws, hangs or leaves nonsense has changed nothing, and one that answers late writes into
// a draft that nobody reads any more.

import type { AgentBootstrapHookContext, InternalHookEvent } from '../../protocol/bootstrap-event.ts';
import type { WorkspaceBootstrapFile } from '../../protocol/bootstrap-file.ts';
import type { HandlerCall } from '../../protocol/handler.ts';
import { type EditNote, openEditJournal } from '../bootstrap-edits.ts';
import type { BootstrapHandler } from '../bootstrap-handlers.ts';
import type { Absence, ComposeInput, CompositionState, ContextFile, HandlerRecord, Stage } from '../composition.ts';
import { type AdoptedFiles, adoptDraft, type HandlerDraft } from '../provenance/adopt-draft.ts';
import { type Situation, timeContextOf } from '../situation.ts';

export const applyHandlers: Stage = {
  name: 'handlers',
  summary: 'let handlers edit the files, lowest priority number first, each on its own draft',
  async run(state: CompositionState): Promise<CompositionState> {
    const { input } = state;
    const shared = sharedContext(input);
    const timestamp = input.situation.at;
    const outcomes = new Map<string, AdoptedFiles>();
    const notes: { by: string; note: EditNote }[] = [];

    const { value, calls } = await input.handlers.chain(state.files, (handler, files, deadline) => {
      const draft = openDraft(files, shared);
      const journal = openEditJournal(draft.context, input.taxonomy);
      const adopt = (): readonly ContextFile[] => {
        const adopted = adoptDraft(files, draft, journal, authorOf(handler));
        outcomes.set(handler.id, adopted);
        for (const note of journal.notes) notes.push({ by: handler.id, note });
        return adopted.files;
      };
      const result = handler.handler(bootstrapEvent(draft.context, input.situation, timestamp, deadline));
      return isPromiseLike(result) ? Promise.resolve(result).then(adopt) : adopt();
    });

    const records = calls.map((call) => ({ ...call, changes: outcomes.get(call.id)?.changes ?? [] }));
    return {
      ...state,
      files: value,
      handlers: records,
      absences: [
        ...state.absences,
        ...records.flatMap(failureAbsence),
        ...records.flatMap((record) => removalAbsences(record, outcomes.get(record.id))),
        ...notes.map(({ by, note }) => ({ ...note, by })),
      ],
      warnings: [...state.warnings, ...records.flatMap(failureWarning)],
    };
  },
};

type SharedContext = Omit<AgentBootstrapHookContext, 'bootstrapFiles'>;

function openDraft(files: readonly ContextFile[], shared: SharedContext): HandlerDraft {
  const originals = new Map<WorkspaceBootstrapFile, ContextFile>();
  const bootstrapFiles = files.map((file) => {
    const copy: WorkspaceBootstrapFile = { name: file.name, path: file.path, missing: file.missing };
    if (file.content !== undefined) copy.content = file.content;
    originals.set(copy, file);
    return copy;
  });
  return { context: { ...shared, bootstrapFiles }, originals };
}

function sharedContext({ workspaceDir, situation, config }: ComposeInput): SharedContext {
  const context: SharedContext = {
    workspaceDir,
    sessionType: situation.sessionType,
    timeContext: timeContextOf(situation.at, situation.timezone),
  };
  if (config) context.cfg = config;
  if (situation.sessionKey !== undefined) context.sessionKey = situation.sessionKey;
  if (situation.sessionId !== undefined) context.sessionId = situation.sessionId;
  if (situation.agentId !== undefined) context.agentId = situation.agentId;
  if (situation.channel) context.channelContext = { ...situation.channel };
  return context;
}

function bootstrapEvent(
  context: AgentBootstrapHookContext,
  situation: Situation,
  timestamp: Date,
  deadline: { readonly signal: AbortSignal },
): InternalHookEvent {
  return {
    type: 'agent',
    action: 'bootstrap',
    sessionKey: situation.sessionKey ?? situation.sessionId ?? 'unknown',
    context: context as AgentBootstrapHookContext & Record<string, unknown>,
    timestamp: new Date(timestamp),
    messages: [],
    get signal() {
      return deadline.signal;
    },
  };
}

function authorOf(handler: BootstrapHandler): { kind: 'handler' | 'rule'; id: string } {
  return { kind: handler.authorship, id: handler.id };
}

function failureAbsence(record: HandlerRecord): Absence[] {
  if (record.outcome === 'done') return [];
  return [{ what: record.id, reason: 'handler-failed', detail: describeFailure(record), by: record.id }];
}

function failureWarning(record: HandlerRecord): string[] {
  return record.outcome === 'done' ? [] : [`handler ${record.id} ${describeFailure(record)}; its change was dropped`];
}

function describeFailure(call: HandlerCall): string {
  if (call.outcome === 'timed-out') return call.error ?? 'timed out';
  if (call.outcome === 'invalid') return `left no list of files (${call.error})`;
  return `failed: ${call.error}`;
}

function removalAbsences(record: HandlerRecord, adopted: AdoptedFiles | undefined): Absence[] {
  return (adopted?.removed ?? []).map((file) => ({
    what: file.name,
    path: file.path,
    reason: 'removed-by-handler' as const,
    detail: `removed by ${record.id}`,
    by: record.id,
    text: file.content,
  }));
}

function isPromiseLike(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && typeof (value as PromiseLike<unknown>).then === 'function';
}
