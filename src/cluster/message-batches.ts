// Messages as notifications of Postgres carry them: many messages travel in one text, and a text that is too long for one notification
// travels in parts. What arrives in the wrong shape is dropped, because a message is only a hint.

import { type JsonValue, parseJson } from '../protocol/json.ts';
import { CLUSTER_TOPICS, type ClusterTopic } from './cluster.ts';

export interface SentMessage {
  readonly topic: ClusterTopic;
  readonly message: JsonValue;
}

export interface HeardBatch {
  /** The id of the member that published. */
  readonly from: string;
  readonly messages: readonly SentMessage[];
}

/** Postgres allows less than 8,000 bytes; the head of a part needs some of them. */
const MOST_BYTES = 7_600;
/** A sender whose connection broke in the middle of a batch never sends the rest of it. */
const MOST_UNFINISHED = 16;

/** Returns the texts of a batch in the order in which they must be sent. `batch` must be another number each time. */
export function encodeBatch(from: string, batch: number, messages: readonly SentMessage[]): readonly string[] {
  const text = Buffer.from(JSON.stringify(messages.map(({ topic, message }) => [topic, message])));
  const parts: string[] = [];
  for (let start = 0; start < text.length; ) {
    let end = Math.min(text.length, start + MOST_BYTES);
    // A character of several bytes is not cut.
    while (end < text.length && ((text[end] ?? 0) & 0xc0) === 0x80) end -= 1;
    parts.push(text.toString('utf8', start, end));
    start = end;
  }
  return parts.map((part, index) => `${JSON.stringify([from, batch, index, parts.length])}\n${part}`);
}

export class BatchReader {
  readonly #unfinished = new Map<string, string[]>();

  /** Returns a batch when this text completes it. */
  read(text: string): HeardBatch | undefined {
    const [from, batch, index, count, part] = partOf(text) ?? [];
    if (from === undefined || batch === undefined || index === undefined || part === undefined) return undefined;
    if (count === 1) return batchOf(from, part);
    const key = `${from} ${batch}`;
    const parts = this.#unfinished.get(key) ?? [];
    // The parts of one sender come in their order, or not at all.
    if (parts.length !== index) {
      this.#unfinished.delete(key);
      return undefined;
    }
    parts.push(part);
    if (parts.length < (count ?? 0)) {
      this.#unfinished.set(key, parts);
      const [oldest] = this.#unfinished.keys();
      if (this.#unfinished.size > MOST_UNFINISHED && oldest !== undefined) this.#unfinished.delete(oldest);
      return undefined;
    }
    this.#unfinished.delete(key);
    return batchOf(from, parts.join(''));
  }
}

type Part = readonly [from: string, batch: number, index: number, count: number, part: string];

function partOf(text: string): Part | undefined {
  const end = text.indexOf('\n');
  const head = parseJson(text.slice(0, end));
  if (end < 0 || !Array.isArray(head)) return undefined;
  const [from, batch, index, count] = head;
  if (typeof from !== 'string' || ![batch, index, count].every(Number.isSafeInteger)) return undefined;
  return [from, batch, index, count, text.slice(end + 1)];
}

function batchOf(from: string, text: string): HeardBatch | undefined {
  const list = parseJson(text);
  if (!Array.isArray(list)) return undefined;
  return { from, messages: list.flatMap(([topic, message]) => (isTopic(topic) ? [{ topic, message }] : [])) };
}

function isTopic(topic: unknown): topic is ClusterTopic {
  return CLUSTER_TOPICS.some((known) => known === topic);
}
