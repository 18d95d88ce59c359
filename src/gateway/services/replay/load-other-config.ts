// The configuration of a file, for replays with other settings.

import { dirname } from 'node:path';
import { withConfigVariables } from '../../../config/config-variables.ts';
import type { Environment } from '../../../config/environment.ts';
import { loadConfig } from '../../../config/load-config.ts';
import type { OtherConfig } from './replay-changes.ts';

/** Conditions on variables see the variables of the home's own configuration. */
export async function loadOtherConfig(environment: Environment, path: string): Promise<OtherConfig> {
  const [own, { config, files }] = await Promise.all([
    loadConfig({ environment }),
    loadConfig({ environment, configPath: path }),
  ]);
  return {
    config,
    configDir: dirname(files.at(-1)?.path ?? path),
    environment: withConfigVariables(environment, own),
  };
}
