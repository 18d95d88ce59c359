// What the configuration says about the log of the gateway: the file, its levels, and what the terminal shows.

import path from 'node:path';
import type { LogThreshold } from '../protocol/log.ts';
import type { Environment } from './environment.ts';
import type { Config } from './schema.ts';
import { resolveUserPath } from './user-path.ts';
import { isHomeOfOpenClaw } from './written-by-openclaw.ts';

export interface LogSettings {
  readonly file: string;
  /** What the file keeps. */
  readonly level: LogThreshold;
  /** A file that would become larger is set aside, and a new one is begun. */
  readonly maxFileBytes: number;
  /** What the terminal shows. */
  readonly consoleLevel: LogThreshold;
  readonly consoleStyle: 'pretty' | 'compact' | 'json';
}

const MAX_FILE_BYTES = 10 * 1024 * 1024;

export function logSettingsOf(
  { stateDir, home, cwd }: Pick<Environment, 'stateDir' | 'home' | 'cwd'>,
  config: Pick<Config, 'logging'> = {},
): LogSettings {
  const { logging = {} } = config;
  const given = logging.file?.trim();
  // OpenClaw writes the file that its own configuration names, and two programs would set it aside under each other.
  const file = given && isLogOfOpenClaw(given, () => isHomeOfOpenClaw(config, stateDir)) ? besideOf(given) : given;
  return {
    file: file ? resolveUserPath(file, home, cwd) : path.join(stateDir, 'logs', 'atrium.log'),
    level: logging.level ?? 'info',
    maxFileBytes: logging.maxFileBytes ?? MAX_FILE_BYTES,
    consoleLevel: logging.consoleLevel ?? 'info',
    consoleStyle: logging.consoleStyle ?? 'pretty',
  };
}

/** Whose log a file is: its name says it, and else the home in which it is configured. */
export function isLogOfOpenClaw(file: string, isInHomeOfOpenClaw: () => boolean): boolean {
  const name = path.basename(file).toLowerCase();
  if (name.includes('atrium')) return false;
  return name.includes('openclaw') || isInHomeOfOpenClaw();
}

function besideOf(file: string): string {
  const { dir, name, ext } = path.parse(file);
  return path.join(dir, `${name}.atrium${ext}`);
}

/** The patterns of the operator. `redactSensitive: "off"` switches these off, and never what Atrium recognises by itself. */
export function redactPatternsOf({ logging = {} }: Pick<Config, 'logging'>): readonly string[] {
  return logging.redactSensitive === 'off' ? [] : (logging.redactPatterns ?? []);
}
