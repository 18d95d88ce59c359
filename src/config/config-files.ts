// Which files make up the configuration. The JSON5 file and the YAML file beside it are a pair, and YAML wins; a file
// that is named on the command line stands alone.

import path from 'node:path';
import { type ConfigSource, loadConfigSource, parseConfigSource } from './config-source.ts';
import type { Environment } from './environment.ts';
import { ConfigMissingError } from './errors.ts';
import { resolveUserPath } from './user-path.ts';

export interface ConfigLocation {
  readonly environment: Environment;
  /** The path that `--config` named: only this file is read, and it must exist. */
  readonly configPath?: string | undefined;
  /** Read in place of the file's own text, to see what a change would do before it is written. */
  readonly draft?: ConfigDraft | undefined;
  /**
   * Whether programs are run that give secrets, and the login shell. A gateway does so; other commands do not, because
   * such a program may ask the operator for a fingerprint.
   */
  readonly runsCommands?: boolean | undefined;
}

/** What a file is about to say. */
export interface ConfigDraft {
  readonly file: string;
  readonly text: string;
}

export interface ConfigFiles {
  /** The weakest file is first. The list is empty in a new home. */
  readonly sources: readonly ConfigSource[];
  readonly remarks: readonly { readonly file: string; readonly message: string }[];
}

const JSON_NAME = 'openclaw.json';
const YAML_NAMES = ['openclaw.yaml', 'openclaw.yml'];

export async function loadConfigFiles({ environment, configPath, draft }: ConfigLocation): Promise<ConfigFiles> {
  const load = (file: string) => (file === draft?.file ? parseConfigSource(file, draft.text) : loadConfigSource(file));
  if (configPath !== undefined) {
    const file = resolveUserPath(configPath, environment.home, environment.cwd);
    const source = await load(file);
    if (source === undefined) throw new ConfigMissingError({ file });
    return { sources: [source], remarks: [] };
  }
  const file = environment.configPath;
  const [main, ...yaml] = await Promise.all(listConfigPaths({ environment }).map(load));
  const [overlay, ignored] = yaml.filter((source) => source !== undefined);
  const sources = [main, overlay].filter((source) => source !== undefined);
  const remarks = [];
  if (overlay !== undefined && ignored !== undefined) {
    const message = `${ignored.file} is not used, because ${overlay.file} is there too. Keep one of them.`;
    remarks.push({ file: ignored.file, message });
  }
  // A fresh profile sets the variable to a file that does not exist yet. Any other path to a missing file is a mistake.
  const isMistake = environment.configPathGiven && path.dirname(file) !== environment.stateDir;
  if (sources.length === 0 && isMistake) {
    const message = `OPENCLAW_CONFIG_PATH names ${file}, which does not exist; nothing is configured.`;
    remarks.push({ file, message });
  }
  return { sources, remarks };
}

/** Returns every file that is looked for, whether or not it exists. The main one is first. */
export function listConfigPaths({ environment, configPath }: ConfigLocation): readonly string[] {
  if (configPath !== undefined) return [resolveUserPath(configPath, environment.home, environment.cwd)];
  const file = environment.configPath;
  const isPair = !environment.configPathGiven || path.basename(file) === JSON_NAME;
  return [file, ...(isPair ? YAML_NAMES.map((name) => path.join(path.dirname(file), name)) : [])];
}
