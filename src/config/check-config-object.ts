// Checks a configuration that a program passes as an object, by the same rules as one that is read from a file. An
// object that passed once is not checked again, because programs compose many times with one configuration.

import { formatConfigPath } from './config-path.ts';
import { ConfigInvalidError } from './errors.ts';
import type { Config } from './schema.ts';

const checked = new WeakSet<object>();

export async function checkConfigObject(config: Config): Promise<Config> {
  if (typeof config === 'object' && config !== null && checked.has(config)) return config;
  const { listConfigFaults } = await import('./validate-config.ts');
  const faults = listConfigFaults(config, config);
  if (faults.length > 0) {
    throw new ConfigInvalidError({
      issues: faults.map(({ path, found, expected }) => ({
        file: 'config',
        line: 1,
        path: formatConfigPath(path),
        found,
        expected,
      })),
    });
  }
  checked.add(config);
  return config;
}
