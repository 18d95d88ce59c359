// The handlers of one dispatch that were asked ahead of their turn, because they run in another thread and one message
// can ask many of them. Each answer waits here until its turn comes.

import type { ArmedHandler } from './armed-handler.ts';
import type { HookRow } from './catalog.ts';
import { type Deadline, DeadlineExceeded } from './deadline.ts';
import type { HookContext } from './hook-context.ts';
import type { RemoteAnswer, RemoteCall } from './remote-handlers.ts';

export class LookAhead {
  readonly #context: HookContext;
  readonly #until: 'answer' | 'end';
  #asked: ReadonlyMap<ArmedHandler, RemoteCall> = new Map();

  constructor({ combine }: HookRow, context: HookContext) {
    this.#context = context;
    // Answers that are only collected do not change the event for later handlers, and do not end the dispatch.
    const addsUp = Object.values(combine).every((combinator) => combinator === 'collect' || combinator === 'first');
    this.#until = addsUp ? 'end' : 'answer';
  }

  /** The answer of a handler that was asked ahead of its turn, when it has arrived. Most have, once the first has. */
  arrived(armed: ArmedHandler): RemoteAnswer | undefined {
    return this.#asked.get(armed)?.arrived();
  }

  /**
   * The answer of the handler whose turn it is. If it was not asked yet, it is asked now together with `others`;
   * undefined when it has to be asked alone. Rejects with what the handler threw, or when its time is over.
   */
  async answerOf(
    armed: ArmedHandler,
    seen: object,
    deadline: Deadline,
    others: () => readonly ArmedHandler[],
  ): Promise<RemoteAnswer | undefined> {
    const known = this.#asked.get(armed);
    const answer = known && (await inTime(known, deadline));
    if (answer) return answer;
    this.#ask([armed, ...others()], seen);
    const asked = this.#asked.get(armed);
    return asked && inTime(asked, deadline);
  }

  #ask(handlers: readonly ArmedHandler[], seen: object): void {
    const { remote } = handlers[0]?.registered ?? {};
    const end = handlers.findIndex(({ registered }) => registered.remote !== remote);
    const together = end < 0 ? handlers : handlers.slice(0, end);
    const asked = together.map(({ registered: { handler }, pluginConfig }) => ({ handler, pluginConfig }));
    const question = { event: seen, context: this.#context, handlers: asked };
    const calls = remote?.askInTurn(question, this.#until) ?? [];
    this.#asked = new Map(calls.flatMap((call, index) => (together[index] ? [[together[index], call]] : [])));
  }
}

async function inTime(call: RemoteCall, deadline: Deadline): Promise<RemoteAnswer | undefined> {
  try {
    return await deadline.race(call.answer);
  } catch (error) {
    // The handler's time passed while this thread was busy: either it gave no answer, or its answer is about to arrive.
    if (error instanceof DeadlineExceeded && call.isPast()) return Promise.race([call.answer, nothingArrived()]);
    call.abort(error);
    throw error;
  }
}

/** Reads the messages that have already arrived for this thread first. */
async function nothingArrived(): Promise<RemoteAnswer> {
  for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setImmediate(resolve));
  return { value: undefined, ms: 0 };
}
