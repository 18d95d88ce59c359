// What an operator may see and do about the handlers of a running gateway: each with its state, the reason why it is
// not called, and how its calls went since the start. Handlers that a permission blocks and packs whose needs are not
// met are listed too, because operators look for handlers that do not fire.

import type { ConfigLocation } from '../../config/config-files.ts';
import type { Absence } from '../../context/composition.ts';
import { HOOK_CATALOG, type HookName } from '../../hooks/catalog.ts';
import type { HandlerStatistics, HookStatistics } from '../../hooks/hook-statistics.ts';
import { formatUnmetNeed } from '../../hooks/packs/hook-eligibility.ts';
import type { HookPackFate } from '../../hooks/packs/load-internal-hooks.ts';
import { isPackEvent, PACK_EVENTS } from '../../hooks/packs/unknown-events.ts';
import type { HookRunner, RegisteredHandler } from '../../hooks/runner.ts';
import type { PluginStatus } from '../../plugins/plugin-status.ts';
import { nearMatch } from '../../protocol/near-match.ts';
import type { ContextRequest } from '../composer/context-engine.ts';
import type { PreparedAgent } from '../composer/prepared-agents.ts';
import { UnknownHandlerError } from '../errors.ts';
import type { HookInventory, HookItem } from './hook-inventory.ts';
import type { PluginControl } from './plugin-control.ts';

/**
 * `armed`: it is called. `blocked`: a permission or an unmet need forbids it. `suspended`: it timed out too often, or
 * its plugin was stopped. `pending`: Atrium does not call the hook yet. `failed`: it could not be loaded.
 */
export type HandlerState = 'armed' | 'blocked' | 'suspended' | 'pending' | 'failed';

export interface HandlerStatus extends HandlerStatistics {
  readonly priority: number | null;
  readonly timeoutMs: number | null;
  readonly state: HandlerState;
  /** One sentence; null for a handler that is called. */
  readonly reason: string | null;
}

export interface HooksStatus {
  /** In the order of the hooks in the catalog, and for each hook in calling order. */
  readonly handlers: readonly HandlerStatus[];
  /** Plugins that are not loaded, so that it is unknown what they would register. */
  readonly absent: readonly { readonly owner: string; readonly state: string; readonly reason: string }[];
}

export interface RearmedHandler {
  readonly hook: string;
  readonly id: string;
  readonly owner: string;
}

export interface HookControlParts {
  readonly hooks: HookRunner;
  readonly statistics: Pick<HookStatistics, 'snapshot'>;
  readonly plugins: Pick<PluginControl, 'list' | 'reload'>;
  /** Every agent with its handlers loaded; an agent whose workspace cannot be prepared is left out. */
  readonly agents: () => Promise<readonly Pick<PreparedAgent, 'runner' | 'registry'>[]>;
  readonly inventory: (request: InventoryRequest) => Promise<HookInventory>;
  readonly location: ConfigLocation;
  /** Takes up what the configuration files say now. */
  readonly takeUp: () => Promise<unknown>;
  /** Loads the code of the handlers of every agent again. */
  readonly reload: () => Promise<void>;
}

export interface SwitchedItem {
  readonly item: HookItem;
  /** Null when it was in this position already. */
  readonly written: { readonly setting: string; readonly file: string } | null;
}

export type InventoryRequest = Pick<ContextRequest, 'agentId' | 'workspaceDir'>;

type Listed = Omit<HandlerStatus, Exclude<keyof HandlerStatistics, 'hook' | 'id' | 'owner'>>;

/** Rejects with UnknownHandlerError for a name that is not a hook, a handler or an owner. */
export class HookControl {
  readonly #parts: HookControlParts;

  constructor(parts: HookControlParts) {
    this.#parts = parts;
  }

  /** Everything that could be called when a prompt of one agent is composed. */
  inventory(request: InventoryRequest): Promise<HookInventory> {
    return this.#parts.inventory(request);
  }

  /**
   * Switches a handler, a rule or a hook pack on or off in the configuration, and gives it as it is then. Rejects with
   * UnknownHandlerError when no item has this id.
   */
  async switch(request: InventoryRequest & { readonly id: string; readonly enabled: boolean }): Promise<SwitchedItem> {
    const { id, enabled, ...place } = request;
    const { writeHandlerSwitch } = await import('../settings/write-handler-switch.ts');
    const written = await writeHandlerSwitch(
      this.#parts.location,
      this.#find(await this.inventory(place), id),
      enabled,
    );
    await this.#parts.takeUp();
    return { item: this.#find(await this.inventory(place), id), written: written ?? null };
  }

  #find({ items }: HookInventory, id: string): HookItem {
    const found = items.find((item) => item.id === id);
    if (found) return found;
    const suggestion = nearMatch(
      id,
      items.map((item) => item.id),
    );
    throw new UnknownHandlerError({ handler: id.slice(0, 200), suggestion });
  }

  async status(): Promise<HooksStatus> {
    const plugins = this.#parts.plugins.list();
    const counted = new Map(this.#parts.statistics.snapshot().map((each) => [keyOf(each), each]));
    const handlers = (await this.#listed(plugins)).map((listed) => ({
      ...NEVER_CALLED,
      ...counted.get(keyOf(listed)),
      ...listed,
    }));
    const absent = plugins
      .filter(({ state }) => state === 'failed' || state === 'disabled' || state === 'pending')
      .map(({ id, state, reason }) => ({ owner: id, state, reason }));
    return { handlers, absent };
  }

  /** Lets suspended handlers be called again: those of a hook, of an owner, or one by its id. */
  async rearm(name: string): Promise<readonly RearmedHandler[]> {
    const { hooks, plugins } = this.#parts;
    const known = await this.#listed(plugins.list());
    const before = known.filter(
      ({ owner, id, hook, state }) => [owner, id, hook].includes(name) && (state === 'suspended' || state === 'failed'),
    );
    const isPlugin = (owner: string) => plugins.list().some(({ id }) => id === owner);
    // The code of a pack that was stopped, or that could not be loaded, has to be loaded again.
    if (before.some(({ hook, owner }) => isOfAgents(hook) && !isPlugin(owner))) await this.#parts.reload();
    if (known.some(({ owner }) => owner === name)) {
      const plugin = plugins.list().find(({ id }) => id === name);
      // The handlers of a stopped plugin cannot be called; the plugin has to be loaded again.
      if (plugin?.state === 'suspended') await plugins.reload(name);
      else hooks.rearm({ owner: name });
    } else if (known.some(({ id }) => id === name)) hooks.rearm({ id: name });
    else if (known.some(({ hook }) => hook === name)) hooks.rearm({ hook: name });
    else {
      const names = new Set(known.flatMap(({ owner, id, hook }) => [owner, id, hook]));
      throw new UnknownHandlerError({ handler: name.slice(0, 200), suggestion: nearMatch(name, [...names]) });
    }
    const armed = new Set((await this.#listed(plugins.list())).filter(({ state }) => state === 'armed').map(keyOf));
    return before.filter((each) => armed.has(keyOf(each))).map(({ hook, id, owner }) => ({ hook, id, owner }));
  }

  async #listed(plugins: readonly PluginStatus[]): Promise<readonly Listed[]> {
    const { hooks } = this.#parts;
    const agents = await this.#parts.agents();
    const suspensions = new Map(
      [hooks, ...agents.map(({ runner }) => runner)]
        .flatMap((runner) => runner.suspended())
        .map((each) => [keyOf(each), `It is suspended, because ${each.reason}`]),
    );
    const armed = (handler: RegisteredHandler<unknown>): Listed => {
      const reason = suspensions.get(keyOf(handler)) ?? null;
      return { ...callOf(handler), state: reason === null ? 'armed' : 'suspended', reason };
    };
    const ofPlugins = plugins.flatMap((plugin) => waitingHandlers(plugin));
    const waiting = (hook: HookName) => ofPlugins.filter((each) => each.hook === hook);
    const isWaiting = (handler: RegisteredHandler<unknown>) => ofPlugins.some((each) => keyOf(each) === keyOf(handler));
    const ofHooks = (Object.keys(HOOK_CATALOG) as HookName[]).flatMap((hook) => {
      const runners = isOfAgents(hook) && agents.length > 0 ? agents.map(({ runner }) => runner) : [hooks];
      const registered = runners.flatMap((runner): readonly RegisteredHandler<unknown>[] => runner.list(hook));
      return [...registered.filter((handler) => !isWaiting(handler)).map(armed), ...waiting(hook)];
    });
    const registries = agents.map(({ registry }) => registry);
    return withoutRepeats([
      ...ofHooks,
      ...registries.flatMap(({ packs }) => packs.flatMap(absentPack)),
      ...registries.flatMap(({ absences }) => absences.flatMap(absentHandler)),
    ]);
  }
}

/** Handlers of these hooks belong to an agent each, and so do their runners. */
function isOfAgents(hook: string): boolean {
  return hook === 'agent:bootstrap' || (PACK_EVENTS as readonly string[]).includes(hook);
}

const NEVER_CALLED = {
  calls: 0,
  errors: 0,
  timeouts: 0,
  notCalled: 0,
  p50Ms: null,
  p95Ms: null,
  lastFiredAt: null,
  lastFailure: null,
} as const;

function keyOf({ hook, id, owner }: { readonly hook: string; readonly id: string; readonly owner: string }): string {
  return JSON.stringify([hook, id, owner]);
}

function callOf({ hook, id, owner, priority, timeoutMs }: RegisteredHandler<unknown>) {
  // Handlers of hook packs have no priority: they are called in the order in which they were loaded.
  return { hook, id, owner, priority: isPackEvent(hook) ? null : priority, timeoutMs };
}

/** Handlers that a plugin registered and that are not called. */
function waitingHandlers({ id: owner, hooks }: PluginStatus): readonly Listed[] {
  return hooks.flatMap(({ state, hook, id, priority, timeoutMs, reason = null }) =>
    state === 'armed' ? [] : [{ hook, id, owner, priority, timeoutMs, state, reason }],
  );
}

/**
 * A pack that the operator wants but that cannot run. A pack that is switched off, or was never asked for, is not
 * listed.
 */
function absentPack(fate: HookPackFate): readonly Listed[] {
  const { name, metadata } = fate.pack;
  const row = { id: `hook:${name}`, owner: name, priority: null, timeoutMs: null };
  const rows = (state: HandlerState, reason: string): readonly Listed[] =>
    (metadata?.events ?? []).map((hook) => ({ ...row, hook, state, reason }));
  if (fate.kind === 'failed') return rows('failed', fate.error.message);
  if (fate.kind !== 'ineligible' || fate.unmet.some(({ code }) => code === 'disabled')) return [];
  return rows('blocked', fate.unmet.map(formatUnmetNeed).join(' '));
}

/** A handler file that the configuration names and that could not be loaded. */
function absentHandler({ what, by, reason, detail }: Absence): readonly Listed[] {
  if (reason !== 'handler-failed' || by === undefined || what !== `handler ${by}`) return [];
  const row = { hook: 'agent:bootstrap', id: by, owner: 'config', priority: null, timeoutMs: null } as const;
  return [{ ...row, state: 'failed', reason: detail }];
}

/** Agents share most of their handlers, so the list has repetitions. */
function withoutRepeats(listed: readonly Listed[]): readonly Listed[] {
  return [...new Map(listed.map((each) => [keyOf(each), each])).values()];
}
