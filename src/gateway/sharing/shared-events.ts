// Brings the live events of this node to the other nodes that share the store, and theirs to the listeners here. What is
// told elsewhere is what surfaces may show: words that a handler decides about first do not leave this node.
//
// Promise: events of one run arrive in their order. Pieces of a text that come quickly one after the other travel together. A
// long text that is stored travels as a reference and is read from its row. A message between nodes may be lost: then
// the rest of that text is held back here, because it would lack a piece, and the answer itself comes from rows. Whoever
// must not miss an end looks at the rows too (`EndedRuns`).

import type { Cluster } from '../../cluster/cluster.ts';
import type { JsonValue } from '../../protocol/json.ts';
import type { LiveEvent } from '../../protocol/live-event.ts';
import type { Say } from '../../protocol/log.ts';
import { errorText } from '../../protocol/one-line.ts';
import type { Store } from '../../store/store.ts';

export interface SharedEventsParts {
  readonly cluster: Pick<Cluster, 'publish' | 'subscribe' | 'members'>;
  readonly store: Pick<Store, 'select'>;
  /** What happens on this node, in the form that surfaces may show. */
  readonly shownHere: (listener: (event: LiveEvent) => void) => () => void;
  /** Tells the listeners here what happens elsewhere. */
  readonly emit: (event: LiveEvent) => void;
  readonly warn: Say;
}

/** One event on its way to other nodes. */
interface SharedEvent {
  readonly event: LiveEvent;
  /** For a piece of a text: how many characters of this text of this call came before it. */
  readonly from?: number | undefined;
  /** The text was too long and is read from its row. */
  readonly isLong?: true | undefined;
}

type Piece = Extract<LiveEvent, { type: 'text-delta' | 'thought-delta' }>;

/** Pieces that come within this time travel together. */
const TOGETHER_MS = 60;
/** A longer text is not sent to other nodes, which read it from its row. */
const LONGEST_TEXT = 4_000;
/** Details of tools are cut to this; pages show no more of them. */
const LONGEST_DETAIL = 4_000;

export class SharedEvents {
  readonly #parts: SharedEventsParts;
  /** Pieces that wait to be told, and how much of each text was told; by run and kind. */
  readonly #texts = new Map<string, SentText>();
  /** How much of each text of another node has arrived; by run and kind. */
  readonly #heard = new Map<string, HeardText>();
  /** By node: its events are told one after the other, although some are read from rows first. */
  readonly #order = new Map<string, Promise<void>>();
  #undo: readonly (() => void)[] = [];

  constructor(parts: SharedEventsParts) {
    this.#parts = parts;
  }

  open(): void {
    const { cluster, shownHere } = this.#parts;
    this.#undo = [
      cluster.subscribe('live-event', (message, from) => this.#receive(message as unknown as SharedEvent, from)),
      shownHere((event) => this.#share(event)),
    ];
  }

  close(): void {
    for (const undo of this.#undo) undo();
    for (const { timer } of this.#texts.values()) clearTimeout(timer);
  }

  #share(event: LiveEvent): void {
    if (this.#parts.cluster.members.length < 2) {
      // A node that joins in the middle of a text lacks its beginning and is not told the rest.
      if (isPiece(event)) this.#sent(event).count += event.text.length;
      if (event.type === 'run-end') this.#forget(event.runId);
      return;
    }
    if (isPiece(event)) {
      this.#gather(event);
      return;
    }
    // What was written so far comes before what happens now.
    this.#flush(event.runId);
    if (event.type === 'run-end') this.#forget(event.runId);
    this.#publish(bounded(event));
  }

  #gather(event: Piece): void {
    const text = this.#sent(event);
    text.waiting = text.waiting ? { ...event, text: text.waiting.text + event.text } : event;
    if (text.waiting.text.length >= LONGEST_TEXT) this.#flush(event.runId);
    else text.timer ??= setTimeout(() => this.#flush(event.runId), TOGETHER_MS).unref();
  }

  /** The text of the model call that this piece belongs to. A new call or attempt begins another text. */
  #sent(event: Piece): SentText {
    const key = keyOf(event);
    const call = callOf(event);
    const known = this.#texts.get(key);
    if (known?.call === call) return known;
    this.#flush(event.runId);
    const text: SentText = { call, count: 0, waiting: undefined, timer: undefined };
    this.#texts.set(key, text);
    return text;
  }

  #flush(runId: string): void {
    for (const type of PIECES) {
      const text = this.#texts.get(`${type} ${runId}`);
      if (!text) continue;
      clearTimeout(text.timer);
      text.timer = undefined;
      const { waiting } = text;
      if (!waiting) continue;
      text.waiting = undefined;
      for (let at = 0; at < waiting.text.length; at += LONGEST_TEXT) {
        const piece = waiting.text.slice(at, at + LONGEST_TEXT);
        this.#publish({ event: { ...waiting, text: piece }, from: text.count });
        text.count += piece.length;
      }
    }
  }

  #forget(runId: string): void {
    for (const type of PIECES) {
      this.#texts.delete(`${type} ${runId}`);
      this.#heard.delete(`${type} ${runId}`);
    }
  }

  #publish(shared: SharedEvent): void {
    this.#parts.cluster.publish('live-event', shared as unknown as JsonValue);
  }

  #receive(shared: SharedEvent, from: string): void {
    const before = this.#order.get(from);
    // Most events need no look at the store, and are told at once unless an earlier one is being read.
    if (!before && !shared.isLong) {
      this.#tell(shared);
      return;
    }
    const told = (before ?? Promise.resolve())
      .then(async () => this.#tell(shared.isLong ? { event: await this.#whole(shared.event) } : shared))
      .catch((error: unknown) =>
        this.#parts.warn(`An event of another node could not be told: ${errorText(error)}`, {
          runId: shared.event.runId,
        }),
      )
      .finally(() => {
        if (this.#order.get(from) === told) this.#order.delete(from);
      });
    this.#order.set(from, told);
  }

  #tell({ event, from = 0 }: SharedEvent): void {
    if (isPiece(event) && !this.#fits(event, from)) return;
    if (event.type === 'run-end') this.#forget(event.runId);
    this.#parts.emit(event);
  }

  /** Whether this piece follows what has arrived of its text. After a gap, nothing more of that text is told. */
  #fits(event: Piece, from: number): boolean {
    const call = callOf(event);
    const known = this.#heard.get(keyOf(event));
    const heard = known?.call === call ? known : { call, count: 0 };
    if (heard.count !== from) return false;
    heard.count += event.text.length;
    this.#heard.delete(keyOf(event));
    this.#heard.set(keyOf(event), heard);
    if (this.#heard.size > MOST_HEARD) this.#heard.delete(this.#heard.keys().next().value ?? '');
    return true;
  }

  /** The event with its text as the store has it. */
  async #whole(event: LiveEvent): Promise<LiveEvent> {
    const { store } = this.#parts;
    const { runId } = event;
    if (event.type === 'run-end') {
      const [run] = await store.select('runs', { where: { runId }, limit: 1 });
      return { ...event, reply: run?.outcome?.reply };
    }
    if (event.type === 'delivery-end') {
      const [row] = await store.select('outbox', { where: { seq: event.seq }, limit: 1 });
      return { ...event, text: row?.text ?? '' };
    }
    if (event.type === 'message-accepted') {
      const [row] = await store.select('inbox', { where: { runId }, orderBy: [['seq', 'asc']], limit: 1 });
      return { ...event, text: row?.payload?.inbound.text ?? '' };
    }
    return event;
  }
}

/** Runs of other nodes that write at the same time; of more, the texts of the one that was silent for longest end early. */
const MOST_HEARD = 10_000;

interface SentText {
  readonly call: string;
  /** How many characters were told. */
  count: number;
  waiting: Piece | undefined;
  timer: NodeJS.Timeout | undefined;
}

interface HeardText {
  readonly call: string;
  count: number;
}

const PIECES = ['text-delta', 'thought-delta'] as const;

function isPiece(event: LiveEvent): event is Piece {
  return event.type === 'text-delta' || event.type === 'thought-delta';
}

function keyOf({ type, runId }: Piece): string {
  return `${type} ${runId}`;
}

function callOf({ attempt, call }: Piece): string {
  return `${attempt}.${call}`;
}

/** The event as it travels: without a long text that is stored, and with no more details than pages show. */
function bounded(event: LiveEvent): SharedEvent {
  switch (event.type) {
    case 'run-end':
      return isLong(event.reply) ? { event: { ...event, reply: undefined }, isLong: true } : { event };
    case 'delivery-end':
    case 'message-accepted':
      return isLong(event.text) ? { event: { ...event, text: '' }, isLong: true } : { event };
    case 'tool-end':
      return { event: { ...event, content: event.content.slice(0, LONGEST_DETAIL) } };
    case 'tool-start': {
      const params = JSON.stringify(event.params) ?? 'null';
      return params.length <= LONGEST_DETAIL
        ? { event }
        : { event: { ...event, params: params.slice(0, LONGEST_DETAIL) } };
    }
    case 'approval-start':
      return { event: { ...event, description: event.description.slice(0, LONGEST_DETAIL) } };
    default:
      return { event };
  }
}

function isLong(text: string | undefined): boolean {
  return text !== undefined && text.length > LONGEST_TEXT;
}
