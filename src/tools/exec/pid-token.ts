// Distinguishes a process from a later one with the same number, by its start time and the boot of the machine.

import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';

/** Undefined when there is no such process any more; one that has ended and waits to be collected counts as gone. */
export async function pidTokenOf(pid: number): Promise<string | undefined> {
  return process.platform === 'linux' ? linuxToken(pid) : listedToken(pid);
}

async function linuxToken(pid: number): Promise<string | undefined> {
  try {
    const [stat, boot] = await Promise.all([
      readFile(`/proc/${pid}/stat`, 'utf8'),
      readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => ''),
    ]);
    // The name in brackets may hold anything, brackets and blanks included.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state = ''] = fields;
    const startedAt = fields[19];
    return 'ZXx'.includes(state) || startedAt === undefined ? undefined : `${boot.trim()}:${startedAt}`;
  } catch {
    return undefined;
  }
}

function listedToken(pid: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile(
      '/bin/ps',
      ['-o', 'stat=,lstart=', '-p', String(pid)],
      { env: { LC_ALL: 'C', TZ: 'UTC' } },
      (error, stdout) => {
        const [state = '', ...startedAt] = stdout.trim().split(/\s+/);
        resolve(error || state === '' || state.startsWith('Z') ? undefined : startedAt.join(' '));
      },
    );
  });
}
