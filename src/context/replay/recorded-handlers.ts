// The handlers of a recorded composition. Their code is not called: what each of them left is done again to its draft.
// On other files than the recorded ones, edits through the helper are done as they were, and a rewritten text is rewritten
// again where it still matches; where it does not, the change is left out and named.

import type { AgentBootstrapHookContext, InternalHookHandler } from '../../protocol/bootstrap-event.ts';
import type { WorkspaceBootstrapFile } from '../../protocol/bootstrap-file.ts';
import type { HandlerCall } from '../../protocol/handler.ts';
import { EDIT_SEPARATOR, type Edit, journalIn } from '../bootstrap-edits.ts';
import type { BootstrapHandler, BootstrapHandlers } from '../bootstrap-handlers.ts';
import type { ContextFile, HandlerEdits } from '../composition.ts';
import type { ChangedFile } from '../provenance/adopt-draft.ts';
import type { Origin } from '../provenance/origin.ts';
import { rebaseText } from './rebase-text.ts';

/** The files before and after each handler of the composition as it was recorded. */
export type RecordedDrafts = ReadonlyMap<string, { readonly before: Files; readonly after: Files }>;

type Files = readonly ContextFile[];

/** A handler that takes part in a replay. `edits` is undefined for one whose own code is called. */
export interface ReplayedHandler {
  readonly info: BootstrapHandler;
  readonly edits?: HandlerEdits | undefined;
}

export class RecordedHandlers implements BootstrapHandlers {
  readonly #handlers: readonly ReplayedHandler[];
  readonly #list: readonly BootstrapHandler[];
  readonly drafts = new Map<string, { readonly before: Files; readonly after: Files }>();

  constructor(handlers: readonly ReplayedHandler[]) {
    this.#handlers = handlers;
    this.#list = handlers.map(({ info }) => info);
  }

  list(): readonly BootstrapHandler[] {
    return this.#list;
  }

  async chain<Value>(
    initial: Value,
    invoke: (
      handler: BootstrapHandler,
      value: Value,
      deadline: { readonly signal: AbortSignal },
    ) => Value | Promise<Value>,
  ): Promise<{ value: Value; calls: readonly HandlerCall[] }> {
    const calls: HandlerCall[] = [];
    const { signal } = new AbortController();
    let value = initial;
    for (const { info, edits } of this.#handlers) {
      const outcome = edits?.outcome ?? 'done';
      if (outcome === 'done') {
        const before = value;
        value = await invoke(info, value, { signal });
        // Composition chains lists of files, and nothing else.
        this.drafts.set(info.id, { before: before as unknown as Files, after: value as unknown as Files });
      }
      const { id, owner } = info;
      const call = { hook: 'agent:bootstrap', id, owner, ms: 0, outcome };
      calls.push(outcome === 'done' ? call : { ...call, error: 'as it was recorded' });
    }
    return { value, calls };
  }
}

/** A recorded handler whose work is done again on the files that it was given then. */
export function asRecorded(edits: HandlerEdits): ReplayedHandler {
  return { edits, info: infoOf(edits, (context) => doAgain(context, edits.left)) };
}

export interface OtherFiles {
  readonly recorded: RecordedDrafts;
  /** True when the text of this author is left out, and nothing else was changed. */
  readonly isLeftOut: ((origin: Origin) => boolean) | undefined;
  /** Called with one sentence for each change that has no place any more. */
  readonly note: (sentence: string) => void;
}

/** The same for files that may be others. */
export function onOtherFiles(edits: HandlerEdits, about: OtherFiles): ReplayedHandler {
  return { edits, info: infoOf(edits, (context) => doElsewhere(context, edits, about)) };
}

function infoOf(
  { id, owner, priority, stability, authorship }: HandlerEdits,
  work: (context: AgentBootstrapHookContext) => void | Promise<void>,
): BootstrapHandler {
  const handler: InternalHookHandler = ({ context }) => work(context as unknown as AgentBootstrapHookContext);
  return { id, owner, priority, stability, authorship, onError: 'skip', timeoutMs: 0, handler };
}

function doAgain(context: AgentBootstrapHookContext, left: HandlerEdits['left']): void {
  if (!left) return;
  const copies = [...context.bootstrapFiles];
  context.bootstrapFiles = left.flatMap((file) => {
    if (typeof file === 'number') return copies[file] ?? [];
    const copy = file.from === undefined ? undefined : copies[file.from];
    return [assign(context, copy, file, file.edits ? edited(copy?.content, file.edits) : file.content)];
  });
}

async function doElsewhere(
  context: AgentBootstrapHookContext,
  { id, left }: HandlerEdits,
  { recorded, isLeftOut, note }: OtherFiles,
): Promise<void> {
  const draft = recorded.get(id);
  if (!left || !draft) return;
  const files = [...context.bootstrapFiles];
  const nowOf = (index: number) => fileLike(files, draft.before[index]);
  const kept: WorkspaceBootstrapFile[] = [];
  for (const [place, file] of left.entries()) {
    const from = typeof file === 'number' ? file : file.from;
    const now = from === undefined ? undefined : nowOf(from);
    if (typeof file === 'number') {
      if (now) kept.push(now);
      continue;
    }
    if (file.edits) {
      const isMissing = files.some(({ name, missing }) => name === file.name && missing);
      const edits =
        now || from === undefined ? file.edits : file.edits.map((edit, index) => asAddition(edit, isMissing, index));
      const content = edited(now?.content, edits);
      kept.push(assign(context, now, { ...file, path: pathOf(file, now, from), edits }, content));
      continue;
    }
    const before = from === undefined ? undefined : draft.before[from];
    const content = await rewritten({ file, before, now, after: draft.after[place], isLeftOut });
    if (content === DROPPED) {
      note(`the change that ${id} made to ${file.name} no longer matches the file, so it is left out`);
      if (now) kept.push(now);
    } else kept.push(assign(context, now, file, content));
  }
  // What the handler never saw, it did not take out.
  const seen = new Set(draft.before.map((_, index) => nowOf(index)));
  context.bootstrapFiles = [...kept, ...files.filter((file) => !seen.has(file))];
}

const DROPPED = Symbol('dropped');

/** The text that a handler assigned, for the file as it is now. */
async function rewritten({
  file,
  before,
  now,
  after,
  isLeftOut,
}: {
  readonly file: ChangedFile;
  readonly before: ContextFile | undefined;
  readonly now: WorkspaceBootstrapFile | undefined;
  readonly after: ContextFile | undefined;
  readonly isLeftOut: OtherFiles['isLeftOut'];
}): Promise<string | undefined | typeof DROPPED> {
  if (!before) return file.content;
  if (!now) return remaining(after, isLeftOut);
  if (now.content === before.content && now.missing === before.missing) return file.content;
  if (file.content === undefined) return file.missing ? undefined : DROPPED;
  if (before.content === file.content) return now.content;
  // Where only words are gone, the same words are taken out of what the handler left.
  if (isLeftOut && remaining(before, isLeftOut) === (now.content ?? '')) return remaining(after, isLeftOut);
  const rebased = await rebaseText(before.content ?? '', file.content, now.content ?? '');
  if (rebased !== undefined) return rebased;
  // The handler wove its words into words that are left out now: those are taken out of its text.
  return remaining(after, isLeftOut);
}

function remaining(after: ContextFile | undefined, isLeftOut: OtherFiles['isLeftOut']): string | typeof DROPPED {
  if (!isLeftOut || !after) return DROPPED;
  return after.rope
    .filter(({ origin }) => !isLeftOut(origin))
    .map(({ text }) => text)
    .join('');
}

function fileLike(files: readonly WorkspaceBootstrapFile[], wanted: ContextFile | undefined) {
  if (!wanted) return undefined;
  const alike = files.filter(({ name, missing }) => name === wanted.name && missing === wanted.missing);
  return files.find(({ name, path }) => name === wanted.name && path === wanted.path) ?? alike[0];
}

/** A file that an edit was made to and that is not there now is provided by the edit itself. */
function pathOf({ name, path }: ChangedFile, now: WorkspaceBootstrapFile | undefined, from: number | undefined) {
  return now || from === undefined ? path : `<dynamic:${name}>`;
}

/** As the helper adds it; what is added to a missing file does not stand for it. */
function asAddition(edit: Edit, isMissing: boolean, index: number): Edit {
  if (index > 0 || edit.mode === 'replace' || edit.mode === 'add') return edit;
  const addsTo = !isMissing ? undefined : edit.mode === 'append' ? 'end' : 'start';
  return { ...edit, mode: 'add', separated: false, addsTo };
}

function assign(
  context: AgentBootstrapHookContext,
  copy: WorkspaceBootstrapFile | undefined,
  { name, path, missing, edits }: ChangedFile,
  content: string | undefined,
): WorkspaceBootstrapFile {
  const file = copy ?? { name, path, missing };
  Object.assign(file, { name, path, missing });
  if (content === undefined) delete file.content;
  else file.content = content;
  if (edits) journalIn(context)?.edits.set(file, [...edits]);
  return file;
}

function edited(content: string | undefined, edits: readonly Edit[]): string {
  let text = content ?? '';
  for (const { mode, parts } of edits) {
    const added = parts.map((part) => part.text).join('');
    if (mode === 'append') text += EDIT_SEPARATOR + added;
    else if (mode === 'prepend') text = added + EDIT_SEPARATOR + text;
    else text = added;
  }
  return text;
}
