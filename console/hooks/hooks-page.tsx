// The life of a message with the handlers at their places, and the plugins that brought them: called or not and why, how
// often, how long, with which errors.

import { useEffect, useState } from 'preact/hooks';
import type { HandlerStatus, PluginStatus } from '../client/gateway-client.ts';
import { type ConsoleState, sentenceOf } from '../console-state.ts';
import { formatClock, formatCount, formatDuration } from '../view/format.ts';
import { placeHandlers } from './lifecycle.ts';

export default function HooksPage({ state }: { state: ConsoleState }) {
  const client = state.entered.value?.client;
  const [handlers, setHandlers] = useState<readonly HandlerStatus[] | undefined>(undefined);
  const [plugins, setPlugins] = useState<readonly PluginStatus[]>([]);
  const [problem, setProblem] = useState('');
  const [busy, setBusy] = useState('');
  const read = async () => {
    if (!client) return;
    try {
      const [hooks, listed] = await Promise.all([client.hooks(), client.plugins()]);
      setHandlers(hooks);
      setPlugins(listed);
    } catch (error) {
      setProblem(sentenceOf(error));
    }
  };
  useEffect(() => void read(), [client]);
  const act = async (name: string, action: () => Promise<unknown>) => {
    setBusy(name);
    setProblem('');
    try {
      await action();
      await read();
    } catch (error) {
      setProblem(sentenceOf(error));
    }
    setBusy('');
  };
  if (!handlers || !client) return problem === '' ? null : <p class="page-problem problem">{problem}</p>;
  return (
    <div class="plain-page">
      {problem !== '' && (
        <p class="page-problem problem" role="alert">
          {problem}
        </p>
      )}
      <section class="block" aria-label="The life of a message">
        <h3>The life of a message, and who steps in</h3>
        <ol class="stations">
          {placeHandlers(handlers).map(({ title, hooks }) => (
            <li key={title} class={hooks.length === 0 ? 'station free' : 'station'}>
              <h4>{title}</h4>
              {hooks.length === 0 && <p class="none">no handler</p>}
              {hooks.map(({ hook, handlers: own }) => (
                <div key={hook} class="hook">
                  <code>{hook}</code>
                  {own.map((handler, index) => (
                    <Handler
                      key={index}
                      handler={handler}
                      isBusy={busy === handler.id}
                      onRearm={() => void act(handler.id, () => client.rearm(handler.id))}
                    />
                  ))}
                </div>
              ))}
            </li>
          ))}
        </ol>
      </section>
      <section class="block" aria-label="Plugins">
        <h3>Plugins</h3>
        {plugins.length === 0 && (
          <p class="none">
            There are none. Install one with <code>atrium plugins install PACKAGE</code>.
          </p>
        )}
        <ul class="cards">
          {plugins.map((plugin) => (
            <li key={plugin.id} class="card">
              <header>
                <b>{plugin.name}</b>
                <span class="state" data-state={plugin.state}>
                  {plugin.state}
                </span>
              </header>
              <p class="soft">{[plugin.version, plugin.origin, plugin.where].filter(Boolean).join(' · ')}</p>
              <p class="soft">{plugin.reason}</p>
              <button
                type="button"
                class="quiet small"
                disabled={busy !== ''}
                onClick={() => void act(plugin.id, () => client.reloadPlugin(plugin.id))}
              >
                {busy === plugin.id ? 'Reloading…' : 'Reload'}
              </button>
            </li>
          ))}
        </ul>
      </section>
    </div>
  );
}

interface HandlerProps {
  readonly handler: HandlerStatus;
  readonly isBusy: boolean;
  onRearm(): void;
}

function Handler({ handler, isBusy, onRearm }: HandlerProps) {
  const { id, owner, state, reason, calls, errors, timeouts, p50Ms, p95Ms, lastFiredAt, lastFailure } = handler;
  return (
    <div class="handler" data-state={state}>
      <header>
        <b>{id === owner ? owner : `${id} of ${owner}`}</b>
        <span class="state" data-state={state}>
          {state}
        </span>
      </header>
      <p class="soft">
        {[
          `${formatCount(calls)} calls`,
          ...(p50Ms === null ? [] : [`p50 ${formatDuration(p50Ms)}`]),
          ...(p95Ms === null ? [] : [`p95 ${formatDuration(p95Ms)}`]),
          ...(errors + timeouts > 0 ? [`${formatCount(errors)} errors, ${formatCount(timeouts)} timeouts`] : []),
          ...(lastFiredAt === null ? [] : [`last ${formatClock(lastFiredAt)}`]),
        ].join(' · ')}
      </p>
      {reason !== null && <p class="soft">{reason}</p>}
      {lastFailure && (
        <p class="problem">{`${lastFailure.outcome}${lastFailure.error === null ? '' : `: ${lastFailure.error}`}`}</p>
      )}
      {state === 'suspended' && (
        <button type="button" class="quiet small" disabled={isBusy} onClick={onRearm}>
          Call it again
        </button>
      )}
    </div>
  );
}
