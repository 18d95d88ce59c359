// Whether OpenClaw has written a configuration, in which it leaves its version, or has worked in a home, in which it leaves
// conversations and jobs. A configuration that a person wrote has no version.

import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { parseKeyPattern, valueAt } from './config-path.ts';

export function isWrittenByOpenClaw(config: object): boolean {
  return ['meta.lastTouchedVersion', 'wizard.lastRunVersion'].some(
    (key) => typeof valueAt(config, parseKeyPattern(key)) === 'string',
  );
}

/** `others` are further files that only OpenClaw would have written. */
export async function hasFilesOfOpenClaw(stateDir: string, others: readonly string[] = []): Promise<boolean> {
  const agents = await readdir(path.join(stateDir, 'agents')).catch(() => []);
  const files = [
    path.join(stateDir, 'cron', 'jobs.json'),
    path.join(stateDir, 'state', 'openclaw.sqlite'),
    ...agents.flatMap((agent) => [
      path.join(stateDir, 'agents', agent, 'sessions', 'sessions.json'),
      path.join(stateDir, 'agents', agent, 'agent', 'openclaw-agent.sqlite'),
    ]),
    ...others,
  ];
  const found = await Promise.all(
    files.map((file) =>
      stat(file).then(
        (facts) => facts.isFile(),
        () => false,
      ),
    ),
  );
  return found.includes(true);
}
