// The subagents of a run as threads below it, one in the other: each with its state, its time, its tokens and its cost,
// its task, what it said and did, and its result, and a button that stops it with all that came from it.

import { useEffect, useMemo, useReducer, useState } from 'preact/hooks';
import type { ChildState, ChildView } from '../../src/protocol/child-view.ts';
import type { Turn } from '../talk/turn.ts';
import { FlowItemView } from './flow-item-view.tsx';
import { formatCost, formatCount, formatElapsed, formatPlural, shorten } from './format.ts';
import { Link } from './link.tsx';
import { ScrollText } from './scroll-text.tsx';

/** Reads the latest turns of a subagent. */
export type LoadThread = (sessionKey: string) => Promise<readonly Turn[]>;

export interface SubagentTreeProps {
  readonly subagents: readonly ChildView[];
  onStop(sessionKey: string): void;
  readonly loadThread: LoadThread;
}

export function SubagentTree({ subagents, onStop, loadThread }: SubagentTreeProps) {
  return (
    <details class="subagents" open>
      <summary>
        <span class="name">{formatPlural(subagents.length, 'subagent')}</span>
        <span class="brief">{describeAll(subagents)}</span>
      </summary>
      <List subagents={subagents} onStop={onStop} loadThread={loadThread} />
    </details>
  );
}

function List({ subagents, onStop, loadThread }: SubagentTreeProps) {
  return (
    <ul>
      {subagents.map((child) => (
        <Subagent key={child.sessionKey} child={child} onStop={onStop} loadThread={loadThread} />
      ))}
    </ul>
  );
}

function Subagent({ child, onStop, loadThread }: { child: ChildView } & Omit<SubagentTreeProps, 'subagents'>) {
  const [isOpen, setOpen] = useState(false);
  const { sessionKey, task, result, error, state, endedAt, startedAt, elapsedMs, own, all, children } = child;
  const name = nameOf(child);
  const hasMore = all.calls > own.calls;
  return (
    <li data-state={state}>
      <div class="row">
        <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
          <summary>
            <span class="name">{name}</span>
            <span class="state">{STATE_WORDS[state]}</span>
            <span class="facts">
              {startedAt !== null && <Elapsed ms={elapsedMs} isGrowing={endedAt === null} />}
              {[
                ...(startedAt === null ? [] : ['']),
                ...(own.calls === 0 ? [] : [`${formatCount(own.input + own.output)} tokens`, formatCost(own)]),
                ...(hasMore ? [`with its own ${formatCost(all)}`] : []),
              ].join(' · ')}
            </span>
          </summary>
          <p class="caption">Task</p>
          <ScrollText label="Task">{task || '(removed)'}</ScrollText>
          {isOpen && <Thread child={child} load={loadThread} />}
          {result !== null && <p class="caption">Result</p>}
          {result !== null && <ScrollText label="Result">{result || '(nothing)'}</ScrollText>}
          {error !== null && <p class="problem">{error}</p>}
          {startedAt !== null && (
            <Link class="ghost" to={{ page: 'session', session: sessionKey }}>
              Read its conversation
            </Link>
          )}
        </details>
        {endedAt === null && (
          <button
            type="button"
            class="quiet"
            disabled={state === 'stopping'}
            aria-label={`Stop ${name}`}
            onClick={() => onStop(sessionKey)}
          >
            Stop
          </button>
        )}
      </div>
      {children.length > 0 && (
        <details class="below" open>
          <summary>{formatPlural(children.length, 'subagent')} of its own</summary>
          <List subagents={children} onStop={onStop} loadThread={loadThread} />
        </details>
      )}
    </li>
  );
}

/** What the subagent said and did on its way, read again when it has got further. Its last words are its result. */
function Thread({ child, load }: { child: ChildView; load: LoadThread }) {
  const { sessionKey, state, own } = child;
  const [turns, setTurns] = useState<readonly Turn[]>([]);
  useEffect(() => {
    let isOld = false;
    load(sessionKey).then(
      (read) => isOld || setTurns(read),
      () => undefined,
    );
    return () => {
      isOld = true;
    };
  }, [sessionKey, state, own.calls]);
  const steps = turns.flatMap((turn) => turn.flow.map((item) => ({ item, key: `${turn.runId} ${item.key}` })));
  const shown = child.result === null ? steps : steps.slice(0, -1);
  if (shown.length === 0) return null;
  return (
    <>
      <p class="caption">Steps</p>
      <div class="thread">
        {shown.map(({ item, key }) => (
          <FlowItemView
            key={key}
            item={item}
            isRefused={false}
            isGrowing={false}
            onAnswer={() => {}}
            loadFile={noFile}
          />
        ))}
      </div>
    </>
  );
}

/** The files of a subagent are shown in its own conversation. */
async function noFile(): Promise<undefined> {}

/** The time since the start, which the page counts on by itself until the gateway tells a newer one. */
function Elapsed({ ms, isGrowing }: { ms: number; isGrowing: boolean }) {
  const [, tick] = useReducer((count: number, _: undefined) => count + 1, 0);
  const toldAt = useMemo(() => Date.now(), [ms]);
  useEffect(() => {
    if (!isGrowing) return;
    const timer = setInterval(() => tick(undefined), 1_000);
    return () => clearInterval(timer);
  }, [isGrowing]);
  return <>{formatElapsed(isGrowing ? ms + Date.now() - toldAt : ms)}</>;
}

const STATE_WORDS: Readonly<Record<ChildState, string>> = {
  queued: 'not begun',
  running: 'works',
  waiting: 'waits',
  stopping: 'stopping…',
  ok: 'done',
  error: 'failed',
  timeout: 'timed out',
  killed: 'stopped',
  reset: 'given up',
  deleted: 'removed',
};

function nameOf({ label, taskName, task, agentId }: ChildView): string {
  return label ?? taskName ?? (shorten(task.replace(/\s+/g, ' '), 60) || agentId);
}

function describeAll(subagents: readonly ChildView[]): string {
  const working = subagents.filter(({ endedAt }) => endedAt === null).length;
  const failed = subagents.filter(({ state }) => state !== 'ok').length - working;
  const costs = subagents.flatMap(({ all }) => (all.cost === null ? [] : [all.cost]));
  const unpriced = subagents.reduce((sum, { all }) => sum + all.unpriced, 0);
  return [
    working > 0 ? `${formatCount(working)} at work` : 'all over',
    ...(failed > 0 ? [`${formatCount(failed)} without a result`] : []),
    ...(costs.length > 0 ? [formatCost({ cost: costs.reduce((sum, cost) => sum + cost, 0), unpriced })] : []),
  ].join(' · ');
}
