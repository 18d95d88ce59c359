// The hook catalog: one row per hook. Reading it downward is reading every point at which code from outside may step
// in, how several answers combine, how long a handler may take, and what happens when it fails.

export type HookKind = 'observe' | 'contribute' | 'transform' | 'decide' | 'claim';

/** How the answers of several handlers become one, per field of the result. */
export type Combinator = 'collect' | 'first' | 'chain' | 'strictest' | 'claim';

export interface HookRow {
  readonly kind: HookKind;
  /** The type of the event that a handler receives. */
  readonly event: string;
  readonly combine: Readonly<Record<string, Combinator>>;
  /** Bootstrap handlers run lowest number first, as their design says; every other hook runs highest first. */
  readonly order: 'lowest-first' | 'highest-first';
  readonly defaultPriority: number;
  readonly deadlineMs: number;
  /** `skip` drops a failing handler's change and goes on; `refuse` is for gates, which fail closed. */
  readonly onFailure: 'skip' | 'refuse';
  readonly permission: 'none' | 'conversation' | 'prompt-injection';
  readonly summary: string;
}

export const HOOK_CATALOG = {
  'agent:bootstrap': {
    kind: 'transform',
    event: 'AgentBootstrapHookEvent',
    combine: { bootstrapFiles: 'chain' },
    order: 'lowest-first',
    defaultPriority: 100,
    deadlineMs: 5_000,
    onFailure: 'skip',
    permission: 'none',
    summary: 'Edits the bootstrap files of one composition, each handler on a draft of its own.',
  },
} as const satisfies Record<string, HookRow>;

export type HookName = keyof typeof HOOK_CATALOG;
