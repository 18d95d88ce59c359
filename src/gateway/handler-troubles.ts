// Tells the operator when a handler begins to fail: once, with its name and its error, and again when the error changes
// or comes back after the handler has answered. The status names the gates that fail, because they refuse everything.
// An error that repeats what somebody said is not shown, because a gate may still block those words.

import { HOOK_CATALOG, type HookRow } from '../hooks/catalog.ts';
import type { HookCallRecord } from '../hooks/hook-call-record.ts';

const MAX_TROUBLES = 1_000;

export class HandlerTroubles {
  readonly #warn: (sentence: string) => void;
  /** The sentence of each handler whose last call failed. */
  readonly #failing = new Map<string, { readonly sentence: string; readonly isGate: boolean }>();

  constructor(warn: (sentence: string) => void) {
    this.#warn = warn;
  }

  /** Gates that refuse whatever they are asked, because they fail. */
  get warnings(): readonly string[] {
    return [...this.#failing.values()].flatMap(({ sentence, isGate }) =>
      isGate ? [`${sentence} What it guards stays closed.`] : [],
    );
  }

  note({ hook, id, owner, outcome, error = '', isOwnWords = true }: HookCallRecord): void {
    const key = `${hook} ${id} ${owner}`;
    if (outcome === 'done') {
      if (this.#failing.size > 0) this.#failing.delete(key);
      return;
    }
    if (outcome !== 'threw' && outcome !== 'timed-out' && outcome !== 'invalid') return;
    const text = isOwnWords ? error : 'an error that quotes the message';
    // What is wrong with a list of files is not told as what the handler did, and neither is a quotation.
    const isDeed = isOwnWords && hook !== 'agent:bootstrap';
    const unusable = isDeed ? text : `left something that cannot be used: ${text}`;
    const how = outcome === 'threw' ? `threw: ${text}` : outcome === 'invalid' ? unusable : text;
    const sentence = `The handler ${id} of ${owner} on ${hook} failed: it ${how}.`.replace(/([.?!])\.$/, '$1');
    const known = this.#failing.get(key);
    if (known?.sentence === sentence) return;
    if (!known && this.#failing.size >= MAX_TROUBLES) return;
    this.#failing.set(key, { sentence, isGate: isGate(hook) });
    this.#warn(sentence);
  }
}

function isGate(hook: string): boolean {
  const row: HookRow | undefined = HOOK_CATALOG[hook as keyof typeof HOOK_CATALOG];
  return row?.onFailure === 'refuse';
}
