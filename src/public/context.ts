// Everything that a program, a handler or a hook pack may import from `atrium/context`.

import { resolveUserPath } from '../config/user-path.ts';
import { loadWorkspaceBootstrapFiles as loadFiles } from '../context/sources/workspace-files.ts';
import type { WorkspaceBootstrapFile } from '../protocol/bootstrap-file.ts';

export {
  DEFAULT_AGENT_WORKSPACE_DIR,
  resolveAgentWorkspaceDir,
  resolveDefaultAgentWorkspaceDir,
} from '../config/agent-workspace.ts';
export { resolveAgentConfig, resolveAgentDir, resolveDefaultAgentId } from '../config/agents.ts';
export type { Config as OpenClawConfig } from '../config/schema.ts';
export { resolveUserPath } from '../config/user-path.ts';
export { BootstrapFileHelper } from '../context/bootstrap-file-helper.ts';
export {
  analyzeBootstrapBudget,
  appendBootstrapPromptWarning,
  buildBootstrapInjectionStats,
  buildBootstrapPromptWarning,
} from '../context/budget/budget-analysis.ts';
export { buildBootstrapContextFiles } from '../context/budget/context-files.ts';
export type { Composition, Prompt } from '../context/compose.ts';
export type { Absence, AbsenceReason, Cut, FileChange } from '../context/composition.ts';
export { PIPELINE } from '../context/pipeline.ts';
export type { Origin } from '../context/provenance/origin.ts';
export type { Rope, Span } from '../context/provenance/rope.ts';
export type {
  ContextReport,
  FileReport,
  HandlerReport,
  LayerReport,
  SpanReport,
} from '../context/report/build-report.ts';
export { compareCompositions } from '../context/report/compare-compositions.ts';
export { explainFile } from '../context/report/explain-file.ts';
export { explainText } from '../context/report/explain-text.ts';
export type { ContextChange } from '../context/report/find-change.ts';
export { takeSnapshot } from '../context/report/snapshot.ts';
export { filterBootstrapFilesForSession, SUBAGENT_BOOTSTRAP_ALLOWLIST } from '../context/stages/filter-files.ts';
export { OPENBOA_TAXONOMY, OPENCLAW_TAXONOMY, type Taxonomy, type TaxonomyId } from '../context/taxonomy.ts';
export { normalizeAgentId } from '../protocol/agent-id.ts';
export {
  type AgentBootstrapHookContext,
  type AgentBootstrapHookEvent,
  type ChannelContext,
  type InternalHookEvent,
  type InternalHookHandler,
  isAgentBootstrapEvent,
  type TimeContext,
} from '../protocol/bootstrap-event.ts';
export {
  DEFAULT_AGENTS_FILENAME,
  DEFAULT_BOOTSTRAP_FILENAME,
  DEFAULT_HEARTBEAT_FILENAME,
  DEFAULT_IDENTITY_FILENAME,
  DEFAULT_MEMORY_ALT_FILENAME,
  DEFAULT_MEMORY_FILENAME,
  DEFAULT_SOUL_FILENAME,
  DEFAULT_TOOLS_FILENAME,
  DEFAULT_USER_FILENAME,
  type WorkspaceBootstrapFile,
  type WorkspaceBootstrapFileName,
} from '../protocol/bootstrap-file.ts';
export { AtriumError, isAtriumError } from '../protocol/errors.ts';
export { isSubagentSessionKey } from '../protocol/session-key.ts';
export {
  applyBootstrapHookOverrides,
  type BootstrapHookRegistration,
  type ListedBootstrapHandler,
  listBootstrapHandlers,
  registerBootstrapHandler,
  unregisterBootstrapHandler,
} from './bootstrap-handlers.ts';
export { type ComposeOptions, compose } from './compose.ts';
export { type EnsureWorkspaceOptions, ensureAgentWorkspace } from './ensure-agent-workspace.ts';

/**
 * Returns the plain workspace files in the order of the taxonomy. `~` is the home directory; a missing file is an
 * entry, not an error.
 */
export function loadWorkspaceBootstrapFiles(dir: string): Promise<WorkspaceBootstrapFile[]> {
  return loadFiles(resolveUserPath(dir));
}

/**
 * Returns the JSON Schema of the configuration, for editors and forms. It is loaded on demand, because most programs
 * never need it.
 */
export async function loadConfigJsonSchema(): Promise<Record<string, unknown>> {
  const { configJsonSchema } = await import('../config/schema.ts');
  return configJsonSchema();
}
