// Keeps faults that repeat from filling the log. A fault has a name, such as a handler and its hook. Each name may have a
// few lines an hour; what is left out is counted, and the next line of that name says how often. Two sentences that differ
// in numbers and ids only, such as a clock or a counter, are the same fault.

import type { LogFields, Say } from '../../protocol/log.ts';

export interface FaultLogParts {
  readonly warn: Say;
  readonly now: () => number;
}

const WINDOW_MS = 3_600_000;
const LINES_A_WINDOW = 5;
/** The oldest name is forgotten when there are more. */
const MAX_NAMES = 1_000;

interface Fault {
  readonly since: number;
  lines: number;
  /** Sentences that were left out since the last line. */
  left: number;
  readonly shapes: Set<string>;
}

export class FaultLog {
  readonly #parts: FaultLogParts;
  readonly #faults = new Map<string, Fault>();

  constructor(parts: FaultLogParts) {
    this.#parts = parts;
  }

  /** For a caller that knows when a fault begins anew. */
  tell(name: string, sentence: string, about?: LogFields): void {
    const fault = this.#faultOf(name);
    fault.shapes.add(shapeOf(sentence));
    this.#write(fault, sentence, about);
  }

  /** For a caller that reports each time: what was said before is counted. The name is what stands before the first colon. */
  readonly warn: Say = (sentence, about) => {
    const fault = this.#faultOf(sentence.split(': ', 1)[0] ?? '');
    const shape = shapeOf(sentence);
    if (fault.shapes.has(shape)) fault.left += 1;
    else {
      // More shapes than lines are of no use.
      if (fault.shapes.size < LINES_A_WINDOW) fault.shapes.add(shape);
      this.#write(fault, sentence, about);
    }
  };

  #write(fault: Fault, sentence: string, about: LogFields | undefined): void {
    if (fault.lines >= LINES_A_WINDOW) {
      fault.left += 1;
      return;
    }
    fault.lines += 1;
    const more = fault.left === 1 ? 'Once more since' : `${fault.left} times more since`;
    const isLast = fault.lines === LINES_A_WINDOW ? ' Further ones are counted for the rest of the hour.' : '';
    this.#parts.warn(`${sentence}${fault.left > 0 ? ` (${more} the last line.)` : ''}${isLast}`, about);
    fault.left = 0;
  }

  #faultOf(name: string): Fault {
    const now = this.#parts.now();
    const known = this.#faults.get(name);
    if (known && now - known.since < WINDOW_MS && now >= known.since) return known;
    const fault: Fault = { since: now, lines: 0, left: known?.left ?? 0, shapes: new Set() };
    this.#faults.delete(name);
    if (this.#faults.size >= MAX_NAMES) this.#faults.delete(this.#faults.keys().next().value ?? '');
    this.#faults.set(name, fault);
    return fault;
  }
}

/** The sentence without what changes from one time to the next. */
export function shapeOf(sentence: string): string {
  return sentence.replace(/[\w-]*\d[\w-]*/g, '#').replace(/#(?:[\s.,:;/+-]*#)+/g, '#');
}
