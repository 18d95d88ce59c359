// The gateway's side of asking and telling the handlers of several plugins at once, in one life of the worker. Every
// handler's call is a call of its own plugin's wire, so whatever ends that wire ends the call.

import type { Deadline } from '../../hooks/deadline.ts';
import type { BehindContext } from '../../hooks/handler-context.ts';
import type { RemoteAnswer, RemoteCall, RemoteHandlers } from '../../hooks/remote-handlers.ts';
import { type ActivityBoard, isCall } from './activity-board.ts';
import { type EncodedValue, encodeReason, encodeValue } from './crossing-value.ts';
import type { Wire } from './wire.ts';
import {
  type HookRound,
  MAX_QUESTION_BYTES,
  type RoundAbort,
  type RoundAnswer,
  type RoundQuestion,
} from './worker-messages.ts';
import { findHandler, type HandlerPlace, NeverBegun } from './worker-plugin.ts';

export interface HookRoundsParts {
  readonly board: ActivityBoard;
  readonly post: (message: HookRound | RoundAbort) => void;
}

/** A handler that is told soon, together with others. */
interface Told {
  readonly place: HandlerPlace;
  readonly event: object;
  readonly context: BehindContext;
  readonly resolve: (answer: unknown) => void;
}

export class HookRounds {
  readonly #parts: HookRoundsParts;
  /** The wires by place, as long as their calls may be answered. */
  readonly #wires = new Map<number, Wire>();
  #told: Told[] = [];

  constructor(parts: HookRoundsParts) {
    this.#parts = parts;
  }

  /** An empty list when an event cannot be shared, so that each handler has to be asked alone. */
  ask(places: readonly HandlerPlace[], question: RoundQuestion, mode: HookRound['mode']): readonly RemoteCall[] {
    const questions = encodeTogether([question]);
    return questions ? this.#begin(places, questions, mode) : [];
  }

  /** Sent together with everything else that is told now. Gives undefined when the handler has to be told alone. */
  tell(place: HandlerPlace, event: object, context: BehindContext): Promise<RemoteAnswer | undefined> {
    if (this.#told.length === 0) setImmediate(() => this.#tellAll());
    return new Promise((resolve) => {
      this.#told.push({ place, event, context, resolve: resolve as Told['resolve'] });
    });
  }

  receive(answers: readonly RoundAnswer[]): void {
    // A plugin may have written to a port that is not its own.
    const own = Array.isArray(answers) ? (answers as readonly RoundAnswer[]).filter((each) => each !== null) : [];
    for (const { slot, call, ms, isReached, ...outcome } of own) {
      this.#wires.get(slot)?.settle(call, outcome, (value) => (isReached ? { value, ms } : undefined));
    }
  }

  /** Its plugin was unloaded; answers that are still on their way are dropped. */
  forget(slot: number): void {
    this.#wires.delete(slot);
  }

  #tellAll(): void {
    const all = this.#told.splice(0);
    const told = all.filter(({ place }) => !place.connection.wire.hasEnded);
    for (const { place, resolve } of all) if (place.connection.wire.hasEnded) resolve(undefined);
    const questions = encodeTogether(told.map(({ event, context }) => ({ event, context: context.fields })));
    const places = told.map(({ place }) => place);
    const deadlines = told.map(({ context }) => context.deadline);
    const calls = questions ? this.#begin(places, questions, 'all', deadlines) : [];
    for (const [index, { resolve }] of told.entries()) resolve(calls[index]?.answer);
  }

  #begin(
    places: readonly HandlerPlace[],
    questions: EncodedValue,
    mode: HookRound['mode'],
    deadlines: readonly Deadline[] = [],
  ): readonly RemoteCall[] {
    const { board, post } = this.#parts;
    const opened = places.map(({ connection: { slot, wire }, handle, label }, index) => {
      this.#wires.set(slot, wire);
      const deadline = deadlines[index];
      const { number, answer } = wire.open(label, () => deadline?.isOver ?? false);
      const abort = (reason: unknown) => post({ type: 'abort', slot, call: number, reason: encodeReason(reason) });
      deadline?.whenOver(abort);
      return { slot, handle, number, answer, abort };
    });
    const calls = opened.map(({ slot, handle, number }) => ({ slot, handle, call: number }));
    post({ type: 'round', mode, calls, questions });
    return opened.map(({ answer, abort }, index) => {
      const isPast = () => {
        const { slot: running, call } = board.now;
        return (
          mode !== 'all' && calls.slice(index + 1).some((each) => each.slot === running && isCall(call, each.call))
        );
      };
      const outcome = answer.catch((error: unknown): RemoteAnswer | undefined => {
        if (error instanceof NeverBegun && mode !== 'all') return undefined;
        // The worker ended while a later handler ran, so this one had answered with nothing.
        if (isPast()) return { value: undefined, ms: 0 };
        throw error;
      }) as Promise<RemoteAnswer | undefined>;
      let arrived: RemoteAnswer | undefined;
      // The runner may never wait for a handler that was asked ahead.
      const ignore = () => {};
      outcome.then((given) => {
        arrived = given;
      }, ignore);
      return { answer: outcome, arrived: () => arrived, isPast, abort };
    });
  }
}

/** Where the runner asks several handlers of plugins in the worker. */
export const HANDLERS_IN_WORKER: RemoteHandlers = {
  askInTurn: ({ event, context, handlers }, until) => {
    const places: HandlerPlace[] = [];
    for (const { handler } of handlers) {
      const place = findHandler(handler);
      if (!place || (places[0] && places[0].connection.thread !== place.connection.thread)) break;
      places.push(place);
    }
    const configs = handlers.slice(0, places.length).map(({ pluginConfig }) => pluginConfig);
    return places[0]?.connection.thread.rounds.ask(places, { event, context, configs }, until) ?? [];
  },
};

/** Undefined when a value cannot be shared, such as a function: then each handler has to be asked alone. */
function encodeTogether(questions: readonly RoundQuestion[]): EncodedValue | undefined {
  const refuse = () => {
    throw new Error('asked one by one');
  };
  try {
    return encodeValue(questions, { functionHandle: refuse, signalNumber: refuse }, MAX_QUESTION_BYTES);
  } catch {
    return undefined;
  }
}
