// Notices that a run calls its tools in a circle: the same call with the same result again and again, two calls in turns,
// or a tool that does not exist. It looks at the calls of this run only, those of earlier attempts included, and knows
// nothing of what tools do.

import { createHash } from 'node:crypto';
import type { JsonValue } from '../protocol/json.ts';
import { type Message, toolCallsOf } from '../protocol/message.ts';
import { normalizeToolName } from '../tools/tool-name.ts';

export interface LoopSettings {
  readonly isOn: boolean;
  readonly historySize: number;
  readonly warnFrom: number;
  readonly refuseFrom: number;
  readonly refuseAlwaysFrom: number;
  readonly refuseUnknownFrom: number;
  readonly detectors: { readonly repeat: boolean; readonly poll: boolean; readonly pingPong: boolean };
}

export interface WatchedCall {
  readonly name: string;
  readonly params: JsonValue;
}

export type LoopVerdict =
  | { readonly kind: 'warn'; readonly sentence: string }
  | { readonly kind: 'refuse'; readonly sentence: string };

interface MadeCall {
  readonly call: string;
  readonly tool: string;
  readonly result: string;
  readonly isUnknown: boolean;
}

/** What a result says when the call was refused as a repetition. Such a result is no result of the tool. */
const REFUSED = 'This call was not made, because it repeats itself';

export class LoopWatch {
  readonly #settings: LoopSettings;
  readonly #warned = new Set<string>();
  #made: readonly MadeCall[] = [];

  constructor(settings: LoopSettings) {
    this.#settings = settings;
  }

  /** Adds the calls and results among these messages. `isKnown` says whether there is a tool of that name. */
  add(messages: readonly Message[], isKnown: (name: string) => boolean): void {
    if (!this.#settings.isOn) return;
    const calls = new Map<string, WatchedCall>();
    const made: MadeCall[] = [];
    for (const message of messages) {
      if (message.role === 'assistant') for (const each of toolCallsOf(message)) calls.set(each.id, each);
      if (message.role !== 'tool' || message.content.includes(REFUSED)) continue;
      const call = calls.get(message.toolCallId);
      if (!call) continue;
      const tool = normalizeToolName(call.name);
      const result = digest(message.content);
      made.push({ call: digestOf(call), tool, result, isUnknown: !isKnown(tool) });
    }
    this.#made = [...this.#made, ...made].slice(-this.#settings.historySize);
  }

  /** Undefined for a call that is no repetition yet. A warning comes once for each call. */
  judge(call: WatchedCall): LoopVerdict | undefined {
    const { isOn, warnFrom, refuseFrom, refuseAlwaysFrom, refuseUnknownFrom, detectors } = this.#settings;
    if (!isOn) return undefined;
    const tool = normalizeToolName(call.name);
    const key = digestOf(call);
    const unknown = countBack(this.#made, (each) => each.tool === tool && each.isUnknown);
    if (unknown >= refuseUnknownFrom)
      return refuse(`the tool ${tool} does not exist and was called ${unknown} times. Do without it.`);
    const same = this.#made.filter((each) => each.call === key);
    const still = countBack(same, (each) => each.result === same.at(-1)?.result);
    const isWatched = isPoll(call) ? detectors.poll : detectors.repeat;
    if (still >= (isWatched ? refuseFrom : refuseAlwaysFrom))
      return refuse(`${tool} gave the same result ${still} times. Do something else, or say what is missing.`);
    const turns = this.#turns(key);
    if (detectors.pingPong && turns.isStill && turns.count >= refuseFrom)
      return refuse(`two calls were made in turns, ${turns.count} times, with the same results. Do something else.`);
    if (detectors.pingPong && turns.count >= warnFrom)
      return this.#warnOnce(key, `makes two calls in turns, ${turns.count} times`);
    if (isWatched && same.length >= warnFrom)
      return this.#warnOnce(key, `has called ${tool} ${same.length} times in the same way`);
    return undefined;
  }

  #warnOnce(key: string, sentence: string): LoopVerdict | undefined {
    if (this.#warned.has(key)) return undefined;
    this.#warned.add(key);
    return { kind: 'warn', sentence };
  }

  /** How often two different calls followed each other, if the next one is `key`. */
  #turns(key: string): { readonly count: number; readonly isStill: boolean } {
    const last = this.#made.at(-1);
    if (!last || last.call === key) return { count: 0, isStill: false };
    const back = this.#made.toReversed();
    const broken = back.findIndex((each, index) => each.call !== (index % 2 === 0 ? last.call : key));
    const tail = broken === -1 ? back : back.slice(0, broken);
    if (tail.length < 2) return { count: 0, isStill: false };
    const isStill = tail.every((each, index) => each.result === tail[index % 2]?.result);
    return { count: tail.length, isStill };
  }
}

function refuse(why: string): LoopVerdict {
  return { kind: 'refuse', sentence: `${REFUSED}: ${why}` };
}

function countBack<Each>(list: readonly Each[], fits: (each: Each) => boolean): number {
  const broken = list.toReversed().findIndex((each) => !fits(each));
  return broken === -1 ? list.length : broken;
}

/** A call that asks how something is going is repeated on purpose; it has a detector of its own. */
function isPoll({ name, params }: WatchedCall): boolean {
  if (normalizeToolName(name) !== 'process' || typeof params !== 'object' || params === null) return false;
  return 'action' in params && (params.action === 'poll' || params.action === 'log');
}

function digestOf({ name, params }: WatchedCall): string {
  return digest(`${normalizeToolName(name)} ${JSON.stringify(sorted(params))}`);
}

/** The order in which a model writes the fields means nothing. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, each]) => [name, sorted(each)]),
  );
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}
