// The schedule as plugins know it: jobs in the contract's shape, over the same service that the API uses. A job that a
// plugin adds is recorded in the plugin's name.
//
// Errors: as the schedule's own, and PluginRefusedError for a job that cannot be understood.

import { PluginRefusedError } from '../../plugins/errors.ts';
import type { PluginCronRequest } from '../../plugins/plugin-host.ts';
import { formatDuration } from '../../protocol/duration.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../protocol/json.ts';
import type { WrittenSchedule } from '../../schedule/job-schedule.ts';
import type { AskedJobEdit, Jobs } from '../../schedule/jobs.ts';
import type { Store } from '../../store/store.ts';
import type { JobRow } from '../../store/tables.ts';

export interface PluginCronParts {
  readonly store: Store;
  readonly jobs: () => Jobs;
}

export async function askCron(
  { store, jobs }: PluginCronParts,
  pluginId: string,
  request: PluginCronRequest,
): Promise<JsonValue | undefined> {
  const port = jobs();
  switch (request.op) {
    case 'list':
      return (await store.select('jobs', { orderBy: [['nextAt', 'asc']] })).map(snapshotOf);
    case 'status':
      return { ...(await port.status()) } as unknown as JsonObject;
    case 'add': {
      const { name, message, schedule, ...rest } = readJob(pluginId, request.job);
      if (message === undefined || schedule === undefined) {
        throw new PluginRefusedError({ pluginId, detail: 'a job needs a schedule and something to say' });
      }
      const agentId = textOf(request.job.agentId);
      const job = { ...rest, name: name ?? `job of ${pluginId}`, message, schedule, agentId };
      return snapshotOf(await port.add({ ...job, createdBy: `plugin:${pluginId}` }));
    }
    case 'update':
      return snapshotOf(await port.edit(request.id, readJob(pluginId, request.patch)));
    case 'remove':
      await port.remove(request.id);
      return { removed: true };
    case 'run':
      return { ...(await port.run(request.id)) } as unknown as JsonObject;
  }
}

function readJob(pluginId: string, job: JsonObject): AskedJobEdit {
  const { name, enabled, payload, sessionTarget, deleteAfterRun, message } = job;
  const said = isJsonObject(payload) ? (textOf(payload.message) ?? textOf(payload.text)) : textOf(message);
  return {
    ...defined('name', textOf(name)),
    ...defined('message', said),
    ...defined('model', isJsonObject(payload) ? textOf(payload.model) : undefined),
    ...defined('fallbacks', isJsonObject(payload) ? textsOf(payload.fallbacks) : undefined),
    ...defined('schedule', readSchedule(pluginId, job.schedule)),
    ...(sessionTarget === 'main' ? { session: 'main' } : sessionTarget === undefined ? {} : { session: 'own' }),
    ...(typeof enabled === 'boolean' ? { enabled } : {}),
    ...(typeof deleteAfterRun === 'boolean' ? { removeAfterRun: deleteAfterRun } : {}),
  };
}

function readSchedule(pluginId: string, schedule: JsonValue | undefined): WrittenSchedule | undefined {
  if (schedule === undefined) return undefined;
  if (!isJsonObject(schedule)) throw new PluginRefusedError({ pluginId, detail: 'the schedule of a job is an object' });
  const { kind, expr, everyMs, at, atMs } = schedule;
  const tz = defined('tz', textOf(schedule.tz));
  if (kind === 'cron' && typeof expr === 'string') return { cron: expr, ...tz };
  if (kind === 'every' && typeof everyMs === 'number' && everyMs > 0) return { every: formatDuration(everyMs) };
  const time = typeof atMs === 'number' ? atMs : at;
  if (kind === 'at' && typeof time === 'number' && Number.isFinite(time)) return { at: new Date(time).toISOString() };
  if (kind === 'at' && typeof time === 'string') return { at: time, ...tz };
  // This is the form that people write in Atrium.
  const { cron, every } = schedule;
  if (typeof cron === 'string') return { cron, ...tz };
  if (typeof every === 'string') return { every };
  if (typeof at === 'string') return { at, ...tz };
  throw new PluginRefusedError({ pluginId, detail: 'the schedule of a job is of the kind cron, every or at' });
}

function snapshotOf(job: JobRow): JsonObject {
  const { id, name, agentId, enabled, schedule, message, model, fallbacks, session } = job;
  const { removeAfterRun, createdAt, updatedAt, nextAt } = job;
  return {
    id,
    name,
    agentId,
    enabled,
    schedule,
    sessionTarget: session === 'main' ? 'main' : 'isolated',
    payload: {
      kind: 'agentTurn',
      message,
      ...(model !== null && { model }),
      ...(fallbacks !== null && { fallbacks: [...fallbacks] }),
    },
    deleteAfterRun: removeAfterRun,
    createdAtMs: createdAt,
    updatedAtMs: updatedAt,
    state: nextAt === null ? {} : { nextRunAtMs: nextAt },
  };
}

function textsOf(value: JsonValue | undefined): readonly string[] | undefined {
  return Array.isArray(value) ? value.flatMap((each) => textOf(each) ?? []) : undefined;
}

function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

function defined<Key extends string, Value>(key: Key, value: Value | undefined): Partial<Record<Key, Value>> {
  return value === undefined ? {} : ({ [key]: value } as Record<Key, Value>);
}
