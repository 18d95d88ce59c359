// The steps of a run on one line of time. What failed stands out; a handler that decided something can be opened, and
// shows from and to which values.

import type { ComponentChildren } from 'preact';
import type { TimelineStep } from '../client/gateway-client.ts';
import { formatDuration } from '../view/format.ts';
import { Link } from '../view/link.tsx';

export interface WaterfallProps {
  readonly steps: readonly TimelineStep[];
  readonly sessionKey: string;
  readonly runId: string;
  /** How long the line is, so that two runs can be compared; as long as the run itself by default. */
  readonly wholeMs?: number | undefined;
}

export function Waterfall({ steps, sessionKey, runId, wholeMs }: WaterfallProps) {
  const first = Math.min(...steps.map(({ at }) => at));
  const whole = Math.max(1, wholeMs ?? durationOf(steps));
  const share = (ms: number) => `${Math.min(100, (100 * ms) / whole)}%`;
  if (steps.length === 0)
    return <p class="none">Nothing is recorded of this run: it may be a command, or its records are gone.</p>;
  return (
    <div class="waterfall-box">
      <div class="axis" aria-hidden="true">
        <span />
        <span class="ticks">
          {TICKS.map((tick) => (
            <i key={tick} style={{ left: `${100 * tick}%` }}>
              {formatDuration(whole * tick)}
            </i>
          ))}
        </span>
        <span />
      </div>
      <ol class="waterfall">
        {steps.map((step, index) => {
          const { kind, at, ms, firstByteMs, isFault } = step;
          return (
            <li key={index} class={isFault ? 'fault-row' : undefined} data-kind={kind}>
              <span class="what">
                <b>
                  <Name step={step} sessionKey={sessionKey} runId={runId} />
                </b>
                <span title={step.detail}>{step.detail}</span>
              </span>
              <span class="track" aria-hidden="true">
                <i
                  style={{ left: share(at - first), width: share(ms ?? whole) }}
                  class={ms === null ? 'open' : undefined}
                >
                  {firstByteMs !== undefined && ms !== null && ms > 0 && (
                    <em style={{ width: `${(100 * Math.min(firstByteMs, ms)) / ms}%` }} />
                  )}
                </i>
              </span>
              <span class="time">
                {ms === null ? '' : formatDuration(ms)}
                {firstByteMs !== undefined && <small>{`first token ${formatDuration(firstByteMs)}`}</small>}
              </span>
              <Decided step={step} />
            </li>
          );
        })}
      </ol>
    </div>
  );
}

/** The time from the beginning of the first step to the end of the last one. */
export function durationOf(steps: readonly TimelineStep[]): number {
  const first = Math.min(...steps.map(({ at }) => at));
  return steps.length === 0 ? 0 : Math.max(...steps.map(({ at, ms }) => at + (ms ?? 0))) - first;
}

const TICKS = [0, 0.25, 0.5, 0.75, 1];

function Name({ step, sessionKey, runId }: Pick<WaterfallProps, 'sessionKey' | 'runId'> & { step: TimelineStep }) {
  if (step.call !== undefined)
    return <Link to={{ page: 'context', session: sessionKey, runId, call: step.call }}>{step.label}</Link>;
  if (step.sessionKey !== undefined)
    return <Link to={{ page: 'session', session: step.sessionKey }}>{step.label}</Link>;
  return <>{step.label}</>;
}

/** What a handler changed, as the gateway keeps it: of a text the part that is gone and the part that is new. */
interface Change {
  readonly field: string;
  readonly removed?: string | undefined;
  readonly added?: string | undefined;
  readonly before?: string | undefined;
  readonly after?: string | undefined;
}

function Decided({ step: { changed = [], diff } }: { step: TimelineStep }): ComponentChildren {
  const changes = Array.isArray(diff) ? (diff as unknown as readonly Change[]) : [];
  if (changes.length === 0) return null;
  return (
    <details class="decided">
      <summary>{`What it decided: ${changed.join(', ')}`}</summary>
      <dl>
        {changes.map(({ field, removed, added, before = removed, after = added }, index) => (
          <div key={index}>
            <dt>{field}</dt>
            {before !== undefined && before !== '' && (
              <dd>
                <del>{before}</del>
              </dd>
            )}
            {after !== undefined && after !== '' && (
              <dd>
                <ins>{after}</ins>
              </dd>
            )}
          </div>
        ))}
      </dl>
    </details>
  );
}
