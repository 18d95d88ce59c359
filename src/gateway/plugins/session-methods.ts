// Two methods of the gateway's API about plugins and sessions: `sessions.pluginPatch` changes what a plugin keeps for a
// session, `plugins.sessionAction` makes a plugin act there. Every caller of the API may call them. A plugin that
// calls them is not the operator, and can change only its own values.
//
// Errors: RequestInvalidError for parameters that make no sense, UnknownSessionError, PluginRefusedError, and
// PluginMethodError for what a plugin's action throws.

import { PluginMethodError, PluginRefusedError } from '../../plugins/errors.ts';
import type { PluginRegistry } from '../../plugins/plugin-registry.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../protocol/json.ts';
import { UnknownSessionError } from '../../sessions/errors.ts';
import type { Store } from '../../store/store.ts';
import type { SessionRow } from '../../store/tables.ts';
import { RequestInvalidError } from '../errors.ts';
import { askPlugin, reasonOf } from './ask-plugin.ts';
import { checkSessionValue, type SessionExtensions } from './session-extensions.ts';

export interface SessionMethodsParts {
  readonly registry: PluginRegistry;
  readonly extensions: SessionExtensions;
  readonly store: Store;
  /** Tells hook packs that a session was changed. */
  readonly patched: (session: SessionRow, patch: JsonObject) => void;
  readonly timeoutMs?: number | undefined;
}

export type SessionMethod = (params: JsonObject, client?: { readonly id?: string | undefined }) => Promise<JsonObject>;

export type SessionMethodName = 'sessions.pluginPatch' | 'plugins.sessionAction';

const ACTION_MS = 30_000;

export function createSessionMethods(parts: SessionMethodsParts): Readonly<Record<SessionMethodName, SessionMethod>> {
  return {
    'sessions.pluginPatch': (params, client) => patchSession(parts, params, pluginOf(client?.id)),
    'plugins.sessionAction': (params, client) => actInSession(parts, params, client?.id),
  };
}

async function patchSession(
  { extensions, store, patched }: SessionMethodsParts,
  params: JsonObject,
  caller: string | undefined,
): Promise<JsonObject> {
  const [key, pluginId, namespace] = (['key', 'pluginId', 'namespace'] as const).map((name) => textOf(params, name));
  if (params.unset !== undefined && typeof params.unset !== 'boolean') {
    throw new RequestInvalidError({ problem: '"unset" must be true or false.', param: 'unset' });
  }
  if (caller !== undefined && caller !== pluginId) {
    throw new PluginRefusedError({
      pluginId: caller,
      detail: `what ${JSON.stringify(pluginId)} keeps for a session is not its own`,
    });
  }
  const session = await findSession(store, key ?? '');
  const { sessionKey } = session;
  const place = { sessionKey, namespace: namespace ?? '' };
  const value = await extensions.patch(pluginId ?? '', { ...place, value: params.value, unset: params.unset });
  patched(session, params);
  return { ok: true, key: sessionKey, ...(value === undefined ? {} : { value }) };
}

/** The plugin that calls; undefined for every other caller. */
function pluginOf(callerId: string | undefined): string | undefined {
  return callerId?.startsWith('plugin:') ? callerId.slice('plugin:'.length) : undefined;
}

/** The open session with this key or with this id. */
async function findSession(store: Store, name: string): Promise<SessionRow> {
  const [byKey] = await store.select('sessions', { where: { sessionKey: name, endedAt: null }, limit: 1 });
  const [session] = byKey ? [byKey] : await store.select('sessions', { where: { sessionId: name, endedAt: null } });
  if (!session) throw new UnknownSessionError({ session: name });
  return session;
}

async function actInSession(
  { registry, timeoutMs: ms = ACTION_MS }: SessionMethodsParts,
  params: JsonObject,
  connId: string | undefined,
): Promise<JsonObject> {
  const pluginId = textOf(params, 'pluginId');
  const actionId = textOf(params, 'actionId');
  const sessionKey = params.sessionKey === undefined ? undefined : textOf(params, 'sessionKey');
  const found = registry
    .registered('session-action')
    .find((each) => each.pluginId === pluginId && each.registration.id === actionId);
  if (!found)
    throw new PluginRefusedError({ pluginId, detail: `it has no session action ${JSON.stringify(actionId)}` });
  const context: JsonObject = {
    pluginId,
    actionId,
    ...(sessionKey === undefined ? {} : { sessionKey }),
    ...(params.payload === undefined ? {} : { payload: params.payload }),
    // A caller with the gateway's token may do everything.
    client: {
      ...(connId === undefined ? {} : { connId }),
      scopes: pluginOf(connId) === undefined ? ['operator.admin', 'operator.write', 'operator.read'] : [],
    },
  };
  const fail = (detail: string) =>
    new PluginMethodError({ pluginId, method: `the action ${actionId}`, pluginCode: undefined, reason: detail });
  let given: unknown;
  try {
    given = await askPlugin(
      { pluginId, what: `the action ${actionId}`, ms, isHeldUp: found.registration.isHeldUp },
      () => found.registration.handler(context),
    );
  } catch (error) {
    throw fail(reasonOf(error));
  }
  if (given === undefined || given === null) return { ok: true };
  const checked = checkSessionValue(given);
  if (!checked.ok) throw fail(`its answer ${checked.problem}`);
  if (!isJsonObject(checked.value)) throw fail('its answer is no object');
  return answerOf(checked.value);
}

/** The fields that the contract knows, and no others. */
function answerOf(given: JsonObject): JsonObject {
  const names = given.ok === false ? ['error', 'code', 'details'] : ['result', 'reply', 'continueAgent'];
  const fields = names.flatMap((name): [string, JsonValue][] => {
    const value = given[name];
    return value === undefined ? [] : [[name, value]];
  });
  return { ok: given.ok !== false, ...Object.fromEntries(fields) };
}

function textOf(params: JsonObject, name: string): string {
  const value = params[name];
  if (typeof value !== 'string' || value.trim() === '' || value.length > 512) {
    throw new RequestInvalidError({
      problem: `"${name}" must be a text that is not blank, of 512 characters at most.`,
      param: name,
    });
  }
  return value.trim();
}
