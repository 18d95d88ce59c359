// What `atrium doctor` finds about records: whether they can be written and are still whole, which logs are on, how large
// they have become, and what an export left behind.

import { lstat, readdir, statfs } from 'node:fs/promises';
import path from 'node:path';
import { debugLogSettingsOf, trajectoryPlaceOf } from '../../config/debug-logs.ts';
import type { LoadedConfig } from '../../config/load-config.ts';
import { storePlaceOf } from '../../config/store-place.ts';
import { INCOMPLETE_SUFFIX } from '../../gateway/bundle/bundle-format.ts';
import { exportsDir } from '../../gateway/bundle/exports-dir.ts';
import type { GatewayStatus } from '../../gateway/services/gateway-status.ts';
import { RecordSizes } from '../../gateway/upkeep/record-sizes.ts';
import { formatBytes } from '../../protocol/attachment.ts';
import type { ActiveDebugLog } from '../../protocol/debug-log.ts';
import type { StorePlace } from '../../protocol/store-place.ts';
import type { CliIo } from '../cli-io.ts';
import { describeDebugLog } from '../debug.ts';
import type { Section } from './doctor-section.ts';
import { askRunning } from './gateway-client.ts';
import { isWritableFolder } from './is-writable-folder.ts';

const LARGE_LOG_BYTES = 1024 ** 3;
const LARGE_STORE_BYTES = 1024 ** 3;
/** Limits are applied every ten minutes, so a little more is no fault. */
const TOLERATED = 1.2;
const LITTLE_SPACE_BYTES = 512 * 1024 ** 2;

export async function examineRecords({ config }: LoadedConfig, io: CliIo): Promise<Section> {
  const { environment } = io;
  const { stateDir } = environment;
  // A gateway may have been started with other variables than this command, so it is asked where it writes.
  const running = await askRunning(io, (client) => client.get<GatewayStatus>('/api/status'));
  const trajectory = running?.trajectory ?? trajectoryOf(environment, config);
  const debug = running?.debug ?? [];
  const files = running
    ? debug.flatMap(({ log, file }) => (log === 'trajectory' ? [] : (file ?? [])))
    : logFilesOf(environment, config);
  const isWritten = trajectory.isOn || debug.some(({ log }) => log === 'trajectory');
  const problems: string[] = [];
  for (const dir of new Set([...(isWritten ? [trajectory.dir] : []), ...files.map((file) => path.dirname(file))])) {
    if (!(await isWritableFolder(dir)))
      problems.push(`Records cannot be written to ${dir}. Make it a folder that you can write, or name another one.`);
  }
  const free = await statfs(stateDir).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => undefined,
  );
  if (free !== undefined && free < LITTLE_SPACE_BYTES)
    problems.push(
      `Only ${formatBytes(free)} are free where ${stateDir} is. Make room; "atrium prune" removes old records.`,
    );
  const exports = exportsDir(stateDir);
  const places = { stateDir, trajectoryDir: trajectory.dir, exportsDir: exports, now: () => io.now().getTime() };
  const sizes = await new RecordSizes(places).read();
  const bytesOf = (name: string) => sizes.find(({ what }) => what === name)?.bytes ?? 0;
  const logBytes = bytesOf('logs');
  const { maxTotalBytes } = config.recorder?.trajectory ?? {};
  if (maxTotalBytes !== undefined && bytesOf('trajectories') > maxTotalBytes * TOLERATED)
    problems.push(
      `The trajectories take ${formatBytes(bytesOf('trajectories'))}, and recorder.trajectory.maxTotalBytes is ${formatBytes(maxTotalBytes)}. "atrium prune" removes what is too much; a gateway that runs does so by itself.`,
    );
  const captures = await examineCaptures(storePlaceOf(io.environment, config));
  problems.push(...captures);
  const left = (await readdir(exports).catch(() => [])).filter((name) => name.endsWith(INCOMPLETE_SUFFIX));
  return {
    name: 'records',
    finding: sizes.map(({ what, bytes }) => `${what} ${formatBytes(bytes)}`).join(', '),
    problems,
    remarks: [
      ...(trajectory.isOn
        ? await fullTrajectories(trajectory.dir, config)
        : [
            `${isWritten ? 'Trajectories are written only where they were switched on for a while' : 'No trajectories are written'} (OPENCLAW_TRAJECTORY, recorder.trajectory.enabled or recorder.enabled). How ${isWritten ? 'other' : 'past'} runs went cannot be looked up.`,
          ]),
      ...activeLogs(debug, config, io),
      ...(await largeLogs(files, stateDir)),
      ...(bytesOf('store') > LARGE_STORE_BYTES ? unlimited(config, bytesOf('store')) : []),
      ...(logBytes > LARGE_LOG_BYTES
        ? [
            `The debug logs in ${path.join(stateDir, 'logs')} take ${formatBytes(logBytes)}. Delete what you do not need.`,
          ]
        : []),
      ...left.map((name) => `An export was cut short. Delete ${path.join(exports, name)}.`),
    ],
  };
}

/** A store that cannot be read is told by every other command. */
async function examineCaptures(place: StorePlace): Promise<readonly string[]> {
  const [{ openForReading }, { checkCaptures }] = await Promise.all([
    import('../../gateway/composer/open-for-reading.ts'),
    import('../../gateway/doctor/check-captures.ts'),
  ]);
  const store = await openForReading(place).catch(() => undefined);
  if (!store) return [];
  try {
    const { checked, damaged } = await checkCaptures(store);
    const [first] = damaged;
    if (!first) return [];
    return [
      `${damaged.length} of ${checked} kept requests that were looked at are damaged, the first one in the run ${first.runId}: a part is gone or was changed. Something besides Atrium wrote to the store; check the disk, and put a backup of ${store.description.replace(/^sqlite /, '')} in its place if you have one.`,
    ];
  } finally {
    await store.close();
  }
}

/** Which kinds of rows have no limit of age. */
function unlimited({ recorder = {} }: LoadedConfig['config'], bytes: number): readonly string[] {
  const kinds = ['messages', 'approvals', 'usage', 'transcripts'] as const;
  const settings = kinds
    .filter((kind) => recorder[kind]?.maxDays === undefined)
    .map((kind) => `recorder.${kind}.maxDays`);
  if (settings.length === 0) return [];
  return [
    `The store takes ${formatBytes(bytes)}, and some of what it holds is kept for ever. To limit it, set ${settings.join(', ')}.`,
  ];
}

function trajectoryOf(environment: CliIo['environment'], config: LoadedConfig['config']): GatewayStatus['trajectory'] {
  const { enabled, dir } = trajectoryPlaceOf(environment, config);
  return { isOn: enabled && config.recorder?.enabled !== false, dir };
}

function logFilesOf(environment: CliIo['environment'], config: LoadedConfig['config']): readonly string[] {
  const { payloadLog, rawStream, cacheTrace } = debugLogSettingsOf(environment, config);
  return [payloadLog, rawStream, cacheTrace].filter(({ isOn }) => isOn).map(({ file }) => file);
}

/** Those in the folder of the logs are measured together. */
async function largeLogs(files: readonly string[], stateDir: string): Promise<readonly string[]> {
  const elsewhere = [...new Set(files)].filter((file) => path.dirname(file) !== path.join(stateDir, 'logs'));
  const found = await Promise.all(elsewhere.map(async (file) => ({ file, bytes: await sizeOf(file) })));
  return found
    .filter(({ bytes }) => bytes > LARGE_LOG_BYTES)
    .map(({ file, bytes }) => `The debug log ${file} takes ${formatBytes(bytes)}. Delete what you do not need.`);
}

/** Nothing more is written into a trajectory that has reached its limit. */
async function fullTrajectories(dir: string, { recorder }: LoadedConfig['config']): Promise<readonly string[]> {
  const { countFullTrajectories } = await import('../../gateway/doctor/count-full-trajectories.ts');
  const { full, limit } = await countFullTrajectories(dir, recorder?.trajectory?.maxBytes);
  if (full === 0) return [];
  const which = full === 1 ? 'The trajectory of one session has' : `The trajectories of ${full} sessions have`;
  return [
    `${which} reached the limit of ${formatBytes(limit)}, and later runs are not in it. Begin a new session there (/new), or raise recorder.trajectory.maxBytes, which helps new sessions.`,
  ];
}

async function sizeOf(file: string): Promise<number> {
  return (await lstat(file).catch(() => undefined))?.size ?? 0;
}

function activeLogs(
  active: readonly ActiveDebugLog[],
  { diagnostics }: LoadedConfig['config'],
  io: CliIo,
): readonly string[] {
  return active.map((log) => {
    const what = `A debug log is on: ${describeDebugLog(log, io)}. It grows with every run`;
    if (log.until !== null) return `${what}; "atrium debug status" says how to end it.`;
    const isSetting = log.log === 'cache-trace' && diagnostics?.cacheTrace?.enabled === true;
    const where = isSetting ? 'diagnostics.cacheTrace.enabled' : SWITCHES[log.log];
    return `${what} until ${where} is switched off and the gateway is restarted.`;
  });
}

/** The variables that switch a debug log on for as long as the gateway runs. */
const SWITCHES: Readonly<Record<ActiveDebugLog['log'], string>> = {
  payload: 'OPENCLAW_ANTHROPIC_PAYLOAD_LOG',
  'raw-stream': 'OPENCLAW_RAW_STREAM',
  'cache-trace': 'OPENCLAW_CACHE_TRACE',
  'model-payload': 'OPENCLAW_DEBUG_MODEL_PAYLOAD',
  trajectory: 'OPENCLAW_TRAJECTORY',
};
