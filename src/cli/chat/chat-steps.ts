// What arrived of the steps of runs: the text of each call of a model, and the tools that were used. The gateway tells a
// run from its beginning when a terminal has reconnected or the run is taken up again; this says what of it is new.

export interface FreshText {
  /** What has not been there before. */
  readonly text: string;
  /** True when the step says something else than before, so that the text is the whole step. */
  readonly isOther: boolean;
}

const MOST_RUNS = 20;

export class ChatSteps {
  /** The steps of each run; the latest run is at the end. */
  readonly #runs = new Map<string, RunSteps>();

  /** The run is told from its beginning. */
  rewind(runId: string): void {
    for (const step of this.#of(runId).texts.values()) step.told = 0;
  }

  add(runId: string, call: number, text: string): FreshText {
    const { texts } = this.#of(runId);
    const step = texts.get(call) ?? { text: '', told: 0 };
    texts.set(call, step);
    const known = step.text.slice(step.told, step.told + text.length);
    if (text.startsWith(known)) {
      step.told += text.length;
      step.text += text.slice(known.length);
      return { text: text.slice(known.length), isOther: false };
    }
    step.text = step.text.slice(0, step.told) + text;
    step.told = step.text.length;
    return { text: step.text, isOther: true };
  }

  /** The text of this call is void. */
  reset(runId: string, call: number): void {
    this.#of(runId).texts.delete(call);
  }

  /** True when the event about a tool call is told for the first time. */
  isNewTool(runId: string, event: 'tool-start' | 'tool-end', toolCallId: string): boolean {
    const { tools } = this.#of(runId);
    const name = `${event} ${toolCallId}`;
    if (tools.has(name)) return false;
    tools.add(name);
    return true;
  }

  #of(runId: string): RunSteps {
    const found = this.#runs.get(runId);
    if (found) return found;
    const made: RunSteps = { texts: new Map(), tools: new Set() };
    this.#runs.set(runId, made);
    if (this.#runs.size > MOST_RUNS) this.#runs.delete(this.#runs.keys().next().value ?? '');
    return made;
  }
}

interface RunSteps {
  /** The text of each call, by its number: all that arrived, and how much of it was told since the run was told from its beginning. */
  readonly texts: Map<number, { text: string; told: number }>;
  readonly tools: Set<string>;
}
