// The latest runs of all sessions, or of one.

import { useEffect, useState } from 'preact/hooks';
import type { ToldRun } from '../client/gateway-client.ts';
import { type ConsoleState, sentenceOf } from '../console-state.ts';
import { EmptyState } from '../view/empty-state.tsx';
import { formatClock, formatCount, formatDuration } from '../view/format.ts';
import { Link } from '../view/link.tsx';

export default function RunsPage({ state, session }: { state: ConsoleState; session: string | undefined }) {
  const client = state.entered.value?.client;
  const [runs, setRuns] = useState<readonly ToldRun[] | undefined>(undefined);
  const [problem, setProblem] = useState('');
  useEffect(() => {
    client?.latestRuns(session).then(setRuns, (error: unknown) => setProblem(sentenceOf(error)));
  }, [client, session]);
  if (problem !== '') return <p class="page-problem problem">{problem}</p>;
  if (!runs) return null;
  if (runs.length === 0)
    return (
      <EmptyState title="No agent has run yet" text="Say something to an agent; its run will stand here.">
        <Link class="button" to={{ page: 'new' }}>
          New conversation
        </Link>
      </EmptyState>
    );
  return (
    <div class="plain-page">
      <section class="block table-block" aria-label="Runs">
        <table class="list">
          <thead>
            <tr>
              <th scope="col">Began</th>
              <th scope="col">State</th>
              <th scope="col">Session</th>
              <th scope="col">Model</th>
              <th scope="col">Took</th>
              <th scope="col">Tokens</th>
            </tr>
          </thead>
          <tbody>
            {runs.map(({ runId, status, sessionKey, startedAt, endedAt, outcome }) => (
              <tr key={runId}>
                <td>
                  <Link to={{ page: 'run', runId }}>{formatClock(startedAt)}</Link>
                </td>
                <td>
                  <span class="state" data-state={status}>
                    {status}
                  </span>
                </td>
                <td class="long">{sessionKey}</td>
                <td>{outcome?.model ?? ''}</td>
                <td class="number">{endedAt === null ? '' : formatDuration(endedAt - startedAt)}</td>
                <td class="number">{outcome?.usage ? formatCount(outcome.usage.input + outcome.usage.output) : ''}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </div>
  );
}
