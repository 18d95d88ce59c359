// Previews without a gateway: the same parts as a gateway's, with its store opened for reading and its plugins loaded in
// a worker. No lock is taken, and no workspace, token or file is created. A home without a store simply has no history.
// What a run would have and a preview cannot know is named in `placeholders`.

import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Environment } from '../../config/environment.ts';
import type { LoadedConfig } from '../../config/load-config.ts';
import { HookRunner } from '../../hooks/runner.ts';
import type { Store } from '../../store/store.ts';
import type { McpServerStatus } from '../../tools/mcp/mcp-server.ts';
import { createDraftParts } from '../create-draft-parts.ts';
import { lookAtMcp } from '../open-mcp.ts';
import { openPreviewPlugins } from '../plugins/open-preview-plugins.ts';
import { PluginCommands } from '../plugins/plugin-commands.ts';
import { type ExplainToolsRequest, explainTools, type ToolsExplanation } from '../services/explain-tools.ts';
import {
  type ContextLook,
  type LookRequest,
  lookAtContext,
  type Preview,
  type PreviewRequest,
  previewMessage,
} from '../services/preview-message.ts';
import { emptyStore } from './empty-store.ts';
import type { HandlerFiles } from './handler-files.ts';

export interface PreviewOptions {
  readonly environment: Environment;
  readonly loaded: LoadedConfig;
  /** Loads the code of handlers; the default is a worker of its own. */
  readonly handlers?: HandlerFiles | undefined;
  readonly now: () => number;
}

export interface OpenedPreview {
  look(request: LookRequest): Promise<ContextLook>;
  /** What went wrong with plugins, one sentence each. */
  troubles(): readonly string[];
  preview(request: PreviewRequest): Promise<Preview>;
  explainTools(request: ExplainToolsRequest): Promise<ToolsExplanation>;
  mcpServers(): Promise<readonly McpServerStatus[]>;
  close(): Promise<void>;
}

export async function openPreview(options: PreviewOptions): Promise<OpenedPreview> {
  const store = await openForReading(join(options.environment.stateDir, 'atrium', 'atrium.db'));
  const hooks = new HookRunner({ now: options.now });
  const mcp = lookAtMcp({ ...options, store });
  const plugins = await openPreviewPlugins({ ...options, hooks });
  const drafting = createDraftParts({ ...options, store, hooks, mcp, plugins });
  const { parts, route, engine } = drafting;
  const commands = new PluginCommands({ registry: plugins.registry, approvers: [], timeoutMs: COMMAND_MS });
  const previewing = { draft: parts, engine, route, commands, now: options.now };
  const withServers = async <Value extends { readonly placeholders: readonly string[] }>(value: Value) => ({
    ...value,
    placeholders: [...value.placeholders, ...unknownServers(await mcp.statuses())],
  });
  return {
    preview: async (request) => withServers(await previewMessage(previewing, request)),
    look: async (request) => withServers(await lookAtContext(previewing, request)),
    troubles: () => plugins.troubles(),
    explainTools: (request) => explainTools({ ...drafting, config: options.loaded.config }, request),
    mcpServers: () => mcp.statuses(),
    close: async () => {
      await plugins.close();
      await store.close();
    },
  };
}

/** No command is carried out for a preview. */
const COMMAND_MS = 1_000;

/** A gateway would start them and ask for their tools; a preview knows only what they said last. */
function unknownServers(servers: readonly McpServerStatus[]): readonly string[] {
  return servers.filter(({ tools }) => tools === null).map(({ name }) => `tools of the MCP server ${name}`);
}

async function openForReading(file: string): Promise<Store> {
  const exists = await stat(file).then(
    (entry) => entry.isFile(),
    () => false,
  );
  if (!exists) return emptyStore(file);
  const { openSqliteStore } = await import('../../store/sqlite/open-sqlite-store.ts');
  return openSqliteStore({ file, readOnly: true });
}
