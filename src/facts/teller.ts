// Tells each fact once, to all who are to know, in one order for every fact: it is recorded, shown to those who watch,
// told to plugins, then to hook packs. What becomes of a fact stands in its row of the catalog; a form that has no
// listener is not built.
//
// Errors: none. `tell` never throws and its promise never rejects; what a sink throws is said to the operator.
// Result: what hook packs want said in the answer that follows, where the row lets them; empty otherwise.
// Rules: the promise waits for the hooks that the hook catalog marks as awaited and for the packs that the row marks, and
// for nothing else. Recording and showing happen before `tell` returns.

import { HOOK_CATALOG, type HookRow } from '../hooks/catalog.ts';
import type { HookRunner } from '../hooks/runner.ts';
import type { JsonObject } from '../protocol/json.ts';
import type { LiveEvent } from '../protocol/live-event.ts';
import type { RecordedFact, RecordedFactType } from '../protocol/recorded-fact.ts';
import {
  FACT_CATALOG,
  type FactRow,
  type HookTelling,
  type LiveTelling,
  type PackTelling,
  type RecordTelling,
} from './catalog.ts';
import type { FactName, Tell } from './facts.ts';

export interface TellerSinks {
  readonly hooks: Pick<HookRunner, 'has' | 'observe' | 'observeAndWait'>;
  readonly packs: PackSink;
  readonly record: RecordSink;
  readonly show: (frame: LiveEvent) => void;
  readonly now: () => number;
  readonly warn: (sentence: string) => void;
}

export interface RecordSink {
  /** False when a record of this type would be written nowhere. */
  wants(type: RecordedFactType): boolean;
  record(fact: RecordedFact): void;
}

export interface PackSink {
  /** Tells the packs of the session's agent, and gives what they want said. `context` is asked when somebody listens. */
  fire(type: string, action: string, sessionKey: string, context: () => JsonObject): Promise<readonly string[]>;
  /** Says something where the session's people are. */
  say(sessionKey: string, text: string): Promise<void>;
}

export class Teller {
  readonly #sinks: TellerSinks;

  constructor(sinks: TellerSinks) {
    this.#sinks = sinks;
  }

  readonly tell: Tell = (name, fact) => {
    const row: FactRow<typeof fact> = FACT_CATALOG[name];
    if (row.record) this.#record(name, row.record, fact);
    if (row.live) this.#show(name, row.live, fact);
    const observed = row.hook && this.#tellPlugins(name, row.hook, fact);
    const { pack } = row;
    if (!pack) return observed ? observed.then(sayNothing) : NOTHING_SAID;
    return observed ? observed.then(() => this.#tellPacks(pack, fact)) : this.#tellPacks(pack, fact);
  };

  /** Whether a plugin listens to the hook that a fact becomes, for what only such a plugin would make worth looking up. */
  isHeard(name: FactName): boolean {
    const { hook } = FACT_CATALOG[name];
    return hook !== undefined && this.#sinks.hooks.has(hook.name);
  }

  #record<Fact>(name: FactName, { type, of }: RecordTelling<Fact>, fact: Fact): void {
    const { record } = this.#sinks;
    try {
      const recorded = record.wants(type) ? of(fact) : undefined;
      if (recorded) record.record(recorded);
    } catch (error) {
      this.#warn(name, error);
    }
  }

  #show<Fact>(name: FactName, { frame }: LiveTelling<Fact>, fact: Fact): void {
    const { show, now } = this.#sinks;
    try {
      const shown = frame(fact, now());
      if (shown) show(shown);
    } catch (error) {
      this.#warn(name, error);
    }
  }

  /** A promise where the telling waits for them. */
  #tellPlugins<Fact>(name: FactName, hook: HookTelling<Fact>, fact: Fact): Promise<unknown> | undefined {
    const { hooks } = this.#sinks;
    if (!hooks.has(hook.name)) return undefined;
    try {
      const event = hook.event(fact);
      if (!event) return undefined;
      const { awaited }: HookRow = HOOK_CATALOG[hook.name];
      // The row pairs a hook with its own event and context, which the compiler cannot see here.
      const told = [hook.name, event as never, hook.context(fact) as never] as const;
      if (awaited || hook.isAwaited) return hooks.observeAndWait(...told);
      hooks.observe(...told);
    } catch (error) {
      this.#warn(name, error);
    }
    return undefined;
  }

  #tellPacks<Fact>(pack: PackTelling<Fact>, fact: Fact): Promise<readonly string[]> {
    const name = pack.name(fact);
    if (name === undefined) return NOTHING_SAID;
    const said = this.#sayOf(pack, name, fact).catch((error: unknown) => {
      this.#warn(name, error);
      return NOTHING;
    });
    return pack.isAwaited ? said : NOTHING_SAID;
  }

  async #sayOf<Fact>(pack: PackTelling<Fact>, name: string, fact: Fact): Promise<readonly string[]> {
    const { packs } = this.#sinks;
    const sessionKey = pack.sessionKey(fact);
    const [type, action] = splitName(name);
    const messages = await packs.fire(type, action, sessionKey, () => pack.context(fact));
    if (pack.says === 'answer') return messages;
    if (pack.says === 'surface' && messages.length > 0) await packs.say(sessionKey, messages.join('\n\n'));
    return NOTHING;
  }

  #warn(what: string, error: unknown): void {
    this.#sinks.warn(
      `Not everybody could be told of ${what}: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

const NOTHING: readonly string[] = Object.freeze([]);
/** Shared, so that what is told often costs no promise each time. */
const NOTHING_SAID = Promise.resolve(NOTHING);

function sayNothing(): readonly string[] {
  return NOTHING;
}

function splitName(name: string): readonly [type: string, action: string] {
  const at = name.indexOf(':');
  return [name.slice(0, at), name.slice(at + 1)];
}
