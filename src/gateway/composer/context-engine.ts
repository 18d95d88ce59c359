// Composes for the agents of one configuration. It turns a request ("this agent, this session, this time") into the
// full input of composition, and caches what is the same between runs: files and each agent's handlers.

import { dirname, join } from 'node:path';
import type { ContextPort } from '../../agent/run-parts.ts';
import { resolveAgentWorkspaceDir } from '../../config/agent-workspace.ts';
import { listAgentIds, resolveDefaultAgentId } from '../../config/agents.ts';
import type { Config } from '../../config/schema.ts';
import { extraSkillFolders } from '../../config/skill-folders.ts';
import { resolveTimezone } from '../../config/timezone.ts';
import { resolveUserPath } from '../../config/user-path.ts';
import { type Composition, compose } from '../../context/compose.ts';
import { readOverrides } from '../../context/handlers/agent-overrides/handler.ts';
import { readGlobalFiles } from '../../context/handlers/global-files/handler.ts';
import { type Situation, timeContextOf } from '../../context/situation.ts';
import { EditedFiles } from '../../context/sources/edited-files.ts';
import { CachedFileSource, type FileSource } from '../../context/sources/file-source.ts';
import { type LoadedSkills, SkillCatalogue } from '../../context/sources/skills.ts';
import type { TaxonomyId } from '../../context/taxonomy.ts';
import { isCompletedStateText, workspaceStatePath } from '../../context/workspace/workspace-state.ts';
import { normalizeAgentId } from '../../protocol/agent-id.ts';
import type { ChannelContext } from '../../protocol/bootstrap-event.ts';
import { nearMatch } from '../../protocol/near-match.ts';
import { parseAgentSessionKey, parseSessionKey } from '../../protocol/session-key.ts';
import { resolveSessionType, type SessionType, type Trigger } from '../../protocol/session-type.ts';
import { UnknownAgentError } from '../../routing/errors.ts';
import type { ContextWarnings } from '../context-warnings.ts';
import { BadFlagError } from '../errors.ts';
import type { Workspaces } from '../workspaces.ts';
import { overrideDirOf } from './bundled-handlers.ts';
import type { HandlerFiles } from './handler-files.ts';
import {
  bootstrapHandlersOf,
  type PreparedAgent,
  PreparedAgents,
  type PreparedAgentsParts,
} from './prepared-agents.ts';
import { skillPolicyOf } from './skill-policy.ts';
import { hookDirectoriesOf } from './user-handlers.ts';

export interface ContextEngineSettings extends Omit<PreparedAgentsParts, 'config' | 'warnings'> {
  /** The configuration to begin with; `apply` takes up another one. */
  readonly config: Config;
  readonly files?: FileSource | undefined;
  readonly handlers: Pick<HandlerFiles, 'load' | 'refresh' | 'forget'>;
  /** A gateway creates the workspaces of its agents, and a composition waits for its own. */
  readonly workspaces?: Pick<Workspaces, 'ready'> | undefined;
  /** Called with what is wrong with an agent's handlers, and with what each recorded composition left out. */
  readonly warnings?: Pick<ContextWarnings, 'look' | 'prepared'> | undefined;
}

/** What the engine takes up while a gateway runs. Nothing else reads these settings at the start only. */
export const LIVE_CONTEXT_SETTINGS = ['bootstrap', 'hooks.internal', 'openboa.globalFiles'] as const;

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
  /** Several people read what comes of the session, although its key does not say so. */
  readonly isForSeveralPeople?: boolean | undefined;
  readonly at: Date;
  readonly timezone?: string | undefined;
  /** Texts in place of files of the workspace, by name. Only looks use this; the files stay as they are. */
  readonly texts?: Readonly<Record<string, string>> | undefined;
  /** The run that asks, for the records of its handlers. */
  readonly runId?: string | undefined;
  /** With false, the handlers' calls are not recorded. Previews use this. */
  readonly record?: boolean | undefined;
}

export class ContextEngine implements ContextPort {
  readonly #settings: ContextEngineSettings;
  #config: Config;
  readonly #files: FileSource;
  readonly #skills: SkillCatalogue;
  readonly #agents: PreparedAgents;
  /** Agents are prepared at once when something has changed, and not with their next message. */
  #isEarly = false;
  #isPreparing = false;
  readonly #unsubscribe: (() => void) | undefined;

  constructor(settings: ContextEngineSettings) {
    this.#settings = settings;
    this.#config = settings.config;
    this.#files = settings.files ?? new CachedFileSource();
    this.#skills = new SkillCatalogue();
    this.#agents = new PreparedAgents({ ...settings, config: () => this.#config });
    this.#unsubscribe = settings.plugins?.subscribe({ loaded: () => this.#forgetPrepared() });
  }

  /** For an engine that lives shorter than the plugins that it follows. */
  close(): void {
    this.#unsubscribe?.();
  }

  /** The configuration that is in use. */
  get config(): Config {
    return this.#config;
  }

  /** Takes up changed settings of the context and changed handlers. Compositions that have begun are not disturbed. */
  apply(config: Config): void {
    this.#config = { ...config };
    this.#settings.handlers.refresh();
    this.#forgetPrepared();
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
    return [...new Set([...folders, ...configured, ...this.#agents.packFiles])];
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
        files: request.texts ? new EditedFiles(this.#files, workspaceDir, request.texts) : this.#files,
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
    if (request.record) warnings?.look(agent.agentId, composition.report, agent.registry.absences);
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
    const { taxonomy } = request;
    const isAsConfigured = request.workspaceDir === undefined && taxonomy === undefined;
    return this.#agents.prepare({ agentId, workspaceDir, taxonomy, ci: this.#isCi(request), isAsConfigured });
  }

  /** Every agent of the configuration; one that cannot be prepared is left out. */
  async prepareAll(): Promise<readonly PreparedAgent[]> {
    const at = new Date(0);
    const prepared: PreparedAgent[] = [];
    // One after the other, because a message that comes in meanwhile need not wait for hundreds of agents.
    for (const agentId of listAgentIds(this.#config)) {
      await this.prepare({ agentId, at }).then(
        (agent) => prepared.push(agent),
        () => undefined,
      );
    }
    return prepared;
  }

  /**
   * Loads the handlers of every agent now, and again after each change, so that what is wrong with them is told before the
   * first message needs them.
   */
  async prepareEarly(): Promise<void> {
    this.#isEarly = true;
    await this.prepareAll();
  }

  /** Reads and loads the handlers of every agent again, also those whose code had to be stopped. */
  async reload(): Promise<void> {
    this.#settings.handlers.forget();
    this.#agents.forget();
    await this.prepareAll();
  }

  #forgetPrepared(): void {
    this.#agents.forget();
    if (!this.#isEarly || this.#isPreparing) return;
    // Several plugins may be loaded one right after the other, and one preparation is enough for all.
    this.#isPreparing = true;
    setImmediate(() => {
      this.#isPreparing = false;
      void this.prepareAll();
    });
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
      isForSeveralPeople: request.isForSeveralPeople,
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
    const { environment } = this.#settings;
    const others = [...pluginSkills, ...extraSkillFolders(this.#config, environment)];
    return [join(environment.stateDir, 'skills'), ...others.map(({ dir }) => dir)];
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
    const folders = [
      folderIn(workspaceDir),
      ...shared,
      ...pluginSkills,
      ...extraSkillFolders(this.#config, environment),
    ];
    return this.#skills.load(files, folders, skillPolicyOf(this.#config, agentId, environment));
  }
}

async function isFirstRunComplete(files: FileSource, workspaceDir: string): Promise<boolean> {
  const read = await files.read(workspaceStatePath(workspaceDir), [workspaceDir]);
  return read.kind === 'text' && isCompletedStateText(read.text);
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
