// Makes sure that an agent has a workspace before its first run: a fresh machine gets templates, an existing workspace
// is not changed. Runs wait for it once. A failure is a warning, and the next run tries again, so that no restart is
// needed after the cause was fixed.

import { resolveAgentWorkspaceDir } from '../config/agent-workspace.ts';
import { listAgentIds, resolveAgentConfig, resolveAgentDefaults } from '../config/agents.ts';
import type { Environment } from '../config/environment.ts';
import type { Config } from '../config/schema.ts';
import { TAXONOMIES } from '../context/taxonomy.ts';
import { seedWorkspace } from '../context/workspace/ensure-workspace.ts';

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

  constructor(parts: WorkspacesParts) {
    this.#parts = parts;
  }

  get warnings(): readonly string[] {
    return [...this.#problems.values()];
  }

  /** Starts to prepare all workspaces, and does not wait. */
  prepareAll(): void {
    for (const agentId of listAgentIds(this.#parts.config)) void this.ready(agentId);
  }

  /** Resolves when the agent's workspace exists, or cannot be created. */
  ready(agentId: string): Promise<void> {
    let preparing = this.#preparing.get(agentId);
    if (!preparing) {
      preparing = this.#prepare(agentId);
      this.#preparing.set(agentId, preparing);
    }
    return preparing;
  }

  /** Resolves when no workspace is being prepared any more. */
  async settle(): Promise<void> {
    await Promise.all(this.#preparing.values());
  }

  async #prepare(agentId: string): Promise<void> {
    const { config, environment, now, warn } = this.#parts;
    const agent = resolveAgentConfig(config, agentId);
    const dir = resolveAgentWorkspaceDir(config, agentId, environment.variables);
    try {
      await seedWorkspace({
        dir,
        now: new Date(now()),
        taxonomy: TAXONOMIES[agent?.taxonomy ?? 'openclaw'],
        ensureBootstrapFiles: !(agent?.skipBootstrap ?? resolveAgentDefaults(config).skipBootstrap),
      });
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
