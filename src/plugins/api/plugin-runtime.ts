// `api.runtime`: what plugins ask of the gateway while it runs, under the contract's names. It is built from the host and
// the setup. A part of the contract that has no counterpart here is an empty group and not undefined, because plugins look
// two levels down to find out whether a function exists.

import { isJsonObject, type JsonObject, type JsonValue } from '../../protocol/json.ts';
import { detectMime, mediaKindFromMime } from '../openclaw-sdk/media-types.ts';
import { runCommandWithTimeout } from '../openclaw-sdk/run-command.ts';
import type { PluginHost } from '../plugin-host.ts';
import type { PluginSetup } from '../plugin-setup.ts';
import { createPluginLogger, type PluginLogger } from './plugin-logger.ts';

export type PluginRuntime = ReturnType<typeof createPluginRuntime>;

export interface RuntimeParts {
  readonly setup: PluginSetup;
  readonly host: PluginHost;
  readonly logger: PluginLogger;
  /** Returns the undo. */
  readonly onAgentEvent: (listener: (event: JsonObject) => unknown) => () => void;
  /** An older form was used. */
  readonly legacy: (form: string, instead: string) => void;
}

export function createPluginRuntime({ setup, host, logger, onAgentEvent, legacy }: RuntimeParts) {
  let written: JsonObject = setup.config;
  const current = () => structuredClone(written);
  const write = async (config: JsonObject): Promise<void> => {
    await host.writeConfig(config);
    written = structuredClone(config);
  };
  /** For calls that plugins expect to be synchronous: the work is started, and a failure is logged. */
  const begin = (what: string, asked: Promise<unknown>): void => {
    asked.catch((error) => logger.warn(`${what} failed: ${(error as Error).message}`));
  };
  const said = new Set<string>();
  const sayOnce = (sentence: string): void => {
    if (!said.has(sentence)) logger.warn(sentence);
    said.add(sentence);
  };
  const askForBeat = () =>
    sayOnce('It asks for a heartbeat, which plugins cannot start; the next run sees what it queued.');

  return {
    version: CONTRACT_VERSION,
    config: {
      current,
      loadConfig: () => {
        legacy('runtime.config.loadConfig', 'runtime.config.current');
        return current();
      },
      writeConfigFile: (config: JsonObject) => {
        legacy('runtime.config.writeConfigFile', 'runtime.config.mutateConfigFile');
        return write(config);
      },
      replaceConfigFile: async ({ nextConfig }: { readonly nextConfig: JsonObject }) => {
        await write(nextConfig);
        return { config: current() };
      },
      mutateConfigFile: async <Result>({
        mutate,
      }: {
        readonly mutate: (draft: JsonObject, context: object) => Result;
      }) => {
        const draft = current();
        const result = await mutate(draft, { snapshot: { config: current() }, previousHash: null });
        await write(draft);
        return { config: current(), result };
      },
    },
    state: { resolveStateDir: () => setup.stateDir },
    events: {
      onAgentEvent,
      onSessionTranscriptUpdate: () => {
        sayOnce(
          'It listens to updates of transcripts, which plugins are not told; before_message_write is called for each.',
        );
        return () => undefined;
      },
    },
    logging: {
      shouldLogVerbose: () => false,
      getChildLogger: (bindings?: unknown) => logger.child(bindings),
    },
    system: {
      runCommandWithTimeout,
      enqueueSystemEvent: (text: string, options: { readonly sessionKey: string }): boolean => {
        begin('Queueing an event', host.enqueueSystemEvent({ text, sessionKey: options?.sessionKey ?? '' }));
        return true;
      },
      requestHeartbeat: askForBeat,
      requestHeartbeatNow: askForBeat,
      runHeartbeatOnce: async () => {
        askForBeat();
        return { status: 'skipped', reason: 'disabled' };
      },
      formatNativeDependencyHint: ({ packageName }: { readonly packageName?: string } = {}) =>
        `Install ${packageName ?? 'the missing package'} beside the plugin.`,
    },
    subagent: {
      run: ({ sessionKey, message, idempotencyKey }: SubagentRun) =>
        host.startRun({ sessionKey, message, idempotencyKey }).then(({ runId }) => ({ runId })),
      waitForRun: (request: { readonly runId: string; readonly timeoutMs?: number }) => host.waitForRun(request),
      getSessionMessages: (request: SessionMessages) => host.readSessionMessages(request),
      // The older name of the same.
      getSession: (request: SessionMessages) => host.readSessionMessages(request),
      deleteSession: ({ sessionKey }: { readonly sessionKey: string }) => host.deleteSession({ sessionKey }),
    },
    agent: {
      defaults: {},
      session: {},
      resolveAgentDir: (_config: unknown, agentId: string) => `${setup.stateDir}/agents/${agentId}/agent`,
      resolveAgentWorkspaceDir: () => setup.workspaceDir,
      sendMessage: (message: SentMessage) => host.sendMessage(message),
      // Published plugins pass the two values as separate arguments.
      resolveApproval: (request: string | { readonly id: string; readonly decision: string }, decision = '') =>
        host.resolveApproval(typeof request === 'string' ? { id: request, decision } : request),
    },
    channel: channelsOf(host, legacy, current),
    media: { detectMime, mediaKindFromMime },
    modelAuth: {
      resolveApiKeyForProvider: providerKeys(host),
    },
    nodes: { list: async () => ({ nodes: [] }) },
    imageGeneration: { listProviders: () => [] },
    videoGeneration: { listProviders: () => [] },
    musicGeneration: { listProviders: () => [] },
    webSearch: { listProviders: () => [] },
    tts: {},
    stt: {},
    mediaUnderstanding: {},
    tasks: { runs: {}, flows: {}, managedFlows: {}, flow: {} },
    taskFlow: {},
    llm: {},
  };
}

interface SessionMessages {
  readonly sessionKey: string;
  readonly limit?: number;
}

interface SubagentRun {
  readonly sessionKey: string;
  readonly message: string;
  readonly idempotencyKey?: string;
}

interface SentMessage {
  readonly channel: string;
  readonly to: string;
  readonly text: string;
  readonly accountId?: string;
  readonly threadId?: string;
}

/** The older way to say something on a platform: one function for each. */
const OLDER_SENDERS: Readonly<Record<string, string>> = {
  discord: 'sendMessageDiscord',
  imessage: 'sendMessageIMessage',
  line: 'sendMessageLine',
  signal: 'sendMessageSignal',
  slack: 'sendMessageSlack',
  telegram: 'sendMessageTelegram',
  whatsapp: 'sendMessageWhatsApp',
};

/** What a plugin hands to `sendText` of an adapter. What is not here is accepted and has no effect. */
interface OutboundText {
  readonly to: string;
  readonly text: string;
  readonly accountId?: string | null;
  readonly threadId?: string | number | null;
}

/**
 * The way to a platform that the configuration names; undefined for any other. What is sent is in the outbox when the
 * promise resolves, and the platform's own id of the message is not known yet.
 */
function adapterOf(host: PluginHost, config: JsonObject, channel: string) {
  const { channels } = config;
  if (!isJsonObject(channels ?? null) || !Object.hasOwn(channels as JsonObject, channel)) return undefined;
  const sendText = async ({ to, text, accountId, threadId }: OutboundText) => {
    const { runId } = await host.sendMessage({
      channel,
      to: String(to),
      text: String(text),
      accountId: accountId ?? undefined,
      threadId: threadId === undefined || threadId === null ? undefined : String(threadId),
    });
    return { channel, messageId: '', runId };
  };
  return {
    deliveryMode: 'gateway' as const,
    sendText,
    /** A file elsewhere is named by its address. */
    sendMedia: ({ mediaUrl, ...message }: OutboundText & { readonly mediaUrl?: string }) =>
      sendText({ ...message, text: [message.text, mediaUrl].filter(Boolean).join('\n') }),
  };
}

function channelsOf(host: PluginHost, legacy: RuntimeParts['legacy'], config: () => JsonObject) {
  const send =
    (channel: string, name: string) =>
    (to: unknown, text: unknown, options: { readonly accountId?: string } = {}) => {
      legacy(`runtime.channel.${channel}.${name}`, 'runtime.agent.sendMessage');
      return host.sendMessage({ channel, to: String(to), text: String(text), accountId: options?.accountId });
    };
  const senders = Object.entries(OLDER_SENDERS).map(([channel, name]) => [channel, { [name]: send(channel, name) }]);
  return {
    ...(Object.fromEntries(senders) as Record<string, Record<string, ReturnType<typeof send>>>),
    outbound: { loadAdapter: async (channel = '') => adapterOf(host, config(), channel) },
    text: {},
    reply: {},
    routing: {},
    pairing: {},
    session: {},
    activity: {},
    media: {},
  };
}

/** What a plugin hands over for a message to the gateway: plain values only, and never fails. */
function plain(value: unknown): JsonObject {
  try {
    const copied: unknown = JSON.parse(JSON.stringify(value ?? {}));
    return typeof copied === 'object' && copied !== null && !Array.isArray(copied) ? (copied as JsonObject) : {};
  } catch {
    return {};
  }
}

/** Stands in for a function of the contract that has no counterpart here. */
export function unavailable(what: string): () => Promise<never> {
  return async () => {
    throw new Error(`${what} is not available in Atrium.`);
  };
}

export function providerKeys(host: PluginHost) {
  return async ({ provider }: { readonly provider: string }) => ({
    apiKey: await host.readProviderKey(provider),
    mode: 'api-key',
    source: 'config',
  });
}

/** What `getCron()` gives: the gateway's jobs, for hooks of its life. */
export function cronOf(host: PluginHost) {
  return {
    list: () => host.cron({ op: 'list' }),
    status: () => host.cron({ op: 'status' }),
    add: (job: JsonObject) => host.cron({ op: 'add', job: plain(job) }),
    update: (id: string, patch: JsonObject) => host.cron({ op: 'update', id, patch: plain(patch) }),
    remove: (id: string) => host.cron({ op: 'remove', id }),
    run: (id: string): Promise<JsonValue | undefined> => host.cron({ op: 'run', id }),
  };
}

/** A logger as the SDK's functions give it to plugins that ask by name. */
export function subsystemLogger(host: PluginHost, subsystem: string): PluginLogger & { readonly subsystem: string } {
  const logger = createPluginLogger((entry) => host.log(entry), `[${subsystem}] `);
  return {
    ...logger,
    subsystem,
    raw: logger.info,
    isEnabled: (level: string) => level !== 'trace' && level !== 'debug',
    child: (name: unknown) => subsystemLogger(host, `${subsystem}/${String(name)}`),
  } as PluginLogger & { readonly subsystem: string };
}

/** The version of the contract and not of Atrium. Plugins compare it with the version that they need. */
const CONTRACT_VERSION = '2026.5.19';
