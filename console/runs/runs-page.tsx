// The latest runs of all sessions, or of one, as they happen; older ones follow on request.

import { useEffect, useState } from 'preact/hooks';
import type { ToldRun } from '../client/gateway-client.ts';
import { type ConsoleState, sentenceOf } from '../console-state.ts';
import { titleOf } from '../shell/session-title.ts';
import { EmptyState } from '../view/empty-state.tsx';
import { formatClock, formatCount, formatDuration } from '../view/format.ts';
import { Link } from '../view/link.tsx';

interface Shown {
  readonly runs: readonly ToldRun[];
  /** Where the older ones begin; null when there are none. */
  readonly next: string | null;
}

export default function RunsPage({ state, session }: { state: ConsoleState; session: string | undefined }) {
  const client = state.entered.value?.client;
  const [shown, setShown] = useState<Shown | undefined>(undefined);
  const [problem, setProblem] = useState('');
  const fail = (error: unknown) => setProblem(sentenceOf(error));
  useEffect(() => {
    if (!client) return;
    const read = async () => {
      try {
        const latest = await client.latestRuns(session);
        setShown((before) => joined(latest, before));
      } catch (error) {
        fail(error);
      }
    };
    setShown(undefined);
    void read();
    return state.watch.onChange(['runs'], read);
  }, [client, session]);
  const readOlder = async () => {
    if (!client || !shown?.next) return;
    try {
      const { runs, next } = await client.latestRuns(session, shown.next);
      setShown({ runs: [...shown.runs, ...runs], next });
    } catch (error) {
      fail(error);
    }
  };
  if (problem !== '' && !shown) return <p class="page-problem problem">{problem}</p>;
  if (!shown) return null;
  if (shown.runs.length === 0)
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
        <table class="list runs-list">
          <thead>
            <tr>
              <th scope="col">Began</th>
              <th scope="col">State</th>
              <th scope="col">Conversation</th>
              <th scope="col">Model</th>
              <th scope="col" class="number">
                Took
              </th>
              <th scope="col" class="number">
                Tokens
              </th>
            </tr>
          </thead>
          <tbody>
            {shown.runs.map((run) => (
              <RunRow key={run.runId} run={run} title={nameOf(state, run.sessionKey)} />
            ))}
          </tbody>
        </table>
        {shown.next !== null && (
          <button type="button" class="quiet small more-runs" onClick={() => void readOlder()}>
            Show older runs
          </button>
        )}
      </section>
    </div>
  );
}

function RunRow({ run, title }: { run: ToldRun; title: string }) {
  const { runId, status, sessionKey, agentId, startedAt, endedAt, outcome } = run;
  return (
    <tr>
      <td class="number">
        <Link to={{ page: 'run', runId }}>{formatClock(startedAt)}</Link>
      </td>
      <td>
        <span class="state" data-state={status}>
          {status}
        </span>
      </td>
      <td class="what" title={sessionKey}>
        <Link to={{ page: 'session', session: sessionKey }}>{title}</Link>
        <span class="soft">{agentId}</span>
      </td>
      <td>{outcome?.model ?? ''}</td>
      <td class="number">{endedAt === null ? '' : formatDuration(endedAt - startedAt)}</td>
      <td class="number">{outcome?.usage ? formatCount(outcome.usage.input + outcome.usage.output) : ''}</td>
    </tr>
  );
}

/** The older runs that were asked for stay below the latest ones. */
function joined(latest: Shown, before: Shown | undefined): Shown {
  const first = before?.runs.findIndex(({ runId }) => runId === latest.runs.at(-1)?.runId) ?? -1;
  if (!before || first === -1) return latest;
  return { runs: [...latest.runs, ...before.runs.slice(first + 1)], next: before.next };
}

/** What people call the conversation; its key where the page does not know it. */
function nameOf(state: ConsoleState, sessionKey: string): string {
  const known = state.sessionOf(sessionKey);
  return known ? titleOf(known) : sessionKey;
}
