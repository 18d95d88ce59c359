// Everything that listens: live events for whoever watches, trajectories and debug logs, the records of hook calls and
// their statistics; and the hook runner, which has each of its calls recorded and counted.

import { debugLogSettingsOf, trajectoryPlaceOf } from '../config/debug-logs.ts';
import type { Environment } from '../config/environment.ts';
import type { Config } from '../config/schema.ts';
import { HookStatistics } from '../hooks/hook-statistics.ts';
import { HookRunner } from '../hooks/runner.ts';
import { AppendedFiles } from '../recorder/appended-files.ts';
import { DebugLogs } from '../recorder/debug-logs.ts';
import { HookRecordSink } from '../recorder/hook-record-sink.ts';
import { Recorder } from '../recorder/recorder.ts';
import { Trajectory } from '../recorder/trajectory.ts';
import type { Store } from '../store/store.ts';
import { LiveEvents } from './live-events.ts';

export interface RecordOptions {
  readonly environment: Environment;
  readonly config: Config;
  readonly store: Store;
  readonly now: () => number;
  readonly warn: (sentence: string) => void;
}

export interface Records {
  readonly live: LiveEvents;
  readonly recorder: Recorder;
  readonly hooks: HookRunner;
  readonly hookStatistics: HookStatistics;
  readonly trajectoryDir: string;
}

export function createRecords({ environment, config, store, now, warn }: RecordOptions): Records {
  const files = new AppendedFiles({ warn });
  const place = trajectoryPlaceOf(environment, config);
  const hookStatistics = new HookStatistics();
  const recorder = new Recorder({
    trajectory: new Trajectory({ ...place, files }),
    debugLogs: new DebugLogs(debugLogSettingsOf(environment), files),
    hookRecords: new HookRecordSink({ store, warn }),
    onHookFailure: (call, error) => hookStatistics.explain(call, error),
    now,
  });
  const hooks = new HookRunner({
    record: (call) => {
      hookStatistics.count(call);
      recorder.hookCalled(call);
    },
    runBudgetMs: config.hooks?.runBudgetMs,
    warn,
    now,
  });
  return { live: new LiveEvents(warn), recorder, hooks, hookStatistics, trajectoryDir: place.dir };
}
