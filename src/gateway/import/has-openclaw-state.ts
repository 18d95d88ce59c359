// Whether a home holds conversations or jobs of OpenClaw that could be brought along. A few look-ups and nothing else, since
// it is asked when a gateway starts for the first time.

import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

export async function hasOpenClawState(dir: string): Promise<boolean> {
  const agents = await readdir(join(dir, 'agents')).catch(() => []);
  const files = [
    join(dir, 'cron', 'jobs.json'),
    join(dir, 'state', 'openclaw.sqlite'),
    ...agents.flatMap((agent) => [
      join(dir, 'agents', agent, 'sessions', 'sessions.json'),
      join(dir, 'agents', agent, 'agent', 'openclaw-agent.sqlite'),
    ]),
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
