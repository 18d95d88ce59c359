// The worker's side of a round: calls the handlers that one message named, each in its plugin's name and with an event of
// its own, and answers with as few messages as it can. What a handler answered, and that a handler takes its time, is told
// at once; that handlers had nothing to say can wait until the round is over, or for a moment.

import { isPromiseLike } from '../../hooks/deadline.ts';
import { isolatedCopy, isolatedEvent } from '../../hooks/isolated-copy.ts';
import { decodeValue } from './crossing-value.ts';
import type { EncodedOutcome, Wire } from './wire.ts';
import type { HookRound, RoundAbort, RoundAnswer, RoundCall, RoundQuestion } from './worker-messages.ts';

export interface RoundRunnerParts {
  /** Undefined when the plugin has been unloaded. */
  readonly wireAt: (slot: number) => Wire | undefined;
  /** Runs it so that it is known whose code runs. It does not run it in a worker that is about to be ended. */
  readonly around: (slot: number, call: number, run: () => void) => void;
  readonly post: (answers: readonly RoundAnswer[]) => void;
}

/** What one handler is asked. */
interface Question {
  readonly event: object;
  readonly context: object;
  readonly pluginConfig?: object | undefined;
}

const SILENCE_MS = 2;

// Plugins share the globals of the worker, and some change them.
const { setImmediate, clearImmediate, performance } = globalThis;
const clock = performance.now.bind(performance);

export class RoundRunner {
  readonly #parts: RoundRunnerParts;
  /** Of the calls in progress, by place and number, as far as a handler has read the signal. */
  readonly #controllers = new Map<string, AbortController>();

  constructor(parts: RoundRunnerParts) {
    this.#parts = parts;
  }

  run({ mode, calls, questions }: HookRound): void {
    const asked = questionsOf(decodeValue(questions, NO_ENTRIES) as readonly RoundQuestion[], calls.length);
    void (mode === 'all' ? this.#tellAll(calls, asked) : this.#askInTurn(calls, asked, mode));
  }

  abort({ slot, call, reason }: RoundAbort): void {
    this.#controllers.get(keyOf(slot, call))?.abort(decodeValue(reason, NO_ENTRIES));
  }

  async #tellAll(calls: readonly RoundCall[], questions: readonly Question[]): Promise<void> {
    const outcomes = calls.map((call, index) => this.#call(call, questions[index]));
    const ended = await Promise.all(outcomes.map((outcome) => outcome && settledSoon(outcome)));
    this.#post(ended.filter((answer) => answer !== undefined));
    for (const [index, answer] of ended.entries()) if (!answer) this.#postLater(outcomes[index]);
  }

  async #askInTurn(calls: readonly RoundCall[], questions: readonly Question[], mode: 'answer' | 'end'): Promise<void> {
    let kept: RoundAnswer[] = [];
    let keptSince = clock();
    let isOver = false;
    for (const [index, each] of calls.entries()) {
      if (isOver) {
        kept.push({ slot: each.slot, call: each.call, ms: 0, isReached: false });
        continue;
      }
      const outcome = this.#call(each, questions[index]);
      const answer = isPromiseLike(outcome) ? await settledSoon(outcome) : outcome;
      if (!answer) {
        isOver = true;
        this.#postLater(outcome);
        continue;
      }
      kept.push(answer);
      const hasSaid = answer.value !== undefined || answer.thrown !== undefined;
      isOver = answer.thrown !== undefined || (hasSaid && mode === 'answer');
      if (isOver || !(hasSaid || clock() - keptSince > SILENCE_MS)) continue;
      this.#post(kept);
      kept = [];
      keptSince = clock();
    }
    this.#post(kept);
  }

  #postLater(outcome: RoundAnswer | Promise<RoundAnswer> | undefined): void {
    if (isPromiseLike(outcome)) void outcome.then((answer) => this.#post([answer]));
  }

  #post(answers: readonly RoundAnswer[]): void {
    if (answers.length > 0) this.#parts.post(answers);
  }

  /** Never throws and never rejects. Undefined when it was not begun. */
  #call(
    { slot, call, handle }: RoundCall,
    question: Question | undefined,
  ): RoundAnswer | Promise<RoundAnswer> | undefined {
    const started = clock();
    const wire = this.#parts.wireAt(slot);
    const handler = wire?.functionAt(handle);
    if (!wire || !handler || !question) return { slot, call, ms: 0, isReached: false };
    const end = (outcome: EncodedOutcome): RoundAnswer => {
      this.#controllers.delete(keyOf(slot, call));
      return { slot, call, ms: clock() - started, isReached: true, ...outcome };
    };
    let ended: RoundAnswer | Promise<RoundAnswer> | undefined;
    this.#parts.around(slot, call, () => {
      try {
        const answer = handler(ownEvent(question), this.#contextOf(question.context, slot, call));
        ended = isPromiseLike(answer)
          ? new Promise((resolve) => {
              answer.then(
                (value) => resolve(end(wire.encodeAnswer(value))),
                (error) => resolve(end(wire.encodeFailure(error))),
              );
            })
          : end(wire.encodeAnswer(answer));
      } catch (error) {
        ended = end(wire.encodeFailure(error));
      }
    });
    return ended;
  }

  /** The handler's own context, with a signal that is made when the handler first reads it. */
  #contextOf(context: object, slot: number, call: number): object {
    const controllers = this.#controllers;
    let controller: AbortController | undefined;
    return {
      ...isolatedEvent(context),
      get signal() {
        if (!controller) {
          controller = new AbortController();
          controllers.set(keyOf(slot, call), controller);
        }
        return controller.signal;
      },
    };
  }
}

/** One for each call. */
function questionsOf(given: readonly RoundQuestion[], count: number): readonly Question[] {
  const [first] = given;
  if (!first?.configs) return given;
  const { event, context, configs } = first;
  const questions: Question[] = [];
  for (let index = 0; index < count; index += 1) questions.push({ event, context, pluginConfig: configs[index] });
  return questions;
}

/** The event for one handler, which may change it freely. */
function ownEvent({ event, pluginConfig }: Question): object {
  const own: { context?: object } = isolatedEvent(event);
  if (pluginConfig !== undefined) own.context = { ...own.context, pluginConfig: isolatedCopy(pluginConfig) };
  return own;
}

function keyOf(slot: number, call: number): string {
  return `${slot}:${call}`;
}

/** Undefined when it is still at work after everything that was ready to run has run. */
function settledSoon(outcome: RoundAnswer | Promise<RoundAnswer>): Promise<RoundAnswer | undefined> {
  return new Promise((resolve) => {
    if (!isPromiseLike(outcome)) return resolve(outcome);
    const late = setImmediate(() => resolve(undefined));
    void outcome.then((answer) => {
      clearImmediate(late);
      resolve(answer);
    });
  });
}

/** A question has data only, so neither functions nor signals are decoded. */
const NO_ENTRIES = { functionOf: () => () => undefined, signalOf: () => AbortSignal.abort() };
