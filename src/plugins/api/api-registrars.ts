// The names of the registration functions that plugins may call and that have no use here. What they register is
// accepted, shown as unused, and dropped.

import { words } from '../../protocol/words.ts';

export const UNUSED_REGISTRARS: ReadonlySet<string> = new Set(
  words(`
    onConversationBindingResolved registerAgentHarness registerAgentToolResultMiddleware registerAutoEnableProbe
    registerChannel registerCliBackend registerCodexAppServerExtensionFactory registerCompactionProvider
    registerConfigMigration registerContextEngine registerControlUiDescriptor registerDetachedTaskRuntime
    registerEmbeddingProvider registerGatewayDiscoveryService registerHostedMediaResolver
    registerImageGenerationProvider registerInteractiveHandler registerMediaUnderstandingProvider
    registerMemoryEmbeddingProvider registerMemoryFlushPlan registerMigrationProvider registerModelCatalogProvider
    registerMusicGenerationProvider registerNodeHostCommand registerNodeInvokePolicy registerProvider
    registerRealtimeTranscriptionProvider registerRealtimeVoiceProvider registerReload
    registerSecurityAuditCollector registerSpeechProvider registerTextTransforms registerToolMetadata
    registerVideoGenerationProvider registerWebFetchProvider registerWebSearchProvider
  `),
);

/** The name that a plugin gave its provider, channel or engine, in any of the usual fields. */
export function nameOfRegistered(registered: unknown): string | undefined {
  if (typeof registered === 'string') return registered.slice(0, 100);
  if (typeof registered !== 'object' || registered === null) return undefined;
  const { id, name, command, toolName, plugin } = registered as Record<string, unknown>;
  for (const value of [id, name, command, toolName, (plugin as { id?: unknown } | undefined)?.id]) {
    if (typeof value === 'string' && value !== '') return value.slice(0, 100);
  }
  return undefined;
}
