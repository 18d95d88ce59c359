// Makes a job of one of OpenClaw's. Its id stays, so that its own session goes on and it is brought once. What Atrium's
// jobs cannot do is said and left out; a job whose time is over is not brought.

import { isPlainObject } from '../../config/plain-object.ts';
import { normalizeAgentId } from '../../protocol/agent-id.ts';
import { formatDuration } from '../../protocol/duration.ts';
import type { Surface } from '../../protocol/inbound.ts';
import type { JsonObject } from '../../protocol/json.ts';
import { errorText } from '../../protocol/one-line.ts';
import { parseDeliverTarget } from '../../schedule/deliver-target.ts';
import { checkJob, MAX_FALLBACKS } from '../../schedule/job-draft.ts';
import { type JobSchedule, nextSlot, parseSchedule } from '../../schedule/job-schedule.ts';
import type { JobRow } from '../../store/tables.ts';

export interface JobSurroundings {
  readonly now: number;
  readonly timezone: string;
  readonly defaultAgentId: string;
  readonly knowsAgent: (agentId: string) => boolean;
  /** Which of these models the agent may not be given, and the setting that says so; undefined when it may have all. */
  readonly mayNotUse: (
    agentId: string,
    models: readonly string[],
  ) => { readonly models: readonly string[]; readonly setting: string } | undefined;
  /** The ids of the channels that answers can go to. */
  readonly channels: readonly string[];
}

export interface ReadJob {
  readonly job?: JobRow | undefined;
  /** What is different, or why there is no job, one sentence each. */
  readonly sentences: readonly string[];
  /** True for a job that OpenClaw made for its own work: it is named, and does not count as left. */
  readonly isOwnWork?: boolean | undefined;
}

export async function readJob(value: unknown, surroundings: JobSurroundings): Promise<ReadJob> {
  if (!isPlainObject(value)) return { sentences: ['An entry was left: it is no job.'] };
  const id = (textOf(value.id) || textOf(value.jobId)).trim().slice(0, 128);
  const { now, timezone, defaultAgentId, knowsAgent } = surroundings;
  const name = textOf(value.name).trim().slice(0, 100) || id.slice(0, 100);
  const called = name === '' ? 'A job without a name' : `The job "${name}"`;
  if (id === '') return { sentences: [`${called} was left: it has no id.`] };
  const agentId = normalizeAgentId(textOf(value.agentId) || defaultAgentId);
  if (isOwnWork(value)) {
    return { isOwnWork: true, sentences: [`${called} stays there: OpenClaw made it for its own housekeeping.`] };
  }
  if (!knowsAgent(agentId)) return { sentences: [`${called} was left: there is no agent "${agentId}".`] };
  try {
    // Older versions have the message beside the schedule, and the schedule may be the cron expression itself.
    const payload = isPlainObject(value.payload) ? value.payload : {};
    const written = isPlainObject(value.schedule) ? value.schedule : { cron: value.schedule };
    const { deliverTo, sentence } = deliveryOf(value, surroundings.channels);
    const session = value.sessionTarget === 'main' ? 'main' : 'own';
    const isConfined = !hasAllTools(payload);
    const isPrivate = session === 'main' && deliverTo !== null && deliverTo.peer.kind !== 'direct';
    const schedule = await scheduleOf(written, now, timezone);
    const createdAt = typeof value.createdAtMs === 'number' ? value.createdAtMs : now;
    const job: JobRow = {
      id,
      name,
      agentId,
      enabled: value.enabled !== false && !isConfined,
      schedule: schedule as unknown as JsonObject,
      message: [payload.message, payload.text, value.message, value.text].map(textOf).find((text) => text !== '') ?? '',
      session,
      deliverTo: isPrivate ? null : deliverTo,
      model: textOf(payload.model).trim().slice(0, 256) || null,
      fallbacks: fallbacksOf(payload.fallbacks),
      timeoutSeconds: secondsOf(payload.timeoutSeconds),
      missed: null,
      removeAfterRun: value.deleteAfterRun === true,
      createdAt,
      updatedAt: now,
      createdBy: 'import from OpenClaw',
      nextAt: await nextSlot(schedule, now),
    };
    checkJob(job);
    const delivery = isPlainObject(value.delivery) ? value.delivery : {};
    return {
      job,
      sentences: [
        ...(sentence === undefined ? [] : [`${called}: ${sentence}`]),
        ...(isPrivate ? [`${called}: a job in the main session answers in no group, so its answers stay there.`] : []),
        ...(isConfined
          ? [`${called}: it had some tools only, and would have all of them here, so it was brought switched off.`]
          : []),
        ...refusedModels(job, surroundings).map((each) => `${called}: ${each}`),
        ...differencesOf(value).map((each) => `${called}: ${each}`),
        ...unusedIn(payload, PAYLOAD_KEYS, ' of its payload').map((each) => `${called}: ${each}`),
        ...unusedIn(written, SCHEDULE_KEYS, ' of its schedule').map((each) => `${called}: ${each}`),
        ...unusedIn(delivery, DELIVERY_KEYS, ' of its delivery').map((each) => `${called}: ${each}`),
        ...unusedIn(value, JOB_KEYS, '').map((each) => `${called}: ${each}`),
      ],
    };
  } catch (error) {
    return { sentences: [`${called} was left: ${errorText(error)}`] };
  }
}

const JOB_KEYS =
  'id jobId name agentId enabled schedule sessionTarget wakeMode payload delivery message text deleteAfterRun createdAtMs updatedAtMs state ' +
  // What OpenClaw notes for itself; a person has written none of it.
  'declarationKey displayName scheduledToolPolicy configRevision';
const PAYLOAD_KEYS = 'kind message text model fallbacks timeoutSeconds toolsAllow';
const SCHEDULE_KEYS = 'kind at atMs everyMs anchorMs expr cron tz';
const DELIVERY_KEYS = 'mode channel to accountId';

/** Such a job is brought as it is: the operator may allow the model, or choose another one. */
function refusedModels({ agentId, model, fallbacks }: JobRow, { mayNotUse }: JobSurroundings): readonly string[] {
  const refused = mayNotUse(agentId, [...(model === null ? [] : [model]), ...(fallbacks ?? [])]);
  if (refused === undefined) return [];
  const { models, setting } = refused;
  const are = models.length === 1 ? 'is' : 'are';
  const follows = model !== null && models.includes(model) ? 'so its runs fail' : 'so it is passed over';
  return [
    `${models.join(', ')} ${are} not among the models that may be chosen (${setting}), ${follows} until that changes or "atrium cron edit" gives it another one.`,
  ];
}

/** Jobs that OpenClaw makes by itself: heartbeats, which Atrium has of its own, and words that only its plugins understand. */
function isOwnWork({ payload, declarationKey, description }: Readonly<Record<string, unknown>>): boolean {
  if (isPlainObject(payload) && payload.kind === 'heartbeat') return true;
  if (/^\[managed-by=/.test(textOf(description))) return true;
  return /^(heartbeat:|skill-collection-review:|memory-core:|openclaw-)/.test(textOf(declarationKey));
}

function hasAllTools({ toolsAllow }: Readonly<Record<string, unknown>>): boolean {
  return toolsAllow === undefined || toolsAllow === null || (Array.isArray(toolsAllow) && toolsAllow.includes('*'));
}

/** Every part that is not read is named, also one that a later version of OpenClaw adds. */
function unusedIn(part: Readonly<Record<string, unknown>>, used: string, where: string): readonly string[] {
  const isEmpty = (each: unknown) => each === undefined || each === null || each === false || each === '' || each === 0;
  const unused = Object.keys(part).filter((key) => !used.split(' ').includes(key) && !isEmpty(part[key]));
  if (unused.length === 0) return [];
  const shown = unused.slice(0, 20).map((key) => key.slice(0, 50));
  return [`${shown.join(', ')}${where} ${unused.length === 1 ? 'has' : 'have'} no effect.`];
}

function differencesOf({ sessionTarget, wakeMode }: Readonly<Record<string, unknown>>): readonly string[] {
  const isUsual = ['main', 'isolated', ''].includes(textOf(sessionTarget));
  const isAtOnce = ['now', ''].includes(textOf(wakeMode));
  return [
    ...(isUsual
      ? []
      : [`it ran in the session ${JSON.stringify(sessionTarget)}, and runs in a session of its own here.`]),
    ...(isAtOnce ? [] : [`its wakeMode ${JSON.stringify(wakeMode)} has no effect; it runs at its time.`]),
  ];
}

async function scheduleOf(
  written: Readonly<Record<string, unknown>>,
  now: number,
  timezone: string,
): Promise<JobSchedule> {
  const { kind, at, atMs, everyMs, anchorMs, expr, cron, tz } = written;
  const zone = { now, timezone };
  if (kind === 'every' || (kind === undefined && typeof everyMs === 'number')) {
    const every = await parseSchedule({ every: formatDuration(Number(everyMs)) }, zone);
    return every.kind === 'every' && typeof anchorMs === 'number' ? { ...every, anchorMs } : every;
  }
  if (kind === 'cron' || typeof expr === 'string' || typeof cron === 'string') {
    return parseSchedule({ cron: textOf(expr) || textOf(cron), tz: textOf(tz) || undefined }, zone);
  }
  const time = typeof atMs === 'number' ? new Date(atMs).toISOString() : textOf(at);
  return parseSchedule({ at: time }, zone);
}

function deliveryOf(
  { delivery }: Readonly<Record<string, unknown>>,
  channels: readonly string[],
): { readonly deliverTo: Surface | null; readonly sentence?: string | undefined } {
  const { mode, channel, to, accountId } = isPlainObject(delivery) ? delivery : {};
  if (mode === undefined || mode === 'none') return { deliverTo: null };
  const stays = 'its answers stay in its session; "atrium cron edit" gives them another place.';
  if (mode !== 'announce') return { deliverTo: null, sentence: `it answered by ${JSON.stringify(mode)}, so ${stays}` };
  if (channel === undefined || channel === 'last') return { deliverTo: parseDeliverTarget('last', channels) };
  if (typeof to !== 'string' || typeof channel !== 'string') {
    return {
      deliverTo: null,
      sentence: `it answered on ${JSON.stringify(channel)} without a place there, so ${stays}`,
    };
  }
  const account = typeof accountId === 'string' && accountId !== '' ? `/${accountId}` : '';
  try {
    return { deliverTo: parseDeliverTarget(`${channel}${account}:${addressOf(channel, to)}`, channels) };
  } catch {
    return { deliverTo: null, sentence: `it answered on ${channel}, which cannot be written to here, so ${stays}` };
  }
}

/** Telegram's groups have a negative id, and a topic stands behind the id. */
function addressOf(channel: string, to: string): string {
  const own = to.startsWith(`${channel}:`) ? to.slice(channel.length + 1) : to;
  if (channel !== 'telegram') return own;
  const [, id = own, topic] = /^(-?\d+):topic:(\d+)$/.exec(own) ?? [];
  return `${id.startsWith('-') ? 'group:' : ''}${id}${topic === undefined ? '' : `#${topic}`}`;
}

/** An empty list is kept: no other model is asked then. */
function fallbacksOf(value: unknown): readonly string[] | null {
  if (!Array.isArray(value)) return null;
  return value
    .map((name) => textOf(name).trim().slice(0, 256))
    .filter((name) => name !== '')
    .slice(0, MAX_FALLBACKS);
}

/** A limit of a week at most, as for every run; 0 is no limit of its own. */
function secondsOf(value: unknown): number | null {
  const isSet = typeof value === 'number' && Number.isFinite(value) && value > 0;
  return isSet ? Math.min(Math.ceil(value), 604_800) : null;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
