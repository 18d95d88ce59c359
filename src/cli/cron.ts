// `atrium cron`: jobs that run by themselves. The gateway checks the values of the flags, because it knows its agents,
// its channels and its clock.

import { BadFlagError } from '../gateway/errors.ts';
import { formatDeliverTarget } from '../schedule/deliver-target.ts';
import type { JobHistoryEntry } from '../schedule/job-history.ts';
import { formatSchedule, readSchedule } from '../schedule/job-schedule.ts';
import type { StartedJob } from '../schedule/schedule.ts';
import type { JobRow } from '../store/tables.ts';
import { checkFilter } from './check-filter.ts';
import { type CliCommand, command, type FlagsOf } from './command.ts';
import { limitOption } from './common-options.ts';
import { FlagCombinationError } from './errors.ts';
import { type GatewayClient, path } from './gateway/gateway-client.ts';
import { formatFacts, listText } from './output/format-table.ts';
import { formatTime } from './output/format-time.ts';
import { line } from './output/text.ts';

/** The flags that describe a job, the same for adding and for changing one. */
const JOB_OPTIONS = {
  '--name <name>': 'a short name for people',
  '--message <text>': 'what the agent is told',
  '--at <time>': 'once: "in 20m", or a time such as "2026-05-06T09:00"',
  '--every <span>': 'at a steady pace: "30m", "1h30m", "1d"',
  '--cron <fields>': 'five or six cron fields, such as "0 9 * * 1-5"',
  '--tz <zone>': 'the time zone of --at and --cron, such as "Europe/Lisbon"',
  '--session <own|main>': 'a session of its own, or the main session of the agent',
  '--deliver <surface>':
    'where answers go: "web:<name>", "cli:<name>", a chat such as "telegram:123", "slack:channel:C1" or "discord/work:channel:42#thread", "last" for where the agent was last spoken to in private, or "none"',
  '--model <name>': 'provider/model or an alias (default: the model of the agent; "default" goes back to it)',
  '--fallbacks <names>':
    'the models that are asked when it fails, with commas between them, or "none" (default: the fallbacks of the agent; "default" goes back to them)',
  '--timeout <seconds>': 'the longest that a run may take ("default" goes back to the limit of every run)',
  '--missed <catch-up|skip>':
    'what becomes of a time that passed while the gateway was down (default: as cron.missed says, else catch-up)',
  '--remove-after-run': 'with --at: remove the job when its time has come',
  '--json': 'print JSON for programs',
} as const;

export const CRON_COMMANDS: readonly CliCommand[] = [
  command({
    path: 'cron list',
    summary: 'list the jobs, those that are due next first',
    options: { '--agent <id>': 'only of this agent' },
    examples: ['cron list', "cron list --json | jq -r '.jobs[].id'"],
    notes: 'Works while the gateway is down.',
    needs: 'reading',
    async run({ agent }, { client, io }) {
      const { jobs } = await client.get<{ jobs: JobRow[] }>('/api/cron/jobs', { agent });
      if (jobs.length === 0) await checkFilter({ agent }, client, io);
      const text = listText(
        jobs,
        {
          id: (job) => job.id,
          next: (job) => formatNext(job, io.environment.timezone),
          schedule: (job) => formatSchedule(readSchedule(job.schedule)),
          agent: (job) => job.agentId,
          'answers to': (job) => formatDeliverTarget(job.deliverTo),
          name: (job) => job.name,
        },
        'There are no jobs. "atrium cron add --help" shows how to add one.',
      );
      return { json: { jobs }, text };
    },
  }),
  command({
    path: 'cron add',
    summary: 'add a job',
    options: {
      ...JOB_OPTIONS,
      '--agent <id>': 'the agent that does it (default: the default agent)',
      '--disabled': 'let it rest until it is enabled',
    },
    examples: [
      'cron add --name standup --cron "0 9 * * 1-5" --tz Europe/Lisbon --message "Prepare the stand-up." --deliver cli:local',
      'cron add --name tea --at "in 5m" --message "Remind me of the tea." --deliver cli:local --remove-after-run',
      'cron add --name tidy --every 6h --message "Tidy up the notes."',
    ],
    needs: 'gateway',
    async run({ agent: agentId, disabled, ...flags }, { client, io }) {
      for (const name of ['name', 'message'] as const) {
        if (flags[name] === undefined) throw new FlagCombinationError({ problem: `--${name} is missing.` });
      }
      if (flags.at === undefined && flags.every === undefined && flags.cron === undefined) {
        throw new FlagCombinationError({
          problem: 'A job needs a time: give exactly one of --at, --every and --cron.',
        });
      }
      const body = { ...jobBody(flags), agentId, ...(disabled ? { enabled: false } : {}) };
      const { job } = await client.post<{ job: JobRow }>('/api/cron/jobs', body);
      return { json: { job }, text: formatJob(job, io.environment.timezone) };
    },
  }),
  command({
    path: 'cron edit',
    summary: 'change a job; what you do not name stays as it is',
    args: { '<id>': 'the id of a job, or its name' },
    options: { ...JOB_OPTIONS, '--enable': 'let it run again', '--disable': 'let it rest' },
    examples: [
      'cron edit job_0mh3k9q2x4f8c1d07a5be --cron "0 8 * * 1-5"',
      'cron edit job_0mh3k9q2x4f8c1d07a5be --deliver none --disable',
    ],
    needs: 'gateway',
    async run({ id, enable, disable, ...flags }, { client, io }) {
      if (enable && disable) throw new FlagCombinationError({ problem: '--enable and --disable exclude each other.' });
      const body = { ...jobBody(flags), enabled: enable ? true : disable ? false : undefined };
      if (Object.values(body).every((value) => value === undefined)) {
        throw new FlagCombinationError({ problem: 'Nothing is to be changed: give at least one flag that says what.' });
      }
      const { job } = await client.post<{ job: JobRow }>(path`/api/cron/jobs/${await jobIdOf(id, client)}`, body);
      return { json: { job }, text: formatJob(job, io.environment.timezone) };
    },
  }),
  command({
    path: 'cron rm',
    summary: 'remove jobs; what became of them is kept for 90 days',
    args: { '<ids...>': 'ids of jobs, or their names' },
    examples: ['cron rm job_0mh3k9q2x4f8c1d07a5be'],
    notes: 'A run that has begun, or waits for its turn, is not stopped by this.',
    needs: 'gateway',
    async run({ ids }, { client, say }) {
      const removed: JobRow[] = [];
      for (const id of ids) {
        const { job } = await client.delete<{ job: JobRow }>(path`/api/cron/jobs/${await jobIdOf(id, client)}`);
        removed.push(job);
        say(`${job.id} (${job.name}) is removed.`);
      }
      return { json: { removed } };
    },
  }),
  command({
    path: 'cron run',
    summary: 'run a job now, besides its times',
    args: { '<id>': 'the id of a job, or its name' },
    examples: ['cron run job_0mh3k9q2x4f8c1d07a5be'],
    notes: 'Does not wait for the run; "atrium cron history" says what became of it.',
    needs: 'gateway',
    async run({ id }, { client }) {
      const started = await client.post<StartedJob>(path`/api/cron/jobs/${await jobIdOf(id, client)}/run`);
      const how = started.isNew ? 'runs as' : 'was waiting for its turn already, as';
      return { json: started, text: line(`${id} ${how} ${started.runId}.`) };
    },
  }),
  command({
    path: 'cron history',
    summary: 'show what became of the times of a job',
    args: { '<id>': 'the id of a job, also of one that is gone, or the name of one that is there' },
    options: { '--limit <number>': limitOption(50) },
    examples: ['cron history job_0mh3k9q2x4f8c1d07a5be'],
    notes: 'Works while the gateway is down.',
    needs: 'reading',
    async run({ id, limit }, { client, io }) {
      type History = { jobId: string; entries: readonly JobHistoryEntry[]; next: number | null };
      const history = await client.get<History>(path`/api/cron/jobs/${await jobIdOf(id, client)}/history`, { limit });
      const text = listText(
        history.entries,
        {
          slot: (entry) => formatTime(entry.slot, io.environment.timezone),
          how: (entry) => entry.how,
          run: (entry) => entry.runId ?? '-',
          status: (entry) => entry.status,
          delivery: (entry) => entry.delivery,
          'what came of it': (entry) => (entry.error ?? entry.reply ?? '').slice(0, 200),
        },
        'It has not been due yet.',
        history.next,
      );
      return { json: history, text };
    },
  }),
];

/** The body of a request, with the fields that were given. */
function jobBody(flags: Omit<FlagsOf<typeof JOB_OPTIONS>, 'json'>): Record<string, unknown> {
  const { name, message, at, every, cron, tz, deliver, model, timeout, removeAfterRun } = flags;
  const fallbacks = orDefault(flags.fallbacks, namesOf);
  const given = Object.entries({ at, every, cron }).filter(([, value]) => value !== undefined);
  const refuse = (problem: string) => new FlagCombinationError({ problem });
  if (given.length > 1) {
    const names = given.map(([flag]) => `--${flag}`).join(' and ');
    throw refuse(`${names} were given; a job has exactly one of --at, --every and --cron.`);
  }
  if (every !== undefined && tz !== undefined) {
    throw refuse('--tz goes with --at and --cron; a steady pace has no time zone.');
  }
  if (removeAfterRun && (every !== undefined || cron !== undefined)) {
    throw refuse('--remove-after-run goes with --at; other jobs have no last time.');
  }
  const schedule = given.length > 0 || tz !== undefined ? { at, every, cron, tz } : undefined;
  const session = oneOf('--session', flags.session, ['own', 'main']);
  const missed = oneOf('--missed', flags.missed, ['catch-up', 'skip']);
  const timeoutSeconds = orDefault(timeout, secondsOf);
  const models = { model: orDefault(model), fallbacks };
  return { name, message, schedule, session, deliver, ...models, timeoutSeconds, missed, removeAfterRun };
}

/** The word "default" takes a setting back, which is null for the gateway. */
function orDefault<Value = string>(
  text: string | undefined,
  read: (text: string) => Value = (given) => given as Value,
): Value | null | undefined {
  if (text === undefined) return undefined;
  return text === 'default' ? null : read(text);
}

function namesOf(text: string): readonly string[] {
  if (text === 'none') return [];
  return text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

function secondsOf(text: string): number {
  if (/^\d{1,6}$/.test(text) && Number(text) > 0) return Number(text);
  throw new BadFlagError({ flag: '--timeout', value: text, expected: 'a whole number of seconds, or "default"' });
}

function oneOf(flag: string, text: string | undefined, choices: readonly string[]): string | undefined {
  if (text === undefined || choices.includes(text)) return text;
  throw new BadFlagError({ flag, value: text, expected: choices.map((choice) => `"${choice}"`).join(' or ') });
}

function formatJob(job: JobRow, timezone: string): string {
  return formatFacts([
    ['id', job.id],
    ['name', job.name],
    ['agent', `${job.agentId}, in ${job.session === 'own' ? 'a session of its own' : 'its main session'}`],
    ...(job.model === null ? [] : [['model', job.model] as const]),
    ...(job.fallbacks === null
      ? []
      : [['fallbacks', job.fallbacks.length === 0 ? 'none' : job.fallbacks.join(', ')] as const]),
    ...(job.timeoutSeconds === null ? [] : [['time', `${job.timeoutSeconds} s for a run`] as const]),
    ['schedule', formatSchedule(readSchedule(job.schedule))],
    ['next', formatNext(job, timezone)],
    ['answers', job.deliverTo === null ? 'stay in the session' : `go to ${formatDeliverTarget(job.deliverTo)}`],
  ]);
}

function formatNext({ enabled, nextAt }: JobRow, timezone: string): string {
  if (!enabled) return 'resting';
  return nextAt === null ? 'never' : formatTime(nextAt, timezone);
}

/** An id stays what it is. A name that one job has stands for its id; one that several have is refused with their ids. */
async function jobIdOf(given: string, client: Pick<GatewayClient, 'get'>): Promise<string> {
  const { jobs } = await client.get<{ jobs: readonly JobRow[] }>('/api/cron/jobs');
  if (jobs.some(({ id }) => id === given)) return given;
  const named = jobs.filter(({ name }) => name === given).map(({ id }) => id);
  if (named.length > 1)
    throw new BadFlagError({
      flag: '<id>',
      value: given,
      expected: `the name of one job only; say ${named.join(' or ')}`,
    });
  return named[0] ?? given;
}
