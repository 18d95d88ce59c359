// Makes sure that an agent has a workspace before its first run: a fresh machine gets templates, an existing workspace
// is not changed. Runs wait for it once, and nothing else does. A failure is a warning, and the next run tries again, so that no restart is
// needed after the cause was fixed. From then on it knows whether the agent's first run goes on.

import { resolveAgentWorkspaceDir } from '../config/agent-workspace.ts';
import { listAgentIds, resolveAgentConfig, resolveAgentDefaults, resolveDefaultAgentId } from '../config/agents.ts';
import type { Environment } from '../config/environment.ts';
import type { Config } from '../config/schema.ts';
import { TAXONOMIES } from '../context/taxonomy.ts';
import { seedWorkspace } from '../context/workspace/ensure-workspace.ts';
import { FirstRuns } from './first-runs.ts';

export interface WorkspacesParts {
  readonly environment: Environment;
  readonly config: Config;
  readonly now: () => number;
  readonly warn: (sentence: string) => void;
}

export class Workspaces {
  readonly #parts: WorkspacesParts;
  readonly #preparing = new Map<string, Promise<void>>();
  /** The problem of each agent, until its workspace exists. */
  readonly #problems = new Map<string, string>();
  readonly #firstRuns: FirstRuns;
  /** Until all workspaces are prepared that were asked for. */
  #all = Promise.resolve();
  #isClosed = false;

  constructor(parts: WorkspacesParts) {
    this.#parts = parts;
    this.#firstRuns = new FirstRuns(parts);
  }

  get warnings(): readonly string[] {
    return [...this.#problems.values()];
  }

  /** Starts to prepare all workspaces, that of the default agent first, and does not wait. */
  prepareAll(): void {
    this.#all = this.#all.then(() => this.#prepareEach());
  }

  /** One after the other, because hundreds at once would keep a start from being ready. */
  async #prepareEach(): Promise<void> {
    const { config } = this.#parts;
    for (const agentId of [resolveDefaultAgentId(config), ...listAgentIds(config)]) {
      if (this.#isClosed) return;
      await this.ready(agentId);
    }
  }

  /** Resolves when the agent's workspace exists, or cannot be created, and it is known whether its first run goes on. */
  async ready(agentId: string): Promise<void> {
    let preparing = this.#preparing.get(agentId);
    if (!preparing) {
      preparing = this.#prepare(agentId);
      this.#preparing.set(agentId, preparing);
    }
    await preparing;
    await this.#firstRuns.look(agentId);
  }

  /** Called when a run has its answer and may have changed the workspace. */
  worked(agentId: string): Promise<void> {
    return this.#firstRuns.look(agentId);
  }

  /** Resolves when no workspace is being prepared any more. */
  async settle(): Promise<void> {
    this.#isClosed = true;
    await this.#all;
    await Promise.all(this.#preparing.values());
    this.#firstRuns.close();
  }

  async #prepare(agentId: string): Promise<void> {
    const { config, environment, now, warn } = this.#parts;
    const agent = resolveAgentConfig(config, agentId);
    const dir = resolveAgentWorkspaceDir(config, agentId, environment.variables);
    try {
      const { firstRun } = await seedWorkspace({
        dir,
        now: new Date(now()),
        taxonomy: TAXONOMIES[agent?.taxonomy ?? 'openclaw'],
        ensureBootstrapFiles: !(agent?.skipBootstrap ?? resolveAgentDefaults(config).skipBootstrap),
      });
      if (firstRun === 'pending') this.#firstRuns.watch(agentId, dir);
      this.#problems.delete(agentId);
    } catch (error) {
      const sentence = `The workspace of "${agentId}" could not be prepared: ${(error as Error).message}`;
      this.#preparing.delete(agentId);
      if (this.#problems.get(agentId) === sentence) return;
      this.#problems.set(agentId, sentence);
      warn(sentence);
    }
  }
}
