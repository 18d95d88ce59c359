// Jobs of the schedule. Reading them needs only the store, so that it works while no gateway runs.

import { MAX_FALLBACKS } from '../../../schedule/job-draft.ts';
import { readJobHistory } from '../../../schedule/job-history.ts';
import { findJob, listJobs } from '../../../schedule/schedule.ts';
import { type Route, route, type Zod } from '../route.ts';
import { agentId, at, id, limit, nextNumber, nothing, pageOf, position, surface, wholeNumber } from './pieces.ts';

const writtenSchedule = (z: Zod) =>
  z
    .strictObject({
      at: z.string().max(200).optional().describe('Once: "in 20m", or a time such as "2026-05-06T09:00".'),
      every: z.string().max(200).optional().describe('At a steady pace: "30m", "1h30m".'),
      cron: z.string().max(200).optional().describe('Five or six cron fields.'),
      tz: z.string().max(100).optional().describe('The time zone of at and cron.'),
    })
    .describe('Exactly one of at, every and cron.');
const name = (z: Zod) => z.string().min(1).max(100);
const message = (z: Zod) => z.string().min(1).max(20_000).describe('What the agent is told.');
const settings = (z: Zod) => ({
  session: z.enum(['own', 'main']).optional().describe('Default "own".'),
  deliver: z
    .string()
    .max(300)
    .nullable()
    .optional()
    .describe(
      'Where answers go: "web:<name>", "cli:<name>", a chat such as "telegram:123" or "discord/work:channel:42#thread", or "none".',
    ),
  model: z
    .string()
    .min(1)
    .max(256)
    .nullable()
    .optional()
    .describe('`provider/model` or an alias; null is the model of the agent.'),
  fallbacks: z
    .array(z.string().min(1).max(256))
    .max(MAX_FALLBACKS)
    .nullable()
    .optional()
    .describe('The models that are asked when that one fails; null is the fallbacks of the agent.'),
  timeoutSeconds: z
    .number()
    .int()
    .min(1)
    .max(604_800)
    .nullable()
    .optional()
    .describe('The longest that a run may take; null is the limit of every run.'),
  missed: z.enum(['catch-up', 'skip']).optional(),
  removeAfterRun: z.boolean().optional(),
  enabled: z.boolean().optional(),
});

const job = (z: Zod) =>
  z.object({
    id: id(z),
    name: z.string(),
    agentId: agentId(z),
    enabled: z.boolean(),
    schedule: z.record(z.string(), z.unknown()).describe('kind "at", "every" or "cron" with its fields.'),
    message: z.string(),
    session: z.enum(['own', 'main']),
    deliverTo: surface(z).nullable(),
    model: z.string().nullable(),
    fallbacks: z.array(z.string()).nullable(),
    timeoutSeconds: wholeNumber(z).nullable(),
    missed: z.enum(['catch-up', 'skip']).nullable(),
    removeAfterRun: z.boolean(),
    createdAt: at(z),
    updatedAt: at(z),
    createdBy: z.string(),
    nextAt: at(z).nullable(),
  });
const oneJob = (z: Zod) => z.object({ job: job(z) });

const slot = (z: Zod) =>
  z.object({
    seq: wholeNumber(z),
    slot: at(z).describe('The time that it was meant for.'),
    at: at(z),
    how: z.enum(['due', 'caught-up', 'by-hand', 'skipped']),
    runId: id(z).nullable(),
    status: z.enum(['skipped', 'queued', 'running', 'suspended', 'done', 'failed', 'stopped', 'blocked']),
    startedAt: at(z).nullable(),
    endedAt: at(z).nullable(),
    reply: z.string().nullable(),
    error: z.string().nullable(),
    delivery: z.enum(['none', 'queued', 'sent', 'suppressed', 'failed', 'dead']),
  });

export const JOB_ROUTES: readonly Route[] = [
  route({
    method: 'get',
    path: '/api/cron/jobs',
    summary: 'The jobs, those that are due next first.',
    detail: '[schedules.md](schedules.md) explains them.',
    access: 'token',
    query: (z) => z.strictObject({ agent: agentId(z).optional() }),
    answer: (z) => z.object({ jobs: z.array(job(z)) }),
    handle: async ({ services, query }) => ({ jobs: await listJobs(services.store, query.agent) }),
  }),
  route({
    method: 'post',
    path: '/api/cron/jobs',
    summary: 'Adds a job.',
    detail: '`schedule` is `{ at }`, `{ every }` or `{ cron }`, with `tz` where it matters.',
    access: 'token',
    body: (z) =>
      z.strictObject({
        name: name(z),
        message: message(z),
        schedule: writtenSchedule(z),
        agentId: agentId(z).optional(),
        ...settings(z),
      }),
    answer: oneJob,
    status: 201,
    handle: async ({ services, body }) => ({ job: await services.jobs.add({ ...body, createdBy: 'api' }) }),
  }),
  route({
    method: 'get',
    path: '/api/cron/jobs/{id}',
    summary: 'One job.',
    access: 'token',
    answer: oneJob,
    handle: async ({ services, params }) => ({ job: await findJob(services.store, params.id) }),
  }),
  route({
    method: 'post',
    path: '/api/cron/jobs/{id}',
    summary: 'Changes a job; what is not named stays as it is.',
    access: 'token',
    body: (z) =>
      z.strictObject({
        name: name(z).optional(),
        message: message(z).optional(),
        schedule: writtenSchedule(z).optional(),
        ...settings(z),
      }),
    answer: oneJob,
    handle: async ({ services, params, body }) => ({ job: await services.jobs.edit(params.id, body) }),
  }),
  route({
    method: 'delete',
    path: '/api/cron/jobs/{id}',
    summary: 'Removes a job.',
    access: 'token',
    answer: oneJob,
    handle: async ({ services, params }) => ({ job: await services.jobs.remove(params.id) }),
  }),
  route({
    method: 'post',
    path: '/api/cron/jobs/{id}/run',
    summary: 'Runs a job now, besides its times.',
    access: 'token',
    body: nothing,
    answer: (z) =>
      z.object({ runId: id(z), isNew: z.boolean().describe('False when it was waiting for its turn already.') }),
    status: 202,
    handle: ({ services, params }) => services.jobs.run(params.id),
  }),
  route({
    method: 'get',
    path: '/api/cron/jobs/{id}/history',
    summary: 'What became of the times of a job, with run and delivery; the latest first.',
    access: 'token',
    query: (z) =>
      z.strictObject({ limit: limit(z), before: position(z).optional().describe('Only entries before this number.') }),
    answer: (z) => z.object({ jobId: id(z), entries: z.array(slot(z)), next: nextNumber(z) }),
    handle: async ({ services: { store }, params, query }) => {
      const found = await readJobHistory(store, params.id, { limit: query.limit + 1, before: query.before });
      // A job that was removed may have left a history.
      if (found.length === 0) await findJob(store, params.id);
      const { page, ...rest } = pageOf(found, query.limit, ({ seq }) => seq);
      return { jobId: params.id, entries: page, ...rest };
    },
  }),
];
