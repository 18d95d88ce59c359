// A job as a person writes it: its name, when, what the agent is told, where the answer goes. The gateway checks it, and
// its sentence stands below the fields.

import { useEffect, useRef, useState } from 'preact/hooks';
import type { Job, JobWish, OperatorClient } from '../client/operator-client.ts';
import { useAction } from '../view/use-action.ts';
import { writeSchedule } from './describe-schedule.ts';

export interface JobFormProps {
  readonly client: OperatorClient;
  readonly agents: readonly string[];
  /** The job that is changed; without one a new job is made. */
  readonly job?: Job | undefined;
  onDone(): void;
  onLeave(): void;
}

type Kind = 'at' | 'every' | 'cron';

const HINTS: Readonly<Record<Kind, string>> = {
  every: 'such as 30m, 2h or 1d',
  cron: 'five fields, such as 0 8 * * 1-5',
  at: 'in 20m, or a time such as 2026-12-24T18:00',
};

export function JobForm({ client, agents, job, onDone, onLeave }: JobFormProps) {
  const { act, busy, problem } = useAction();
  const written = job && writeSchedule(job.schedule);
  const [name, setName] = useState(job?.name ?? '');
  const [kind, setKind] = useState<Kind>(written?.kind ?? 'every');
  const [when, setWhen] = useState(written?.text ?? '');
  const [message, setMessage] = useState(job?.message ?? '');
  const [agentId, setAgentId] = useState(job?.agentId ?? agents[0] ?? '');
  const [session, setSession] = useState<'own' | 'main'>(job?.session ?? 'own');
  const [deliver, setDeliver] = useState('');
  const first = useRef<HTMLInputElement>(null);
  useEffect(() => first.current?.focus(), []);
  const isReady = name.trim() !== '' && when.trim() !== '' && message.trim() !== '';
  const save = () =>
    act('save', async () => {
      const isSameTime = written !== undefined && written.kind === kind && written.text === when.trim();
      const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
      const wish: JobWish = {
        name: name.trim(),
        message: message.trim(),
        schedule: { [kind]: when.trim(), ...(kind !== 'every' && zone && { tz: zone }) },
        session,
        ...(deliver.trim() !== '' && { deliver: deliver.trim() }),
      };
      const { schedule, ...rest } = wish;
      if (job) await client.editJob(job.id, isSameTime ? rest : wish);
      else await client.addJob({ ...rest, schedule, ...(agentId !== '' && { agentId }) });
      onDone();
    });
  return (
    <form
      class="job-form"
      aria-label={job ? `Change ${job.name}` : 'New job'}
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady && busy === '') void save();
      }}
    >
      <label>
        Name
        <input
          ref={first}
          type="text"
          maxLength={100}
          value={name}
          onInput={(event) => setName(event.currentTarget.value)}
        />
      </label>
      <div class="pair">
        <label>
          When
          <select value={kind} onChange={(event) => setKind(event.currentTarget.value as Kind)}>
            <option value="every">at a steady pace</option>
            <option value="cron">by the clock (cron)</option>
            <option value="at">once</option>
          </select>
        </label>
        <label>
          <span>{HINTS[kind]}</span>
          <input type="text" maxLength={200} value={when} onInput={(event) => setWhen(event.currentTarget.value)} />
        </label>
      </div>
      <label>
        What the agent is told
        <textarea rows={3} value={message} onInput={(event) => setMessage(event.currentTarget.value)} />
      </label>
      <div class="pair">
        <label>
          Agent
          <select
            value={agentId}
            disabled={job !== undefined}
            onChange={(event) => setAgentId(event.currentTarget.value)}
          >
            {agents.map((id) => (
              <option key={id} value={id}>
                {id}
              </option>
            ))}
          </select>
        </label>
        <label>
          Session
          <select value={session} onChange={(event) => setSession(event.currentTarget.value as 'own' | 'main')}>
            <option value="own">one of its own</option>
            <option value="main">the main session of the agent</option>
          </select>
        </label>
        <label>
          Where the answer goes
          <input
            type="text"
            maxLength={300}
            value={deliver}
            placeholder={job?.deliverTo ? 'as it is' : 'stays in the session; or telegram:123'}
            onInput={(event) => setDeliver(event.currentTarget.value)}
          />
        </label>
      </div>
      {problem !== '' && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      <div class="choices">
        <button type="submit" class="small" disabled={!isReady || busy !== ''}>
          {job ? 'Save' : 'Add the job'}
        </button>
        <button type="button" class="quiet small" onClick={onLeave}>
          Leave it
        </button>
      </div>
    </form>
  );
}
