// Which of our functions answers for which recorded one: suite, then function name. A table of contents; each suite
// translates between the recorded inputs and outputs and our own shapes in its own file, and adds nothing else.

import { agentIds } from './suites/agent-ids.ts';
import { bootstrapState } from './suites/bootstrap-state.ts';
import { hookFrontmatter } from './suites/hook-frontmatter.ts';
import { hookMerge } from './suites/hook-merge.ts';
import { hookRegistration } from './suites/hook-registration.ts';
import { sessionFilter } from './suites/session-filter.ts';
import { sessionKeys } from './suites/session-keys.ts';
import { sessionsSpawn } from './suites/sessions-spawn.ts';
import { toolCallFlow } from './suites/tool-call-flow.ts';
import { toolPolicy } from './suites/tool-policy.ts';
import { truncationAgents20260518 } from './suites/truncation-agents-2026-5-18.ts';
import { truncationBudget } from './suites/truncation-budget.ts';
import { workspaceDir } from './suites/workspace-dir.ts';
import { workspaceLoad } from './suites/workspace-load.ts';

/** Answers one case. What it throws is a failure of the case. */
export type CaseAdapter = (input: unknown) => unknown;
export type SuiteAdapter = Readonly<Record<string, CaseAdapter>>;
export type Adapter = Readonly<Record<string, SuiteAdapter>>;

export const ADAPTER: Adapter = {
  'agent-ids': agentIds,
  'session-keys': sessionKeys,
  'workspace-dir': workspaceDir,
  'workspace-load': workspaceLoad,
  'bootstrap-state': bootstrapState,
  'session-filter': sessionFilter,
  'truncation-budget': truncationBudget,
  'truncation-agents-2026.5.18': truncationAgents20260518,
  'hook-frontmatter': hookFrontmatter,
  'hook-merge': hookMerge,
  'hook-registration': hookRegistration,
  'tool-policy': toolPolicy,
  'tool-call-flow': toolCallFlow,
  'sessions-spawn': sessionsSpawn,
};
