// One run from its start to its delivery: what happened when, how long it took, what failed. Beside another run it also
// shows in what their prompts differ.

import { useEffect, useState } from 'preact/hooks';
import type { ToldRun } from '../client/gateway-client.ts';
import { type ConsoleState, sentenceOf } from '../console-state.ts';
import type { Route } from '../route.ts';
import { navigate } from '../router.ts';
import { formatClock, formatCount, formatDuration, formatPlural } from '../view/format.ts';
import { Link } from '../view/link.tsx';
import { PromptDiff } from './prompt-diff.tsx';
import { type RunFacts, runTimeline, type TimelineRow } from './run-timeline.ts';

export interface RunPageProps {
  readonly state: ConsoleState;
  readonly route: Extract<Route, { page: 'run' }>;
}

interface LoadedRun extends RunFacts {
  readonly deliveries: readonly { readonly seq: number; readonly status: string; readonly error: string | null }[];
  /** The runs of the same session, for comparison. */
  readonly siblings: readonly ToldRun[];
}

export default function RunPage({ state, route: { runId, beside } }: RunPageProps) {
  const client = state.entered.value?.client;
  const [loaded, setLoaded] = useState<LoadedRun | undefined>(undefined);
  const [problem, setProblem] = useState('');
  useEffect(() => {
    if (!client) return;
    let isOld = false;
    setProblem('');
    client.wholeRun(runId).then(
      (run) => isOld || setLoaded(run),
      (error: unknown) => isOld || setProblem(sentenceOf(error)),
    );
    return () => {
      isOld = true;
    };
  }, [client, runId]);
  if (problem !== '')
    return (
      <p class="page-problem problem" role="alert">
        {problem}
      </p>
    );
  if (!loaded || !client) return null;
  const { run, deliveries, siblings } = loaded;
  return (
    <div class="plain-page">
      <header class="page-head">
        <div>
          <h2>
            <code>{run.runId}</code>
          </h2>
          <p>{describeRun(run)}</p>
        </div>
        <span class="grow" />
        {loaded.calls.length > 0 && (
          <Link class="button quiet" to={{ page: 'context', session: run.sessionKey, runId }}>
            Context
          </Link>
        )}
        <Link class="button quiet" to={{ page: 'session', session: run.sessionKey }}>
          Conversation
        </Link>
      </header>
      {run.outcome?.error !== undefined && (
        <p class="page-problem problem" role="alert">
          {run.outcome.error}
        </p>
      )}
      <Waterfall rows={runTimeline(loaded)} from={run.startedAt} to={run.endedAt ?? Date.now()} />
      <section class="block" aria-label="Delivery">
        <h3>Delivery</h3>
        {deliveries.length === 0 && <p class="none">Nothing was delivered.</p>}
        <ul class="findings">
          {deliveries.map(({ seq, status, error }) => (
            <li key={seq} data-kind={error === null ? 'here' : 'cut'}>
              <span class="what">{`Part ${seq}`}</span>
              <code>{status}</code>
              {error !== null && <span class="detail">{error}</span>}
            </li>
          ))}
        </ul>
      </section>
      <section class="block" aria-label="Compare">
        <h3>
          <label for="beside">Compare its prompt with another run of the session</label>
        </h3>
        <select
          id="beside"
          value={beside ?? ''}
          onChange={({ currentTarget }) => navigate({ page: 'run', runId, beside: currentTarget.value || undefined })}
        >
          <option value="">Choose a run</option>
          {siblings
            .filter((each) => each.runId !== runId)
            .map((each) => (
              <option key={each.runId} value={each.runId}>
                {`${formatClock(each.startedAt)}, ${each.status}`}
              </option>
            ))}
        </select>
        {beside !== undefined && <PromptDiff client={client} before={beside} after={runId} />}
      </section>
    </div>
  );
}

function Waterfall({ rows, from, to }: { rows: readonly TimelineRow[]; from: number; to: number }) {
  const first = Math.min(from, ...rows.map(({ start }) => start));
  const last = Math.max(to, ...rows.map(({ start, ms }) => start + ms));
  const whole = Math.max(1, last - first);
  const share = (ms: number) => `${(100 * ms) / whole}%`;
  return (
    <section class="block" aria-label="Waterfall">
      <h3>{`What happened, ${formatDuration(whole)}`}</h3>
      {rows.length === 0 && (
        <p class="none">Nothing is recorded of this run: it may be a command, or its records are gone.</p>
      )}
      <ol class="waterfall">
        {rows.map(({ kind, label, detail, start, ms, isFault }, index) => (
          <li key={index} class={isFault ? 'fault-row' : undefined} data-kind={kind}>
            <span class="what">
              <b>{label}</b>
              <span>{detail}</span>
            </span>
            <span class="track" aria-hidden="true">
              <i style={{ left: share(start - first), width: share(ms) }} />
            </span>
            <span class="time">{formatDuration(ms)}</span>
          </li>
        ))}
      </ol>
    </section>
  );
}

function describeRun({ status, startedAt, endedAt, agentId, outcome }: ToldRun): string {
  return [
    status,
    agentId,
    outcome?.model && `${outcome.provider}/${outcome.model}`,
    formatClock(startedAt),
    endedAt !== null && formatDuration(endedAt - startedAt),
    outcome?.modelCalls && formatPlural(outcome.modelCalls, 'model call'),
    outcome?.usage && `${formatCount(outcome.usage.input)} tokens in, ${formatCount(outcome.usage.output)} out`,
  ]
    .filter(Boolean)
    .join(' · ');
}
