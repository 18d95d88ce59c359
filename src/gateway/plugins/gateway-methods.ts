// The methods that clients and plugins may call by name: the product's own, and those that plugins answer. The
// call is the same over HTTP, over a socket and from a plugin.
//
// Errors: UnknownMethodError; PluginMethodError with the plugin's own words; PluginTimeoutError. Errors of the product's
// own methods are passed on as they are.

import { UnknownMethodError } from '../../channels/errors.ts';
import { PluginMethodError } from '../../plugins/errors.ts';
import type { PluginRegistry } from '../../plugins/plugin-registry.ts';
import { isAtriumError } from '../../protocol/errors.ts';
import type { JsonObject, JsonValue } from '../../protocol/json.ts';
import { nearMatch } from '../../protocol/near-match.ts';
import { askPlugin, reasonOf } from './ask-plugin.ts';
import { type ClaimedNames, claimNames, type RefusedName } from './claim-names.ts';

export interface MethodCaller {
  /** Names a connection, or a plugin. */
  readonly id?: string | undefined;
}

export type GatewayMethod = (params: JsonObject, caller: MethodCaller) => Promise<JsonValue | undefined>;

export interface ListedMethod {
  readonly method: string;
  /** The plugin that answers it; null for the product's own. */
  readonly plugin: string | null;
}

export interface GatewayMethodsParts {
  readonly registry: PluginRegistry;
  readonly own: Readonly<Record<string, GatewayMethod>>;
  readonly timeoutMs?: number | undefined;
}

const TIMEOUT_MS = 30_000;
const MAX_ANSWER_CHARS = 8 * 1_048_576;
const METHOD_NAME = /^[a-z][\w.:/-]{0,127}$/i;

/** Every name that begins like this is the product's, also when no such method exists yet. */
const OWN_SPACES = ['config.', 'exec.approvals.', 'plugins.', 'sessions.'] as const;

export class GatewayMethods {
  readonly #parts: GatewayMethodsParts;

  constructor(parts: GatewayMethodsParts) {
    this.#parts = parts;
  }

  list(): readonly ListedMethod[] {
    const own = Object.keys(this.#parts.own).map((method) => ({ method, plugin: null }));
    const brought = [...this.#claimed().byName].map(([method, { pluginId }]) => ({ method, plugin: pluginId }));
    return [...own, ...brought].sort((a, b) => (a.method < b.method ? -1 : 1));
  }

  async call(method: string, params: JsonObject, caller: MethodCaller): Promise<JsonValue | undefined> {
    const own = Object.hasOwn(this.#parts.own, method) ? this.#parts.own[method] : undefined;
    if (own) return own(params, caller);
    const registered = this.#claimed().byName.get(method);
    if (!registered) {
      const names = this.list().map((each) => each.method);
      throw new UnknownMethodError({
        method: method.slice(0, 200),
        suggestion: nearMatch(method.slice(0, 200), names),
      });
    }
    const { pluginId, registration } = registered;
    const ms = this.#parts.timeoutMs ?? TIMEOUT_MS;
    const asked = { pluginId, what: `the method ${method}`, ms, isHeldUp: registration.isHeldUp };
    try {
      return plainAnswer(await askPlugin(asked, () => registration.handler(params, caller)));
    } catch (error) {
      if (isAtriumError(error)) throw error;
      throw new PluginMethodError({ pluginId, method, pluginCode: undefined, reason: reasonOf(error) });
    }
  }

  refused(): readonly RefusedName[] {
    return this.#claimed().refused;
  }

  #claimed(): ClaimedNames<'method'> {
    return claimNames(
      this.#parts.registry.registered('method'),
      ({ method }) => method,
      (name) => {
        const isOwn = Object.hasOwn(this.#parts.own, name) || OWN_SPACES.some((space) => name.startsWith(space));
        if (isOwn) return "it is one of Atrium's own";
        return METHOD_NAME.test(name) ? undefined : 'a name has up to 128 letters, digits, dots and dashes';
      },
    );
  }
}

/** The answer is written as JSON and read back, so that it is plain data that the plugin cannot change later. */
function plainAnswer(given: unknown): JsonValue | undefined {
  if (given === undefined) return undefined;
  const text = JSON.stringify(given);
  if (text === undefined) return undefined;
  if (text.length > MAX_ANSWER_CHARS) throw new Error(`its answer has ${text.length} characters, which is too much`);
  return JSON.parse(text);
}
