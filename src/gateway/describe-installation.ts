// What all runs of a gateway have to do with, as their trajectories say it: versions, the configuration and the plugins. Of
// the configuration it has the files and a hash of what may be shown, so that one can see whether two runs had the same one.

import type { LoadedConfig } from '../config/load-config.ts';
import type { JsonValue } from '../protocol/json.ts';
import { sha256Of } from '../protocol/sha256-of.ts';
import { VERSION } from '../protocol/version.ts';
import { showConfig } from './settings/show-config.ts';

export interface DescribedPlugin {
  readonly id: string;
  readonly version?: string | undefined;
  readonly state: string;
}

export interface InstallationDescription {
  readonly versions: {
    readonly atrium: string;
    readonly node: string;
    readonly platform: string;
    readonly arch: string;
  };
  readonly settings: { readonly files: readonly string[]; readonly hash: string };
  readonly plugins: readonly DescribedPlugin[];
}

/** The versions of the programs that made a record. */
export const VERSIONS: InstallationDescription['versions'] = {
  atrium: VERSION,
  node: process.version,
  platform: process.platform,
  arch: process.arch,
};

type Described = Pick<LoadedConfig, 'config' | 'files'>;

export function describeInstallation(
  loaded: Described,
  plugins: readonly DescribedPlugin[],
): InstallationDescription & Readonly<Record<string, unknown>> {
  const settings = describedSettings.get(loaded) ?? describeSettings(loaded);
  describedSettings.set(loaded, settings);
  return {
    versions: VERSIONS,
    settings,
    plugins: plugins.map(({ id, version, state }) => ({ id, version, state })),
  };
}

/** Many sessions begin with the same configuration, and a large one takes a while to be read through. */
const describedSettings = new WeakMap<Described, InstallationDescription['settings']>();

function describeSettings({ config, files }: Described): InstallationDescription['settings'] {
  const shown = JSON.stringify(showConfig(config as JsonValue));
  const hash = sha256Of(shown);
  return { files: files.map(({ path }) => path), hash: `sha256:${hash}` };
}
