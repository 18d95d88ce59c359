import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { RunRow } from '../store/tables.ts';
import { folderForTest } from '../testkit/folder-for-test.ts';
import { ScratchStore } from '../testkit/scratch-store.ts';
import { AppendedFiles } from './appended-files.ts';
import { recordLostEnds } from './record-lost-ends.ts';
import { Recorder } from './recorder.ts';
import { Trajectory } from './trajectory.ts';

let dir: string;
let scratch: ScratchStore;
beforeEach(async () => {
  dir = join(await folderForTest(), 'trajectory');
  scratch = await ScratchStore.create();
});
afterEach(() => scratch.remove());

/** Each is one process: it knows nothing of the runs of another one. */
function newRecorder(): Recorder {
  const files = new AppendedFiles({ warn: (message) => expect.unreachable(message) });
  return new Recorder({ trajectory: new Trajectory({ dir, files }), now: () => 7 });
}

function start(recorder: Recorder, runId: string, sessionId: string): void {
  const facts = { sessionKey: 'agent:main:main', agentId: 'main', attempt: 1, trigger: 'user' } as const;
  recorder.record({ type: 'session.started', runId, sessionId, ...facts });
  recorder.record({ type: 'gate.passed', runId });
}

async function ended(runId: string, sessionId: string, endedAt: number): Promise<void> {
  const row: RunRow = {
    ...{ runId, sessionKey: 'agent:main:main', agentId: 'main', sessionId, status: 'done', claim: 1, progressClaim: 1 },
    ...{
      startedAt: endedAt - 40,
      endedAt,
      outcome: { reply: 'a secret plan' },
      observed: true,
      node: null,
      stopReason: null,
    },
  };
  await scratch.store.commit([{ insert: 'runs', row }], { site: 'result' });
}

async function recordsOf(sessionId: string): Promise<readonly string[]> {
  const text = await readFile(join(dir, `${sessionId}.jsonl`), 'utf8');
  expect(text).not.toContain('secret plan');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const { seq, type, runId, data } = JSON.parse(line);
      return `${seq} ${type} ${runId} ${data.status ?? ''}`.trim();
    });
}

it('tells the end of a run that a killed process could not write, once, and of no other', async () => {
  const killed = newRecorder();
  start(killed, 'run_1', 'ses_a');
  killed.record({ type: 'trace.artifacts', runId: 'run_1', status: 'done' });
  start(killed, 'run_2', 'ses_a');
  start(killed, 'run_0', 'ses_old');
  await killed.drain();
  await ended('run_0', 'ses_old', 1_000);
  await ended('run_1', 'ses_a', 60_000);
  await ended('run_2', 'ses_a', 60_100);
  await ended('run_3', 'ses_elsewhere', 60_200);
  for (let start = 1; start <= 2; start++) {
    const next = newRecorder();
    await recordLostEnds({ store: scratch.store, trajectoryDir: dir, record: (fact) => next.record(fact) });
    await next.drain();
  }
  expect(await recordsOf('ses_a')).toEqual([
    '1 session.started run_1',
    '2 trace.artifacts run_1 done',
    '3 session.ended run_1 done',
    '4 session.started run_2',
    '5 trace.artifacts run_2 done',
    '6 session.ended run_2 done',
  ]);
  expect(await recordsOf('ses_old')).toEqual(['1 session.started run_0']);
  await expect(recordsOf('ses_elsewhere')).rejects.toThrow('ENOENT');
});
