// Previews without a gateway: the same parts as a gateway's, with its store opened for reading. No lock is taken, and
// no workspace, token or file is created. A home without a store simply has no history.

import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { COMMAND_CATALOG } from '../../commands/catalog.ts';
import type { CommandList } from '../../commands/chat-command.ts';
import type { Environment } from '../../config/environment.ts';
import type { LoadedConfig } from '../../config/load-config.ts';
import { HookRunner } from '../../hooks/runner.ts';
import type { Store } from '../../store/store.ts';
import type { McpServerStatus } from '../../tools/mcp/mcp-server.ts';
import { createDraftParts } from '../create-draft-parts.ts';
import { lookAtMcp } from '../open-mcp.ts';
import { type ExplainToolsRequest, explainTools, type ToolsExplanation } from '../services/explain-tools.ts';
import { type Preview, type PreviewRequest, previewMessage } from '../services/preview-message.ts';
import { emptyStore } from './empty-store.ts';

export interface PreviewOptions {
  readonly environment: Environment;
  readonly loaded: LoadedConfig;
  readonly modules?: (() => Promise<Readonly<Record<string, unknown>>>) | undefined;
  readonly now: () => number;
}

export interface OpenedPreview {
  preview(request: PreviewRequest): Promise<Preview>;
  explainTools(request: ExplainToolsRequest): Promise<ToolsExplanation>;
  mcpServers(): Promise<readonly McpServerStatus[]>;
  close(): Promise<void>;
}

export async function openPreview(options: PreviewOptions): Promise<OpenedPreview> {
  const store = await openForReading(join(options.environment.stateDir, 'atrium', 'atrium.db'));
  const hooks = new HookRunner({ now: options.now });
  const mcp = lookAtMcp({ ...options, store });
  const drafting = createDraftParts({ ...options, store, hooks, mcp });
  const { parts, route } = drafting;
  return {
    preview: (request) => previewMessage({ draft: parts, route, commands: OWN_COMMANDS, now: options.now }, request),
    explainTools: (request) => explainTools({ ...drafting, config: options.loaded.config }, request),
    mcpServers: () => mcp.statuses(),
    close: () => store.close(),
  };
}

/** No plugin is loaded for a preview, so only the product's own commands are known. */
const OWN_COMMANDS: CommandList = { list: () => COMMAND_CATALOG, approvers: [] };

async function openForReading(file: string): Promise<Store> {
  const exists = await stat(file).then(
    (entry) => entry.isFile(),
    () => false,
  );
  if (!exists) return emptyStore(file);
  const { openSqliteStore } = await import('../../store/sqlite/open-sqlite-store.ts');
  return openSqliteStore({ file, readOnly: true });
}
