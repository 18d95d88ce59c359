// Makes a job of one of OpenClaw's. Its id stays, so that its own session goes on and it is brought once. What Atrium's
// jobs cannot do is said and left out; a job whose time is over is not brought.

import { normalizeAgentId } from '../../protocol/agent-id.ts';
import { formatDuration } from '../../protocol/duration.ts';
import type { Surface } from '../../protocol/inbound.ts';
import type { JsonObject } from '../../protocol/json.ts';
import { errorText } from '../../protocol/one-line.ts';
import { parseDeliverTarget } from '../../schedule/deliver-target.ts';
import { checkJob } from '../../schedule/job-draft.ts';
import { type JobSchedule, nextSlot, parseSchedule } from '../../schedule/job-schedule.ts';
import type { JobRow } from '../../store/tables.ts';

export interface JobSurroundings {
  readonly now: number;
  readonly timezone: string;
  readonly defaultAgentId: string;
  readonly knowsAgent: (agentId: string) => boolean;
  /** The ids of the channels that answers can go to. */
  readonly channels: readonly string[];
}

export interface ReadJob {
  readonly job?: JobRow | undefined;
  /** What is different, or why there is no job, one sentence each. */
  readonly sentences: readonly string[];
}

export async function readJob(value: unknown, surroundings: JobSurroundings): Promise<ReadJob> {
  if (!isObject(value) || typeof value.id !== 'string') return { sentences: ['It is no job.'] };
  const { now, timezone, defaultAgentId, knowsAgent } = surroundings;
  const name = textOf(value.name).trim().slice(0, 100) || value.id;
  const called = `The job "${name}"`;
  const agentId = normalizeAgentId(textOf(value.agentId) || defaultAgentId);
  if (!knowsAgent(agentId)) return { sentences: [`${called} was left: there is no agent "${agentId}".`] };
  try {
    const payload = isObject(value.payload) ? value.payload : {};
    const { deliverTo, sentence } = deliveryOf(value, surroundings.channels);
    const session = value.sessionTarget === 'main' ? 'main' : 'own';
    const isPrivate = session === 'main' && deliverTo !== null && deliverTo.peer.kind !== 'direct';
    const schedule = await scheduleOf(isObject(value.schedule) ? value.schedule : {}, now, timezone);
    const createdAt = typeof value.createdAtMs === 'number' ? value.createdAtMs : now;
    const job: JobRow = {
      id: value.id.slice(0, 128),
      name,
      agentId,
      enabled: value.enabled !== false,
      schedule: schedule as unknown as JsonObject,
      message: textOf(payload.message) || textOf(payload.text),
      session,
      deliverTo: isPrivate ? null : deliverTo,
      missed: null,
      removeAfterRun: value.deleteAfterRun === true,
      createdAt,
      updatedAt: now,
      createdBy: 'import from OpenClaw',
      nextAt: await nextSlot(schedule, now),
    };
    checkJob(job);
    const unused = ['model', 'thinking', 'timeoutSeconds', 'fallbacks', 'toolsAllow'].filter((key) => key in payload);
    return {
      job,
      sentences: [
        ...(sentence === undefined ? [] : [`${called}: ${sentence}`]),
        ...(isPrivate ? [`${called}: a job in the main session answers in no group, so its answers stay there.`] : []),
        ...(unused.length === 0
          ? []
          : [`${called}: ${unused.join(', ')} of its payload ${unused.length === 1 ? 'has' : 'have'} no effect.`]),
      ],
    };
  } catch (error) {
    return { sentences: [`${called} was left: ${errorText(error)}`] };
  }
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
  if (kind === 'cron' || typeof expr === 'string') {
    return parseSchedule({ cron: textOf(expr) || textOf(cron), tz: textOf(tz) || undefined }, zone);
  }
  const time = typeof atMs === 'number' ? new Date(atMs).toISOString() : textOf(at);
  return parseSchedule({ at: time }, zone);
}

function deliveryOf(
  { delivery }: Readonly<Record<string, unknown>>,
  channels: readonly string[],
): { readonly deliverTo: Surface | null; readonly sentence?: string | undefined } {
  const { mode, channel, to, accountId } = isObject(delivery) ? delivery : {};
  if (mode === undefined || mode === 'none') return { deliverTo: null };
  const stays = 'its answers stay in its session; "atrium cron edit" gives them another place.';
  if (mode !== 'announce') return { deliverTo: null, sentence: `it answered by ${JSON.stringify(mode)}, so ${stays}` };
  if (typeof to !== 'string' || typeof channel !== 'string' || channel === 'last') {
    return { deliverTo: null, sentence: `it answered where people were last, so ${stays}` };
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

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
