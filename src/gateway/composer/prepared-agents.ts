// The agents whose handlers are loaded. An agent is prepared on first use, and again when the handlers of plugins have
// changed. Many runs may ask at the same time; they share one preparation.
// Errors: `prepare` rejects when an agent cannot be prepared. The next request tries again.

import { dirname } from 'node:path';
import { resolveAgentConfig } from '../../config/agents.ts';
import type { Environment } from '../../config/environment.ts';
import type { Config } from '../../config/schema.ts';
import type { BootstrapHandlers } from '../../context/bootstrap-handlers.ts';
import type { ContextPolicy } from '../../context/composition.ts';
import { CompositionMemory } from '../../context/composition-memory.ts';
import type { SkillFolder } from '../../context/sources/skills.ts';
import { TAXONOMIES, type Taxonomy, type TaxonomyId } from '../../context/taxonomy.ts';
import type { HookPack } from '../../hooks/packs/hook-pack.ts';
import { HookRunner } from '../../hooks/runner.ts';
import { listPluginSkillFolders } from '../../plugins/discovery/plugin-skill-folders.ts';
import type { PluginRegistry } from '../../plugins/plugin-registry.ts';
import type { PluginStatus } from '../../plugins/plugin-status.ts';
import type { ContextWarnings } from '../context-warnings.ts';
import { pluginHookDirs } from '../plugins/plugin-hook-dirs.ts';
import type { PluginInternalHook } from '../plugins/plugin-internal-hooks.ts';
import {
  type BootstrapRegistry,
  type BootstrapRegistrySettings,
  type BootstrapRunner,
  registerBootstrapHandlers,
} from './bootstrap-registry.ts';
import { contextPolicyOf } from './context-policy.ts';
import type { HandlerFiles } from './handler-files.ts';
import { listHandlerFaults } from './list-handler-faults.ts';

export type PluginHookSource = PluginRegistry & { list(): readonly PluginStatus[] };

export interface PreparedAgentsParts {
  readonly environment: Environment;
  readonly config: () => Config;
  /** The path of the configuration file; relative paths in it start from its folder. */
  readonly configPath?: string | undefined;
  /** Handlers that a program registered itself; each agent's own handlers are added to a copy. */
  readonly runner?: BootstrapRunner | undefined;
  /** Loads the code of hook packs and of modules that the configuration names. */
  readonly handlers: Pick<HandlerFiles, 'load'>;
  /** Additional context fields for handlers of hook packs. */
  readonly packContext?: BootstrapRegistrySettings['packContext'];
  /** Plugins may add handlers, hook packs and skills, and may be loaded and unloaded after agents were prepared. */
  readonly plugins?: PluginHookSource | undefined;
  /** Called with what is wrong with an agent's handlers. */
  readonly warnings?: Pick<ContextWarnings, 'prepared'> | undefined;
  /** Called when the handlers of an agent were found, so that `packFiles` may have more to tell. */
  readonly found?: (() => void) | undefined;
}

export interface WantedAgent {
  readonly agentId: string;
  readonly workspaceDir: string;
  /** The taxonomy that the request asks for; without it, the configuration decides. */
  readonly taxonomy: TaxonomyId | undefined;
  readonly ci: boolean;
  /** True when the workspace and the taxonomy are the agent's own, and not those of one request. */
  readonly isAsConfigured: boolean;
}

export interface PreparedAgent {
  readonly agentId: string;
  readonly workspaceDir: string;
  readonly taxonomy: Taxonomy;
  readonly policy: ContextPolicy;
  readonly runner: BootstrapRunner;
  readonly handlers: BootstrapHandlers;
  readonly registry: BootstrapRegistry;
  readonly memory: CompositionMemory;
  /** The skills of the plugins that were loaded then. */
  readonly pluginSkills: readonly SkillFolder[];
}

interface Preparation {
  readonly agent: Promise<PreparedAgent>;
  /** The plugins' handlers at that time; when they have changed, the agent is prepared again. */
  readonly pluginHooks: readonly PluginInternalHook[];
  /** Which plugins were loaded, in which generation. */
  readonly loaded: string;
  /** All plugins as they were when they were last compared. */
  listed: readonly PluginStatus[];
}

/** The handlers of at most this many agents and workspaces stay loaded. */
const MAX_PREPARED = 256;

export class PreparedAgents {
  readonly #parts: PreparedAgentsParts;
  /** The preparations, by agent, workspace and kind of machine. */
  readonly #prepared = new Map<string, Preparation>();
  /** The files of each agent's packs. */
  readonly #packFiles = new Map<string, readonly string[]>();

  constructor(parts: PreparedAgentsParts) {
    this.#parts = parts;
  }

  /** The files of the packs that were found, except those that come with the product. */
  get packFiles(): readonly string[] {
    return [...this.#packFiles.values()].flat();
  }

  /** Every agent is prepared again when it is asked for. */
  forget(): void {
    this.#prepared.clear();
  }

  async prepare(wanted: WantedAgent): Promise<PreparedAgent> {
    const { agentId, workspaceDir, taxonomy, ci, isAsConfigured } = wanted;
    const { found, warnings } = this.#parts;
    const key = JSON.stringify([agentId, workspaceDir, taxonomy, ci]);
    const pluginHooks = this.#parts.plugins?.registered('internal-hook') ?? [];
    const listed = this.#parts.plugins?.list() ?? [];
    const known = this.#prepared.get(key);
    if (known && isSame(known.pluginHooks, pluginHooks) && hasSamePlugins(known, listed)) return known.agent;
    const plugins = listed.filter(({ state }) => state === 'loaded');
    const agent = this.#build(wanted, pluginHooks, plugins);
    const preparation = { agent, pluginHooks, loaded: loadedOf(listed), listed };
    agent.then(
      ({ registry }) => {
        const files = registry.packs.flatMap(({ pack }) => filesOfPack(pack));
        this.#packFiles.set(agentId, files);
        if (files.length > 0) found?.();
        if (isAsConfigured) warnings?.prepared(agentId, listHandlerFaults(registry));
      },
      // The cause of a failure may be fixed before the next run, so only successes are cached.
      () => {
        if (this.#prepared.get(key) === preparation) this.#prepared.delete(key);
      },
    );
    // Requests may name any workspace, so the oldest preparation is removed.
    if (this.#prepared.size >= MAX_PREPARED) this.#prepared.delete(this.#prepared.keys().next().value ?? '');
    this.#prepared.set(key, preparation);
    return agent;
  }

  async #build(
    { agentId, workspaceDir, taxonomy: asked, ci }: WantedAgent,
    pluginHooks: readonly PluginInternalHook[],
    plugins: readonly PluginStatus[],
  ): Promise<PreparedAgent> {
    const { environment, configPath = environment.configPath, handlers, packContext } = this.#parts;
    const config = this.#parts.config();
    const taxonomy = TAXONOMIES[asked ?? resolveAgentConfig(config, agentId)?.taxonomy ?? 'openclaw'];
    const runner: BootstrapRunner = this.#parts.runner?.fork() ?? new HookRunner();
    const registry = await registerBootstrapHandlers({
      runner,
      config,
      configDir: dirname(configPath),
      environment,
      workspaceDir,
      ci,
      handlers,
      pluginHooks,
      packContext,
      pluginHookDirs: await pluginHookDirs(plugins),
      promptless: new Set(plugins.flatMap((each) => (each.permissions?.promptInjection === false ? [each.id] : []))),
    });
    const policy = contextPolicyOf(config, agentId, taxonomy, environment);
    const skillFolders = await listPluginSkillFolders(plugins);
    return {
      agentId,
      workspaceDir,
      taxonomy,
      policy,
      runner,
      handlers: bootstrapHandlersOf(runner),
      registry,
      memory: new CompositionMemory(),
      pluginSkills: skillFolders.map(({ dir, rootDir }) => ({ dir, roots: [rootDir] })),
    };
  }
}

export function bootstrapHandlersOf(
  runner: BootstrapRunner,
  { runId, sessionKey, record }: Parameters<BootstrapRunner['chain']>[3] = {},
): BootstrapHandlers {
  return {
    list: () => runner.list('agent:bootstrap'),
    chain: (initial, invoke) => runner.chain('agent:bootstrap', initial, invoke, { runId, sessionKey, record }),
  };
}

/** A plugin whose state has not changed is the same object. Every fact about a session asks this, and most often nothing has. */
function hasSamePlugins(known: Preparation, listed: readonly PluginStatus[]): boolean {
  if (known.listed.length === listed.length && listed.every((each, index) => each === known.listed[index])) return true;
  if (known.loaded !== loadedOf(listed)) return false;
  known.listed = listed;
  return true;
}

function loadedOf(listed: readonly PluginStatus[]): string {
  return JSON.stringify(listed.flatMap(({ id, generation, state }) => (state === 'loaded' ? [[id, generation]] : [])));
}

/** When a plugin was loaded again, all its registrations are new objects. */
function isSame(some: readonly PluginInternalHook[], others: readonly PluginInternalHook[]): boolean {
  return (
    some.length === others.length &&
    some.every(({ registration }, index) => registration === others[index]?.registration)
  );
}

/** A bundled pack comes with the product and does not change. */
function filesOfPack({ source, dir, hookMdPath, handlerPath }: HookPack): readonly string[] {
  return source === 'openclaw-bundled' ? [] : [dir, hookMdPath, handlerPath];
}
