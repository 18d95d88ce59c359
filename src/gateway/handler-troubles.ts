// Tells the operator when a handler begins to fail: once, with its name and its error, and again when the error changes
// or comes back after the handler has answered, a few times an hour. The status names the gates that fail, because they refuse everything.
// An error that repeats what somebody said is not shown, because a gate may still block those words.

import type { Facts } from '../facts/facts.ts';
import type { FactListener } from '../facts/teller.ts';
import type { HookCallRecord } from '../hooks/hook-call-record.ts';
import { type FaultLog, shapeOf } from './upkeep/fault-log.ts';

const MAX_TROUBLES = 1_000;

export class HandlerTroubles {
  readonly #faults: Pick<FaultLog, 'tell'>;
  /** The sentence of each handler whose last call failed. */
  readonly #failing = new Map<string, { readonly sentence: string; readonly isGate: boolean }>();

  constructor(faults: Pick<FaultLog, 'tell'>) {
    this.#faults = faults;
  }

  /** Gates that refuse whatever they are asked, because they fail. */
  get warnings(): readonly string[] {
    return [...this.#failing.values()].flatMap(({ sentence, isGate }) =>
      isGate ? [`${sentence} What it guards stays closed.`] : [],
    );
  }

  /** Hears every fact, and notes the calls of handlers. */
  readonly listen: FactListener = (name, fact) => {
    if (name === 'handler-called') this.note(fact as Facts['handler-called']);
  };

  note(call: HookCallRecord): void {
    const { hook, id, owner, outcome, error = '', isOwnWords = true, isGate = false } = call;
    // By far the most calls are in order, while no handler fails.
    if (outcome === 'done' && this.#failing.size === 0) return;
    const key = `${hook} ${id} ${owner}`;
    if (outcome === 'done') {
      this.#failing.delete(key);
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
    if (!known && this.#failing.size >= MAX_TROUBLES) return;
    this.#failing.set(key, { sentence, isGate });
    if (known?.sentence !== sentence && shapeOf(known?.sentence ?? '') !== shapeOf(sentence)) {
      this.#faults.tell(key, sentence, { runId: call.runId, sessionKey: call.sessionKey, pluginId: owner });
    }
  }
}
