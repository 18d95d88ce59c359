// Builds the parts that draft a request: what an agent reads, its model, its session and its tools. A gateway and a
// preview use the same parts, so both see the same; building them writes nothing.

import type { DraftParts, RunHooks } from '../../agent/run-parts.ts';
import type { ThreadHistoryPort } from '../../agent/thread-history.ts';
import type { AttachmentStore } from '../../attachments/attachment-store.ts';
import { compactionSettingsOf } from '../../config/compaction-settings.ts';
import type { Environment } from '../../config/environment.ts';
import type { LoadedConfig } from '../../config/load-config.ts';
import { resolveTimezone } from '../../config/timezone.ts';
import {
  messageSettingsOf,
  sessionVisibilityOf,
  stricterMessageSettings,
  webFetchSettingsOf,
} from '../../config/tool-settings.ts';
import type { Inbound } from '../../protocol/inbound.ts';
import { type Route, resolveRoute } from '../../routing/resolve-route.ts';
import { SessionSight } from '../../sessions/session-visibility.ts';
import { lineageOf } from '../../store/lineage-of.ts';
import type { Store } from '../../store/store.ts';
import type { CronToolJobs } from '../../tools/cron.ts';
import type { McpServers } from '../../tools/mcp/mcp-servers.ts';
import type { MessagePort } from '../../tools/message/message-port.ts';
import type { SessionMail } from '../../tools/sessions-send.ts';
import type { SpawnPort } from '../../tools/sessions-spawn.ts';
import type { SubagentsPort } from '../../tools/subagents.ts';
import type { Tool } from '../../tools/tool.ts';
import { createToolset } from '../../tools/toolset.ts';
import { ContextEngine, type ContextEngineSettings } from '../composer/context-engine.ts';
import type { HandlerFiles } from '../composer/handler-files.ts';
import { memoryPolicyOf } from '../memory-policy.ts';
import { ModelRegistry } from '../models/model-registry.ts';
import type { DraftPlugins } from '../plugins/draft-plugins.ts';
import { routingSettingsOf } from '../settings/routing-settings.ts';
import { ToolOffer, toolWarnings } from '../tool-offer.ts';
import { createAttachments } from './create-attachments.ts';
import { createExecTools, type ExecTools } from './create-exec-tools.ts';
import { handlersOfTheirOwn } from './create-handler-files.ts';

export interface DraftOptions {
  /** The name of this node, where several share the store. */
  readonly node?: string | undefined;
  readonly environment: Environment;
  readonly loaded: LoadedConfig;
  readonly store: Store;
  readonly hooks: RunHooks;
  /** The files of messages; a preview without a gateway looks into the same folder. */
  readonly attachments?: AttachmentStore | undefined;
  /** Tools in addition to those that come with the product. */
  readonly tools?: readonly Tool[] | undefined;
  readonly sessionMail?: SessionMail | undefined;
  readonly spawning?: SpawnPort | undefined;
  readonly subagents?: (() => SubagentsPort) | undefined;
  readonly messages?: MessagePort | undefined;
  readonly threadHistory?: ThreadHistoryPort | undefined;
  readonly cronJobs?: (() => CronToolJobs) | undefined;
  readonly mcp?: McpServers | undefined;
  readonly plugins?: DraftPlugins | undefined;
  /** Additional context fields for handlers of hook packs. */
  readonly packContext?: ContextEngineSettings['packContext'];
  readonly workspaces?: ContextEngineSettings['workspaces'];
  readonly warnings?: ContextEngineSettings['warnings'];
  readonly found?: ContextEngineSettings['found'];
  /** Loads the code of handlers; the default is a worker of its own. */
  readonly handlers?: HandlerFiles | undefined;
  readonly now: () => number;
  readonly warn?: ((sentence: string) => void) | undefined;
}

export interface BuiltDraftParts {
  readonly parts: DraftParts;
  readonly engine: ContextEngine;
  readonly models: ModelRegistry;
  readonly exec: ExecTools;
  readonly offer: ToolOffer;
  /** Mistakes in the configured lists of tools. */
  readonly toolWarnings: () => readonly string[];
  readonly route: (inbound: Inbound) => Route;
}

export function createDraftParts(options: DraftOptions): BuiltDraftParts {
  const { environment, loaded, store, hooks, plugins, now } = options;
  const { config } = loaded;
  const engine = new ContextEngine({
    environment,
    config,
    configPath: loaded.files.at(-1)?.path,
    runner: hooks,
    handlers: options.handlers ?? handlersOfTheirOwn(config, environment),
    packContext: options.packContext,
    workspaces: options.workspaces,
    warnings: options.warnings,
    found: options.found,
    plugins: plugins?.registry,
  });
  const attachments = options.attachments ?? createAttachments({ environment, config, store, now });
  const models = new ModelRegistry(config, environment, attachments);
  const { home } = environment;
  const sight = new SessionSight(store, sessionVisibilityOf(config));
  const toolset = createToolset({
    store,
    now,
    home,
    skillDirsOf: ({ agentId }) => engine.sharedSkillDirs({ agentId, at: new Date(now()) }),
    sessionSight: sight,
    sessionMail: options.sessionMail,
    spawning: options.spawning,
    subagents: options.subagents,
    messages: options.messages,
    messageSettingsOf: async ({ agentId, sessionKey }) => {
      const above = (await lineageOf(store, sessionKey)).map(({ parentAgentId }) => parentAgentId);
      return [agentId, ...above].map((each) => messageSettingsOf(config, each)).reduce(stricterMessageSettings);
    },
    cronJobs: options.cronJobs,
    webFetch: webFetchSettingsOf(config),
    memoryPolicyOf: memoryPolicyOf(() => engine.config, environment),
    memorySupplements: plugins?.memory,
  });
  const exec = createExecTools({
    environment,
    config,
    store,
    sight,
    node: options.node,
    now,
    warn: options.warn ?? (() => undefined),
  });
  const tools = [...toolset.tools, ...exec.tools, ...(options.tools ?? [])];
  const offer = new ToolOffer({
    config,
    lineageOf: (sessionKey) => lineageOf(store, sessionKey),
    tools: async (scope) => {
      const own = [...tools, ...((await options.mcp?.tools()) ?? [])];
      return plugins ? plugins.joinTools(own, scope) : own;
    },
  });
  // The configuration may change while the gateway runs; then its sections are other objects.
  let routing = routingSettingsOf(config);
  let routed = [config.agents, config.bindings, config.session];
  const currentRouting = () => {
    const now = [config.agents, config.bindings, config.session];
    if (now.some((section, index) => section !== routed[index])) {
      routed = now;
      routing = routingSettingsOf(config);
    }
    return routing;
  };
  const timezone = resolveTimezone(config, environment);
  return {
    engine,
    models,
    exec,
    offer,
    toolWarnings: () => toolWarnings(config, [...tools, ...(plugins?.namedTools() ?? [])]),
    route: (inbound) => resolveRoute(currentRouting(), inbound),
    parts: {
      store,
      hooks,
      context: engine,
      compaction: (agentId) => compactionSettingsOf(config, agentId),
      clientToolTimeoutMs: () => (config.gateway?.http?.clientTools?.timeoutSeconds ?? 600) * 1_000,
      models,
      attachments,
      lifetime: () => {
        const { reset, resetByType, resetByChannel, idleMinutes } = config.session ?? {};
        return { reset, resetByType, resetByChannel, idleMinutes, timezone };
      },
      tools: (scope) => offer.offered(scope),
      warn: options.warn ?? (() => undefined),
      threadHistory: options.threadHistory,
      missingPlugins: () => plugins?.registry.missing() ?? [],
    },
  };
}
