// Signals to a process and everything that it started and that did not leave its group.

import { setTimeout as sleep } from 'node:timers/promises';

/** False when no process is left. The signal 0 only asks. */
export function signalGroup(pid: number | undefined | null, signal: NodeJS.Signals | 0): boolean {
  // 0 would mean our own group, and 1 every process.
  if (pid === undefined || pid === null || !Number.isInteger(pid) || pid <= 1) return false;
  try {
    process.kill(-pid, signal);
    return true;
  } catch {
    return false;
  }
}

const LOOK_EVERY_MS = 20;

/**
 * Asks the group to end, and makes it end when its time is over, or what is left of it when `isOver` says that the rest
 * does not matter. False when there was no process.
 */
export async function endGroup(
  pid: number | undefined | null,
  graceMs: number,
  isOver: () => Promise<boolean> = async () => !signalGroup(pid, 0),
): Promise<boolean> {
  if (!signalGroup(pid, 'SIGTERM')) return false;
  for (let waited = 0; waited < graceMs && !(await isOver()); waited += LOOK_EVERY_MS) await sleep(LOOK_EVERY_MS);
  signalGroup(pid, 'SIGKILL');
  return true;
}
