// What goes wrong in a soak, besides the plugins: the process dies, is told to stop, is frozen for a while, or has no
// room on its disk for a while. Every one of them needs no more than the rights of the user who runs the soak.

import { spawnSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import type { GatewayProcess } from '../src/testkit/gateway-process.ts';

export type Fault = 'kill' | 'stop' | 'freeze' | 'full disk';

/**
 * Long enough for deadlines to pass meanwhile, and for the gateway to notice: it looks every two seconds and says
 * nothing about a pause of up to three, so that a pause of less than five may stay unnoticed.
 */
const SHORTEST_FREEZE_MS = 6_000;
const LONGEST_FREEZE_MS = 9_000;
const LONGEST_FULL_MS = 8_000;
/** No file may grow beyond this, which every file of the store has reached. */
const SMALL_FILE = 16 * 1024;

export async function suffer(gateway: GatewayProcess, fault: Fault, random: () => number): Promise<void> {
  switch (fault) {
    case 'kill':
      await gateway.kill();
      await startAgain(gateway);
      return;
    case 'stop':
      await gateway.stop();
      await startAgain(gateway);
      return;
    case 'freeze':
      gateway.signal('SIGSTOP');
      await sleep(SHORTEST_FREEZE_MS + random() * (LONGEST_FREEZE_MS - SHORTEST_FREEZE_MS));
      gateway.signal('SIGCONT');
      return;
    case 'full disk':
      limitFiles(gateway, String(SMALL_FILE));
      await sleep(1_000 + random() * LONGEST_FULL_MS);
      limitFiles(gateway, 'unlimited');
  }
}

async function startAgain(gateway: GatewayProcess): Promise<void> {
  if ((await gateway.start()) !== 'ready')
    throw new Error(`The gateway did not start again:\n${gateway.err.slice(-2_000)}`);
}

/** The soft limit of a process may be lowered and raised by its user. A file that would grow beyond it is refused. */
function limitFiles({ pid }: GatewayProcess, bytes: string): void {
  const { status, stderr, error } = spawnSync('prlimit', ['--pid', String(pid), `--fsize=${bytes}:unlimited`]);
  if (status !== 0) throw new Error(`The files could not be limited: ${error?.message ?? String(stderr)}`);
}
