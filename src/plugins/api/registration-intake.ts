// Takes, refuses or puts aside what a plugin registers. It counts handlers, so that each gets its own name, and notes each
// problem once. Taking never throws: one wrong registration must not prevent the others.

import type { PluginNote } from '../loaded-plugin.ts';
import type { PluginRegistration } from '../registration.ts';
import { nameOfRegistered } from './api-registrars.ts';

export interface PluginCollector {
  register(registration: PluginRegistration): void;
  note(note: PluginNote): void;
}

/** What is wrong with something that a plugin handed over. */
export interface Problem {
  readonly problem: string;
}

export class RegistrationIntake {
  readonly #collect: PluginCollector;
  readonly #pluginId: string;
  readonly #said = new Set<string>();
  readonly #taken = new Set<string>();
  readonly #handlers = new Map<string, number>();
  readonly #toolNames = new Set<string>();

  constructor(pluginId: string, collect: PluginCollector) {
    this.#pluginId = pluginId;
    this.#collect = collect;
  }

  take(registrar: string, registration: PluginRegistration | Problem): boolean {
    if ('problem' in registration) {
      this.refuse(registrar, registration.problem);
      return false;
    }
    const names = namesOf(registration);
    const taken = names.find((name) => this.#taken.has(`${registration.kind} ${name}`));
    if (taken !== undefined) {
      this.refuse(registrar, `it has registered "${taken}" already, and the first one stays`);
      return false;
    }
    for (const name of names) this.#taken.add(`${registration.kind} ${name}`);
    if (registration.kind === 'tool') for (const name of registration.names) this.#toolNames.add(name);
    this.#collect.register(registration);
    return true;
  }

  refuse(registrar: string, problem: string): void {
    this.note('warn', 'refused', `What it hands to ${registrar} is not registered: ${problem}.`);
  }

  /** Accepted and of no use here. */
  putAside(registrar: string, registered: unknown, why = 'Atrium has no use for it'): void {
    const id = nameOfRegistered(registered);
    this.#collect.register({ kind: 'unused', registrar, id });
    this.note('warn', 'unused', `What it registers with ${registrar}${id ? ` ("${id}")` : ''} is not used: ${why}.`);
  }

  legacy(form: string, instead: string): void {
    this.note('info', 'legacy', `It uses ${form}, an older form that is understood here; ${instead} has replaced it.`);
  }

  /** Each sentence once. */
  note(level: PluginNote['level'], code: string, message: string): void {
    if (this.#said.has(message) || this.#said.size >= MAX_SAID) return;
    this.#said.add(message);
    this.#collect.note({ level, code, message });
  }

  /** Names its handlers of a hook: the plugin's id for the first, a number behind it for the others. */
  handlerId(hook: string): string {
    const count = (this.#handlers.get(hook) ?? 0) + 1;
    this.#handlers.set(hook, count);
    return count === 1 ? this.#pluginId : `${this.#pluginId}#${count}`;
  }

  get toolNames(): ReadonlySet<string> {
    return this.#toolNames;
  }
}

/** An operator would not read more. */
const MAX_SAID = 1_000;

/** What must not be there twice, of kinds that are called by name. */
function namesOf(registration: PluginRegistration): readonly string[] {
  switch (registration.kind) {
    case 'tool':
      return registration.names;
    case 'command':
      return [registration.name];
    case 'method':
      return [registration.method];
    case 'route':
      return [`${registration.match} ${registration.path}`];
    case 'session-extension':
      return [registration.namespace];
    case 'service':
    case 'trusted-policy':
    case 'session-action':
    case 'lifecycle':
    case 'agent-event':
      return [registration.id];
    default:
      return [];
  }
}
