// Builds everything that facts are told to: live events for those who watch, trajectories and debug logs, the records
// of hook calls and their statistics; also the hook runner, and the teller that brings each fact to all of them.

import {
  type DebugLogSettings,
  debugLogSettingsOf,
  listSwitchOddities,
  trajectoryPlaceOf,
} from '../../config/debug-logs.ts';
import type { Environment } from '../../config/environment.ts';
import type { Config } from '../../config/schema.ts';
import { LocalFolders } from '../../context/sources/local-folder.ts';
import type { FactName } from '../../facts/facts.ts';
import { type FactListener, type PackSink, Teller } from '../../facts/teller.ts';
import { HookStatistics } from '../../hooks/hook-statistics.ts';
import { HookRunner } from '../../hooks/runner.ts';
import { DEBUG_LOG_NAMES } from '../../protocol/debug-log.ts';
import type { Say } from '../../protocol/log.ts';
import { AppendedFiles } from '../../recorder/appended-files.ts';
import { DebugLogs } from '../../recorder/debug-logs.ts';
import { DebugSwitches, type DebugSwitchesSettings } from '../../recorder/debug-switches.ts';
import { HookRecordSink } from '../../recorder/hook-record-sink.ts';
import { Recorder } from '../../recorder/recorder.ts';
import type { Redactor } from '../../recorder/redactor.ts';
import { Trajectory } from '../../recorder/trajectory.ts';
import type { CommitCounter, Store } from '../../store/store.ts';
import { HandlerTroubles } from '../handler-troubles.ts';
import { LiveEvents } from '../live-events.ts';
import { FaultLog } from '../upkeep/fault-log.ts';

export interface RecordOptions {
  readonly environment: Environment;
  readonly config: Config;
  readonly store: Store;
  readonly now: () => number;
  readonly warn: Say;
  /** Writes a line to the log that is no warning. */
  readonly log?: Say | undefined;
  /** Read each time that a fact is told, because hook packs are loaded later. */
  readonly packs: () => PackSink;
  readonly watchFacts?: WatchFacts | undefined;
  /** The log, metrics and traces, as far as they are wanted. */
  readonly listeners?: readonly FactListener[] | undefined;
  readonly redactor?: Redactor | undefined;
  /** What runs have to do with, as their trajectories say it. */
  readonly description?: (() => Readonly<Record<string, unknown>>) | undefined;
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
  readonly isTrajectoryOn: boolean;
  /** One sentence for each file or folder of records that cannot be written. */
  readonly files: Pick<AppendedFiles, 'warnings'>;
  readonly debugSwitches: DebugSwitches;
}

export function createRecords(options: RecordOptions): Records {
  const {
    environment,
    config,
    store,
    now,
    warn,
    log = warn,
    packs,
    watchFacts,
    listeners = [],
    redactor,
    description,
  } = options;
  const isOn = config.recorder?.enabled !== false;
  const local = new LocalFolders();
  const files = new AppendedFiles({ warn, isLocal: (dir) => local.has(dir) });
  const place = trajectoryPlaceOf(environment, config);
  const debugSettings = debugLogSettingsOf(environment, config);
  for (const oddity of listSwitchOddities(environment)) warn(oddity);
  const isTrajectoryOn = isOn && place.enabled;
  const debugSwitches = new DebugSwitches({ ...switchedOn(debugSettings, { ...place, isOn: isTrajectoryOn }), now });
  const hookStatistics = new HookStatistics();
  const recorder = new Recorder({
    trajectory: new Trajectory({
      dir: place.dir,
      maxBytes: place.maxBytes,
      files,
      isOn: (sessionKey) => debugSwitches.isOn('trajectory', sessionKey),
      redact: redactor?.text,
    }),
    debugLogs: new DebugLogs({ settings: debugSettings, switches: debugSwitches, files, say: log, redactor }),
    hookRecords: isOn ? new HookRecordSink({ store, warn, maxRows: config.recorder?.hookRecords?.maxRows }) : undefined,
    hookStatistics,
    description,
    redact: redactor?.text,
    now,
  });
  const troubles = new HandlerTroubles(new FaultLog({ warn, now }));
  const hooks = new HookRunner({
    record: (call) => void teller.tell('handler-called', call),
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
    listeners: [troubles.listen, ...listeners],
  });
  return {
    live,
    recorder,
    teller,
    hooks,
    hookStatistics,
    handlerTroubles: troubles,
    trajectoryDir: place.dir,
    isTrajectoryOn,
    files,
    debugSwitches,
  };
}

/** The logs that the operator switched on for as long as the gateway runs, and where each of them is written. */
function switchedOn(
  settings: DebugLogSettings,
  trajectory: { readonly isOn: boolean; readonly dir: string },
): Pick<DebugSwitchesSettings, 'always' | 'files'> {
  const { payloadLog, rawStream, cacheTrace, modelPayload } = settings;
  const isOn = {
    payload: payloadLog,
    'raw-stream': rawStream,
    'cache-trace': cacheTrace,
    'model-payload': modelPayload,
    trajectory,
  };
  return {
    always: new Set(DEBUG_LOG_NAMES.filter((name) => isOn[name].isOn)),
    files: {
      payload: payloadLog.file,
      'raw-stream': rawStream.file,
      'cache-trace': cacheTrace.file,
      'model-payload': null,
      trajectory: trajectory.dir,
    },
  };
}
