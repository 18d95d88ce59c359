// Every symbol of the SDK that is the same for all plugins. What depends on the plugin that imports it stands in
// bound-symbols.ts.

import { randomBytes, randomUUID } from 'node:crypto';
import { words } from '../../protocol/words.ts';
import * as allowList from './allow-list.ts';
import * as asyncWork from './async-work.ts';
import * as channelRoute from './channel-route.ts';
import * as channelTexts from './channel-texts.ts';
import * as configSchema from './config-schema.ts';
import * as definePlugin from './define-plugin.ts';
import * as fileLock from './file-lock.ts';
import * as guardedFetch from './guarded-fetch.ts';
import * as jsonFiles from './json-files.ts';
import * as mediaTypes from './media-types.ts';
import * as replyHistory from './reply-history.ts';
import * as runCommand from './run-command.ts';
import * as secretInput from './secret-input.ts';
import * as speech from './speech.ts';
import * as textValues from './text-values.ts';
import * as toolParams from './tool-params.ts';
import * as toolResults from './tool-results.ts';

const UNUSED_CHANNEL_SYMBOLS: Readonly<Record<string, unknown>> = {
  ...Object.fromEntries(
    words(`
      createTypingCallbacks createReplyPrefixContext buildCanonicalSentMessageHookContext toPluginMessageContext
      toPluginMessageSentEvent isAbortRequestText isBtwRequestText maybeResolveTextAlias parseInlineDirectives
      loadSessionStore resolveSessionStoreEntry resolveStorePath
    `).map((name) => [name, () => refuse(name)]),
  ),
  ...Object.fromEntries(
    [
      'dispatchPluginInteractiveHandler',
      'resolveSenderCommandAuthorization',
      'resolveSenderCommandAuthorizationWithRuntime',
    ].map((name) => [name, async () => refuse(name)]),
  ),
  /** Only the gateway calls hooks. Plugins that ask expect that there may be no runner. */
  getGlobalHookRunner: () => null,
};

function refuse(name: string): never {
  throw new Error(`${name} serves channels of plugins, which are not used in Atrium.`);
}

export const SHARED_SYMBOLS: Readonly<Record<string, unknown>> = {
  ...definePlugin,
  ...configSchema,
  ...toolResults,
  ...toolParams,
  ...textValues,
  ...asyncWork,
  ...secretInput,
  ...speech,
  ...mediaTypes,
  ...runCommand,
  ...guardedFetch,
  ...jsonFiles,
  ...fileLock,
  ...channelRoute,
  ...channelTexts,
  ...replyHistory,
  ...allowList,
  ...UNUSED_CHANNEL_SYMBOLS,
  generateSecureToken: (bytes = 32): string => randomBytes(bytes).toString('base64url'),
  generateSecureUuid: (): string => randomUUID(),
};
