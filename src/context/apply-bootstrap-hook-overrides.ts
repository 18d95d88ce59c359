// Runs the bootstrap handlers over a list of files, outside of a composition: the contract's own entry point, for
// programs that load and inject files themselves.

import type { WorkspaceBootstrapFile } from '../protocol/bootstrap-file.ts';
import { resolveAgentIdFromSessionKey } from '../protocol/session-key.ts';
import { resolveSessionType } from '../protocol/session-type.ts';
import type { BootstrapHandlers } from './bootstrap-handlers.ts';
import { emptyState } from './compose.ts';
import type { ComposeInput, ContextFile } from './composition.ts';
import { DEFAULT_POLICY } from './default-policy.ts';
import { EMPTY_ROPE } from './provenance/rope.ts';
import { CachedFileSource } from './sources/file-source.ts';
import { applyHandlers } from './stages/apply-handlers.ts';
import { OPENCLAW_TAXONOMY } from './taxonomy.ts';

export interface BootstrapHookOverrides {
  readonly files: readonly WorkspaceBootstrapFile[];
  readonly workspaceDir: string;
  readonly config?: Record<string, unknown> | undefined;
  readonly sessionKey?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly agentId?: string | undefined;
  readonly handlers: BootstrapHandlers;
  readonly at: Date;
  readonly timezone: string;
}

export async function applyBootstrapHookOverrides(
  overrides: BootstrapHookOverrides,
): Promise<WorkspaceBootstrapFile[]> {
  const { sessionKey, sessionId, at, timezone, workspaceDir, config, handlers } = overrides;
  const agentId =
    overrides.agentId ?? (sessionKey === undefined ? undefined : resolveAgentIdFromSessionKey(sessionKey));
  const input: ComposeInput = {
    workspaceDir,
    home: workspaceDir,
    situation: { agentId, sessionKey, sessionId, sessionType: resolveSessionType({ sessionKey }), at, timezone },
    taxonomy: OPENCLAW_TAXONOMY,
    policy: DEFAULT_POLICY,
    files: new CachedFileSource(),
    handlers,
    gather: { skills: async () => ({ skills: [], refused: [] }), firstRunComplete: async () => false },
    config,
  };
  const state = await applyHandlers.run({ ...emptyState(input), files: overrides.files.map(toContextFile) });
  return state.files.map(({ name, path, content, missing }) =>
    content === undefined ? { name, path, missing } : { name, path, content, missing },
  );
}

function toContextFile({ name, path, content, missing }: WorkspaceBootstrapFile): ContextFile {
  if (content === undefined) return { name, path, missing, rope: EMPTY_ROPE, content };
  const source = { text: content };
  return {
    name,
    path,
    missing,
    content,
    source,
    rope: [{ text: content, origin: { kind: 'file', path }, source, start: 0 }],
  };
}
