// One job in a few lines, for people.

import { formatDeliverTarget } from '../schedule/deliver-target.ts';
import { formatSchedule, readSchedule } from '../schedule/job-schedule.ts';
import type { JobRow } from '../store/tables.ts';
import { oneLine } from './output/format-table.ts';
import { formatTime } from './output/format-time.ts';

export function formatJob(job: JobRow, timezone: string): string {
  const lines = [
    `id        ${job.id}`,
    `name      ${job.name}`,
    `agent     ${job.agentId}, in ${job.session === 'own' ? 'a session of its own' : 'its main session'}`,
    `schedule  ${formatSchedule(readSchedule(job.schedule))}`,
    `next      ${formatNext(job, timezone)}`,
    `answers   ${job.deliverTo === null ? 'stay in the session' : `go to ${formatDeliverTarget(job.deliverTo)}`}`,
  ];
  return lines.map((line) => `${oneLine(line)}\n`).join('');
}

export function formatNext({ enabled, nextAt }: JobRow, timezone: string): string {
  if (!enabled) return 'resting';
  return nextAt === null ? 'never' : formatTime(nextAt, timezone);
}
