// Previews without a gateway: the same parts as a gateway's, with its store opened for reading and its plugins loaded in
// a worker. No lock is taken, and no workspace, token or file is created. A home without a store simply has no history.
// What a run would have and a preview cannot know is named in `placeholders`.

import type { GivenFile } from '../../attachments/attachment-store.ts';
import { withConfigVariables } from '../../config/config-variables.ts';
import type { Environment } from '../../config/environment.ts';
import type { LoadedConfig } from '../../config/load-config.ts';
import { storePlaceOf } from '../../config/store-place.ts';
import { HookRunner } from '../../hooks/runner.ts';
import type { AttachmentRef } from '../../protocol/attachment.ts';
import type { McpServerStatus } from '../../tools/mcp/mcp-server.ts';
import { createAttachments } from '../parts/create-attachments.ts';
import { createDraftParts } from '../parts/create-draft-parts.ts';
import { lookAtMcp } from '../parts/open-mcp.ts';
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
import type { HandlerFiles } from './handler-files.ts';
import { openForReading } from './open-for-reading.ts';

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
  /** A file that the message of a look or a preview brings. It is not stored. */
  hold(file: GivenFile): AttachmentRef;
  preview(request: PreviewRequest): Promise<Preview>;
  explainTools(request: ExplainToolsRequest): Promise<ToolsExplanation>;
  mcpServers(): Promise<readonly McpServerStatus[]>;
  close(): Promise<void>;
}

export async function openPreview(given: PreviewOptions): Promise<OpenedPreview> {
  const options = { ...given, environment: withConfigVariables(given.environment, given.loaded) };
  const store = await openForReading(storePlaceOf(options.environment, options.loaded.config));
  const hooks = new HookRunner({ now: options.now });
  const mcp = lookAtMcp({ ...options, store });
  const plugins = await openPreviewPlugins({ ...options, hooks });
  const attachments = createAttachments({ ...options, config: options.loaded.config, store });
  const drafting = createDraftParts({ ...options, store, attachments, hooks, mcp, plugins });
  const { parts, route, engine } = drafting;
  const people = { approvers: [], owners: [], allowFrom: {} };
  const commands = new PluginCommands({ registry: plugins.registry, people, timeoutMs: COMMAND_MS });
  const previewing = { draft: parts, engine, route, commands, now: options.now };
  const withServers = async <Value extends { readonly placeholders: readonly string[] }>(value: Value) => ({
    ...value,
    placeholders: [...value.placeholders, ...unknownServers(await mcp.statuses())],
  });
  return {
    preview: async (request) => withServers(await previewMessage(previewing, request)),
    look: async (request) => withServers(await lookAtContext(previewing, request)),
    hold: (file) => attachments.hold(file),
    troubles: () => plugins.troubles(),
    explainTools: (request) => explainTools({ ...drafting, config: options.loaded.config }, request),
    mcpServers: () => mcp.statuses(),
    close: async () => {
      await plugins.close();
      await attachments.close();
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
