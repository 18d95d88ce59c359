// Builds everything that facts are told to: live events for those who watch, trajectories and debug logs, the records
// of hook calls and their statistics; also the hook runner, and the teller that brings each fact to all of them.

import { debugLogSettingsOf, trajectoryPlaceOf } from '../config/debug-logs.ts';
import type { Environment } from '../config/environment.ts';
import type { Config } from '../config/schema.ts';
import type { FactName } from '../facts/facts.ts';
import { type PackSink, Teller } from '../facts/teller.ts';
import { HookStatistics } from '../hooks/hook-statistics.ts';
import { HookRunner } from '../hooks/runner.ts';
import { AppendedFiles } from '../recorder/appended-files.ts';
import { DebugLogs } from '../recorder/debug-logs.ts';
import { HookRecordSink } from '../recorder/hook-record-sink.ts';
import { Recorder } from '../recorder/recorder.ts';
import { Trajectory } from '../recorder/trajectory.ts';
import type { CommitCounter, Store } from '../store/store.ts';
import { HandlerTroubles } from './handler-troubles.ts';
import { LiveEvents } from './live-events.ts';

export interface RecordOptions {
  readonly environment: Environment;
  readonly config: Config;
  readonly store: Store;
  readonly now: () => number;
  readonly warn: (sentence: string) => void;
  /** Read each time that a fact is told, because hook packs are loaded later. */
  readonly packs: () => PackSink;
  readonly watchFacts?: WatchFacts | undefined;
}

/** Called with the name of every fact when it is told, and with the number of commits of each site so far. */
export type WatchFacts = (name: FactName, commits: CommitCounter) => void;

export interface Records {
  readonly live: LiveEvents;
  readonly recorder: Recorder;
  readonly teller: Teller;
  readonly hooks: HookRunner;
  readonly hookStatistics: HookStatistics;
  readonly handlerTroubles: Pick<HandlerTroubles, 'warnings'>;
  readonly trajectoryDir: string;
}

export function createRecords({ environment, config, store, now, warn, packs, watchFacts }: RecordOptions): Records {
  const files = new AppendedFiles({ warn });
  const place = trajectoryPlaceOf(environment, config);
  const hookStatistics = new HookStatistics();
  const recorder = new Recorder({
    trajectory: new Trajectory({ ...place, files }),
    debugLogs: new DebugLogs(debugLogSettingsOf(environment), files),
    hookRecords: new HookRecordSink({ store, warn }),
    hookStatistics,
    now,
  });
  const troubles = new HandlerTroubles(warn);
  const hooks = new HookRunner({
    record: (call) => {
      troubles.note(call);
      void teller.tell('handler-called', call);
    },
    runBudgetMs: config.hooks?.runBudgetMs,
    warn,
    now,
  });
  const live = new LiveEvents(warn);
  const teller = new Teller({
    record: recorder,
    show: live.emit,
    hooks,
    packs: { agentOf: (sessionKey) => packs().agentOf(sessionKey), say: (...line) => packs().say(...line) },
    now,
    warn,
    watch: watchFacts && ((name) => watchFacts(name, store.commits)),
  });
  return { live, recorder, teller, hooks, hookStatistics, handlerTroubles: troubles, trajectoryDir: place.dir };
}
