// What plugins keep for sessions: durable JSON values, one for each namespace that a plugin registered, and how session
// rows show them. They are removed when the session is reset or deleted, and when the plugin is disabled, by
// `planSessionEnd` and `PluginCleanup`.
//
// Errors: PluginRefusedError when the namespace is not registered, the session key is not valid, or the value is no JSON of
// bounded size. Showing never fails: what cannot be shown is left out, and the operator is told once.

import { PluginRefusedError } from '../../plugins/errors.ts';
import type { PluginStatePatch, PluginStatePlace } from '../../plugins/plugin-host.ts';
import type { PluginRegistry, Registered } from '../../plugins/plugin-registry.ts';
import type { JsonValue } from '../../protocol/json.ts';
import { parseAgentSessionKey } from '../../protocol/session-key.ts';
import type { ShownExtension, ShownSession } from '../../sessions/sessions.ts';
import type { Store, Write } from '../../store/store.ts';
import type { PluginStateRow, SessionRow } from '../../store/tables.ts';
import { askPlugin, reasonOf } from './ask-plugin.ts';

export interface SessionExtensionsParts {
  readonly registry: PluginRegistry;
  readonly store: Store;
  readonly now: () => number;
  /** One sentence for the operator. */
  readonly warn: (sentence: string) => void;
}

const MAX_KEY_CHARS = 512;
/** The limit for one plugin, over all sessions. */
const MAX_ROWS = 10_000;
const PROJECTION_MS = 500;
/** The most keys in one condition, because databases have a limit. */
const KEYS_PER_READ = 500;

export class SessionExtensions {
  readonly #parts: SessionExtensionsParts;
  readonly #warned = new Set<string>();

  constructor(parts: SessionExtensionsParts) {
    this.#parts = parts;
  }

  async read(pluginId: string, { sessionKey, namespace }: PluginStatePlace): Promise<JsonValue | undefined> {
    const where = { sessionKey, pluginId, namespace: namespace.trim() };
    const [row] = await this.#parts.store.select('pluginState', { where, limit: 1 });
    return row?.value;
  }

  /** Returns the value that is kept from now on. */
  async patch(pluginId: string, patch: PluginStatePatch): Promise<JsonValue | undefined> {
    const { store, now } = this.#parts;
    const refuse = (detail: string) => new PluginRefusedError({ pluginId, detail });
    const { sessionKey } = patch;
    const namespace = patch.namespace.trim();
    if (sessionKey.length > MAX_KEY_CHARS || parseAgentSessionKey(sessionKey) === undefined) {
      throw refuse(`${JSON.stringify(sessionKey.slice(0, 80))} is no session key`);
    }
    if (!this.#find(pluginId, namespace)) throw refuse(this.#unregistered(pluginId, namespace));
    if (patch.unset === true && patch.value !== undefined) throw refuse('a value cannot be set and unset at once');
    const key = { sessionKey, pluginId, namespace };
    const removal: Write = { remove: 'pluginState', where: key };
    if (patch.unset === true) {
      await store.commit([removal], { site: 'plugin-state', waits: true });
      return undefined;
    }
    if (patch.value === undefined) throw refuse('there is neither a value nor "unset": true');
    const checked = checkSessionValue(patch.value);
    if (!checked.ok) throw refuse(`its value ${checked.problem}`);
    if ((await store.count('pluginState', key)) === 0 && (await store.count('pluginState', { pluginId })) >= MAX_ROWS) {
      throw refuse(`it keeps ${MAX_ROWS} values already, which is the limit`);
    }
    const row: PluginStateRow = { ...key, value: checked.value, updatedAt: now() };
    await store.commit([removal, { insert: 'pluginState', row }], { site: 'plugin-state', waits: true });
    return checked.value;
  }

  /** The same rows with the values that plugins show. Only an open session has such values. */
  async show(sessions: readonly SessionRow[]): Promise<readonly ShownSession[]> {
    const open = sessions.filter(({ endedAt }) => endedAt === null);
    const rows = await this.#readAll(open.map(({ sessionKey }) => sessionKey));
    return Promise.all(
      sessions.map(async (session) => {
        const kept = session.endedAt === null ? rows.filter((row) => row.sessionKey === session.sessionKey) : [];
        const shown = await Promise.all(kept.map((row) => this.#showRow(session, row)));
        return { ...session, pluginExtensions: shown.filter((each) => each !== undefined) };
      }),
    );
  }

  async #readAll(sessionKeys: readonly string[]): Promise<readonly PluginStateRow[]> {
    // Most gateways have no such plugin, and then the store need not be read.
    if (this.#parts.registry.registered('session-extension').length === 0) return [];
    const rows: PluginStateRow[] = [];
    for (let first = 0; first < sessionKeys.length; first += KEYS_PER_READ) {
      const where = { sessionKey: { in: sessionKeys.slice(first, first + KEYS_PER_READ) } };
      const orderBy = [
        ['pluginId', 'asc'],
        ['namespace', 'asc'],
      ] as const;
      rows.push(...(await this.#parts.store.select('pluginState', { where, orderBy })));
    }
    return rows;
  }

  /** Undefined when the plugin is not loaded or wants nothing shown. */
  async #showRow(
    { sessionKey, sessionId }: SessionRow,
    { pluginId, namespace, value: state }: PluginStateRow,
  ): Promise<ShownExtension | undefined> {
    const found = this.#find(pluginId, namespace);
    if (!found) return undefined;
    const { project, isHeldUp } = found.registration;
    if (!project) return { pluginId, namespace, value: state };
    try {
      const what = `the projection of ${namespace}`;
      const shown = await askPlugin({ pluginId, what, ms: PROJECTION_MS, isHeldUp }, () =>
        project({ sessionKey, sessionId, state }),
      );
      if (shown === undefined) return undefined;
      const checked = checkSessionValue(shown);
      if (checked.ok) return { pluginId, namespace, value: checked.value };
      this.#warnOnce(pluginId, namespace, `its value ${checked.problem}`);
    } catch (error) {
      this.#warnOnce(pluginId, namespace, reasonOf(error));
    }
    return undefined;
  }

  #find(pluginId: string, namespace: string): Registered<'session-extension'> | undefined {
    return this.#parts.registry
      .registered('session-extension')
      .find((each) => each.pluginId === pluginId && each.registration.namespace.trim() === namespace);
  }

  #unregistered(pluginId: string, namespace: string): string {
    const known = this.#parts.registry
      .registered('session-extension')
      .filter((each) => each.pluginId === pluginId)
      .map(({ registration }) => registration.namespace);
    const hint = known.length === 0 ? 'it has none' : `it has ${known.join(', ')}`;
    return `it registered no session extension ${JSON.stringify(namespace.slice(0, 80))}; ${hint}`;
  }

  #warnOnce(pluginId: string, namespace: string, why: string): void {
    const about = JSON.stringify([pluginId, namespace]);
    if (this.#warned.has(about)) return;
    this.#warned.add(about);
    this.#parts.warn(`What the plugin "${pluginId}" keeps as ${namespace} is left out of session rows: ${why}.`);
  }
}

const MAX_BYTES = 64 * 1024;
const MAX_DEPTH = 64;
const MAX_NODES = 16_384;

export type CheckedValue =
  | { readonly ok: true; readonly value: JsonValue }
  /** Completes "its value …". */
  | { readonly ok: false; readonly problem: string };

export function checkSessionValue(given: unknown): CheckedValue {
  const budget = { nodes: MAX_NODES };
  try {
    const problem = problemOf(given, 0, budget);
    if (problem !== undefined) return { ok: false, problem };
    const text = JSON.stringify(given);
    const bytes = Buffer.byteLength(text);
    if (bytes > MAX_BYTES) return { ok: false, problem: `takes ${bytes} bytes, and ${MAX_BYTES} are the limit` };
    return { ok: true, value: JSON.parse(text) };
  } catch {
    return { ok: false, problem: 'is no JSON value' };
  }
}

function problemOf(value: unknown, depth: number, budget: { nodes: number }): string | undefined {
  if (--budget.nodes < 0) return `has more than ${MAX_NODES} parts`;
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return undefined;
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : 'is no JSON value';
  if (typeof value !== 'object') return 'is no JSON value';
  if (depth >= MAX_DEPTH) return `is nested more than ${MAX_DEPTH} deep`;
  if (!Array.isArray(value)) {
    const prototype: unknown = Object.getPrototypeOf(value);
    if (prototype !== null && Object.getPrototypeOf(prototype) !== null) return 'is no JSON value';
    if (typeof (value as { toJSON?: unknown }).toJSON === 'function') return 'is no JSON value';
  }
  for (const part of Array.isArray(value) ? value : Object.values(value)) {
    const problem = problemOf(part, depth + 1, budget);
    if (problem !== undefined) return problem;
  }
  return undefined;
}
