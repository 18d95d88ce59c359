// The token that the operator chose: the setting, else the variable that OpenClaw reads. Without either, one is made.

import type { EnvironmentVariables } from './home-dir.ts';
import type { Config } from './schema.ts';

export function configuredTokenOf(config: Config, variables: EnvironmentVariables): string | undefined {
  const { token } = config.gateway?.auth ?? {};
  return (typeof token === 'string' && token) || variables.OPENCLAW_GATEWAY_TOKEN?.trim() || undefined;
}
