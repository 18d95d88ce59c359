// Defines a plugin: the object that its entry file exports by default. These functions check nothing and
// start nothing; they give the object the form that loading expects.

import type { JsonObject } from '../../protocol/json.ts';
import { isJsonObject } from '../../protocol/json.ts';
import { emptyPluginConfigSchema, type PluginConfigSchema } from './config-schema.ts';
import type { AgentTool, AgentToolScope, PluginApi } from './plugin-api.ts';
import { jsonResult, textResult } from './tool-results.ts';

export interface PluginEntry {
  readonly id: string;
  readonly name: string;
  readonly description?: string;
  readonly kind?: string | readonly string[];
  readonly configSchema?: PluginConfigSchema | (() => PluginConfigSchema);
  register(api: PluginApi): unknown;
}

export function definePluginEntry<Entry extends PluginEntry>(
  entry: Entry,
): Entry & { configSchema: PluginConfigSchema } {
  const { configSchema = emptyPluginConfigSchema } = entry;
  let resolved: PluginConfigSchema | undefined;
  const schema = (): PluginConfigSchema => {
    resolved ??= typeof configSchema === 'function' ? configSchema() : configSchema;
    return resolved;
  };
  // A schema that is made on demand is made when it is first read.
  return Object.defineProperty({ ...entry }, 'configSchema', { get: schema, enumerable: true }) as Entry & {
    configSchema: PluginConfigSchema;
  };
}

export interface ToolPlugin {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly configSchema?: unknown;
  tools(tool: (definition: ToolDefinition) => ToolDefinition): readonly ToolDefinition[];
}

export interface ToolDefinition {
  readonly name: string;
  readonly label?: string;
  readonly description: string;
  readonly parameters: unknown;
  readonly optional?: boolean;
  execute?(
    params: Record<string, unknown>,
    config: JsonObject,
    context: { readonly api: PluginApi; readonly signal?: AbortSignal | undefined; readonly toolCallId: string },
  ): unknown;
  factory?(context: {
    readonly api: PluginApi;
    readonly config: JsonObject;
    readonly toolContext: AgentToolScope;
  }): AgentTool | readonly AgentTool[] | null | undefined;
}

/** A plugin that is nothing but tools: each function gets its parameters and the plugin's configuration. */
export function defineToolPlugin(plugin: ToolPlugin) {
  const { id, name, description, configSchema } = plugin;
  const tools = plugin.tools((definition) => definition);
  const metadata = {
    id,
    name,
    description,
    activation: {},
    configSchema: configSchema ?? { type: 'object', additionalProperties: false, properties: {} },
    tools: tools.map((tool) => ({
      name: tool.name,
      label: tool.label ?? tool.name,
      description: tool.description,
      parameters: tool.parameters,
      ...(tool.optional && { optional: true }),
    })),
  };
  const entry = definePluginEntry({
    id,
    name,
    description,
    ...(isJsonObject(configSchema) && { configSchema: { jsonSchema: configSchema } }),
    register: (api: PluginApi) => {
      for (const tool of tools)
        api.registerTool(registrable(api, tool), { name: tool.name, optional: tool.optional === true });
    },
  });
  return Object.assign(entry, { [toolPluginMetadataSymbol]: metadata });
}

export const toolPluginMetadataSymbol: unique symbol = Symbol.for('openclaw.plugin-sdk.tool-plugin.metadata');

export function getToolPluginMetadata(entry: unknown): unknown {
  return typeof entry === 'object' && entry !== null ? Reflect.get(entry, toolPluginMetadataSymbol) : undefined;
}

function registrable(
  api: PluginApi,
  tool: ToolDefinition,
): AgentTool | ((scope: AgentToolScope) => AgentTool | readonly AgentTool[] | null | undefined) {
  const { execute, factory } = tool;
  const config = api.pluginConfig;
  if (factory) return (toolContext) => factory.call(tool, { api, config, toolContext });
  return {
    name: tool.name,
    label: tool.label ?? tool.name,
    description: tool.description,
    parameters: tool.parameters,
    execute: async (toolCallId, params, signal) => {
      const answer = await execute?.call(tool, params, config, { api, signal, toolCallId });
      const isResult =
        typeof answer === 'object' && answer !== null && Array.isArray((answer as { content?: unknown }).content);
      if (isResult) return answer as ReturnType<typeof jsonResult>;
      return typeof answer === 'string' ? textResult(answer, answer) : jsonResult(answer);
    },
  };
}

/** Channels of plugins are not used here; such a plugin loads, and what else it registers works. */
export function defineChannelPluginEntry<Plugin>(entry: {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly plugin: Plugin;
  readonly setRuntime?: (runtime: unknown) => void;
  readonly registerCliMetadata?: (api: PluginApi) => void;
  readonly registerFull?: (api: PluginApi) => void;
}) {
  const { id, name, description, plugin, setRuntime, registerCliMetadata, registerFull } = entry;
  return {
    ...definePluginEntry({
      id,
      name,
      description,
      register: (api: PluginApi) => {
        registerCliMetadata?.(api);
        if (api.registrationMode === 'cli-metadata') return;
        setRuntime?.(api.runtime);
        (api as unknown as { registerChannel(channel: unknown): void }).registerChannel({ plugin });
        registerFull?.(api);
      },
    }),
    channelPlugin: plugin,
  };
}

export function defineSetupPluginEntry<Plugin>(plugin: Plugin): { readonly plugin: Plugin } {
  return { plugin };
}
