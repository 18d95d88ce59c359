// The jobs: when each is due next, what became of its last times, run it now, pause it, change it, add one.

import { useState } from 'preact/hooks';
import type { Job } from '../client/operator-client.ts';
import type { ConsoleState } from '../console-state.ts';
import { formatClock, formatElapsed, shorten } from '../view/format.ts';
import { Switch } from '../view/switch.tsx';
import { useAction } from '../view/use-action.ts';
import { useLive, useOperatorClient } from '../view/use-live.ts';
import { Block } from './block.tsx';
import { describeSchedule } from './describe-schedule.ts';
import { JobForm } from './job-form.tsx';
import { JobHistory } from './job-history.tsx';

export function Schedule({ state }: { state: ConsoleState }) {
  const client = useOperatorClient(state);
  const { act, busy, problem } = useAction();
  /** The id of the job that is being changed; empty for a new one. */
  const [edited, setEdited] = useState<string | undefined>(undefined);
  const jobs = useLive(state, ['jobs'], (asked) => asked.jobs());
  const trouble = problem || jobs.problem;
  if (!client || !jobs.value) return trouble === '' ? null : <p class="page-problem problem">{trouble}</p>;
  const change = (name: string, work: () => Promise<unknown>) =>
    void act(name, () => work().then(() => jobs.readAgain()));
  const agents = state.agents.value.map(({ agentId }) => agentId);
  const done = () => {
    setEdited(undefined);
    void jobs.readAgain();
  };
  const remove = ({ id, name }: Job) => {
    if (confirm(`Remove the job "${name}"?`)) change(id, () => client.removeJob(id));
  };
  return (
    <>
      {trouble !== '' && (
        <p class="page-problem problem" role="alert">
          {trouble}
        </p>
      )}
      <Block
        title="Scheduled jobs"
        note={
          <button type="button" class="small" disabled={edited === ''} onClick={() => setEdited('')}>
            New job
          </button>
        }
      >
        {edited === '' && (
          <JobForm client={client} agents={agents} onDone={done} onLeave={() => setEdited(undefined)} />
        )}
        {jobs.value.length === 0 && edited === undefined && (
          <p class="none">No job is planned. Add one here, or ask an agent to remind you of something.</p>
        )}
        <ul class="lines jobs">
          {jobs.value.map((job) => (
            <li key={job.id} aria-label={job.name}>
              <Switch
                isBare
                label={`${job.name} is on`}
                isOn={job.enabled}
                isDisabled={busy !== ''}
                onSwitch={(enabled) => change(job.id, () => client.editJob(job.id, { enabled }))}
              />
              <div class="what">
                <p>
                  <b>{job.name}</b>
                  <span class="tag">{describeSchedule(job.schedule)}</span>
                  <span class="soft">{job.agentId}</span>
                </p>
                <p class="soft">{shorten(job.message, 200)}</p>
                <JobHistory state={state} jobId={job.id} />
                {edited === job.id && (
                  <JobForm
                    client={client}
                    agents={agents}
                    job={job}
                    onDone={done}
                    onLeave={() => setEdited(undefined)}
                  />
                )}
              </div>
              <div class="next">
                <span>{nextOf(job)}</span>
                <div class="choices">
                  <button
                    type="button"
                    class="quiet small"
                    disabled={busy !== ''}
                    onClick={() => change(`run ${job.id}`, () => client.runJob(job.id))}
                  >
                    {busy === `run ${job.id}` ? 'Starting…' : 'Run now'}
                  </button>
                  <button type="button" class="ghost" disabled={busy !== ''} onClick={() => setEdited(job.id)}>
                    Change
                  </button>
                  <button type="button" class="ghost" disabled={busy !== ''} onClick={() => remove(job)}>
                    Remove
                  </button>
                </div>
              </div>
            </li>
          ))}
        </ul>
      </Block>
    </>
  );
}

function nextOf({ enabled, nextAt }: Job): string {
  if (!enabled) return 'paused';
  if (nextAt === null) return 'over';
  const left = nextAt - Date.now();
  return `${formatClock(nextAt)}${left > 0 && left < 86_400_000 ? `, in ${formatElapsed(left)}` : ''}`;
}
