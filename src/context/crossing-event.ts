// An event of hook packs on its way to a handler in another thread and back. The handler works on a copy; what it did to
// the copy comes back as data and is done to the event here, as if the handler had been given the event itself: the files
// of its draft keep their identity, and edits through the helper keep their exact authors.
//
// Errors: `answerEvent` never rejects; what the handler threw is part of the answer. `adoptAnswer` throws it, after the
// messages that the handler had pushed before were taken over.

import type { AgentBootstrapHookContext, InternalHookEvent, InternalHookHandler } from '../protocol/bootstrap-event.ts';
import { isAgentBootstrapEvent } from '../protocol/bootstrap-event.ts';
import type { WorkspaceBootstrapFile } from '../protocol/bootstrap-file.ts';
import { type Edit, journalIn, openEditJournal } from './bootstrap-edits.ts';
import { CachedFileSource } from './sources/file-source.ts';
import { TAXONOMIES, type TaxonomyId } from './taxonomy.ts';

/** The event as it crosses. A handler for `agent:bootstrap` also has to know which names its workspace uses. */
export interface CrossingEvent extends InternalHookEvent {
  readonly taxonomy?: TaxonomyId | undefined;
}

/** What a handler did to its event. */
export interface EventAnswer {
  /** All messages that the event has now. */
  readonly messages: unknown;
  /** Only of `agent:bootstrap`; null when it left no context, or no list in it. */
  readonly files?: LeftFiles | null | undefined;
  /** Present when it failed. */
  readonly thrown?: { readonly error: unknown } | undefined;
}

interface LeftFiles {
  /** How many entries the list has; where there are too many, none of them is sent. */
  readonly length: number;
  readonly entries: readonly LeftEntry[];
}

interface LeftEntry {
  /** The place of the file in the list that the handler was given; undefined for an entry of its own. */
  readonly from?: number | undefined;
  /** What the entry is now; left out where it did not change. */
  readonly entry?: unknown;
  readonly edits?: readonly Edit[] | undefined;
}

/** The composition refuses a longer list anyway. */
const MAX_ENTRIES = 10_000;

/** The part of the event that can cross, with its signal. */
export function crossingEvent(event: InternalHookEvent): CrossingEvent {
  const { type, action, sessionKey, context, timestamp, messages, signal } = event;
  const taxonomy = isAgentBootstrapEvent(event) ? journalIn(event.context)?.taxonomy.id : undefined;
  return { type, action, sessionKey, context, timestamp, messages, taxonomy, ...(signal && { signal }) };
}

/** Calls the handler with an event that has crossed. */
export async function answerEvent(
  handler: InternalHookHandler,
  { taxonomy, ...event }: CrossingEvent,
): Promise<EventAnswer> {
  const draft = isAgentBootstrapEvent(event) ? openDraft(event.context, taxonomy) : undefined;
  try {
    await handler(event);
    return { messages: textsOf(event.messages), files: draft?.left(event.context) };
  } catch (error) {
    return { messages: textsOf(event.messages), thrown: { error: throwable(error) } };
  }
}

/** Does to the event what the handler did to its copy of it. */
export function adoptAnswer(event: InternalHookEvent, { messages, files, thrown }: EventAnswer): void {
  event.messages = textsOf(messages);
  if (thrown) throw thrown.error;
  if (files === undefined || !isAgentBootstrapEvent(event)) return;
  const { context } = event;
  const journal = journalIn(context);
  const copies = [...context.bootstrapFiles];
  if (files === null) {
    context.bootstrapFiles = null as never;
    return;
  }
  const left = files.entries.map(({ from, entry, edits }) => {
    const copy = from === undefined ? undefined : copies[from];
    const file = (copy && entry ? Object.assign(copy, entry) : (copy ?? entry)) as WorkspaceBootstrapFile;
    if (edits) journal?.edits.set(file, [...edits]);
    return file;
  });
  left.length = files.length;
  context.bootstrapFiles = left;
}

/** Remembers the files of a context, so that it can be told later which of them the handler kept, changed and added. */
function openDraft(context: AgentBootstrapHookContext, taxonomy: TaxonomyId = 'openclaw') {
  const journal = openEditJournal(context, TAXONOMIES[taxonomy], new CachedFileSource());
  const places = new Map(context.bootstrapFiles.map((file, index) => [file, index]));
  const given = context.bootstrapFiles.map(fieldsOf);
  const entryOf = (entry: unknown): LeftEntry => {
    if (typeof entry !== 'object' || entry === null) return { entry };
    const from = places.get(entry as WorkspaceBootstrapFile);
    const now = fieldsOf(entry);
    const before = from === undefined ? undefined : given[from];
    const edits = journal.edits.get(entry as WorkspaceBootstrapFile);
    const isKept = before !== undefined && FIELDS.every((field) => Object.is(before[field], now[field]));
    return isKept && !edits ? { from } : { from, entry: now, edits };
  };
  return {
    left: (leftContext: unknown): LeftFiles | null => {
      const list = (leftContext as Partial<AgentBootstrapHookContext> | null | undefined)?.bootstrapFiles;
      if (!Array.isArray(list)) return null;
      const { length } = list;
      return { length, entries: length > MAX_ENTRIES ? [] : Array.from(list, entryOf) };
    },
  };
}

const FIELDS = ['name', 'path', 'content', 'missing'] as const;

function fieldsOf(entry: object): Record<(typeof FIELDS)[number], unknown> {
  const { name, path, content, missing } = entry as Partial<Record<(typeof FIELDS)[number], unknown>>;
  return { name, path, content, missing };
}

function textsOf(messages: unknown): string[] {
  return Array.isArray(messages) ? messages.filter((message) => typeof message === 'string') : [];
}

/** A handler may throw anything; what cannot cross is thrown as an error without words. */
function throwable(error: unknown): unknown {
  const isPlain = error instanceof Error || (typeof error !== 'object' && typeof error !== 'function');
  return isPlain && typeof error !== 'symbol' ? error : new Error('an error that cannot be shown');
}
