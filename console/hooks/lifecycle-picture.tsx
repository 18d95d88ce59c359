// The life of a message from top to bottom, with the handlers hanging at their hooks in the order in which they are called.
// Names and errors are those of plugins, so they are shown as plain text.

import type { HandlerStatus } from '../client/operator-client.ts';
import { formatClock, formatCount, formatDuration } from '../view/format.ts';
import { placeHandlers, type StationHandlers } from './lifecycle.ts';

export interface LifecyclePictureProps {
  readonly handlers: readonly HandlerStatus[];
  readonly busy: string;
  onRearm(handler: HandlerStatus): void;
}

export function LifecyclePicture({ handlers, ...rest }: LifecyclePictureProps) {
  const stations = placeHandlers(handlers);
  return (
    <>
      <h3 class="hidden">The path of a message</h3>
      <ol class="life" aria-label="From the message to its answer">
        {stations
          .filter(({ isBeside }) => !isBeside)
          .map((station) => (
            <StationView key={station.title} station={station} {...rest} />
          ))}
      </ol>
      <h3 class="beside-title">Beside the path of a message</h3>
      <ol class="life beside" aria-label="Beside the path of a message">
        {stations
          .filter(({ isBeside }) => isBeside)
          .map((station) => (
            <StationView key={station.title} station={station} {...rest} />
          ))}
      </ol>
    </>
  );
}

type StationProps = Omit<LifecyclePictureProps, 'handlers'> & { readonly station: StationHandlers<HandlerStatus> };

function StationView({ station, ...rest }: StationProps) {
  const { title, text, armed, free } = station;
  return (
    <li class={armed.length === 0 ? 'station free' : 'station'}>
      <div class="where">
        <h4>{title}</h4>
        <p>{text}</p>
      </div>
      <div class="who">
        {armed.map(({ hook, handlers }) => (
          <section key={hook} class="hook" aria-label={hook}>
            <h5>
              <code>{hook}</code>
            </h5>
            <ol>
              {handlers.map((handler, index) => (
                <HandlerRow key={`${handler.owner} ${handler.id} ${index}`} handler={handler} {...rest} />
              ))}
            </ol>
          </section>
        ))}
        {free.length > 0 && (
          <p class="free-hooks">
            <span>{armed.length === 0 ? 'No handler at ' : 'none at '}</span>
            {free.map((hook) => (
              <code key={hook}>{hook}</code>
            ))}
          </p>
        )}
      </div>
    </li>
  );
}

type RowProps = Omit<LifecyclePictureProps, 'handlers'> & { readonly handler: HandlerStatus };

function HandlerRow({ handler, busy, onRearm }: RowProps) {
  const { id, owner, state, reason, calls, errors, timeouts, notCalled, lastFiredAt, lastFailure } = handler;
  return (
    <li class="handler" data-state={state}>
      <details>
        <summary>
          <span class="name">
            <b>{id}</b>
            {id !== owner && <span>{owner}</span>}
          </span>
          <span class="state" data-state={state}>
            {state}
          </span>
          <span class="number">
            {calls === 0 ? 'never called' : `${formatCount(calls)} ${calls === 1 ? 'call' : 'calls'}`}
          </span>
          <span class="number wide">{times(handler)}</span>
          <span class="number wide">{lastFiredAt === null ? '' : formatClock(lastFiredAt)}</span>
        </summary>
        <dl class="facts">
          <Fact
            name="Priority"
            value={handler.priority === null ? 'in the order of loading' : String(handler.priority)}
          />
          <Fact name="Deadline" value={handler.timeoutMs === null ? 'none' : formatDuration(handler.timeoutMs)} />
          <Fact name="p50, p95" value={times(handler) || 'not called yet'} />
          <Fact name="Errors, timeouts" value={`${formatCount(errors)}, ${formatCount(timeouts)}`} />
          <Fact name="Passed over" value={formatCount(notCalled)} />
          <Fact name="Last fired" value={lastFiredAt === null ? 'never' : formatClock(lastFiredAt)} />
        </dl>
      </details>
      {reason !== null && <p class="why">{reason}</p>}
      {lastFailure && (
        <p class="problem">
          {`${lastFailure.outcome} at ${formatClock(lastFailure.at)}${lastFailure.error === null ? '' : `: ${lastFailure.error}`}`}
        </p>
      )}
      {(state === 'suspended' || state === 'failed') && (
        <button type="button" class="quiet small" disabled={busy !== ''} onClick={() => onRearm(handler)}>
          {busy === id ? 'One moment…' : 'Call it again'}
        </button>
      )}
    </li>
  );
}

function times({ p50Ms, p95Ms }: HandlerStatus): string {
  if (p50Ms === null) return '';
  return `${shortTime(p50Ms)} · ${shortTime(p95Ms ?? p50Ms)}`;
}

/** Handlers are quick, so a whole millisecond is too coarse for most of them. */
function shortTime(ms: number): string {
  return ms < 10 ? `${ms.toFixed(1)} ms` : formatDuration(ms);
}

function Fact({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}
