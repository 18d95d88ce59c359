// The types behind `openclaw/plugin-sdk/*`, for the projects that `atrium plugins new` makes. Every module of that name is
// the same to a loaded plugin, so they share this one. It is built as types only: the functions come with the load.

import type { BoundSymbols } from '../plugins/openclaw-sdk/bound-symbols.ts';

export * from '../plugins/openclaw-sdk/allow-list.ts';
export * from '../plugins/openclaw-sdk/async-work.ts';
export * from '../plugins/openclaw-sdk/channel-route.ts';
export * from '../plugins/openclaw-sdk/channel-texts.ts';
export type { PluginConfigSchema as OpenClawPluginConfigSchema } from '../plugins/openclaw-sdk/config-schema.ts';
export * from '../plugins/openclaw-sdk/config-schema.ts';
export type { PluginEntry as OpenClawPluginDefinition } from '../plugins/openclaw-sdk/define-plugin.ts';
export * from '../plugins/openclaw-sdk/define-plugin.ts';
export * from '../plugins/openclaw-sdk/file-lock.ts';
export * from '../plugins/openclaw-sdk/guarded-fetch.ts';
export * from '../plugins/openclaw-sdk/json-files.ts';
export * from '../plugins/openclaw-sdk/media-types.ts';
/** The names under which plugins know the types of the contract. */
export type {
  AgentTool as AnyAgentTool,
  AgentToolScope as OpenClawPluginToolContext,
  CommandContext as PluginCommandContext,
  PluginApi as OpenClawPluginApi,
  PluginService as OpenClawPluginService,
  ServiceContext as OpenClawPluginServiceContext,
} from '../plugins/openclaw-sdk/plugin-api.ts';
export * from '../plugins/openclaw-sdk/reply-history.ts';
export * from '../plugins/openclaw-sdk/run-command.ts';
export * from '../plugins/openclaw-sdk/secret-input.ts';
export * from '../plugins/openclaw-sdk/speech.ts';
export * from '../plugins/openclaw-sdk/text-values.ts';
export * from '../plugins/openclaw-sdk/tool-params.ts';
export * from '../plugins/openclaw-sdk/tool-results.ts';
export type { JsonObject as OpenClawConfig } from '../protocol/json.ts';
export * from './plugin-sdk.ts';

export declare const createSubsystemLogger: BoundSymbols['createSubsystemLogger'];
export declare const getChildLogger: BoundSymbols['getChildLogger'];
export declare const logDebug: BoundSymbols['logDebug'];
export declare const logInfo: BoundSymbols['logInfo'];
export declare const logWarn: BoundSymbols['logWarn'];
export declare const logError: BoundSymbols['logError'];
export declare const logVerbose: BoundSymbols['logVerbose'];
export declare const shouldLogVerbose: BoundSymbols['shouldLogVerbose'];
export declare const isVerbose: BoundSymbols['isVerbose'];
export declare const defaultRuntime: BoundSymbols['defaultRuntime'];
export declare const onDiagnosticEvent: BoundSymbols['onDiagnosticEvent'];
export declare const onInternalDiagnosticEvent: BoundSymbols['onInternalDiagnosticEvent'];
export declare const emitDiagnosticEvent: BoundSymbols['emitDiagnosticEvent'];
export declare const isDiagnosticsEnabled: BoundSymbols['isDiagnosticsEnabled'];
export declare const registerLogTransport: BoundSymbols['registerLogTransport'];
export declare const callGatewayTool: BoundSymbols['callGatewayTool'];
export declare const resolveApiKeyForProvider: BoundSymbols['resolveApiKeyForProvider'];
export declare const enqueueSystemEvent: BoundSymbols['enqueueSystemEvent'];
export declare const loadConfig: BoundSymbols['loadConfig'];
export declare const getRuntimeConfig: BoundSymbols['getRuntimeConfig'];
export declare const getRuntimeConfigSnapshot: BoundSymbols['getRuntimeConfigSnapshot'];
export declare const writeConfigFile: BoundSymbols['writeConfigFile'];
export declare const resolveStateDir: BoundSymbols['resolveStateDir'];
export declare const STATE_DIR: BoundSymbols['STATE_DIR'];
export declare const CONFIG_DIR: BoundSymbols['CONFIG_DIR'];
export declare const resolveConfigDir: BoundSymbols['resolveConfigDir'];
export declare const resolveUserPath: BoundSymbols['resolveUserPath'];
export declare const resolvePreferredOpenClawTmpDir: BoundSymbols['resolvePreferredOpenClawTmpDir'];
export declare const buildMemorySystemPromptAddition: BoundSymbols['buildMemorySystemPromptAddition'];
export declare const registerContextEngine: BoundSymbols['registerContextEngine'];
export declare const delegateCompactionToRuntime: BoundSymbols['delegateCompactionToRuntime'];

/** They serve channels of plugins, which are not used here: calling one throws. */
type Refused = (...args: readonly unknown[]) => never;
export declare const createTypingCallbacks: Refused;
export declare const createReplyPrefixContext: Refused;
export declare const buildCanonicalSentMessageHookContext: Refused;
export declare const toPluginMessageContext: Refused;
export declare const toPluginMessageSentEvent: Refused;
export declare const isAbortRequestText: Refused;
export declare const isBtwRequestText: Refused;
export declare const maybeResolveTextAlias: Refused;
export declare const parseInlineDirectives: Refused;
export declare const loadSessionStore: Refused;
export declare const resolveSessionStoreEntry: Refused;
export declare const resolveStorePath: Refused;
export declare const dispatchPluginInteractiveHandler: (...args: readonly unknown[]) => Promise<never>;
export declare const resolveSenderCommandAuthorization: (...args: readonly unknown[]) => Promise<never>;
export declare const resolveSenderCommandAuthorizationWithRuntime: (...args: readonly unknown[]) => Promise<never>;
export declare const getGlobalHookRunner: () => null;
export declare const generateSecureToken: (bytes?: number) => string;
export declare const generateSecureUuid: () => string;
