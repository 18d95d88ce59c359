// Makes a conversation of the events of one transcript: the line of talk that was active at its end, in the form in which
// Atrium keeps messages. Events are handed in one by one and only what is kept of them stays in memory. What a model
// could no longer be sent is left out and counted: thoughts, images, results without their call.

import { isPlainObject } from '../../config/plain-object.ts';
import type { JsonObject, JsonValue } from '../../protocol/json.ts';
import type { AssistantPart, Message } from '../../protocol/message.ts';
import { sha256Of } from '../../protocol/sha256-of.ts';
import type { TranscriptRow } from '../../store/tables.ts';

/** An entry of the transcript before it has a place in one. */
export interface ImportedEntry extends Pick<TranscriptRow, 'at' | 'kind' | 'message' | 'meta'> {
  /** The id that the event has in OpenClaw. */
  readonly id: string;
  /** The first entry that a summary does not replace; undefined when it replaces all before it. */
  readonly keepsFrom?: string | undefined;
}

export class Conversation {
  readonly #isLinear: boolean;
  readonly #nodes = new Map<string, Node>();
  #last: string | undefined;
  #startedAt: number | undefined;
  #images = 0;
  #chars = 0;
  readonly #unknown = new Set<string>();

  constructor({ isLinear }: { readonly isLinear: boolean }) {
    this.#isLinear = isLinear;
  }

  /** When the transcript says that it began. */
  get startedAt(): number | undefined {
    return this.#startedAt;
  }

  /** How many characters of talk it holds, those of branches that were left included. */
  get chars(): number {
    return this.#chars;
  }

  /** What was left out, one sentence each. */
  get omissions(): readonly string[] {
    return [
      ...(this.#images === 0 ? [] : [`${this.#images} of its images were not brought along.`]),
      ...[...this.#unknown].map((type) => `Entries of the kind "${type}" are not known and were left out.`),
    ];
  }

  /** Returns false for a value that is no event. */
  add(value: unknown): boolean {
    if (!isPlainObject(value)) return false;
    const type = typeof value.type === 'string' ? value.type : typeof value.role === 'string' ? 'message' : undefined;
    if (type === undefined) return false;
    const at = timeOf(value.timestamp);
    if (type === 'session') {
      this.#startedAt ??= at;
      return true;
    }
    const id = typeof value.id === 'string' && value.id !== '' ? value.id : `line-${this.#nodes.size + 1}`;
    const isChained = !this.#isLinear && (typeof value.parentId === 'string' || value.parentId === null);
    const parent = isChained ? (value.parentId as string | null) : (this.#last ?? null);
    const entry = this.#entryOf(type, value, id, at ?? this.#startedAt ?? 0);
    this.#chars += entry === undefined ? 0 : charsOf(entry.message);
    this.#nodes.set(id, { parent, entry });
    this.#last = id;
    return true;
  }

  /** The talk from its beginning to its end. */
  entries(): readonly ImportedEntry[] {
    const branch: { readonly id: string; readonly entry: ImportedEntry | undefined }[] = [];
    const seen = new Set<string>();
    for (let id = this.#last; id !== undefined && !seen.has(id); ) {
      seen.add(id);
      const node: Node | undefined = this.#nodes.get(id);
      branch.push({ id, entry: node?.entry });
      id = node?.parent ?? undefined;
    }
    branch.reverse();
    const said = withoutLooseResults(branch.flatMap(({ entry }) => entry ?? []));
    const kept = new Set(said.map(({ id }) => id));
    // A summary may name an event that is not kept; then it reaches to the first one behind it that is.
    const firstKept = (from: string | undefined) => {
      const place = branch.findIndex(({ id }) => id === from);
      return place === -1 ? undefined : branch.slice(place).find(({ id }) => kept.has(id))?.id;
    };
    return withFrame(said.map((entry) => ({ ...entry, keepsFrom: firstKept(entry.keepsFrom) })));
  }

  #entryOf(type: string, value: JsonLike, id: string, at: number): ImportedEntry | undefined {
    const entry = (message: Message | undefined, meta: JsonObject = {}): ImportedEntry | undefined =>
      message && { id, at, kind: 'message', message, meta: { imported: 'openclaw', ...meta } };
    switch (type) {
      case 'message': {
        const message = isPlainObject(value.message) ? value.message : value;
        const said = entry(this.#messageOf(message));
        return said && { ...said, at: timeOf(message.timestamp) ?? at };
      }
      case 'custom_message':
        return entry(userMessage(this.#textOf(value.content)), { author: 'OpenClaw, an extension' });
      case 'branch_summary':
        return entry(userMessage(textOrEmpty(value.summary)), { author: 'OpenClaw, a summary' });
      case 'compaction':
      case 'reset': {
        const content = type === 'reset' ? '' : `${SUMMARY_FRAME}${textOrEmpty(value.summary)}`;
        const meta: JsonObject = { imported: 'openclaw', author: 'OpenClaw, a summary', by: 'OpenClaw' };
        const keepsFrom = typeof value.firstKeptEntryId === 'string' ? value.firstKeptEntryId : undefined;
        return { id, at, kind: 'compaction', message: { role: 'user', content }, meta, keepsFrom };
      }
      default:
        if (!SILENT_TYPES.has(type)) this.#unknown.add(type.slice(0, 50));
        return undefined;
    }
  }

  #messageOf(message: JsonLike): Message | undefined {
    switch (message.role) {
      case 'user':
        return userMessage(this.#textOf(message.content));
      case 'assistant': {
        const content =
          typeof message.content === 'string' ? [{ type: 'text', text: message.content }] : message.content;
        const parts = (Array.isArray(content) ? content : []).flatMap(assistantPart);
        return parts.length === 0 ? undefined : { role: 'assistant', content: parts };
      }
      case 'toolResult': {
        const { toolCallId, toolName, isError } = message;
        if (typeof toolCallId !== 'string') return undefined;
        const name = typeof toolName === 'string' ? toolName : 'tool';
        const content = this.#textOf(message.content) || '(no output)';
        const failed = isError === true ? { isError: true as const } : {};
        return { role: 'tool', toolCallId: callId(toolCallId), toolName: name, content, ...failed };
      }
      default:
        return undefined;
    }
  }

  #textOf(content: unknown): string {
    if (typeof content === 'string') return content;
    if (!Array.isArray(content)) return '';
    return content
      .flatMap((part: unknown) => {
        if (!isPlainObject(part)) return [];
        if (part.type === 'text' && typeof part.text === 'string') return [part.text];
        if (part.type !== 'image') return [];
        this.#images += 1;
        return ['[An image that was not brought along]'];
      })
      .join('\n');
  }
}

interface Node {
  readonly parent: string | null;
  readonly entry: ImportedEntry | undefined;
}

type JsonLike = Readonly<Record<string, unknown>>;

/** What OpenClaw notes between messages and never sends to a model. */
const SILENT_TYPES: ReadonlySet<string> = new Set([
  'custom',
  'model_change',
  'thinking_level_change',
  'active_tools_change',
  'label',
  'session_info',
  'leaf',
]);

const SUMMARY_FRAME = 'What was said before, as OpenClaw summarised it:\n\n';

function assistantPart(part: unknown): readonly AssistantPart[] {
  if (!isPlainObject(part)) return [];
  if (part.type === 'text' && typeof part.text === 'string' && part.text !== '') {
    return [{ type: 'text', text: part.text }];
  }
  const { id, name } = part;
  const isCall = part.type === 'toolCall' && typeof id === 'string' && typeof name === 'string' && name !== '';
  return isCall ? [{ type: 'tool-call', id: callId(id), name, params: (part.arguments ?? {}) as JsonValue }] : [];
}

/** Ids of some providers have signs that others refuse. */
function callId(id: string): string {
  if (/^[\w-]{1,64}$/.test(id)) return id;
  return `call_${sha256Of(id).slice(0, 32)}`;
}

/** Every provider wants a result directly behind the message with its call, and each call answered once. */
function withoutLooseResults(branch: readonly ImportedEntry[]): readonly ImportedEntry[] {
  let open = new Set<string>();
  return branch.filter(({ message, kind }) => {
    if (message.role === 'tool') return open.delete(message.toolCallId);
    if (kind !== 'message') return true;
    const parts = message.role === 'assistant' ? message.content : [];
    open = new Set(parts.flatMap((part) => (part.type === 'tool-call' ? [part.id] : [])));
    return true;
  });
}

/** Every provider wants a conversation to begin with words to the model. */
function withFrame(branch: readonly ImportedEntry[]): readonly ImportedEntry[] {
  const [first] = branch;
  if (first?.message.role !== 'assistant') return branch;
  const content = '[No person wrote this line. What follows was said in OpenClaw.]';
  const meta: JsonObject = { imported: 'openclaw', author: 'atrium: frame of an import' };
  return [{ id: 'frame', at: first.at, kind: 'message', message: { role: 'user', content }, meta }, ...branch];
}

function charsOf({ content }: Message): number {
  return typeof content === 'string' ? content.length : JSON.stringify(content).length;
}

function userMessage(content: string): Message | undefined {
  return content.trim() === '' ? undefined : { role: 'user', content };
}

function textOrEmpty(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function timeOf(value: unknown): number | undefined {
  const time = typeof value === 'number' ? value : typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isFinite(time) && time > 0 ? Math.trunc(time) : undefined;
}
