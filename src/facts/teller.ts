// Tells each fact once to every listener, in one order for every fact: log, metrics and traces hear it, it is recorded,
// shown to those who watch, handed to plugins, then to hook packs. Plugins that are not awaited are called later, so a hook pack may hear first. The row of a fact in the catalog says what the fact becomes; a form that has no
// listener is not built.
// Errors: none. `tell` never throws and its promise never rejects; an error of a sink is reported to the operator.
// Result: the messages of hook packs for the answer that follows, where the row allows them; empty otherwise. Rules:
// the promise waits for the hooks and events that the hook catalog marks as awaited, and for nothing else. Recording
// and showing happen before `tell` returns.

import { HOOK_CATALOG, type HookRow } from '../hooks/catalog.ts';
import type { PackHookName } from '../hooks/hook-types.ts';
import type { HookRunner } from '../hooks/runner.ts';
import type { LiveEvent } from '../protocol/live-event.ts';
import { errorText } from '../protocol/one-line.ts';
import type { RecordedFact, RecordedFactType } from '../protocol/recorded-fact.ts';
import { within } from '../protocol/time-limit.ts';
import {
  FACT_CATALOG,
  type FactRow,
  type HookTelling,
  type LiveTelling,
  type PackTelling,
  type RecordTelling,
} from './catalog.ts';
import type { FactName, Facts, Tell } from './facts.ts';

export interface TellerSinks {
  readonly hooks: Pick<HookRunner, 'has' | 'observe' | 'observeAndWait'>;
  readonly packs: PackSink;
  readonly record: RecordSink;
  readonly show: (frame: LiveEvent) => void;
  readonly now: () => number;
  readonly warn: (sentence: string) => void;
  /** Called with the name of every fact, before any listener is told. */
  readonly watch?: ((name: FactName) => void) | undefined;
  /** Told every fact as it is, before it is recorded. For the log, metrics and traces. */
  readonly listeners?: readonly FactListener[] | undefined;
}

/** Must neither change the fact nor wait. */
export type FactListener = <Name extends FactName>(name: Name, fact: Facts[Name]) => void;

export interface RecordSink {
  /** Returns false when a record of this type would not be written. */
  wants(type: RecordedFactType): boolean;
  record(fact: RecordedFact): void;
}

/** Hook packs are loaded for each agent, and each agent has a runner of its own. */
export interface PackSink {
  agentOf(sessionKey: string): Promise<{
    readonly runner: Pick<HookRunner, 'has' | 'announce'>;
    readonly workspaceDir: string;
  }>;
  /** Shows a text to the people of a session. */
  say(sessionKey: string, text: string): Promise<void>;
}

export class Teller {
  readonly #sinks: TellerSinks;
  /** The announcements to hook packs that still go on, so that a stop can wait for them. */
  readonly #announcing = new Set<Promise<unknown>>();

  constructor(sinks: TellerSinks) {
    this.#sinks = sinks;
  }

  readonly tell: Tell = (name, fact) => {
    const row: FactRow<typeof fact> = FACT_CATALOG[name];
    this.#sinks.watch?.(name);
    if (this.#sinks.listeners) this.#listen(this.#sinks.listeners, name, fact);
    if (row.record) this.#record(name, row.record, fact);
    if (row.live) this.#show(name, row.live, fact);
    const observed = row.hook && this.#tellPlugins(name, row.hook, fact);
    const { pack } = row;
    if (!pack) return observed ? observed.then(sayNothing) : NOTHING_SAID;
    return observed ? observed.then(() => this.#tellPacks(pack, fact)) : this.#tellPacks(pack, fact);
  };

  /**
   * Whether a plugin listens to the hook that a fact becomes. Call sites ask this before they read from the store what
   * only such a plugin would need.
   */
  isHeard(name: FactName): boolean {
    const { hook } = FACT_CATALOG[name];
    return hook !== undefined && this.#sinks.hooks.has(hook.name);
  }

  /** Resolves when hook packs were told every fact that was told before this call, or when the time is over. */
  async settle(timeoutMs: number): Promise<void> {
    if (this.#announcing.size > 0) await within(timeoutMs, Promise.all(this.#announcing));
  }

  #listen<Name extends FactName>(listeners: readonly FactListener[], name: Name, fact: Facts[Name]): void {
    for (const listener of listeners) {
      try {
        listener(name, fact);
      } catch (error) {
        this.#warn(name, error);
      }
    }
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

  /** Returns a promise where the caller waits for the plugins. */
  #tellPlugins<Fact>(name: FactName, hook: HookTelling<Fact>, fact: Fact): Promise<unknown> | undefined {
    const { hooks } = this.#sinks;
    if (!hooks.has(hook.name)) return undefined;
    try {
      const event = hook.event(fact);
      if (!event) return undefined;
      const { awaited }: HookRow = HOOK_CATALOG[hook.name];
      // The row pairs a hook with its own event and context, but the compiler cannot see that here.
      const told = [hook.name, event as never, hook.context(fact) as never] as const;
      if (awaited || hook.isAwaited) {
        return hooks.observeAndWait(...told, { owner: hook.owner?.(fact) });
      }
      hooks.observe(...told);
    } catch (error) {
      this.#warn(name, error);
    }
    return undefined;
  }

  #tellPacks<Fact>(pack: PackTelling<Fact>, fact: Fact): Promise<readonly string[]> {
    const name = pack.name(fact);
    if (name === undefined) return NOTHING_SAID;
    const said = this.#announce(pack, name, fact).catch((error: unknown) => {
      this.#warn(name, error);
      return NOTHING;
    });
    this.#announcing.add(said);
    void said.finally(() => this.#announcing.delete(said));
    const { awaited }: HookRow = HOOK_CATALOG[name];
    return awaited ? said : NOTHING_SAID;
  }

  async #announce<Fact>(pack: PackTelling<Fact>, name: PackHookName, fact: Fact): Promise<readonly string[]> {
    const { packs, now } = this.#sinks;
    const sessionKey = pack.sessionKey(fact);
    const timestamp = new Date(now());
    const { runner, workspaceDir } = await packs.agentOf(sessionKey);
    if (!runner.has(name)) return NOTHING;
    const context = { workspaceDir, ...pack.context(fact) };
    const { messages } = await runner.announce(name, { ...splitName(name), sessionKey, context, timestamp });
    if (pack.says === 'answer') return messages;
    if (pack.says === 'surface' && messages.length > 0) await packs.say(sessionKey, messages.join('\n\n'));
    return NOTHING;
  }

  #warn(what: string, error: unknown): void {
    this.#sinks.warn(`Not every listener could be told of ${what}: ${errorText(error)}`);
  }
}

const NOTHING: readonly string[] = Object.freeze([]);
/** One shared promise, so that frequent facts create none. */
const NOTHING_SAID = Promise.resolve(NOTHING);

function sayNothing(): readonly string[] {
  return NOTHING;
}

function splitName(name: PackHookName): { readonly type: string; readonly action: string } {
  const at = name.indexOf(':');
  return { type: name.slice(0, at), action: name.slice(at + 1) };
}
