// Builds the plugins of a gateway: what keeps them loaded, what each may ask for, and where their registrations go.
// `createPlugins` builds, `load` registers their handlers before the first run, `start` starts their services. A home
// without plugins only pays for listing a few folders.

import type { Environment } from '../../config/environment.ts';
import type { LoadedConfig } from '../../config/load-config.ts';
import { ownersOf } from '../../config/owners.ts';
import type { WorkerPlugins } from '../../plugins/isolation/worker-plugins.ts';
import type { WorkerEvents } from '../../plugins/loaded-plugin.ts';
import { describeMissing } from '../../plugins/missing-plugins.ts';
import type { PluginOrigin } from '../../plugins/plugin-setup.ts';
import { Plugins } from '../../plugins/plugins.ts';
import type { PluginsConfiguration } from '../../plugins/plugins-parts.ts';
import type { JsonValue } from '../../protocol/json.ts';
import type { Say } from '../../protocol/log.ts';
import type { Store } from '../../store/store.ts';
import type { TrustedPolicy } from '../../tools/trusted-policy.ts';
import type { GatewayDelivery } from '../gateway-delivery.ts';
import { createPluginHost, type PluginHostParts } from '../plugins/create-plugin-host.ts';
import { type DraftPlugins, draftPlugins } from '../plugins/draft-plugins.ts';
import { GatewayMethods } from '../plugins/gateway-methods.ts';
import { saveCliCommands } from '../plugins/known-cli-commands.ts';
import { PluginAgentEvents } from '../plugins/plugin-agent-events.ts';
import { PluginCleanup } from '../plugins/plugin-cleanup.ts';
import { PluginCommands } from '../plugins/plugin-commands.ts';
import { PluginHttp } from '../plugins/plugin-http.ts';
import { pluginLogs } from '../plugins/plugin-logs.ts';
import { PluginNotes } from '../plugins/plugin-notes.ts';
import { PluginServices } from '../plugins/plugin-services.ts';
import { type PluginStartStopParts, tellPluginsOfStartAndStop } from '../plugins/plugin-start-stop.ts';
import { SessionExtensions } from '../plugins/session-extensions.ts';
import { createSessionMethods } from '../plugins/session-methods.ts';
import { startInlineLoader, startWorkerLoader } from '../plugins/start-loader.ts';
import { PluginControl } from '../services/plugin-control.ts';
import type { Services } from '../services/services.ts';
import { pluginsConfigurationOf } from '../settings/plugins-configuration.ts';
import { FaultLog } from '../upkeep/fault-log.ts';
import type { Records } from './create-records.ts';

export interface PluginsOptions {
  readonly environment: Environment;
  readonly loaded: LoadedConfig;
  readonly configPath?: string | undefined;
  /** Reads the configuration files again. */
  readonly readConfig: () => Promise<LoadedConfig>;
  /** Called when an operator has loaded a plugin again, or all of them. */
  readonly reloaded?: ((id: string | undefined) => void) | undefined;
  /** With true, plugins must not write the configuration. */
  readonly isTrial?: boolean | undefined;
  readonly store: Store;
  readonly records: Pick<Records, 'live' | 'hooks' | 'teller'>;
  readonly services: () => Services;
  readonly delivery: () => GatewayDelivery;
  readonly now: () => number;
  readonly warn: Say;
  /** Receives messages about normal operation; without it they are dropped. */
  readonly log?: Say | undefined;
}

export interface GatewayPlugins extends DraftPlugins {
  readonly registry: Plugins;
  /** The worker that third-party code runs in. */
  readonly worker: () => Promise<WorkerPlugins>;
  /** What the plugins' requests to the gateway are answered from. */
  readonly hosting: PluginHostParts;
  readonly control: PluginControl;
  readonly methods: GatewayMethods;
  readonly http: PluginHttp;
  readonly commands: PluginCommands;
  readonly extensions: SessionExtensions;
  readonly cleanup: PluginCleanup;
  trustedPolicies(): readonly TrustedPolicy[];
  /** One sentence for each enabled plugin that does not work, or that runs in the gateway because the operator said so. */
  troubles(): readonly string[];
  /** Resolves when the plugins' handlers are registered. */
  load(): Promise<void>;
  /** After this call, each plugin that is loaded or unloaded is told that the gateway has started or stops. */
  tellStartAndStop(told: Omit<PluginStartStopParts, 'registry'>): void;
  /** Takes up a changed configuration. */
  apply(loaded: LoadedConfig): Promise<void>;
  /** Starts the plugins' services, once everything that they might use is open. */
  start(): Promise<void>;
  stop(): Promise<void>;
  close(budgetMs: number): Promise<void>;
}

/** A plugin's command may take as long as a tool. */
const COMMAND_MS = 120_000;

export function createPlugins(options: PluginsOptions): GatewayPlugins {
  const { environment, loaded, configPath, store, records, now, warn, log = () => {} } = options;
  const { stateDir } = environment;
  let configuration = pluginsConfigurationOf(loaded.config, environment);
  const settings = () => loaded.config;

  const logs = pluginLogs({ warn, log, now });
  // One worker for plugins and for handler files, started with the first of either.
  let listener: WorkerEvents | undefined;
  let started: Promise<WorkerPlugins> | undefined;
  const worker = () => {
    started ??= startWorkerLoader({
      ...configuration.settings.worker,
      events: {
        trouble: (trouble) => (listener ? listener.trouble(trouble) : warn(trouble.reason)),
        reloaded: (plugin, before) => listener?.reloaded(plugin, before),
      },
      now,
      warn,
    });
    return started;
  };
  const registry = new Plugins({
    ...configuration,
    stateDir,
    homeDir: environment.home,
    loaders: {
      worker: (events) => {
        listener = events;
        return worker();
      },
      inline: startInlineLoader,
    },
    hooks: records.hooks,
    hostFor: (pluginId) => createPluginHost(hosting, pluginId),
    now,
    warn,
    tell: (pluginId, text) => logs(`plugin ${pluginId}`, pluginId)({ level: 'warn', text }),
  });
  const control = new PluginControl({
    plugins: {
      list: () => registry.list().map((status) => notes.shown(status)),
      inspect: (id) => notes.shown(registry.inspect(id)),
      reload: (id, next) => registry.reload(id, noted(next)),
      reloadAll: (next) => registry.reloadAll(noted(next)),
    },
    location: { environment: options.environment, configPath: options.configPath },
    readConfiguration: async () => pluginsConfigurationOf((await options.readConfig()).config, environment),
    reloaded: options.reloaded,
  });
  const noted = (next: PluginsConfiguration | undefined) => {
    configuration = next ?? configuration;
    return configuration;
  };

  // These report each time that a plugin fails.
  const faults = new FaultLog({ warn, now });
  const extensions = new SessionExtensions({ registry, store, now, warn: faults.warn });
  const cleanup = new PluginCleanup({ registry, store, warn: faults.warn });
  const methods = new GatewayMethods({
    registry,
    own: {
      health: async () => ({ status: 'ok' }),
      'plugins.list': async () => ({ plugins: control.list() as unknown as JsonValue }),
      ...createSessionMethods({
        registry,
        extensions,
        store,
        patched: (session, patch) => void records.teller.tell('session-patched', { session, patch }),
      }),
    },
  });
  const hosting: PluginHostParts = {
    environment,
    configPath,
    isTrial: options.isTrial,
    config: () => configuration.config,
    settings,
    store,
    services: options.services,
    delivery: options.delivery,
    methods,
    sessionState: extensions,
    mayInject: (id) => hooksOf(configuration, id)?.allowPromptInjection !== false,
    mayReadConversations: (id) => {
      const origin = registry.list().find((plugin) => plugin.id === id)?.origin;
      return origin !== undefined && mayReadConversations(configuration, id, origin);
    },
    log: (id, entry) => logs(`plugin ${id}`, id)(entry),
    now,
  };
  // The configuration may change while the gateway runs.
  const people = {
    get approvers() {
      return loaded.config.approvals?.approvers ?? [];
    },
    get owners() {
      return ownersOf(loaded.config);
    },
    get allowFrom() {
      return loaded.config.commands?.allowFrom ?? {};
    },
  };
  const commands = new PluginCommands({ registry, people, timeoutMs: COMMAND_MS });
  const http = new PluginHttp({ registry, warn: faults.warn });
  const services = new PluginServices({ registry, warn });
  const drafting = draftPlugins({
    registry,
    environment,
    settings,
    memoryHolder: () => configuration.settings.slots.memory,
    now,
    warn: faults.warn,
  });
  const events = new PluginAgentEvents({
    registry,
    mayReadConversations: (id, origin) => mayReadConversations(configuration, id, origin),
    warn,
  });
  const notes = new PluginNotes({
    refused: () => [
      ...commands.refused().map((each) => ({ ...each, what: 'command' })),
      ...methods.refused().map((each) => ({ ...each, what: 'method' })),
      ...http.refused().map((each) => ({ ...each, what: 'route' })),
    ],
    services: () => services.statuses(),
    warn,
  });
  const looked = () => {
    notes.tellNew();
    return saveCliCommands(stateDir, registry);
  };

  const undo: (() => void)[] = [];
  let stopTelling = () => {};
  return {
    worker,
    hosting,
    control,
    methods,
    http,
    commands,
    ...drafting,
    extensions,
    cleanup,
    trustedPolicies: () =>
      registry
        .registered('trusted-policy')
        .filter(({ origin }) => origin === 'bundled')
        .map(({ pluginId, registration: { id, evaluate } }) => ({ id, pluginId, evaluate })),
    troubles: () => [
      ...registry.missing().map(describeMissing),
      ...registry.list().flatMap(({ id, state, reason, where, origin }) => {
        if (state === 'failed' || state === 'suspended') return [`The plugin "${id}" is ${state}: ${reason}`];
        const isInline = where === 'inline' && origin !== 'bundled';
        const setting = `plugins.entries.${id}.isolation`;
        return isInline
          ? [`The plugin "${id}" runs in the gateway itself (${setting}), where nothing can stop it.`]
          : [];
      }),
    ],
    load: async () => {
      await registry.open();
      undo.push(
        cleanup.open((listener) => records.live.subscribe(listener)),
        // Each node tells its own plugins what happens there.
        records.live.subscribeHere(events.watch),
        registry.subscribe({ loaded: looked }),
      );
      await looked();
      await cleanup.forgetDisabled(registry.list());
    },
    tellStartAndStop: (told) => {
      stopTelling = tellPluginsOfStartAndStop({ ...told, registry });
    },
    apply: ({ config }) => registry.apply(noted(pluginsConfigurationOf(config, environment))),
    start: async () => {
      await services.open();
    },
    stop: async () => {
      stopTelling();
      await services.close();
    },
    close: async (budgetMs) => {
      await registry.close(Math.max(budgetMs, LEAST_CLOSE_MS));
      await (await started)?.close();
      await cleanup.settle();
      for (const each of undo) each();
    },
  };
}

/** Plugins get at least this time to close, even when the gateway stops in a hurry. */
const LEAST_CLOSE_MS = 1_000;

function hooksOf({ settings }: PluginsConfiguration, pluginId: string) {
  return Object.hasOwn(settings.entries, pluginId) ? settings.entries[pluginId]?.hooks : undefined;
}

/** The rule is the same as for the hooks that see a conversation. */
function mayReadConversations(configuration: PluginsConfiguration, pluginId: string, origin: PluginOrigin): boolean {
  const { allowConversationAccess } = hooksOf(configuration, pluginId) ?? {};
  return allowConversationAccess ?? origin === 'bundled';
}
