// A gateway method as a plugin hands it over. Its handler answers by calling `respond`, once, now or later; here that
// becomes a function that gives the answer or rejects with the error that the plugin named.

import { isJsonObject, type JsonObject, type JsonValue } from '../../protocol/json.ts';
import { oneLine } from '../../protocol/one-line.ts';
import { PluginMethodError } from '../errors.ts';
import type { PluginSetup } from '../plugin-setup.ts';
import type { MethodRegistration } from '../registration.ts';
import type { Problem } from './registration-intake.ts';

export function registeredMethod(method: unknown, handler: unknown, setup: PluginSetup): MethodRegistration | Problem {
  if (typeof method !== 'string' || !/^[A-Za-z0-9][\w.:/-]{0,99}$/.test(method))
    return { problem: 'its name is no name of a method' };
  if (typeof handler !== 'function') return { problem: `"${method}" has no function that answers it` };
  return { kind: 'method', method, handler: (params, client) => answerOf(setup, method, handler, params, client) };
}

/** A handler that ends without having answered may still do so for this long. */
const ANSWER_DEADLINE_MS = 60_000;

function answerOf(
  setup: PluginSetup,
  method: string,
  // biome-ignore lint/complexity/noBannedTypes: whatever a plugin handed over
  handler: Function,
  params: JsonObject,
  client: { readonly id?: string | undefined },
): Promise<JsonValue | undefined> {
  return new Promise((resolve, reject) => {
    const fail = (error: unknown) => {
      const { code, message } = isJsonObject(error) ? error : ({} as JsonObject);
      const pluginCode = typeof code === 'string' ? oneLine(code, 100) : undefined;
      const reason = oneLine(typeof message === 'string' ? message : (error ?? 'no reason given'));
      reject(new PluginMethodError({ pluginId: setup.id, method, pluginCode, reason }));
    };
    const respond = (ok: unknown, payload?: unknown, error?: unknown) =>
      ok ? resolve(payload as JsonValue | undefined) : fail(error);
    const call = {
      req: { type: 'req', id: '', method, params },
      params,
      client,
      respond,
      isWebchatConnect: () => false,
      context: { config: structuredClone(setup.config) },
    };
    Promise.resolve()
      .then(() => handler(call))
      .then((returned: unknown) => {
        if (returned !== undefined) return resolve(returned as JsonValue);
        setTimeout(() => fail('it did not answer'), ANSWER_DEADLINE_MS).unref();
        return undefined;
      })
      .catch(reject);
  });
}
