// What became of the last times of a job: run and delivery. It is read when it is opened, and follows from then on.

import { useEffect, useState } from 'preact/hooks';
import { type JobSlot, OperatorClient } from '../client/operator-client.ts';
import { type ConsoleState, sentenceOf } from '../console-state.ts';
import { formatClock, formatDuration, shorten } from '../view/format.ts';
import { Link } from '../view/link.tsx';

export function JobHistory({ state, jobId }: { state: ConsoleState; jobId: string }) {
  const [isOpen, setIsOpen] = useState(false);
  const [slots, setSlots] = useState<readonly JobSlot[] | undefined>(undefined);
  const [problem, setProblem] = useState('');
  const client = state.entered.value?.client;
  useEffect(() => {
    if (!isOpen || !client) return;
    const read = async () => {
      try {
        setSlots(await new OperatorClient(client).jobHistory(jobId));
      } catch (error) {
        setProblem(sentenceOf(error));
      }
    };
    void read();
    return state.watch.onChange(['jobs', 'runs', 'deliveries'], read);
  }, [isOpen, client, jobId]);
  return (
    <details class="history" onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>History</summary>
      {problem !== '' && <p class="problem">{problem}</p>}
      {slots?.length === 0 && <p class="none">It has not run yet.</p>}
      <ol>
        {slots?.map(({ seq, slot, how, runId, status, startedAt, endedAt, reply, error, delivery }) => (
          <li key={seq}>
            <span class="number">{formatClock(slot)}</span>
            <span class="state" data-state={status}>
              {status}
            </span>
            <span class="soft">
              {[
                how === 'due' ? '' : how,
                startedAt !== null && endedAt !== null && formatDuration(endedAt - startedAt),
                delivery === 'none' ? '' : delivery,
              ]
                .filter(Boolean)
                .join(' · ')}
            </span>
            {runId !== null && status !== 'queued' && (
              <Link class="ghost" to={{ page: 'run', runId }}>
                Run
              </Link>
            )}
            {(error ?? reply) !== null && (
              <p class={error === null ? 'soft' : 'problem'}>{shorten(error ?? reply ?? '', 240)}</p>
            )}
          </li>
        ))}
      </ol>
    </details>
  );
}
