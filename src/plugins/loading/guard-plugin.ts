// Two fences around a plugin that may be unloaded: what the gateway calls of it, and what it asks of the gateway. When
// the plugin is gone both reject with PluginGoneError, whatever its old code still does.

import { PluginGoneError } from '../errors.ts';
import type { PluginHost } from '../plugin-host.ts';
import type { PluginRegistration, PluginTool } from '../registration.ts';

/** `isGone` is asked at every call. */
export function guardRegistration<Registration extends PluginRegistration>(
  registration: Registration,
  pluginId: string,
  isGone: () => boolean,
): Registration {
  const guarded = guardFields(registration, pluginId, isGone);
  if (guarded.kind !== 'tool') return guarded;
  const { make } = guarded;
  const makeGuarded: typeof make = async (scope) =>
    (await make(scope)).map((tool): PluginTool => guardFields(tool, pluginId, isGone));
  return { ...guarded, make: makeGuarded };
}

export function guardHost(host: PluginHost, pluginId: string, isGone: () => boolean): PluginHost {
  return new Proxy(host, {
    get: (target, name) => {
      const ask: unknown = Reflect.get(target, name);
      if (typeof ask !== 'function') return ask;
      return (request: unknown) => {
        if (!isGone()) return ask.call(target, request);
        return name === 'log' ? undefined : Promise.reject(new PluginGoneError({ pluginId }));
      };
    },
  });
}

function guardFields<Value extends object>(value: Value, pluginId: string, isGone: () => boolean): Value {
  const fields = Object.entries(value).map(([name, field]) => [
    name,
    typeof field === 'function' ? guardFunction(field, pluginId, isGone) : field,
  ]);
  return Object.fromEntries(fields) as Value;
}

// biome-ignore lint/complexity/noBannedTypes: functions of every registration
function guardFunction(call: Function, pluginId: string, isGone: () => boolean) {
  return (...args: unknown[]): unknown => {
    if (isGone()) return Promise.reject(new PluginGoneError({ pluginId }));
    return call(...args);
  };
}
