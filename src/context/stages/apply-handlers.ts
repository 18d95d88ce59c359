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
    const outcomes = new Map<string, Outcome>();

    const { value, calls } = await input.handlers.chain(state.files, (handler, files, deadline) => {
      const draft = openDraft(files, shared);
      const journal = openEditJournal(draft.context, input.taxonomy, input.files);
      const event = bootstrapEvent(draft.context, input.situation, timestamp, deadline);
      const adopt = (): readonly ContextFile[] => {
        const adopted = adoptDraft(files, event.context, draft.copies, journal, authorOf(handler));
        outcomes.set(handler.id, { adopted, notes: [...journal.notes] });
        return adopted.files;
      };
      const result = handler.handler(event);
      return isPromiseLike(result) ? Promise.resolve(result).then(adopt) : adopt();
    });

    // A handler that answers after its deadline leaves an outcome too, while the others are still at work.
    const outcomeOf = ({ id, outcome }: HandlerCall) => (outcome === 'done' ? outcomes.get(id) : undefined);
    const records = calls.map((call) => ({ ...call, changes: outcomeOf(call)?.adopted.changes ?? [] }));
    return {
      ...state,
      files: value,
      handlers: records,
      absences: [
        ...state.absences,
        ...records.flatMap(failureAbsence),
        ...records.flatMap((record) => removalAbsences(record, outcomeOf(record)?.adopted)),
        ...records.flatMap((record) => (outcomeOf(record)?.notes ?? []).map((note) => ({ ...note, by: record.id }))),
      ],
      warnings: [...state.warnings, ...records.flatMap(failureWarning)],
    };
  },
};

interface Outcome {
  readonly adopted: AdoptedFiles;
  readonly notes: readonly EditNote[];
}

type SharedContext = Omit<AgentBootstrapHookContext, 'bootstrapFiles'>;

function openDraft(files: readonly ContextFile[], shared: SharedContext): HandlerDraft {
  const copies = files.map((file) => {
    const copy: WorkspaceBootstrapFile = { name: file.name, path: file.path, missing: file.missing };
    if (file.content !== undefined) copy.content = file.content;
    return copy;
  });
  return { context: ownContext(shared, [...copies]), copies };
}

/** Whatever hangs on the context is this handler's own, so that it cannot change what the next one sees. */
function ownContext(
  { cfg, timeContext, channelContext, ...shared }: SharedContext,
  bootstrapFiles: WorkspaceBootstrapFile[],
): AgentBootstrapHookContext {
  const context: AgentBootstrapHookContext = { ...shared, bootstrapFiles };
  if (timeContext) context.timeContext = { ...timeContext };
  if (channelContext) context.channelContext = { ...channelContext };
  if (cfg) defineOwnConfig(context, cfg);
  return context;
}

/** A configuration may be large and few handlers look at it, so it is copied when one does. */
function defineOwnConfig(context: AgentBootstrapHookContext, config: Record<string, unknown>): void {
  const define = (value: unknown) =>
    Object.defineProperty(context, 'cfg', { value, writable: true, enumerable: true, configurable: true });
  Object.defineProperty(context, 'cfg', {
    enumerable: true,
    configurable: true,
    get: () => {
      define(structuredClone(config));
      return context.cfg;
    },
    set: define,
  });
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
  if (situation.channel) context.channelContext = situation.channel;
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

function removalAbsences({ id }: HandlerRecord, adopted: AdoptedFiles | undefined): Absence[] {
  if (!adopted) return [];
  const absence = ({ name, path, content }: ContextFile, detail: string): Absence => ({
    what: name,
    path,
    reason: 'removed-by-handler',
    detail,
    by: id,
    text: content,
  });
  return [
    ...adopted.removed.map((file) => absence(file, `removed by ${id}`)),
    ...adopted.renamed.map(({ from, to }) => ({ ...absence(from, `renamed to ${to} by ${id}`), text: undefined })),
  ];
}

function isPromiseLike(value: unknown): value is PromiseLike<unknown> {
  if (value === null || (typeof value !== 'object' && typeof value !== 'function')) return false;
  return typeof (value as PromiseLike<unknown>).then === 'function';
}
