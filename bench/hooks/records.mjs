// Ten handlers with no records, with calls that are only counted, and with everything that a gateway does: statistics,
// a line in the trajectory and a row for the store, which here takes rows and keeps none. A gateway writes a moment later,
// when the run has gone on; the last column waits for that.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createRecords, HookStatistics, readEnvironment } from '../../build/bench/parts.js';
import { inTurns, round } from './in-turns.mjs';
import { CONTEXT, EVENT, HANDLERS, HOOK, runnerWith, withHandlers } from './subject.mjs';

export async function measureRecords() {
  const dir = await mkdtemp(join(tmpdir(), 'atrium-bench-hooks-'));
  try {
    const rows = [];
    for (const kind of ['silent', 'answering']) {
      const handler = HANDLERS[kind];
      const statistics = new HookStatistics();
      const { hooks, recorder } = openRecords(join(dir, kind));
      withHandlers(hooks, handler, 10);
      const runners = [
        runnerWith(handler, 10),
        runnerWith(handler, 10, { record: (call) => statistics.count(call) }),
        hooks,
      ];
      const asking = runners.map((runner) => () => runner.run(HOOK, EVENT, CONTEXT));
      const written = async () => {
        await hooks.run(HOOK, EVENT, CONTEXT);
        await nextTurn();
      };
      const pause = () => recorder.drain();
      const [none, counted, kept, all] = await inTurns([...asking, written], { batch: 20, rounds: 100, pause });
      await recorder.drain();
      rows.push({
        'ten handlers': kind,
        'no records': round(none),
        counted: round(counted),
        'as a gateway keeps them': round(kept),
        'until they are on their way to the disk': round(all),
      });
    }
    return rows;
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

function openRecords(home) {
  const records = createRecords({
    environment: readEnvironment({ OPENCLAW_HOME: home, OPENCLAW_STATE_DIR: join(home, 'state') }),
    config: {},
    store: { commit: async (writes) => ({ seqs: writes.map((_, index) => index) }) },
    now: Date.now,
    warn: (sentence) => console.error(sentence),
  });
  const { runId, sessionId, sessionKey, agentId } = CONTEXT;
  records.recorder.record({ type: 'session.started', runId, sessionId, sessionKey, agentId, attempt: 1 });
  records.recorder.record({ type: 'gate.passed', runId });
  return records;
}
