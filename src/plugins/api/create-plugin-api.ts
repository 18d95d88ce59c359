// Makes the API object of one plugin from its setup and its host. What the plugin registers goes to the collector as plain
// data; a registration function that does not exist is answered by one that notes its name, because plugins may
// be written for a newer version of the contract.

import { isAbsolute, join, resolve } from 'node:path';
import type { JsonObject } from '../../protocol/json.ts';
import type { PluginApi } from '../openclaw-sdk/plugin-api.ts';
import type { PluginHost } from '../plugin-host.ts';
import type { PluginSetup } from '../plugin-setup.ts';
import { createRegistrars } from './create-registrars.ts';
import { createSessionGroups } from './create-session-groups.ts';
import { createPluginLogger } from './plugin-logger.ts';
import { createPluginRuntime } from './plugin-runtime.ts';
import { type PluginCollector, RegistrationIntake } from './registration-intake.ts';

export type { PluginCollector } from './registration-intake.ts';

export interface PluginApiOptions {
  /** Its code subscribes to agent events at some time, perhaps long after `register` has ended. */
  readonly listensToAgent?: boolean | undefined;
}

export function createPluginApi(
  setup: PluginSetup,
  host: PluginHost,
  collect: PluginCollector,
  options: PluginApiOptions = {},
): PluginApi {
  const intake = new RegistrationIntake(setup.id, collect);
  const logger = createPluginLogger((entry) => host.log(entry));
  const agentEvents = new AgentEvents(intake);
  if (options.listensToAgent) agentEvents.open();
  const config = () => structuredClone(setup.config) as JsonObject;
  const parts = { setup, host, logger, intake, config };
  const { groups, flat } = createSessionGroups({ ...parts, onAgentEvent: agentEvents.subscribe });
  const runtime = createPluginRuntime({
    ...parts,
    onAgentEvent: agentEvents.listen,
    legacy: (form, instead) => intake.legacy(form, instead),
  });
  const known: Record<string, unknown> = {
    ...flat,
    ...createRegistrars(parts),
    ...groups,
    id: setup.id,
    name: setup.name,
    version: setup.version,
    description: setup.description,
    source: setup.entryPath,
    rootDir: setup.rootDir,
    registrationMode: setup.registrationMode,
    config: config(),
    pluginConfig: structuredClone(setup.pluginConfig),
    logger,
    runtime,
    resolvePath: (path: string) => resolvePath(setup, String(path)),
  };
  return new Proxy(known, {
    get: (target, key) => {
      if (typeof key !== 'string' || key in target) return Reflect.get(target, key);
      if (!/^register[A-Z]\w{0,80}$/.test(key)) return undefined;
      return () => intake.refuse(key, 'there is no such registration here');
    },
  }) as unknown as PluginApi;
}

function resolvePath({ homeDir, rootDir }: PluginSetup, path: string): string {
  if (homeDir !== undefined && (path === '~' || path.startsWith('~/'))) return join(homeDir, path.slice(1));
  return isAbsolute(path) ? path : resolve(rootDir, path);
}

/** The plugin's listeners to agent events. The gateway has one registration for all of them. */
class AgentEvents {
  readonly #intake: RegistrationIntake;
  readonly #listeners = new Set<(event: JsonObject) => unknown>();
  #isOpen = false;

  constructor(intake: RegistrationIntake) {
    this.#intake = intake;
  }

  open(): void {
    if (this.#isOpen) return;
    this.#isOpen = true;
    const handle = async (event: JsonObject): Promise<void> => {
      await Promise.all([...this.#listeners].map((listener) => listener(event)));
    };
    this.#intake.take('onAgentEvent', { kind: 'agent-event', id: 'runtime', handle });
  }

  readonly listen = (listener: (event: JsonObject) => unknown): (() => void) => {
    if (typeof listener !== 'function') return () => undefined;
    this.open();
    const own = (event: JsonObject) => listener(event);
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  };

  readonly subscribe = (
    listener: (event: JsonObject) => unknown,
    { id, streams }: { readonly id: string; readonly streams?: readonly string[] | undefined },
  ): (() => void) => {
    let isOver = false;
    const handle = (event: JsonObject) => (isOver ? undefined : listener(event));
    this.#intake.take('registerAgentEventSubscription', { kind: 'agent-event', id, streams, handle });
    return () => {
      isOver = true;
    };
  };
}
