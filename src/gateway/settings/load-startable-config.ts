// The configuration as a gateway would start with it, or the reason why none does: one that cannot be read, and one that
// asks for a protection that Atrium does not have. It starts nothing.

import type { ConfigLocation } from '../../config/config-files.ts';
import { type LoadedConfig, loadConfig } from '../../config/load-config.ts';
import { ProtectionMissingError } from '../errors.ts';

/** Rejects with what is wrong with the file, or with ProtectionMissingError. */
export async function loadStartableConfig(location: ConfigLocation): Promise<LoadedConfig> {
  const loaded = await loadConfig(location);
  refuseUnprotected(loaded);
  return loaded;
}

export function refuseUnprotected({ unused }: Pick<LoadedConfig, 'unused'>): void {
  const refused = unused.filter(({ refuses }) => refuses === 'start');
  if (refused.length > 0) throw new ProtectionMissingError({ settings: refused });
}
