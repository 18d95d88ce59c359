// The errors that schedule raises, one row each. docs/errors.md is made from these rows.

import { defineError } from '../protocol/errors.ts';

export class InvalidScheduleError extends defineError({
  code: 'ATRIUM_SCHEDULE_INVALID',
  status: 400,
  message: ({ written, problem }: { written: string; problem: string }) =>
    `${JSON.stringify(written.slice(0, 100))} is no schedule: ${problem}. Write a time ("2026-05-06T09:00" or "in 20m"), a span ("1h30m") or cron fields ("0 9 * * 1-5").`,
  means: 'A time, a span or cron fields cannot be read; `problem` says why.',
  remedy: 'See [schedules.md](schedules.md) for what can be written.',
}) {}

export class InvalidJobError extends defineError({
  code: 'ATRIUM_JOB_INVALID',
  status: 400,
  message: ({ problem }: { problem: string }) => `This job cannot be stored: ${problem}.`,
  means: 'A job cannot be stored as it is; `problem` says why.',
  remedy: 'Change what `problem` names.',
}) {}
