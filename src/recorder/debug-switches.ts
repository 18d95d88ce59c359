// Which debug logs are on, for which session and until when. The environment and the configuration switch a log on for
// all sessions as long as the gateway runs; an operator can switch one on for a while, and that ends by itself. Trajectories
// are switched here too, but they are no debug log: while they are on for all sessions, the list does not name them.
//
// What an operator switched on is kept in memory: a gateway that starts again begins with the environment's choice.

import type { ActiveDebugLog, DebugLogName } from '../protocol/debug-log.ts';

export interface DebugSwitchesSettings {
  /** The logs that are always on. */
  readonly always: ReadonlySet<DebugLogName>;
  readonly files: Readonly<Record<DebugLogName, string | null>>;
  readonly now: () => number;
}

/** What an operator switched on, and for how much longer. The clocks of nodes differ, so no moment is named. */
export interface SwitchedOn {
  readonly log: DebugLogName;
  readonly sessionKey?: string | undefined;
  readonly leftMs: number;
}

export interface SwitchRequest {
  readonly logs: readonly DebugLogName[];
  /** Without a key, all sessions are meant. */
  readonly sessionKey?: string | undefined;
}

/** No more sessions can be looked at at the same time. The switch that would end first makes room. */
const MAX_SWITCHES = 1_000;

export class DebugSwitches {
  readonly #settings: DebugSwitchesSettings;
  #timed: readonly Timed[] = [];
  /** Called when an operator has switched something on or off here. */
  changed: () => void = () => undefined;

  constructor(settings: DebugSwitchesSettings) {
    this.#settings = settings;
  }

  /** Whether the log is on for this session. */
  isOn(log: DebugLogName, sessionKey: string | undefined): boolean {
    if (this.#settings.always.has(log)) return true;
    return this.#current().some((each) => each.log === log && (each.sessionKey ?? sessionKey) === sessionKey);
  }

  /** Whether the log is on for any session. */
  isOnSomewhere(log: DebugLogName): boolean {
    return this.#settings.always.has(log) || this.#current().some((each) => each.log === log);
  }

  /** A log that is on already for this session gets the new end. One that is always on has none. */
  switchOn({ logs, sessionKey, ms }: SwitchRequest & { readonly ms: number }): void {
    const until = this.#settings.now() + ms;
    const others = this.#current().filter((each) => !logs.includes(each.log) || each.sessionKey !== sessionKey);
    const added = [...new Set(logs)]
      .filter((log) => !this.#settings.always.has(log))
      .map((log) => ({ log, sessionKey, until }));
    this.#timed = [...others, ...added].sort((a, b) => b.until - a.until).slice(0, MAX_SWITCHES);
    this.changed();
  }

  /** Without a key, the logs go off for every session. Logs of the environment stay on. */
  switchOff({ logs, sessionKey }: SwitchRequest): void {
    this.#timed = this.#current().filter(
      (each) => !logs.includes(each.log) || (sessionKey !== undefined && each.sessionKey !== sessionKey),
    );
    this.changed();
  }

  get switchedOn(): readonly SwitchedOn[] {
    const now = this.#settings.now();
    return this.#current().map(({ log, sessionKey, until }) => ({
      log,
      ...(sessionKey !== undefined && { sessionKey }),
      leftMs: until - now,
    }));
  }

  /** Takes over what an operator switched on at another node, in place of everything that was switched on here. */
  follow(switched: readonly SwitchedOn[]): void {
    const now = this.#settings.now();
    this.#timed = switched
      .map(({ log, sessionKey, leftMs }) => ({ log, sessionKey, until: now + leftMs }))
      .slice(0, MAX_SWITCHES);
  }

  list(): readonly ActiveDebugLog[] {
    const { always, files } = this.#settings;
    return [
      ...[...always]
        .filter((log) => log !== 'trajectory')
        .map((log) => ({ log, sessionKey: null, until: null, file: files[log] })),
      ...this.#current().map(({ log, sessionKey = null, until }) => ({ log, sessionKey, until, file: files[log] })),
    ];
  }

  #current(): readonly Timed[] {
    if (this.#timed.length === 0) return this.#timed;
    const now = this.#settings.now();
    if (this.#timed.some(({ until }) => until <= now)) this.#timed = this.#timed.filter(({ until }) => until > now);
    return this.#timed;
  }
}

interface Timed {
  readonly log: DebugLogName;
  readonly sessionKey: string | undefined;
  readonly until: number;
}
