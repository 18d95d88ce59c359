// What an operator looks at: who waits for an answer, what was given up, what runs next, how the channels are, what was
// spent, and what of the configuration is not used.

import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Operations } from '../client/gateway-client.ts';
import { type ConsoleState, sentenceOf } from '../console-state.ts';
import { formatClock, formatCount, formatElapsed, formatPlural } from '../view/format.ts';
import { GatewayNotes } from '../view/gateway-notes.tsx';
import { Link } from '../view/link.tsx';
import { PairingRequests } from '../view/pairing-requests.tsx';
import { UsagePlot } from './usage-plot.tsx';

export default function OperationsPage({ state }: { state: ConsoleState }) {
  const client = state.entered.value?.client;
  const [shown, setShown] = useState<Operations | undefined>(undefined);
  const [problem, setProblem] = useState('');
  const [busy, setBusy] = useState('');
  const read = async () => {
    try {
      if (client) setShown(await client.operations());
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
  if (!shown || !client) return problem === '' ? null : <p class="page-problem problem">{problem}</p>;
  const { status, approvals, deadLetters, jobs, limits, usage } = shown;
  return (
    <div class="plain-page">
      {problem !== '' && (
        <p class="page-problem problem" role="alert">
          {problem}
        </p>
      )}
      <ul class="figures" aria-label="Figures">
        <Figure label="Running" value={formatCount(status.running.length)} />
        <Figure label="Waiting" value={formatCount(status.waiting)} />
        <Figure label="Sessions" value={formatCount(status.sessions)} />
        <Figure label="Outbox" value={formatCount(status.outbox.queued)} isBad={status.outbox.failed > 0} />
        <Figure
          label="Dead letters"
          value={formatCount(status.deadLetters.in + status.deadLetters.out)}
          isBad={status.deadLetters.in + status.deadLetters.out > 0}
        />
        <Figure label="Up for" value={formatElapsed(Date.now() - status.startedAt)} />
      </ul>
      <GatewayNotes warnings={status.warnings} unused={status.unused} />
      <PairingRequests
        requests={state.pairings.value}
        answering={state.answering.value}
        onAnswer={state.answerPairing}
      />
      <div class="grid">
        <Block title="Approvals that wait" isEmpty={approvals.length === 0} empty="No tool waits for you.">
          {approvals.map(({ id, title, description, sessionKey, expiresAt }) => (
            <li key={id} class="card">
              <header>
                <b>{title}</b>
                <span class="soft">{`until ${formatClock(expiresAt)}`}</span>
              </header>
              <pre>{description}</pre>
              <div class="choices">
                <button
                  type="button"
                  class="small"
                  disabled={busy !== ''}
                  onClick={() => void act(id, () => client.answerApproval(id, 'allow-once'))}
                >
                  Allow once
                </button>
                <button
                  type="button"
                  class="quiet small"
                  disabled={busy !== ''}
                  onClick={() => void act(id, () => client.answerApproval(id, 'deny'))}
                >
                  Deny
                </button>
                <Link class="ghost" to={{ page: 'session', session: sessionKey }}>
                  Conversation
                </Link>
              </div>
            </li>
          ))}
        </Block>
        <Block
          title="Dead letters"
          isEmpty={deadLetters.length === 0}
          empty="Nothing was given up. What cannot be delivered or run stands here and is never sent by itself."
        >
          {deadLetters.map(({ id, direction, reason, createdAt, payload }) => (
            <li key={id} class="card">
              <header>
                <b>{direction === 'in' ? 'A message that no run answered' : 'An answer that did not arrive'}</b>
                <span class="soft">{formatClock(createdAt)}</span>
              </header>
              <p class="problem">{reason}</p>
              <details>
                <summary>Show it</summary>
                <pre>{JSON.stringify(payload, null, 2)}</pre>
              </details>
              <div class="choices">
                <button
                  type="button"
                  class="small"
                  disabled={busy !== ''}
                  onClick={() => void act(id, () => client.replayDeadLetter(id))}
                >
                  Send it again
                </button>
                <button
                  type="button"
                  class="quiet small"
                  disabled={busy !== ''}
                  onClick={() => void act(id, () => client.removeDeadLetter(id))}
                >
                  Remove
                </button>
              </div>
            </li>
          ))}
        </Block>
        <Block
          title="Scheduled"
          isEmpty={jobs.length === 0}
          empty="No job is planned. Add one with “atrium cron add”, or ask an agent to remind you."
        >
          {jobs.map(({ id, name, agentId, enabled, nextAt, message }) => (
            <li key={id} class="card">
              <header>
                <b>{name}</b>
                <span class="state" data-state={enabled ? 'armed' : 'disabled'}>
                  {enabled ? (nextAt === null ? 'over' : `next ${formatClock(nextAt)}`) : 'resting'}
                </span>
              </header>
              <p class="soft">{`${agentId}: ${message.slice(0, 160)}`}</p>
              <button
                type="button"
                class="quiet small"
                disabled={busy !== ''}
                onClick={() => void act(id, () => client.runJob(id))}
              >
                {busy === id ? 'Starting…' : 'Run now'}
              </button>
            </li>
          ))}
        </Block>
        <Block title="Channels" isEmpty={status.channels.length === 0} empty="No channel is open.">
          {status.channels.map(({ id, guarantee, accounts = [] }) => (
            <li key={id} class="card">
              <header>
                <b>{id}</b>
                <span class="soft">{guarantee.level}</span>
              </header>
              {accounts.map(({ accountId, state: health, detail, nextStep }) => (
                <p key={accountId} class={health === 'failed' ? 'problem' : 'soft'}>
                  {[accountId, health, detail, nextStep].filter(Boolean).join(' · ')}
                </p>
              ))}
            </li>
          ))}
        </Block>
        <Block
          title="Limits on spending"
          isEmpty={limits.length === 0}
          empty="There is no limit. Set one with “limits.spend” in the configuration."
        >
          {limits.map(({ setting, per, money, tokens, counters }) => (
            <li key={setting} class="card">
              <header>
                <b>{`${money === null ? formatPlural(tokens ?? 0, 'token') : money} per ${per}`}</b>
                <code>{setting}</code>
              </header>
              {counters.map(({ period, share, agent, session, sender }) => (
                <div key={`${period} ${agent} ${session} ${sender}`}>
                  <p class="soft">{[agent, session, sender, period].filter(Boolean).join(' · ')}</p>
                  <div class="share" role="img" aria-label={`${Math.round(100 * share)} % spent`}>
                    <i class={share >= 1 ? 'over' : undefined} style={{ width: `${Math.min(100, 100 * share)}%` }} />
                  </div>
                </div>
              ))}
            </li>
          ))}
        </Block>
        <section class="block" aria-label="Tokens by day">
          <h3>Tokens by day</h3>
          <UsagePlot days={usage} />
        </section>
      </div>
    </div>
  );
}

function Figure({ label, value, isBad = false }: { label: string; value: string; isBad?: boolean }) {
  return (
    <li class={isBad ? 'bad' : undefined}>
      <b>{value}</b>
      <span>{label}</span>
    </li>
  );
}

interface BlockProps {
  readonly title: string;
  readonly isEmpty: boolean;
  readonly empty: string;
  readonly children: ComponentChildren;
}

function Block({ title, isEmpty, empty, children }: BlockProps) {
  return (
    <section class="block" aria-label={title}>
      <h3>{title}</h3>
      {isEmpty ? <p class="none">{empty}</p> : <ul class="cards">{children}</ul>}
    </section>
  );
}
