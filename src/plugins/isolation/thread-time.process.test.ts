import { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { systemThreadId, threadTimeMs } from './thread-time.ts';

/** Until this process has had so much processor time, however long that takes on a busy machine. */
function work(ms: number): void {
  const before = process.cpuUsage();
  while (process.cpuUsage(before).user < ms * 1_000);
}

describe('the time that a thread has had', () => {
  it('is its own: what this thread does is not counted for an idle one', async () => {
    const idle = new Worker(
      `const { parentPort } = require('node:worker_threads');
       let id = 0;
       try { id = Number(require('node:fs').readlinkSync('/proc/thread-self').split('/').at(-1)) } catch {}
       parentPort.postMessage(id);
       setInterval(() => {}, 60_000);`,
      { eval: true },
    );
    try {
      const id = await new Promise<number>((resolve) => idle.once('message', resolve));
      const [ownBefore, idleBefore] = [threadTimeMs(systemThreadId()), threadTimeMs(id)];
      work(200);
      const ownMs = threadTimeMs(systemThreadId()) - ownBefore;
      const idleMs = threadTimeMs(id) - idleBefore;
      expect(ownMs).toBeGreaterThan(0);
      // Where the system does not tell threads apart, both are the time of the process.
      if (id !== 0) expect(idleMs).toBeLessThan(ownMs);
    } finally {
      await idle.terminate();
    }
  });

  it('is that of the process for a thread that is not there', () => {
    const { user, system } = process.cpuUsage();
    expect(threadTimeMs(999_999_999)).toBeGreaterThanOrEqual((user + system) / 1_000);
    expect(threadTimeMs(0)).toBeGreaterThanOrEqual((user + system) / 1_000);
  });
});
