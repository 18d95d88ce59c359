// The webhooks that a configuration asks for: the address, the token, who may be reached, and the mappings with the
// bundled ones after them. Settings that contradict each other, or that would let a sender choose more than the operator
// said, close all webhooks and are named.

import { listAgentIds, resolveDefaultAgentId } from './agents.ts';
import type { ConfigPath } from './config-path.ts';
import type { Config } from './schema.ts';

export type WebhookMapping = NonNullable<NonNullable<Config['hooks']>['mappings']>[number];

export interface WebhookSettings {
  /** It begins with a slash and does not end with one. */
  readonly path: string;
  readonly token: string;
  readonly maxBodyBytes: number;
  /** In the order in which they are tried. Each has an id. */
  readonly mappings: readonly (WebhookMapping & { readonly id: string })[];
  readonly agentIds: readonly string[];
  readonly defaultAgentId: string;
  /** Undefined means every agent. */
  readonly allowedAgentIds: readonly string[] | undefined;
  readonly defaultSessionKey: string | undefined;
  readonly allowRequestSessionKey: boolean;
  /** The prefixes are in lower case. Undefined means every key. */
  readonly allowedSessionKeyPrefixes: readonly string[] | undefined;
}

type Problem = { readonly at: ConfigPath; readonly message: string };

const DEFAULT_PATH = '/hooks';
const MAX_BODY_BYTES = 256 * 1024;
/** Paths of the gateway itself. A webhook there would hide them. */
const TAKEN = /^\/(?:$|(?:api|v1|ws|openapi\.json|healthz|readyz|health|ready)(?:\/|$))/;

/** Undefined when there are none, or when something is wrong with the settings. */
export function webhookSettingsOf(config: Config, gatewayToken: string | undefined): WebhookSettings | undefined {
  const { hooks } = config;
  if (hooks?.enabled !== true || listWebhookProblems(config, gatewayToken).length > 0) return undefined;
  return {
    path: pathOf(hooks.path),
    token: hooks.token?.trim() ?? '',
    maxBodyBytes: hooks.maxBodyBytes ?? MAX_BODY_BYTES,
    mappings: mappingsOf(config),
    agentIds: listAgentIds(config),
    defaultAgentId: resolveDefaultAgentId(config),
    allowedAgentIds: hooks.allowedAgentIds?.includes('*') ? undefined : hooks.allowedAgentIds,
    defaultSessionKey: hooks.defaultSessionKey?.trim() || undefined,
    allowRequestSessionKey: hooks.allowRequestSessionKey === true,
    allowedSessionKeyPrefixes: prefixesOf(hooks.allowedSessionKeyPrefixes),
  };
}

/**
 * One sentence for each reason why the webhooks stay closed. `gatewayToken` is the one that the gateway really uses, be it
 * configured, from a variable, or its own; undefined while there is none.
 */
export function listWebhookProblems(config: Config, gatewayToken: string | undefined): readonly Problem[] {
  const { hooks } = config;
  if (hooks?.enabled !== true) return [];
  const token = hooks.token?.trim() ?? '';
  const path = pathOf(hooks.path);
  const key = hooks.defaultSessionKey?.trim() || undefined;
  const prefixes = prefixesOf(hooks.allowedSessionKeyPrefixes);
  const problems: (Problem | false)[] = [
    token === '' && closed('token', 'hooks.token is missing'),
    /[^\x21-\x7e]/.test(token) && closed('token', 'hooks.token has characters that a header cannot carry'),
    token !== '' &&
      token === gatewayToken?.trim() &&
      closed('token', 'hooks.token is the token of the gateway; senders of webhooks need one of their own'),
    TAKEN.test(path) && closed('path', `hooks.path ${JSON.stringify(path)} is a path of the gateway itself`),
    prefixes !== undefined &&
      !startsWithOne(key ?? 'hook:', prefixes) &&
      closed(
        key === undefined ? 'allowedSessionKeyPrefixes' : 'defaultSessionKey',
        key === undefined
          ? 'hooks.allowedSessionKeyPrefixes has no "hook:", with which generated session keys begin'
          : 'hooks.defaultSessionKey begins with none of hooks.allowedSessionKeyPrefixes',
      ),
    prefixes === undefined &&
      choosesSession(mappingsOf(config)) &&
      closed(
        'allowedSessionKeyPrefixes',
        'a mapping takes its sessionKey from the request, which needs hooks.allowedSessionKeyPrefixes, such as ["hook:"]',
      ),
  ];
  return problems.filter((each) => each !== false);
}

function closed(key: string, why: string): Problem {
  return { at: ['hooks', key], message: `Webhooks are closed: ${why}.` };
}

export function startsWithOne(key: string, prefixes: readonly string[]): boolean {
  return prefixes.some((prefix) => key.trim().toLowerCase().startsWith(prefix));
}

function pathOf(written: string | undefined): string {
  const path = `/${written?.trim() || DEFAULT_PATH}`.replace(/^\/+/, '/');
  return path.length > 1 ? path.replace(/\/+$/, '') || '/' : path;
}

/** A list without a word in it restricts nothing. */
function prefixesOf(written: readonly string[] | undefined): readonly string[] | undefined {
  const prefixes = (written ?? []).map((each) => each.trim().toLowerCase()).filter((each) => each !== '');
  return prefixes.length === 0 ? undefined : prefixes;
}

function mappingsOf({ hooks }: Config): WebhookSettings['mappings'] {
  const presets = (hooks?.presets ?? []).flatMap((name) => {
    const preset = Object.hasOwn(PRESETS, name) ? PRESETS[name] : undefined;
    const { model, allowUnsafeExternalContent } = hooks?.gmail ?? {};
    return preset ? [{ ...preset, ...(name === 'gmail' && { model, allowUnsafeExternalContent }) }] : [];
  });
  return [...(hooks?.mappings ?? []), ...presets].map((mapping, index) => ({
    ...mapping,
    id: mapping.id?.trim() || `mapping-${index + 1}`,
  }));
}

/** Only a mapping that can be reached counts: one before it may take all of its requests. */
function choosesSession(mappings: WebhookSettings['mappings']): boolean {
  return mappings.some(
    (mapping, index) =>
      mapping.action !== 'wake' &&
      mapping.sessionKey?.includes('{{') &&
      !mappings.slice(0, index).some((earlier) => takesAllOf(earlier, mapping)),
  );
}

function takesAllOf(earlier: WebhookMapping, { match }: WebhookMapping): boolean {
  const path = subpathOf(earlier.match?.path);
  const source = earlier.match?.source?.trim() || undefined;
  if (path !== undefined && path !== subpathOf(match?.path)) return false;
  return source === undefined || source === match?.source?.trim();
}

/** The path of a mapping as it is compared: without slashes around it. */
export function subpathOf(written: string | undefined): string | undefined {
  return written?.trim().replace(/^\/+|\/+$/g, '') || undefined;
}

const PRESETS: Readonly<Record<string, WebhookMapping>> = {
  gmail: {
    id: 'gmail',
    match: { path: 'gmail' },
    name: 'Gmail',
    forEach: 'messages',
    sessionKey: 'hook:gmail:{{messages[0].id}}',
    messageTemplate:
      'New email from {{messages[0].from}}\nSubject: {{messages[0].subject}}\n{{messages[0].snippet}}\n{{messages[0].body}}',
  },
};
