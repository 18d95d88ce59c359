// What the operator allows an agent that spawns children.

export interface SubagentSettings {
  /** Children of this depth cannot spawn others. */
  readonly maxSpawnDepth: number;
  /** How many children of one session may be at work at the same time. */
  readonly maxChildren: number;
  /** Null when a child may take as long as it needs. */
  readonly runTimeoutMs: number | null;
  /** The agents that may be spawned besides the own one; `*` stands for all of them. */
  readonly allowAgents: readonly string[];
  /** Whether a call must name the agent. */
  readonly requireAgentId: boolean;
}
