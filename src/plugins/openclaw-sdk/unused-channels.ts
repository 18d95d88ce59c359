// The symbols of the SDK that only a running channel calls. Channels of plugins are not used here, but the file that
// registers one often brings tools, commands and hooks as well, and it could not be loaded without them. Each of them
// says that it is not available when it is called; none pretends, least of all to know who may do what.

export const UNUSED_CHANNEL_SYMBOLS: Readonly<Record<string, unknown>> = {
  ...Object.fromEntries(
    [
      'createTypingCallbacks',
      'createReplyPrefixContext',
      'buildCanonicalSentMessageHookContext',
      'toPluginMessageContext',
      'toPluginMessageSentEvent',
      'isAbortRequestText',
      'isBtwRequestText',
      'maybeResolveTextAlias',
      'parseInlineDirectives',
      'loadSessionStore',
      'resolveSessionStoreEntry',
      'resolveStorePath',
    ].map((name) => [name, () => refuse(name)]),
  ),
  ...Object.fromEntries(
    [
      'dispatchPluginInteractiveHandler',
      'resolveSenderCommandAuthorization',
      'resolveSenderCommandAuthorizationWithRuntime',
    ].map((name) => [name, async () => refuse(name)]),
  ),
  /** Hooks are called by the gateway alone; whoever asks is prepared for there being no runner. */
  getGlobalHookRunner: () => null,
};

function refuse(name: string): never {
  throw new Error(`${name} serves channels of plugins, which are not used in Atrium.`);
}
