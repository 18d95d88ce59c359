// How much processor time one thread of this process has had. Linux tells it for each thread; other
// systems tell it for the whole process only, with all its threads.

import { readFileSync, readlinkSync } from 'node:fs';

/** The system's number of the calling thread; 0 where the system does not tell. */
export function systemThreadId(): number {
  try {
    return Number(readlinkSync('/proc/thread-self').split('/').at(-1)) || 0;
  } catch {
    return 0;
  }
}

/** In milliseconds since the start of the thread, or of the process where threads are not distinguished. */
export function threadTimeMs(id: number): number {
  return (id === 0 ? undefined : timeOfThread(id)) ?? timeOfProcess();
}

/** The system counts in hundredths of a second. */
const TICK_MS = 10;

function timeOfThread(id: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/self/task/${id}/stat`, 'utf8');
    // The thread's name stands in brackets and may hold anything; behind it the fields count from the third.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
  } catch {
    return undefined;
  }
}

function timeOfProcess(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
