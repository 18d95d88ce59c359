// Everything that listens: live events for whoever watches, trajectories and debug logs, the records of hook calls; and
// the hook runner, which has each of its calls recorded.

import { debugLogSettingsOf, trajectoryPlaceOf } from '../config/debug-logs.ts';
import type { Environment } from '../config/environment.ts';
import type { Config } from '../config/schema.ts';
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
  readonly trajectoryDir: string;
}

export function createRecords({ environment, config, store, now, warn }: RecordOptions): Records {
  const files = new AppendedFiles({ warn });
  const place = trajectoryPlaceOf(environment, config);
  const recorder = new Recorder({
    trajectory: new Trajectory({ ...place, files }),
    debugLogs: new DebugLogs(debugLogSettingsOf(environment), files),
    hookRecords: new HookRecordSink({ store, warn }),
    now,
  });
  const hooks = new HookRunner({ record: (call) => recorder.hookCalled(call), now });
  return { live: new LiveEvents(warn), recorder, hooks, trajectoryDir: place.dir };
}
