// Tells plugins to release what they hold: for one session when it was reset or deleted, and all of it when the plugin is
// disabled or loaded again. The stored values of a disabled plugin are removed here; those of a session that was reset
// were removed in the commit that ended it.
//
// Promise: nothing here rejects. The operator is told of a callback that fails or takes too long, and the other
// callbacks do not wait for it.

import type { LoadedPlugin } from '../../plugins/loaded-plugin.ts';
import type { PluginRegistry } from '../../plugins/plugin-registry.ts';
import type { PluginStatus } from '../../plugins/plugin-status.ts';
import type { CleanupReason, PluginRegistration } from '../../plugins/registration.ts';
import type { LiveEvent } from '../../protocol/live-event.ts';
import type { Store } from '../../store/store.ts';
import { askPlugin, reasonOf } from './ask-plugin.ts';

export interface PluginCleanupParts {
  readonly registry: PluginRegistry;
  readonly store: Store;
  /** One sentence for the operator. */
  readonly warn: (sentence: string) => void;
  readonly timeoutMs?: number | undefined;
}

const CALLBACK_MS = 5_000;

export class PluginCleanup {
  readonly #parts: PluginCleanupParts;
  /** Cleanups that an event started and that are not finished, so that a stop can wait for them. */
  readonly #going = new Set<Promise<void>>();

  constructor(parts: PluginCleanupParts) {
    this.#parts = parts;
  }

  /** Listens from here on; returns the undo. */
  open(subscribe: (listener: (event: LiveEvent) => void) => () => void): () => void {
    const undo = [
      this.#parts.registry.subscribe({ unloading: (plugin, reason) => this.#release(plugin, reason) }),
      subscribe((event) => {
        if (event.type === 'session-end' && (event.reason === 'new' || event.reason === 'reset')) {
          this.#keep(this.releaseSession(event.sessionKey, 'reset'));
        }
      }),
    ];
    return () => {
      for (const each of undo) each();
    };
  }

  /** Every plugin releases what it holds for this session. */
  async releaseSession(sessionKey: string, reason: 'reset' | 'delete'): Promise<void> {
    const { registry } = this.#parts;
    const holders = [...registry.registered('session-extension'), ...registry.registered('lifecycle')];
    await Promise.all(
      holders.map(({ pluginId, registration }) => this.#call(pluginId, registration, { reason, sessionKey })),
    );
  }

  /**
   * Removes what was kept for plugins that were disabled or removed while no gateway ran. A plugin that fails to load
   * keeps everything, because it will be repaired.
   */
  async forgetDisabled(statuses: readonly Pick<PluginStatus, 'id' | 'state'>[]): Promise<void> {
    const { store } = this.#parts;
    try {
      const kept = new Set(statuses.filter(({ state }) => state !== 'disabled').map(({ id }) => id));
      for (const id of await this.#listKeepers()) if (!kept.has(id)) await this.#forget(id);
      for (const { id, state } of statuses) {
        if (state === 'disabled' && (await store.count('injections', { owner: id })) > 0) await this.#forget(id);
      }
    } catch (error) {
      this.#parts.warn(`What disabled plugins kept could not be removed: ${reasonOf(error)}.`);
    }
  }

  /** Resolves when every cleanup that was started is finished. */
  async settle(): Promise<void> {
    await Promise.all(this.#going);
  }

  async #release({ id, registrations }: LoadedPlugin, reason: CleanupReason): Promise<void> {
    await Promise.all(registrations.map((registration) => this.#call(id, registration, { reason })));
    if (reason === 'restart') return;
    try {
      await this.#forget(id);
    } catch (error) {
      this.#parts.warn(`What the plugin "${id}" kept could not be removed: ${reasonOf(error)}.`);
    }
  }

  /** The ids of plugins with stored values. They are found one by one, because there may be many values. */
  async #listKeepers(): Promise<readonly string[]> {
    const ids: string[] = [];
    for (;;) {
      const where = { pluginId: { gt: ids.at(-1) ?? '' } };
      const [row] = await this.#parts.store.select('pluginState', { where, orderBy: [['pluginId', 'asc']], limit: 1 });
      if (!row) return ids;
      ids.push(row.pluginId);
    }
  }

  async #forget(pluginId: string): Promise<void> {
    await this.#parts.store.commit(
      [
        { remove: 'pluginState', where: { pluginId } },
        { remove: 'injections', where: { owner: pluginId } },
      ],
      { site: 'plugin-state' },
    );
  }

  async #call(
    pluginId: string,
    registration: PluginRegistration,
    about: { readonly reason: CleanupReason; readonly sessionKey?: string },
  ): Promise<void> {
    if (registration.kind !== 'session-extension' && registration.kind !== 'lifecycle') return;
    const { cleanup, isHeldUp } = registration;
    if (!cleanup) return;
    const { warn, timeoutMs: ms = CALLBACK_MS } = this.#parts;
    const name = registration.kind === 'lifecycle' ? registration.id : registration.namespace;
    try {
      await askPlugin({ pluginId, what: `the cleanup of ${name}`, ms, isHeldUp }, () => cleanup(about));
    } catch (error) {
      warn(`The plugin "${pluginId}" could not clean up ${name} (${about.reason}): ${reasonOf(error)}`);
    }
  }

  #keep(work: Promise<void>): void {
    this.#going.add(work);
    void work.finally(() => this.#going.delete(work));
  }
}
