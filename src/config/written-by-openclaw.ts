// Whether OpenClaw has written a configuration, in which it leaves its version, or has worked in a home, in which it leaves
// conversations and jobs. A configuration that a person wrote has no version.

import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { parseKeyPattern, valueAt } from './config-path.ts';

export function isWrittenByOpenClaw(config: object): boolean {
  return ['meta.lastTouchedVersion', 'wizard.lastRunVersion'].some(
    (key) => typeof valueAt(config, parseKeyPattern(key)) === 'string',
  );
}

/** Either of the two: then what the configuration says about files of a program is about those of OpenClaw. */
export function isHomeOfOpenClaw(config: object, stateDir: string): boolean {
  return isWrittenByOpenClaw(config) || hasFilesOfOpenClaw(stateDir);
}

/** `others` are further files that only OpenClaw would have written. */
export function hasFilesOfOpenClaw(stateDir: string, others: readonly string[] = []): boolean {
  const files = [path.join(stateDir, 'cron', 'jobs.json'), path.join(stateDir, 'state', 'openclaw.sqlite'), ...others];
  if (files.some(isFile)) return true;
  return namesIn(path.join(stateDir, 'agents')).some((agent) => {
    const dir = path.join(stateDir, 'agents', agent);
    return [path.join(dir, 'sessions', 'sessions.json'), path.join(dir, 'agent', 'openclaw-agent.sqlite')].some(isFile);
  });
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function isFile(file: string): boolean {
  try {
    return statSync(file, { throwIfNoEntry: false })?.isFile() ?? false;
  } catch {
    return false;
  }
}
