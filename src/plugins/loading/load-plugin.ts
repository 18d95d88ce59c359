// Loads one plugin on the side where it runs: evaluates its entry file, calls its register function with an API object of
// its own, and hands over what it registered. It does not know whether it runs in the gateway or in the worker.
//
// Errors: never rejects for what a plugin does; a failure is one bounded sentence, with file and line where they are known.
// Rules: what is registered after `register` has ended, or after its time, has no effect and is said in the log.

import { relative } from 'node:path';
import { isAtriumError } from '../../protocol/errors.ts';
import { oneLine } from '../../protocol/one-line.ts';
import { within } from '../../protocol/time-limit.ts';
import { createPluginApi, type PluginCollector } from '../api/create-plugin-api.ts';
import type { LoadedPlugin, LoadResult, PluginNote } from '../loaded-plugin.ts';
import { labelOf } from '../lost-registrations.ts';
import { createBoundSymbols } from '../openclaw-sdk/bound-symbols.ts';
import { createSdkModules } from '../openclaw-sdk/sdk-modules.ts';
import { SHARED_SYMBOLS } from '../openclaw-sdk/shared-symbols.ts';
import type { PluginHost } from '../plugin-host.ts';
import type { PluginSetup } from '../plugin-setup.ts';
import type { PluginRegistration } from '../registration.ts';
import { evaluatePlugin } from './evaluate-plugin.ts';

export interface LoadPluginSettings {
  /** How long `register` may take. */
  readonly registerTimeoutMs?: number | undefined;
}

/** The plugin's own functions. They are not guarded yet; the loader does that. */
export type PluginDraft =
  | (Pick<LoadedPlugin, 'registrations' | 'notes'> & {
      readonly ok: true;
      /** A second list of them, by name, which is compared with what arrives. */
      readonly registered: readonly string[];
    })
  | Exclude<LoadResult, { readonly ok: true }>;

export async function loadPlugin(
  setup: PluginSetup,
  host: PluginHost,
  { registerTimeoutMs = 10_000 }: LoadPluginSettings = {},
): Promise<PluginDraft> {
  const collected = new Collected(host);
  try {
    const modules = createSdkModules({
      entryPath: setup.entryPath,
      symbols: { ...SHARED_SYMBOLS, ...createBoundSymbols(setup, host) },
      imported: (specifier) => collected.noteImport(specifier),
      missed: (specifier, name) => collected.noteMissed(specifier, name),
    });
    const { exports, listensToAgent } = await evaluatePlugin(setup, modules);
    const register = registerOf(exports);
    if (!register) {
      const reason = 'Its entry file exports nothing to call: a default export with a register function is expected.';
      return { ok: false, reason, notes: collected.notes };
    }
    const api = createPluginApi(setup, host, collected, { listensToAgent });
    const isInTime = await within(registerTimeoutMs, Promise.resolve(register(api)));
    if (!isInTime) {
      const reason = `Its register function did not end within ${registerTimeoutMs} ms.`;
      return { ok: false, reason, notes: collected.notes };
    }
    const { registrations, registered, notes } = collected;
    return { ok: true, registrations, registered, notes };
  } catch (error) {
    const { notes } = collected;
    const wanted = ofMainThread(error);
    if (wanted !== undefined) return { ok: false, needsInline: [wanted], notes };
    return { ok: false, reason: failureReason(error, setup), notes };
  } finally {
    collected.close();
  }
}

class Collected implements PluginCollector {
  readonly #host: PluginHost;
  #registrations: PluginRegistration[] = [];
  readonly registered: string[] = [];
  #notes: PluginNote[] = [];
  #isClosed = false;

  constructor(host: PluginHost) {
    this.#host = host;
  }

  /** Handed over as they are when it closes. */
  get registrations(): readonly PluginRegistration[] {
    return this.#registrations;
  }

  get notes(): readonly PluginNote[] {
    return this.#notes;
  }

  register(registration: PluginRegistration): void {
    if (!this.#isClosed && this.registered.length < MAX_REGISTRATIONS) {
      // Written without a function, because the plugin may have replaced those at this moment.
      this.registered[this.registered.length] = labelOf(registration);
      this.#registrations.push(registration);
    } else this.#warn(`It registers a ${registration.kind} when registering is over; that has no effect.`);
  }

  note(note: PluginNote): void {
    if (this.#isClosed) this.#host.log({ level: note.level, text: note.message });
    else if (this.#notes.length < MAX_NOTES) this.#notes.push(note);
  }

  noteImport(specifier: string): void {
    if (!/^(?:openclaw|clawdbot|moltbot)\/plugin-sdk$/.test(specifier)) return;
    const message = `It imports ${specifier} as a whole, an older form that is understood here.`;
    if (!this.#notes.some((note) => note.message === message)) this.note({ level: 'info', code: 'legacy', message });
  }

  noteMissed(specifier: string, name: string): void {
    this.#warn(`It looks for ${oneLine(name, 100)} in ${specifier}, which Atrium does not have.`);
  }

  close(): void {
    this.#isClosed = true;
  }

  #warn(text: string): void {
    this.#host.log({ level: 'warn', text });
  }
}

/** More than any plugin needs, so that one that registers in a loop does not take the gateway's memory. */
const MAX_REGISTRATIONS = 2_000;
const MAX_NOTES = 500;

/** The function to call, wherever the module has put it. */
function registerOf(exports: unknown): ((api: unknown) => unknown) | undefined {
  for (const candidate of [defaultOf(exports), defaultOf(defaultOf(exports)), exports]) {
    if (typeof candidate === 'function') return (api) => candidate(api);
    if (typeof candidate !== 'object' || candidate === null) continue;
    const { register, activate } = candidate as { register?: unknown; activate?: unknown };
    if (typeof register === 'function') return (api) => register.call(candidate, api);
    if (typeof activate === 'function') return (api) => activate.call(candidate, api);
  }
  return undefined;
}

function defaultOf(value: unknown): unknown {
  const isModule = (typeof value === 'object' && value !== null) || typeof value === 'function';
  return isModule ? (value as { default?: unknown }).default : undefined;
}

/** What a plugin asked for that Node refuses in every thread but the main one. */
function ofMainThread(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  if (error.code === 'ERR_WORKER_UNSUPPORTED_OPERATION') {
    return /process\.\w+\(\)/.exec(error.message)?.[0] ?? oneLine(error.message, 100);
  }
  const isOldAddon = error.code === 'ERR_DLOPEN_FAILED' && error.message.includes('did not self-register');
  return isOldAddon ? 'a native addon for the main thread' : undefined;
}

function failureReason(error: unknown, setup: PluginSetup): string {
  if (isAtriumError(error)) return oneLine(error.message);
  const place = placeOf(error, setup);
  const said = oneLine(error).replaceAll(setup.rootDir, '.');
  return place === undefined || said.includes(place) ? `${said}.`.replace(/\.\.$/, '.') : `${said} (${place}).`;
}

/** Where in the plugin it happened: the innermost of its own lines. */
function placeOf(error: unknown, { rootDir, entryPath }: PluginSetup): string | undefined {
  let stack = '';
  try {
    if (error instanceof Error) stack = String(error.stack).slice(0, 10_000);
  } catch {
    return undefined;
  }
  for (const [, path = '', line = ''] of stack.matchAll(/(?:file:\/\/)?(\/[^\s():]+):(\d+)/g)) {
    if (path.startsWith(rootDir)) return `${relative(rootDir, path)}:${line}`;
  }
  return `${relative(rootDir, entryPath)}`;
}
