// What plugin authors import as `atrium/plugin-sdk`. A loaded plugin gets the same functions under this name and under
// `openclaw/plugin-sdk/*`. Outside of a gateway, for example in a plugin's own tests, they work by themselves.

export type { HookName } from '../hooks/catalog.ts';
export type { ConversationHookContext, HookContext, MessageHookContext } from '../hooks/hook-context.ts';
export type { AnsweredMessage, HookMessage } from '../hooks/hook-message.ts';
export type { HookHandler, HookTypes } from '../hooks/hook-types.ts';
export type { PluginLogger } from '../plugins/api/plugin-logger.ts';
export type { PluginRuntime } from '../plugins/api/plugin-runtime.ts';
export {
  createAsyncLock,
  createDedupeCache,
  createPluginRuntimeStore,
  KeyedAsyncQueue,
  retryAsync,
  sleep,
  withTimeout,
} from '../plugins/openclaw-sdk/async-work.ts';
export {
  buildJsonPluginConfigSchema,
  buildPluginConfigSchema,
  emptyPluginConfigSchema,
  type PluginConfigSchema,
} from '../plugins/openclaw-sdk/config-schema.ts';
export {
  definePluginEntry,
  defineToolPlugin,
  type PluginEntry,
  type ToolPlugin,
} from '../plugins/openclaw-sdk/define-plugin.ts';
export { fetchWithSsrFGuard, SsrFBlockedError, type SsrFPolicy } from '../plugins/openclaw-sdk/guarded-fetch.ts';
export { readJsonFileWithFallback, writeJsonFileAtomically } from '../plugins/openclaw-sdk/json-files.ts';
export { detectMime } from '../plugins/openclaw-sdk/media-types.ts';
export type {
  AgentTool,
  AgentToolFactory,
  AgentToolOptions,
  AgentToolScope,
  CommandContext,
  GatewayMethodHandler,
  NextTurnInjection,
  PluginApi,
  PluginCommand,
  PluginEventContext,
  PluginHookHandlers,
  PluginHookName,
  PluginHookOptions,
  PluginHttpRoute,
  PluginService,
  ServiceContext,
  SessionExtension,
} from '../plugins/openclaw-sdk/plugin-api.ts';
export { runCommandWithTimeout, runPluginCommandWithTimeout } from '../plugins/openclaw-sdk/run-command.ts';
export {
  createActionGate,
  optionalStringEnum,
  readBooleanParam,
  readNumberParam,
  readStringArrayParam,
  readStringParam,
  stringEnum,
  ToolAuthorizationError,
  ToolInputError,
} from '../plugins/openclaw-sdk/tool-params.ts';
export { imageResult, jsonResult, textResult } from '../plugins/openclaw-sdk/tool-results.ts';
export type { CleanupReason, PluginToolResult } from '../plugins/registration.ts';
export type { InternalHookEvent } from '../protocol/bootstrap-event.ts';
export type { JsonObject, JsonValue } from '../protocol/json.ts';
