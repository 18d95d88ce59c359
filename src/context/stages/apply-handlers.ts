// Lets the bootstrap handlers edit the files, each on its own draft. A draft is adopted as a whole or dropped as a
// whole: a handler that throws, hangs or leaves an invalid value has changed nothing, and one that answers late writes
// into a draft that is no longer read.

import type { AgentBootstrapHookContext, InternalHookEvent } from '../../protocol/bootstrap-event.ts';
import type { WorkspaceBootstrapFile } from '../../protocol/bootstrap-file.ts';
import type { HandlerCall } from '../../protocol/handler.ts';
import { type EditNote, openEditJournal } from '../bootstrap-edits.ts';
import type { BootstrapHandler } from '../bootstrap-handlers.ts';
import type {
  Absence,
  ComposeInput,
  CompositionState,
  ContextFile,
  HandlerEdits,
  HandlerRecord,
  Stage,
} from '../composition.ts';
import { type AdoptedFiles, adoptDraft, type HandlerDraft } from '../provenance/adopt-draft.ts';
import { type Situation, timeContextOf } from '../situation.ts';
import { objectionToFirstRun } from './select-files.ts';

export const applyHandlers: Stage = {
  name: 'handlers',
  summary: 'let handlers edit the files, lowest priority number first, each on its own draft',
  async run(state: CompositionState): Promise<CompositionState> {
    const { input } = state;
    const shared = sharedContext(input);
    const outcomes = new Map<string, Outcome>();
    const noFirstRun = objectionToFirstRun(state);

    const { value, calls } = await input.handlers.chain(state.files, (handler, files, deadline) => {
      const draft = openDraft(files, shared);
      const journal = openEditJournal(draft.context, input.taxonomy, input.files, noFirstRun);
      const event = new BootstrapEvent(input.situation, draft.context, deadline);
      const adopt = (): readonly ContextFile[] => {
        const adopted = adoptDraft(files, event.context, draft.copies, journal, authorOf(handler));
        outcomes.set(handler.id, { adopted, notes: [...journal.notes] });
        return adopted.files;
      };
      const result = handler.handler(event);
      return isPromiseLike(result) ? settled(result).then(adopt) : adopt();
    });

    // A handler that answers after its deadline also leaves an outcome, while the others are still running.
    const outcomeOf = ({ id, outcome }: HandlerCall) => (outcome === 'done' ? outcomes.get(id) : undefined);
    const records = calls.map((call) => ({ ...call, changes: outcomeOf(call)?.adopted.changes ?? [] }));
    return {
      ...state,
      files: value,
      handlers: records,
      edits: calls.map((call) => editsOf(call, input.handlers.list(), outcomeOf(call)?.adopted)),
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

function editsOf(
  { id, owner, outcome }: HandlerCall,
  handlers: readonly BootstrapHandler[],
  adopted: AdoptedFiles | undefined,
): HandlerEdits {
  const { priority = 0, stability, authorship = 'handler' } = handlers.find((each) => each.id === id) ?? {};
  return { id, owner, priority, stability, authorship, outcome, left: adopted?.left };
}

interface Outcome {
  readonly adopted: AdoptedFiles;
  readonly notes: readonly EditNote[];
}

type SharedContext = Omit<AgentBootstrapHookContext, 'bootstrapFiles'>;

function openDraft(files: readonly ContextFile[], shared: SharedContext): HandlerDraft {
  const copies = files.map(({ name, path, content, missing }): WorkspaceBootstrapFile => {
    return content === undefined ? { name, path, missing } : { name, path, missing, content };
  });
  return { context: { ...shared, bootstrapFiles: [...copies] }, copies };
}

/** Everything in the context besides the files is frozen, so that no handler can change what the next one sees. */
function sharedContext({ workspaceDir, situation, config }: ComposeInput): SharedContext {
  const context: SharedContext = {
    workspaceDir,
    sessionType: situation.sessionType,
    timeContext: Object.freeze(timeContextOf(situation.at, situation.timezone)),
  };
  if (config) context.cfg = frozenCopy(config);
  if (situation.sessionKey !== undefined) context.sessionKey = situation.sessionKey;
  if (situation.sessionId !== undefined) context.sessionId = situation.sessionId;
  if (situation.agentId !== undefined) context.agentId = situation.agentId;
  if (situation.channel) context.channelContext = Object.freeze({ ...situation.channel });
  return context;
}

/**
 * There is one copy per configuration, made when it is first needed, because a configuration may be large and
 * compositions are many.
 */
const frozenCopies = new WeakMap<object, Record<string, unknown>>();

function frozenCopy(config: Record<string, unknown>): Record<string, unknown> {
  let copy = frozenCopies.get(config);
  if (!copy) {
    copy = copyOf(config);
    frozenCopies.set(config, copy);
  }
  return copy;
}

/**
 * A configuration that a program passes in may contain functions, which cannot be copied; then its sections stay as
 * they are.
 */
function copyOf(config: Record<string, unknown>): Record<string, unknown> {
  try {
    return freezeDeeply(structuredClone(config));
  } catch {
    return Object.freeze({ ...config });
  }
}

function freezeDeeply<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const key of Object.keys(value)) freezeDeeply((value as Record<string, unknown>)[key]);
  return value;
}

class BootstrapEvent implements InternalHookEvent {
  readonly type = 'agent';
  readonly action = 'bootstrap';
  readonly sessionKey: string;
  context: Record<string, unknown>;
  readonly timestamp: Date;
  readonly messages: string[] = [];
  readonly #deadline: { readonly signal: AbortSignal };

  constructor(
    { sessionKey, sessionId, at }: Situation,
    context: AgentBootstrapHookContext,
    deadline: { readonly signal: AbortSignal },
  ) {
    this.sessionKey = sessionKey ?? sessionId ?? 'unknown';
    this.context = context as AgentBootstrapHookContext & Record<string, unknown>;
    this.timestamp = new Date(at);
    this.#deadline = deadline;
  }

  /** Made only for handlers that look at it. */
  get signal(): AbortSignal {
    return this.#deadline.signal;
  }
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

/** The result of the promise is ignored, and following a thenable that resolves to itself would never end. */
function settled(result: PromiseLike<unknown>): Promise<void> {
  return new Promise((resolve, reject) => {
    result.then(() => resolve(), reject);
  });
}

function isPromiseLike(value: unknown): value is PromiseLike<unknown> {
  if (value === null || (typeof value !== 'object' && typeof value !== 'function')) return false;
  return typeof (value as PromiseLike<unknown>).then === 'function';
}
