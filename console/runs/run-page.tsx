// One run from the inbox to its delivery: what happened when, how long it took, what failed. Beside another run it also
// shows both lines of time and in what the prompts differ.

import { useEffect, useState } from 'preact/hooks';
import type { ToldRun, WholeRun } from '../client/gateway-client.ts';
import { type ConsoleState, sentenceOf } from '../console-state.ts';
import type { Route } from '../route.ts';
import { navigate } from '../router.ts';
import { EmptyState } from '../view/empty-state.tsx';
import { formatClock, formatCount, formatDuration, formatPlural } from '../view/format.ts';
import { lazyPage } from '../view/lazy-page.tsx';
import { Link } from '../view/link.tsx';
import { useRunsOfOtherWays } from './runs-of-other-ways.ts';
import { durationOf, Waterfall } from './waterfall.tsx';

export interface RunPageProps {
  readonly state: ConsoleState;
  readonly route: Extract<Route, { page: 'run' }>;
}

const PromptDiff = lazyPage(() => import('./prompt-diff.tsx'));

export default function RunPage({ state, route: { runId, beside } }: RunPageProps) {
  const client = state.entered.value?.client;
  const one = useWholeRun(state, runId);
  const other = useWholeRun(state, beside);
  const elsewhere = useRunsOfOtherWays(state, one.loaded?.run.sessionKey);
  if (one.problem !== '')
    return (
      <EmptyState title="There is no run here" text={one.problem}>
        <Link class="button" to={{ page: 'runs' }}>
          All runs
        </Link>
      </EmptyState>
    );
  const { loaded } = one;
  if (!loaded || !client) return null;
  const { run, siblings } = loaded;
  const wholeMs = other.loaded && Math.max(durationOf(loaded.steps), durationOf(other.loaded.steps));
  return (
    <div class="plain-page run-page">
      <header class="page-head">
        <div>
          <h2>
            <code>{run.runId}</code>
          </h2>
          <p>{describeRun(run)}</p>
        </div>
        <span class="grow" />
        <label class="compare">
          <span>Compare with</span>
          <select
            id="beside"
            value={beside ?? ''}
            onChange={({ currentTarget }) => navigate({ page: 'run', runId, beside: currentTarget.value || undefined })}
          >
            <option value="">no other run</option>
            <RunOptions label="This conversation" runs={siblings.filter((each) => each.runId !== runId)} />
            <RunOptions label="Said in another way" runs={elsewhere} />
          </select>
        </label>
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
      {other.problem !== '' && <p class="page-problem problem">{other.problem}</p>}
      <div class={other.loaded ? 'beside' : undefined}>
        <RunBlock loaded={loaded} name="This run" wholeMs={wholeMs} />
        {other.loaded && <RunBlock loaded={other.loaded} name="The other run" wholeMs={wholeMs} />}
      </div>
      {beside !== undefined && (
        <section class="block" aria-label="Difference">
          <h3>In what the prompts differ, from the other run to this one</h3>
          <PromptDiff client={client} before={beside} after={runId} />
        </section>
      )}
    </div>
  );
}

function RunOptions({
  label,
  runs,
}: {
  label: string;
  runs: readonly Pick<ToldRun, 'runId' | 'startedAt' | 'status'>[];
}) {
  if (runs.length === 0) return null;
  return (
    <optgroup label={label}>
      {runs.map(({ runId, startedAt, status }) => (
        <option key={runId} value={runId}>
          {`${formatClock(startedAt)}, ${status}`}
        </option>
      ))}
    </optgroup>
  );
}

function RunBlock({ loaded, name, wholeMs }: { loaded: WholeRun; name: string; wholeMs: number | undefined }) {
  const { run, steps, missing } = loaded;
  const faults = steps.filter(({ isFault }) => isFault).length;
  return (
    <section class="block" aria-label={name === 'This run' ? 'Waterfall' : 'Waterfall of the other run'}>
      <h3>
        {wholeMs === undefined ? 'What happened' : `${name}, ${formatClock(run.startedAt)}`}
        <span class="aside">
          {formatDuration(durationOf(steps))}
          {faults > 0 && <b class="faults">{formatPlural(faults, 'fault')}</b>}
        </span>
      </h3>
      <Waterfall steps={steps} sessionKey={run.sessionKey} runId={run.runId} wholeMs={wholeMs} />
      {missing.map((sentence) => (
        <p key={sentence} class="page-problem">
          {sentence}
        </p>
      ))}
    </section>
  );
}

interface LoadingRun {
  readonly loaded: WholeRun | undefined;
  readonly problem: string;
}

/** A run that goes on is read again when something happens in its session. */
function useWholeRun(state: ConsoleState, runId: string | undefined): LoadingRun {
  const client = state.entered.value?.client;
  const [told, setTold] = useState<LoadingRun>(NOTHING);
  const key = told.loaded?.run.sessionKey;
  const activeAt = state.sessions.value.find(({ sessionKey }) => sessionKey === key)?.activeAt;
  const isOver = told.loaded !== undefined && told.loaded.run.endedAt !== null;
  useEffect(() => {
    let isOld = false;
    if (runId === undefined) setTold(NOTHING);
    else
      client?.wholeRun(runId).then(
        (loaded) => isOld || setTold({ loaded, problem: '' }),
        (error: unknown) => isOld || setTold({ loaded: undefined, problem: sentenceOf(error) }),
      );
    return () => {
      isOld = true;
    };
  }, [client, runId, isOver ? 0 : activeAt]);
  return told;
}

const NOTHING: LoadingRun = { loaded: undefined, problem: '' };

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
