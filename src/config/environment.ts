// Everything that the process environment says, and the `.env` files behind it, read once and passed on as a value. No
// other folder reads `process.env`, and this file does not read the configuration.

import { existsSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { SESSION_TYPES, type SessionType } from '../protocol/session-type.ts';
import { isTimezone } from '../protocol/timezone.ts';
import { isNamedProfile } from './cli-profile.ts';
import { type EnvironmentVariables, resolveHomeDir } from './home-dir.ts';
import { type FileRemark, readEnvFiles } from './secrets/env-files.ts';
import { resolveStateDir } from './state-dir.ts';
import { resolveUserPath } from './user-path.ts';

export interface Environment {
  readonly home: string;
  readonly cwd: string;
  readonly stateDir: string;
  /** The path of the JSON5 configuration; the YAML file is looked for in the same folder. Neither file must exist. */
  readonly configPath: string;
  /** True when OPENCLAW_CONFIG_PATH set the path, so that a missing file is reported. */
  readonly configPathGiven: boolean;
  /** OPENCLAW_NIX_MODE=1: another program makes the configuration files, and no command or plugin changes them. */
  readonly isConfigManaged: boolean;
  /** Undefined for the default profile. */
  readonly profile: string | undefined;
  /**
   * OPENCLAW_WORKSPACE_DIR as an absolute path. It is the default agent's workspace when the configuration names none.
   */
  readonly workspaceDir: string | undefined;
  /** OPENCLAW_SESSION_TYPE, when it is a session type. */
  readonly sessionType: SessionType | undefined;
  /** True in a CI pipeline: `CI=true`, or the session type `ci`. */
  readonly ci: boolean;
  readonly timezone: string;
  /** ATRIUM_NODE, the name of this gateway among those that share a database; else the name of the host. */
  readonly node: string | undefined;
  readonly host: string;
  /** ATRIUM_FAILPOINTS, with which crash tests say where the process ends: `request:before`, `tool-result:after@2`. */
  readonly failpoints: readonly string[];
  /** Those of the process, and behind them those of the `.env` files. */
  readonly variables: EnvironmentVariables;
  /** For each variable that is not the process's own, the place where it was found. */
  readonly origins: ReadonlyMap<string, string>;
  /** What is odd about the `.env` files. */
  readonly remarks: readonly FileRemark[];
}

const LEGACY_CONFIG_NAMES = ['clawdbot.json', 'moltbot.json', 'moldbot.json'];

export function readEnvironment(
  env: EnvironmentVariables = process.env,
  homedir: () => string = os.homedir,
  cwd: string = process.cwd(),
): Environment {
  const home = resolveHomeDir(env, homedir, cwd);
  const stateDir = resolveStateDir(env, homedir, cwd);
  const configPath = env.OPENCLAW_CONFIG_PATH?.trim();
  const workspaceDir = env.OPENCLAW_WORKSPACE_DIR?.trim();
  const sessionType = SESSION_TYPES.find((type) => type === env.OPENCLAW_SESSION_TYPE?.trim());
  let timezone: string | undefined;
  const { added, remarks } = readEnvFiles(env, { cwd, stateDir });
  return Object.freeze({
    home,
    cwd,
    stateDir,
    configPath: configPath ? resolveUserPath(configPath, home, cwd) : defaultConfigPath(stateDir),
    configPathGiven: Boolean(configPath),
    isConfigManaged: env.OPENCLAW_NIX_MODE?.trim() === '1',
    profile: isNamedProfile(env.OPENCLAW_PROFILE) ? env.OPENCLAW_PROFILE.trim() : undefined,
    workspaceDir: workspaceDir ? path.resolve(cwd, workspaceDir) : undefined,
    sessionType,
    ci: env.CI === 'true' || sessionType === 'ci',
    // Node reads the data of all languages for it, which takes longer than many a command.
    get timezone() {
      timezone ??= timezoneOf(env);
      return timezone;
    },
    node: env.ATRIUM_NODE?.trim() || undefined,
    get host() {
      return os.hostname();
    },
    failpoints: (env.ATRIUM_FAILPOINTS ?? '').split(',').filter((point) => point.trim() !== ''),
    variables: Object.freeze({ ...env, ...Object.fromEntries(added.map(({ name, value }) => [name, value])) }),
    origins: new Map(added.map(({ name, from }) => [name, from])),
    remarks,
  });
}

/** A state directory from before the product was renamed has its configuration under the old name. */
function defaultConfigPath(stateDir: string): string {
  const current = path.join(stateDir, 'openclaw.json');
  if (existsSync(current)) return current;
  return LEGACY_CONFIG_NAMES.map((name) => path.join(stateDir, name)).find((file) => existsSync(file)) ?? current;
}

/**
 * TZ may have forms that only the C library knows. For those, Node's own zone is used, which Node read from TZ at its
 * start.
 */
function timezoneOf(env: EnvironmentVariables): string {
  const given = env.TZ?.trim();
  return given && isTimezone(given) ? given : Intl.DateTimeFormat().resolvedOptions().timeZone;
}
