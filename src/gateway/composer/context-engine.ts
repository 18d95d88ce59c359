// Composes for the agents of one configuration. It turns a request ("this agent, this session, this time") into the
// full input of composition, and caches what is the same between runs: files and each agent's handlers.

import { dirname, join } from 'node:path';
import type { ContextPort } from '../../agent/run-parts.ts';
import { resolveAgentWorkspaceDir } from '../../config/agent-workspace.ts';
import { listAgentIds, resolveAgentConfig, resolveDefaultAgentId } from '../../config/agents.ts';
import type { Environment } from '../../config/environment.ts';
import type { Config } from '../../config/schema.ts';
import { resolveTimezone } from '../../config/timezone.ts';
import { resolveUserPath } from '../../config/user-path.ts';
import type { BootstrapHandlers } from '../../context/bootstrap-handlers.ts';
import { type Composition, compose } from '../../context/compose.ts';
import type { ContextPolicy } from '../../context/composition.ts';
import { CompositionMemory } from '../../context/composition-memory.ts';
import { readOverrides } from '../../context/handlers/agent-overrides/handler.ts';
import { readGlobalFiles } from '../../context/handlers/global-files/handler.ts';
import { type Situation, timeContextOf } from '../../context/situation.ts';
import { CachedFileSource, type FileSource } from '../../context/sources/file-source.ts';
import { type LoadedSkills, SkillCatalogue, type SkillFolder } from '../../context/sources/skills.ts';
import { TAXONOMIES, type Taxonomy, type TaxonomyId } from '../../context/taxonomy.ts';
import { isCompletedStateText, workspaceStatePath } from '../../context/workspace/workspace-state.ts';
import type { HookPack } from '../../hooks/packs/hook-pack.ts';
import { HookRunner } from '../../hooks/runner.ts';
import { listPluginSkillFolders } from '../../plugins/discovery/plugin-skill-folders.ts';
import type { PluginRegistry } from '../../plugins/plugin-registry.ts';
import type { PluginStatus } from '../../plugins/plugin-status.ts';
import { normalizeAgentId } from '../../protocol/agent-id.ts';
import type { ChannelContext } from '../../protocol/bootstrap-event.ts';
import { nearMatch } from '../../protocol/near-match.ts';
import { parseAgentSessionKey, parseSessionKey } from '../../protocol/session-key.ts';
import { resolveSessionType, type SessionType, type Trigger } from '../../protocol/session-type.ts';
import { UnknownAgentError } from '../../routing/errors.ts';
import type { ContextWarnings } from '../context-warnings.ts';
import { BadFlagError } from '../errors.ts';
import { pluginHookDirs } from '../plugins/plugin-hook-dirs.ts';
import type { PluginInternalHook } from '../plugins/plugin-internal-hooks.ts';
import type { Workspaces } from '../workspaces.ts';
import {
  type BootstrapRegistry,
  type BootstrapRegistrySettings,
  type BootstrapRunner,
  registerBootstrapHandlers,
} from './bootstrap-registry.ts';
import { overrideDirOf } from './bundled-handlers.ts';
import { contextPolicyOf } from './context-policy.ts';
import type { HandlerFiles } from './handler-files.ts';
import { skillPolicyOf } from './skill-policy.ts';
import { hookDirectoriesOf } from './user-handlers.ts';

export interface ContextEngineSettings {
  readonly environment: Environment;
  /** The configuration to begin with; `apply` takes up another one. */
  readonly config: Config;
  /** The path of the configuration file; relative paths in it start from its folder. */
  readonly configPath?: string | undefined;
  /** Handlers that a program registered itself; each agent's own handlers are added to a copy. */
  readonly runner?: BootstrapRunner | undefined;
  readonly files?: FileSource | undefined;
  /** Loads the code of hook packs and of modules that the configuration names. */
  readonly handlers: Pick<HandlerFiles, 'load' | 'refresh' | 'forget'>;
  /** Additional context fields for handlers of hook packs. */
  readonly packContext?: BootstrapRegistrySettings['packContext'];
  /** Plugins may add handlers, hook packs and skills, and may be loaded and unloaded after agents were prepared. */
  readonly plugins?: PluginHookSource | undefined;
  /** A gateway creates the workspaces of its agents, and a composition waits for its own. */
  readonly workspaces?: Pick<Workspaces, 'ready'> | undefined;
  /** Called with what each recorded composition left out. */
  readonly warnings?: Pick<ContextWarnings, 'look'> | undefined;
  /** Called when the handlers of an agent were found, so that `handlerFiles` may have more to tell. */
  readonly found?: (() => void) | undefined;
}

/** What the engine takes up while a gateway runs. Nothing else reads these settings at the start only. */
export const LIVE_CONTEXT_SETTINGS = ['bootstrap', 'hooks.internal', 'openboa.globalFiles'] as const;

export type PluginHookSource = PluginRegistry & { list(): readonly PluginStatus[] };

export interface ContextRequest {
  readonly agentId?: string | undefined;
  /** Composes for this folder instead of the agent's configured workspace. */
  readonly workspaceDir?: string | undefined;
  readonly taxonomy?: TaxonomyId | undefined;
  readonly sessionKey?: string | undefined;
  readonly sessionId?: string | undefined;
  /** Overrides what the session key, the trigger and the environment say. */
  readonly sessionType?: SessionType | undefined;
  readonly trigger?: Trigger | undefined;
  readonly channel?: ChannelContext | undefined;
  /** What people call the channel, where the platform says it. */
  readonly channelName?: string | undefined;
  readonly at: Date;
  readonly timezone?: string | undefined;
  /** The run that asks, for the records of its handlers. */
  readonly runId?: string | undefined;
  /** With false, the handlers' calls are not recorded. Previews use this. */
  readonly record?: boolean | undefined;
}

/** What the engine knows about one agent, built on first use. */
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
  readonly loaded: string;
}

/** The handlers of at most this many agents and workspaces stay loaded. */
const MAX_PREPARED = 256;

export class ContextEngine implements ContextPort {
  readonly #settings: ContextEngineSettings;
  #config: Config;
  readonly #files: FileSource;
  readonly #skills: SkillCatalogue;
  /**
   * One promise per agent, workspace and kind of machine, so that handlers are loaded once even when many runs ask at
   * the same time.
   */
  readonly #prepared = new Map<string, Preparation>();
  /** The files of the packs of each prepared agent. */
  readonly #packFiles = new Map<string, readonly string[]>();

  constructor(settings: ContextEngineSettings) {
    this.#settings = settings;
    this.#config = settings.config;
    this.#files = settings.files ?? new CachedFileSource();
    this.#skills = new SkillCatalogue();
    settings.plugins?.subscribe({ loaded: () => this.#prepared.clear() });
  }

  /** The configuration that is in use. */
  get config(): Config {
    return this.#config;
  }

  /** Takes up changed settings of the context and changed handlers. Compositions that have begun are not disturbed. */
  apply({ bootstrap, hooks, openboa }: Config): void {
    this.#config = { ...this.#config, bootstrap, openboa, hooks: { ...this.#config.hooks, internal: hooks?.internal } };
    this.#settings.handlers.refresh();
    this.#prepared.clear();
  }

  /** The folders in which hook packs may lie, and the files of the packs and handlers that were found. */
  handlerFiles(): readonly string[] {
    const { environment, configPath = environment.configPath } = this.#settings;
    const config = this.#config;
    const folders = listAgentIds(config).flatMap((agentId) => {
      const { extraDirs, managedDir, workspaceDir } = hookDirectoriesOf({
        config,
        environment,
        workspaceDir: this.workspaceDirOf(agentId),
      });
      return [
        ...(extraDirs ?? []),
        ...(managedDir ? [managedDir] : []),
        ...(workspaceDir ? [join(workspaceDir, 'hooks')] : []),
      ];
    });
    const configured = (config.bootstrap?.handlers ?? []).map(({ path }) =>
      resolveUserPath(path, environment.home, dirname(configPath)),
    );
    return [...new Set([...folders, ...configured, ...this.#packFiles.values()].flat())];
  }

  async compose(request: ContextRequest, previous?: Composition): Promise<Composition> {
    const { environment, workspaces, warnings } = this.#settings;
    const config = this.#config;
    if (workspaces && request.agentId !== undefined) await workspaces.ready(request.agentId);
    const agent = await this.prepare(request);
    const { workspaceDir } = agent;
    const composition = await compose(
      {
        workspaceDir,
        home: environment.home,
        situation: this.#situation(request, agent.agentId),
        taxonomy: agent.taxonomy,
        policy: agent.policy,
        files: this.#files,
        handlers: bootstrapHandlersOf(agent.runner, request),
        gather: {
          skills: (files) => this.#loadSkills(files, agent),
          firstRunComplete: (files) => isFirstRunComplete(files, workspaceDir),
          ahead: (files) => this.#readAhead(files, agent),
        },
        config,
        absences: agent.registry.absences,
        memory: agent.memory,
      },
      previous,
    );
    if (request.record) warnings?.look(agent.agentId, composition.report);
    return composition;
  }

  workspaceDirOf(agentId: string): string {
    return resolveAgentWorkspaceDir(this.#config, agentId, this.#settings.environment.variables);
  }

  /** The agent that a request is for, with its handlers loaded. Unknown agents are refused unless a workspace is named. */
  async prepare(request: ContextRequest): Promise<PreparedAgent> {
    const { environment } = this.#settings;
    const agentId = this.#agentIdOf(request);
    const workspaceDir =
      request.workspaceDir === undefined
        ? this.workspaceDirOf(agentId)
        : resolveUserPath(request.workspaceDir, environment.home, environment.cwd);
    const ci = this.#isCi(request);
    const key = JSON.stringify([agentId, workspaceDir, request.taxonomy, ci]);
    const pluginHooks = this.#settings.plugins?.registered('internal-hook') ?? [];
    const plugins = this.#loadedPlugins();
    const loaded = JSON.stringify(plugins.map(({ id, generation }) => [id, generation]));
    const known = this.#prepared.get(key);
    if (known && known.loaded === loaded && isSame(known.pluginHooks, pluginHooks)) return known.agent;
    const agent = this.#prepareAgent(agentId, workspaceDir, request.taxonomy, ci, { hooks: pluginHooks, plugins });
    const preparation = { agent, pluginHooks, loaded };
    agent.then(
      ({ registry }) => {
        const files = registry.packs.flatMap(({ pack }) => filesOfPack(pack));
        this.#packFiles.set(agentId, files);
        if (files.length > 0) this.#settings.found?.();
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

  /** Every agent of the configuration; one that cannot be prepared is left out. */
  async prepareAll(): Promise<readonly PreparedAgent[]> {
    const at = new Date(0);
    const ids = listAgentIds(this.#config);
    const prepared = await Promise.allSettled(ids.map((agentId) => this.prepare({ agentId, at })));
    return prepared.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  }

  /** Reads and loads the handlers of every agent again, also those whose code had to be stopped. */
  async reload(): Promise<void> {
    this.#settings.handlers.forget();
    this.#prepared.clear();
    await this.prepareAll();
  }

  async #prepareAgent(
    agentId: string,
    workspaceDir: string,
    taxonomyId: TaxonomyId | undefined,
    ci: boolean,
    { hooks, plugins }: { readonly hooks: readonly PluginInternalHook[]; readonly plugins: readonly PluginStatus[] },
  ): Promise<PreparedAgent> {
    const { environment, configPath = environment.configPath } = this.#settings;
    const config = this.#config;
    const taxonomy = TAXONOMIES[taxonomyId ?? resolveAgentConfig(config, agentId)?.taxonomy ?? 'openclaw'];
    const runner: BootstrapRunner = this.#settings.runner?.fork() ?? new HookRunner();
    const registry = await registerBootstrapHandlers({
      runner,
      config,
      configDir: dirname(configPath),
      environment,
      workspaceDir,
      ci,
      handlers: this.#settings.handlers,
      pluginHooks: hooks,
      packContext: this.#settings.packContext,
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

  #agentIdOf(request: ContextRequest): string {
    const config = this.#config;
    const named = request.agentId ?? parseAgentSessionKey(request.sessionKey)?.agentId;
    const agentId = normalizeAgentId(named ?? resolveDefaultAgentId(config));
    const known = listAgentIds(config);
    if (request.workspaceDir === undefined && !known.includes(agentId)) {
      throw new UnknownAgentError({ agentId, known, suggestion: nearMatch(agentId, known) });
    }
    return agentId;
  }

  #situation(request: ContextRequest, agentId: string): Situation {
    const { environment } = this.#settings;
    const config = this.#config;
    const { sessionKey, sessionId, trigger, at } = request;
    const channel = named(request.channel ?? channelOf(sessionKey), request.channelName);
    const timezone = request.timezone ?? resolveTimezone(config, environment);
    checkTime(at, timezone);
    return {
      agentId,
      sessionKey,
      sessionId,
      trigger,
      channel,
      at,
      timezone,
      sessionType:
        request.sessionType ??
        resolveSessionType({ sessionKey: sessionKey ?? sessionId, trigger, ci: this.#isCi(request) }),
    };
  }

  /** A session type that the request names is used, even when the process runs in a pipeline. */
  #isCi(request: ContextRequest): boolean {
    if (request.sessionType !== undefined) return request.sessionType === 'ci';
    return this.#settings.environment.ci || this.#config.bootstrap?.sessionType === 'ci';
  }

  /** Starts to read what the first handlers will need, while the workspace is loading. */
  async #readAhead(files: FileSource, { agentId, taxonomy }: PreparedAgent): Promise<void> {
    const { stateDir } = this.#settings.environment;
    const overrideDir = overrideDirOf(this.#config, this.#settings.environment);
    await readGlobalFiles(files, stateDir, taxonomy);
    await readOverrides(files, overrideDir, agentId, taxonomy);
  }

  /** The folders outside of the workspace whose skills an agent may read. */
  async sharedSkillDirs(request: ContextRequest): Promise<readonly string[]> {
    const { pluginSkills } = await this.prepare(request);
    return [join(this.#settings.environment.stateDir, 'skills'), ...pluginSkills.map(({ dir }) => dir)];
  }

  /** Most homes have no shared skills, and the state directory has to be listed anyway. */
  async #loadSkills(files: FileSource, agent: PreparedAgent): Promise<LoadedSkills> {
    const { agentId, workspaceDir, policy, pluginSkills } = agent;
    const { environment } = this.#settings;
    const { stateDir } = environment;
    const folderIn = (dir: string) => ({ dir: join(dir, 'skills'), roots: [dir, ...policy.allowedRoots] });
    const names = await files.list(stateDir);
    const hasShared = names === undefined || names.includes('skills');
    const shared = hasShared ? [folderIn(stateDir)] : [];
    const folders = [folderIn(workspaceDir), ...shared, ...pluginSkills];
    return this.#skills.load(files, folders, skillPolicyOf(this.#config, agentId, environment));
  }

  #loadedPlugins(): readonly PluginStatus[] {
    return this.#settings.plugins?.list().filter(({ state }) => state === 'loaded') ?? [];
  }
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

async function isFirstRunComplete(files: FileSource, workspaceDir: string): Promise<boolean> {
  const read = await files.read(workspaceStatePath(workspaceDir), [workspaceDir]);
  return read.kind === 'text' && isCompletedStateText(read.text);
}

export function bootstrapHandlersOf(
  runner: BootstrapRunner,
  { runId, sessionKey, record }: Pick<ContextRequest, 'runId' | 'sessionKey' | 'record'> = {},
): BootstrapHandlers {
  return {
    list: () => runner.list('agent:bootstrap'),
    chain: (initial, invoke) => runner.chain('agent:bootstrap', initial, invoke, { runId, sessionKey, record }),
  };
}

/**
 * Programs hand over any date and any time zone; a wrong one is refused here, because errors further down would be hard
 * to understand.
 */
function checkTime(at: Date, timezone: string): void {
  if (Number.isNaN(at.getTime())) throw new BadFlagError({ flag: 'at', value: String(at), expected: 'a valid date' });
  try {
    timeContextOf(at, timezone);
  } catch {
    throw new BadFlagError({ flag: 'timezone', value: timezone, expected: 'a time zone such as Europe/Berlin or UTC' });
  }
}

function named(channel: ChannelContext | undefined, channelName: string | undefined): ChannelContext | undefined {
  return channel && channelName !== undefined ? { channelName, ...channel } : channel;
}

/** The platform and the place on it, as far as the session key names them. */
function channelOf(sessionKey: string | undefined): ChannelContext | undefined {
  const { channel, peerId, surface } = parseSessionKey(sessionKey);
  if (channel === undefined) return undefined;
  const isPlace = surface === 'group' || surface === 'channel';
  return isPlace && peerId !== undefined ? { provider: channel, channelId: peerId } : { provider: channel };
}
