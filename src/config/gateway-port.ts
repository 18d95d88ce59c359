// The port of the gateway as its operator has set it: `OPENCLAW_GATEWAY_PORT` counts before `gateway.port`, as in OpenClaw.
// A flag of the command counts before both; this file does not know it.

import type { EnvironmentVariables } from './home-dir.ts';
import type { Config } from './schema.ts';

/** Undefined when neither is set. A variable that is no port counts as not set. */
export function configuredPort(config: Config, variables: EnvironmentVariables): number | undefined {
  return portOfVariable(variables) ?? config.gateway?.port;
}

export function portOfVariable(variables: EnvironmentVariables): number | undefined {
  const text = variables.OPENCLAW_GATEWAY_PORT?.trim() ?? '';
  return /^\d{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= 65_535 ? Number(text) : undefined;
}
