// `cron`: the agent's own jobs. The parameters come from a model, so every action says what it needs. The schedule is
// handed in. A job that was added in a chat answers there.
//
// A run that a job started may add a few jobs, and those may add none, so that jobs cannot multiply.

import { UnknownJobError } from '../protocol/errors.ts';
import type { Surface } from '../protocol/inbound.ts';
import type { JsonObject } from '../protocol/json.ts';
import { clip } from '../protocol/one-line.ts';
import type { JobRow } from '../store/tables.ts';
import { ToolInputError } from './errors.ts';
import { formatRows } from './format-rows.ts';
import { OneAtATime } from './one-at-a-time.ts';
import type { Tool, ToolContext, ToolOutput } from './tool.ts';

/** What the tool needs of the schedule. Its errors are told to the model as they are. */
export interface CronToolJobs {
  list(agentId: string): Promise<readonly JobRow[]>;
  find(id: string): Promise<JobRow>;
  add(job: CronToolJob): Promise<JobRow>;
  edit(id: string, edit: CronToolEdit): Promise<JobRow>;
  remove(id: string): Promise<JobRow>;
  run(id: string): Promise<{ readonly runId: string; readonly isNew: boolean }>;
  history(id: string, limit: number): Promise<readonly CronToolEntry[]>;
  /** The job that this run belongs to, if any. */
  jobOfRun(runId: string): Promise<string | undefined>;
  status(): Promise<{ readonly isEnabled: boolean }>;
  mainSessionKeyOf(agentId: string): string;
}

interface CronToolTimes {
  readonly at?: string | undefined;
  readonly every?: string | undefined;
  readonly cron?: string | undefined;
  readonly tz?: string | undefined;
}

export interface CronToolJob {
  readonly name: string;
  readonly agentId: string;
  readonly schedule: CronToolTimes;
  readonly message: string;
  readonly session?: JobRow['session'] | undefined;
  readonly deliverTo: Surface | null;
  readonly missed?: JobRow['missed'] | undefined;
  readonly removeAfterRun?: boolean | undefined;
  readonly enabled?: boolean | undefined;
  readonly createdBy: string;
}

export type CronToolEdit = Partial<Omit<CronToolJob, 'agentId' | 'createdBy' | 'deliverTo'>> & {
  readonly deliverTo?: Surface | null | undefined;
};

export interface CronToolEntry {
  readonly slot: number;
  readonly how: string;
  readonly runId: string | null;
  readonly status: string;
  readonly reply: string | null;
  readonly error: string | null;
  readonly delivery: string;
}

/** For callers that show the tool and never run it. */
export const NO_CRON_JOBS = (): CronToolJobs => {
  throw new Error('There is no schedule here, so nothing was done.');
};

const ACTIONS = ['status', 'list', 'add', 'update', 'remove', 'run', 'runs'] as const;

interface CronParams extends CronToolTimes {
  readonly action: (typeof ACTIONS)[number];
  readonly id?: string;
  readonly name?: string;
  readonly message?: string;
  readonly session?: JobRow['session'];
  readonly deliver?: 'here' | 'none';
  readonly missed?: 'catch-up' | 'skip';
  readonly removeAfterRun?: boolean;
  readonly enabled?: boolean;
  readonly limit?: number;
}

/** An agent with more jobs than this has probably lost count. */
const MAX_JOBS_OF_AGENT = 50;
/** What a job's run may add, over all runs of the job. */
const MAX_JOBS_OF_JOB = 5;
const DEFAULT_RUNS = 10;
const MAX_SHOWN_CHARS = 300;

export function createCronTool({ jobs: port }: { readonly jobs: () => CronToolJobs }): Tool {
  const adds = new OneAtATime();
  return {
    name: 'cron',
    description:
      'Keep jobs that run later by themselves: reminders, checks, reports. A job tells you its message when it is due. ' +
      'Actions: status, list, add (name, message and one of at, every, cron), update (id and what changes), remove (id), run (id, now), runs (id, what became of it).',
    parameters: {
      type: 'object',
      properties: {
        action: { type: 'string', enum: ACTIONS },
        id: { type: 'string', minLength: 1, maxLength: 100, description: 'The job, for update, remove, run and runs.' },
        name: { type: 'string', minLength: 1, maxLength: 100, description: 'A short name for people.' },
        message: {
          type: 'string',
          minLength: 1,
          maxLength: 20_000,
          description: 'What you are told when it is due. Say all that you need to know then.',
        },
        at: { type: 'string', description: 'Once: "in 20m", or a time such as "2026-05-06T09:00".' },
        every: { type: 'string', description: 'At a steady pace: "30m", "1h30m", "1d".' },
        cron: { type: 'string', description: 'Cron fields, such as "0 9 * * 1-5".' },
        tz: { type: 'string', description: 'The time zone of at and cron, such as "Europe/Lisbon".' },
        session: {
          type: 'string',
          enum: ['own', 'main'],
          description: 'Whether it runs in a session of its own (the default) or in the main session.',
        },
        deliver: {
          type: 'string',
          enum: ['here', 'none'],
          description: 'Whether its answers are sent to this chat (the default) or kept in its session.',
        },
        missed: {
          type: 'string',
          enum: ['catch-up', 'skip'],
          description: 'What becomes of a time that passed while nothing ran: made up for once, or skipped.',
        },
        removeAfterRun: { type: 'boolean', description: 'For at: remove the job when it has run.' },
        enabled: { type: 'boolean', description: 'False lets the job rest.' },
        limit: { type: 'integer', minimum: 1, maximum: 50, description: `For runs; ${DEFAULT_RUNS} by default.` },
      },
      required: ['action'],
      additionalProperties: false,
    },
    idempotent: false,
    async run(params, context) {
      const asked = params as unknown as CronParams;
      const jobs = port();
      switch (asked.action) {
        case 'status':
          return status(jobs, context);
        case 'list':
          return listed(await jobs.list(context.agentId));
        case 'add':
          // Calls of one answer run side by side, and each must see what the others have added.
          return adds.run(context.agentId, async () =>
            told('added', await jobs.add(await newJob(jobs, asked, context))),
          );
        case 'update': {
          const job = await ownJob(jobs, asked, context);
          checkSession(jobs, job, context);
          return told('updated', await jobs.edit(job.id, await editOf(jobs, asked, context)));
        }
        case 'remove':
          return told('removed', await jobs.remove((await ownJob(jobs, asked, context)).id));
        case 'run': {
          const { id } = await ownJob(jobs, asked, context);
          const { runId, isNew } = await jobs.run(id);
          return json({ id, runId, ...(isNew ? {} : { note: 'It was waiting for its turn already.' }) });
        }
        case 'runs': {
          const { id } = await ownJob(jobs, asked, context);
          const entries = await jobs.history(id, asked.limit ?? DEFAULT_RUNS);
          return { content: formatRows({ id, count: entries.length }, 'runs', entries.map(shownEntry)) };
        }
      }
    },
  };
}

function invalid(problem: string): ToolInputError {
  return new ToolInputError({ tool: 'cron', problems: [problem] });
}

/** Another agent's job does not exist here. */
async function ownJob(jobs: CronToolJobs, { id, action }: CronParams, { agentId }: ToolContext): Promise<JobRow> {
  if (id === undefined) throw invalid(`${action} needs the id of a job; list shows them.`);
  const job = await jobs.find(id);
  if (job.agentId !== agentId) throw new UnknownJobError({ jobId: id });
  return job;
}

async function newJob(jobs: CronToolJobs, asked: CronParams, context: ToolContext): Promise<CronToolJob> {
  const { name, message, missed, removeAfterRun, enabled, deliver = 'here' } = asked;
  const { agentId, sessionKey } = context;
  if (name === undefined || message === undefined || !hasTimes(asked)) {
    throw invalid('add needs a name, a message and one of at, every and cron.');
  }
  const own = await jobs.list(agentId);
  if (own.length >= MAX_JOBS_OF_AGENT) {
    throw invalid(`There are ${own.length} jobs already; remove one before you add another.`);
  }
  const parent = await jobs.jobOfRun(context.runId);
  if (parent !== undefined) checkOffspring(own, parent);
  return {
    name,
    message,
    agentId,
    schedule: timesOf(asked),
    session: checkSession(jobs, asked, context),
    deliverTo: deliver === 'none' ? null : surfaceOf(context),
    missed,
    removeAfterRun,
    enabled,
    createdBy: parent === undefined ? sessionKey : `job:${parent}`,
  };
}

function checkOffspring(own: readonly JobRow[], parent: string): void {
  const isOffspring = own.find(({ id }) => id === parent)?.createdBy.startsWith('job:') ?? true;
  if (isOffspring) {
    throw invalid('A job that a job has added, or that is gone, cannot add jobs.');
  }
  const added = own.filter(({ createdBy }) => createdBy === `job:${parent}`).length;
  if (added >= MAX_JOBS_OF_JOB) {
    throw invalid(`This job has added ${added} jobs already, which is the most.`);
  }
}

async function editOf(jobs: CronToolJobs, asked: CronParams, context: ToolContext): Promise<CronToolEdit> {
  const { name, message, missed, removeAfterRun, enabled, deliver } = asked;
  return {
    name,
    message,
    missed,
    removeAfterRun,
    enabled,
    session: checkSession(jobs, asked, context),
    ...(hasTimes(asked) || asked.tz !== undefined ? { schedule: timesOf(asked) } : {}),
    ...(deliver === undefined ? {} : { deliverTo: deliver === 'none' ? null : surfaceOf(context) }),
  };
}

/** The main session is private, so only a run in it may add a job there or change one. */
function checkSession(
  jobs: CronToolJobs,
  { session }: Pick<CronParams, 'session'>,
  { agentId, sessionKey }: ToolContext,
): JobRow['session'] | undefined {
  if (session === 'main' && sessionKey !== jobs.mainSessionKeyOf(agentId)) {
    throw invalid('A job can be put into the main session, or changed there, from the main session only.');
  }
  return session;
}

/** Where the run answers; null for surfaces on which no person reads later. */
function surfaceOf({ surface }: ToolContext): Surface | null {
  return surface.channel === 'api' || surface.channel === 'schedule' ? null : surface;
}

function hasTimes({ at, every, cron }: CronToolTimes): boolean {
  return at !== undefined || every !== undefined || cron !== undefined;
}

function timesOf({ at, every, cron, tz }: CronToolTimes): CronToolTimes {
  return { at, every, cron, tz };
}

async function status(jobs: CronToolJobs, { agentId }: ToolContext): Promise<ToolOutput> {
  const [{ isEnabled }, own] = await Promise.all([jobs.status(), jobs.list(agentId)]);
  const [next] = own.filter(({ enabled, nextAt }) => enabled && nextAt !== null);
  return json({
    isEnabled,
    jobs: own.length,
    ...(next ? { next: { id: next.id, name: next.name, at: timeOf(next.nextAt) } } : {}),
  });
}

function listed(jobs: readonly JobRow[]): ToolOutput {
  return { content: formatRows({ count: jobs.length }, 'jobs', jobs.map(shownJob)) };
}

function told(what: string, job: JobRow): ToolOutput {
  return json({ [what]: shownJob(job) });
}

function shownJob(job: JobRow): JsonObject {
  const { id, name, enabled, schedule, message, session, deliverTo, missed, removeAfterRun, nextAt } = job;
  return {
    id,
    name,
    enabled,
    schedule,
    next: timeOf(nextAt),
    session,
    deliver:
      deliverTo === null ? 'none' : deliverTo.channel === 'last' ? 'last' : `${deliverTo.channel}:${deliverTo.peer.id}`,
    ...(missed === null ? {} : { missed }),
    ...(removeAfterRun ? { removeAfterRun } : {}),
    message: clip(message, MAX_SHOWN_CHARS),
  };
}

function shownEntry({ slot, how, runId, status, reply, error, delivery }: CronToolEntry): object {
  return {
    slot: timeOf(slot),
    how,
    status,
    delivery,
    ...(runId === null ? {} : { runId }),
    ...(reply === null || reply === '' ? {} : { reply: clip(reply, MAX_SHOWN_CHARS) }),
    ...(error === null ? {} : { error: clip(error, MAX_SHOWN_CHARS) }),
  };
}

function timeOf(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}

function json(value: JsonObject): ToolOutput {
  return { content: JSON.stringify(value) };
}
