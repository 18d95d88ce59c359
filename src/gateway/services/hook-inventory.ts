// Everything that could be called when a prompt of one agent is composed: bundled handlers, rules, modules that the
// configuration names, and hook packs. Each has its state and, where it is not called, the reason. This file only
// arranges what preparing the agent found out; no handler is called here. Commands get the same value from a running
// gateway and without one.

import { listAgentIds } from '../../config/agents.ts';
import type { ConfigPath } from '../../config/config-path.ts';
import type { Environment } from '../../config/environment.ts';
import type { Config } from '../../config/schema.ts';
import { HOOK_CATALOG } from '../../hooks/catalog.ts';
import { discoverHooks } from '../../hooks/packs/discover-hooks.ts';
import { formatUnmetNeed } from '../../hooks/packs/hook-eligibility.ts';
import { type HookPack, resolveHookKey } from '../../hooks/packs/hook-pack.ts';
import { DEFAULT_HOOK_PRIORITY, type HookPackFate } from '../../hooks/packs/load-internal-hooks.ts';
import { describeUnknownEvents } from '../../hooks/packs/unknown-events.ts';
import { HookRunner } from '../../hooks/runner.ts';
import type { HandlerInfo } from '../../protocol/handler.ts';
import { bundledHandlers } from '../composer/bundled-handlers.ts';
import type { ContextEngine, ContextRequest } from '../composer/context-engine.ts';
import { listHandlerFaults } from '../composer/list-handler-faults.ts';
import type { PreparedAgent } from '../composer/prepared-agents.ts';
import { hookDirectoriesOf } from '../composer/user-handlers.ts';

/**
 * `off`: the operator switched it off. `blocked`: a need is not met. `failed`: it has an error. `elsewhere`: it listens
 * to other events only.
 */
export type HookState = 'on' | 'off' | 'blocked' | 'failed' | 'elsewhere';

export interface HookItem {
  /** The name in reports: `time-context`, `rule:quiet-hours`, `hook:greeter`. */
  readonly id: string;
  /** The name that its owner gave it. */
  readonly name: string;
  readonly kind: 'bundled handler' | 'rule' | 'configured handler' | 'hook pack';
  readonly state: HookState;
  /** Present exactly when it is not called. */
  readonly why?: string;
  readonly description: string;
  /** `atrium`, `config`, or the directory of a pack that does not come with the product. */
  readonly source: string;
  readonly call: Pick<HandlerInfo, 'priority' | 'stability' | 'onError' | 'timeoutMs'>;
  /** The part of the configuration that is about it. */
  readonly settings: ConfigPath;
  /** False for the oldest kind of handler, which the configuration lists or does not list. */
  readonly hasSwitch: boolean;
  readonly pack?: HookPack;
}

/** What is known about the handlers of one agent. */
export interface HookInventory {
  readonly agentId: string;
  readonly workspaceDir: string;
  /** Handlers that are called come first, in calling order. */
  readonly items: readonly HookItem[];
  /** What went wrong while they were loaded. */
  readonly problems: readonly string[];
  /** Everything that is wrong with them, one sentence each. */
  readonly faults: readonly string[];
  /** The agents of the configuration. */
  readonly agentIds: readonly string[];
}

export async function readHookInventory(
  { engine, environment }: { readonly engine: ContextEngine; readonly environment: Environment },
  request: Pick<ContextRequest, 'agentId' | 'workspaceDir' | 'at'>,
): Promise<HookInventory> {
  const prepared = await engine.prepare(request);
  const { agentId, workspaceDir, registry } = prepared;
  const { config } = engine;
  return {
    agentId,
    workspaceDir,
    items: listHookItems({ config, environment, prepared }),
    problems: registry.problems,
    faults: listFaults(prepared),
    agentIds: listAgentIds(config),
  };
}

/** Everything that is wrong with the handlers of an agent, also what keeps a healthy pack from being loaded. */
export function listFaults({ registry }: Pick<PreparedAgent, 'registry'>): readonly string[] {
  return [...listHandlerFaults(registry), ...registry.packs.flatMap(unmetNeeds)];
}

function unmetNeeds(fate: HookPackFate): readonly string[] {
  // An operator who switched a hook off does not need to know what else it would need.
  if (fate.kind !== 'ineligible' || fate.unmet.some(({ code }) => code === 'disabled')) return [];
  return [`The hook "${fate.pack.name}" is not loaded. ${fate.unmet.map(formatUnmetNeed).join(' ')}`];
}

export interface HookInventorySettings {
  readonly config: Config;
  readonly environment: Environment;
  readonly prepared: Pick<PreparedAgent, 'runner' | 'registry'>;
}

/** Handlers that are called come first, in calling order; the rest follows by priority. */
function listHookItems(settings: HookInventorySettings): HookItem[] {
  const called = settings.prepared.runner.list('agent:bootstrap');
  const items = [
    ...bundledItems(settings),
    ...ruleItems(settings),
    ...configuredItems(settings),
    ...settings.prepared.registry.packs.map((fate) => packItem(fate, settings)),
    ...legacyItems(settings),
  ];
  const place = (item: HookItem) =>
    item.state === 'on' ? called.findIndex(({ id }) => id === item.id) : called.length + item.call.priority;
  return items.sort((a, b) => Number(b.state === 'on') - Number(a.state === 'on') || place(a) - place(b));
}

/**
 * The same without loading anything, for callers that only need to know what there is: a pack that hangs while it is loaded
 * must not keep people from switching it off. States and reasons mean nothing here.
 */
export async function listUnloadedHookItems(
  config: Config,
  environment: Environment,
  workspaceDir: string,
): Promise<HookItem[]> {
  const { packs } = await discoverHooks(hookDirectoriesOf({ config, environment, workspaceDir }));
  const fates = packs.map((pack): HookPackFate => ({ kind: 'not-selected', pack }));
  const registry = { absences: [], problems: [], packs: fates };
  return listHookItems({ config, environment, prepared: { runner: new HookRunner(), registry } });
}

type ItemFacts = Omit<HookItem, 'state' | 'why' | 'call' | 'hasSwitch'> & { readonly owner: string };

/** An item that should be called: either it is, or the registry says why not. */
function wantedItem(facts: ItemFacts, declared: Declared, { prepared }: HookInventorySettings): HookItem {
  const { owner, ...item } = facts;
  const registered = prepared.runner.list('agent:bootstrap').find(({ id }) => id === facts.id);
  if (registered?.owner === owner) return { ...item, state: 'on', call: registered, hasSwitch: true };
  const absence = prepared.registry.absences.find(({ what }) => what === `handler ${facts.id}`);
  return notCalled(facts, declared, 'failed', absence?.detail ?? 'it was not registered');
}

function notCalled(facts: ItemFacts, declared: Declared, state: HookState, why: string): HookItem {
  const { owner: _, ...item } = facts;
  return { ...item, state, why, call: callOf(declared), hasSwitch: true };
}

type Declared = { readonly [Key in keyof HookItem['call']]?: HookItem['call'][Key] | undefined };

function callOf({ priority, stability, onError, timeoutMs }: Declared): HookItem['call'] {
  return {
    priority: priority ?? DEFAULT_HOOK_PRIORITY,
    stability,
    onError: onError ?? 'skip',
    timeoutMs: timeoutMs ?? HOOK_CATALOG['agent:bootstrap'].deadlineMs,
  };
}

function bundledItems(settings: HookInventorySettings): HookItem[] {
  const { config, environment } = settings;
  const bundled = bundledHandlers({ config, environment, ci: environment.ci });
  return bundled.map(({ registration, enabled, whyNot }) => {
    const { id, description = '', owner } = registration;
    const path: ConfigPath = ['bootstrap', 'hooks', id];
    const facts = { id, name: id, kind: 'bundled handler', description, source: owner, owner, settings: path } as const;
    return enabled ? wantedItem(facts, registration, settings) : notCalled(facts, registration, 'off', `${whyNot}.`);
  });
}

function ruleItems(settings: HookInventorySettings): HookItem[] {
  const rules = settings.config.bootstrap?.rules ?? [];
  return rules.map((rule, index) => {
    const facts = {
      id: `rule:${rule.id}`,
      kind: 'rule',
      description: `${rule.mode ?? 'append'} ${rule.file}`,
    } as const;
    return configItem(facts, rule, 'rules', index, settings);
  });
}

function configuredItems(settings: HookInventorySettings): HookItem[] {
  const handlers = settings.config.bootstrap?.handlers ?? [];
  return handlers.map((handler, index) => {
    const { id, description = handler.path } = handler;
    return configItem({ id, kind: 'configured handler', description }, handler, 'handlers', index, settings);
  });
}

/** An entry of a list in the configuration, with an id and a switch of its own. */
function configItem(
  facts: Pick<ItemFacts, 'id' | 'kind' | 'description'>,
  declared: Declared & { readonly id: string; readonly enabled?: boolean | undefined },
  list: 'rules' | 'handlers',
  index: number,
  settings: HookInventorySettings,
): HookItem {
  const path: ConfigPath = ['bootstrap', list, index];
  const all = { ...facts, name: declared.id, source: 'config', owner: 'config', settings: path };
  return declared.enabled === false
    ? notCalled(all, declared, 'off', `bootstrap.${list}[${index}].enabled is false.`)
    : wantedItem(all, declared, settings);
}

function packItem(fate: HookPackFate, settings: HookInventorySettings): HookItem {
  const { pack } = fate;
  const { name, description, metadata } = pack;
  const facts: ItemFacts = {
    id: `hook:${name}`,
    name,
    kind: 'hook pack',
    description,
    source: pack.source === 'openclaw-bundled' ? 'atrium' : pack.dir,
    owner: name,
    settings: ['hooks', 'internal', 'entries', resolveHookKey(pack)],
    pack,
  };
  const declared = metadata ?? {};
  switch (fate.kind) {
    case 'loaded': {
      if (isBootstrapEvent(metadata?.events ?? [])) return wantedItem(facts, declared, settings);
      const unknown = describeUnknownEvents(pack);
      return unknown.length > 0
        ? notCalled(facts, declared, 'failed', unknown.join(' '))
        : notCalled(facts, declared, 'elsewhere', `It listens to ${metadata?.events.join(', ')} only.`);
    }
    case 'not-selected': {
      const isOff = settings.config.hooks?.internal?.enabled === false;
      return notCalled(facts, declared, 'off', isOff ? MASTER_SWITCH_OFF : RESTING);
    }
    case 'ineligible': {
      const state = fate.unmet.some(({ code }) => code === 'disabled') ? 'off' : 'blocked';
      return notCalled(facts, declared, state, fate.unmet.map(formatUnmetNeed).join(' '));
    }
    case 'failed':
      return notCalled(facts, declared, 'failed', fate.error.message);
  }
}

/** Handlers of the oldest kind, which have a place in a list instead of a name. */
function legacyItems(settings: HookInventorySettings): HookItem[] {
  const { config, prepared } = settings;
  return (config.hooks?.internal?.handlers ?? []).map((handler, index) => {
    const name = `handlers[${index}]`;
    const facts: ItemFacts = {
      id: `hook:${name}`,
      name,
      kind: 'configured handler',
      description: handler.module ?? '',
      source: 'config',
      owner: name,
      settings: ['hooks', 'internal', 'handlers', index],
    };
    const failure = prepared.registry.absences.find(({ detail }) => detail.includes(`"${name}"`));
    const item =
      config.hooks?.internal?.enabled === false
        ? notCalled(facts, {}, 'off', MASTER_SWITCH_OFF)
        : failure !== undefined
          ? notCalled(facts, {}, 'failed', failure.detail)
          : isBootstrapEvent([handler.event ?? ''])
            ? wantedItem(facts, {}, settings)
            : notCalled(facts, {}, 'elsewhere', `It listens to ${handler.event} only.`);
    return { ...item, hasSwitch: false };
  });
}

const RESTING = 'it comes with Atrium and waits to be switched on.';

export const MASTER_SWITCH_OFF = 'hooks.internal.enabled is false, which switches every hook pack off.';

function isBootstrapEvent(events: readonly string[]): boolean {
  return events.some((event) => event.trim() === 'agent' || event.trim() === 'agent:bootstrap');
}
