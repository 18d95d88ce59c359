// How the gateway is now: its pulse, who waits for an answer, what was given up, how the channels are, what was spent,
// whether every message is accounted for, and what of the configuration is not used.

import type { ConsoleState } from '../console-state.ts';
import { GatewayNotes } from '../view/gateway-notes.tsx';
import { PairingRequests } from '../view/pairing-requests.tsx';
import { useAction } from '../view/use-action.ts';
import { useLive, useOperatorClient } from '../view/use-live.ts';
import { ChannelHealth } from './channel-health.tsx';
import { ConservationView } from './conservation-view.tsx';
import { DeadLetters } from './dead-letters.tsx';
import { PulsePlots } from './pulse-plots.tsx';
import { SpendLimits } from './spend-limits.tsx';
import { UsageByDay } from './usage-by-day.tsx';
import { WaitingApprovals } from './waiting-approvals.tsx';

export function Overview({ state }: { state: ConsoleState }) {
  const client = useOperatorClient(state);
  const { act, busy, problem } = useAction();
  const status = useLive(
    state,
    ['runs', 'sessions', 'channels', 'config', 'plugins', 'approvals', 'dead-letters'],
    (asked) => asked.status(),
  );
  const approvals = useLive(state, ['approvals'], (asked) => asked.approvals());
  const letters = useLive(state, ['dead-letters'], (asked) => asked.deadLetters());
  const spending = useLive(state, ['usage', 'config'], (asked) => asked.spending());
  const usage = useLive(state, ['usage', 'config'], (asked) => asked.usageByDay());
  const kept = useLive(state, ['runs', 'deliveries'], (asked) => asked.conservation());
  const trouble = problem || status.problem;
  if (!client || !status.value) return trouble === '' ? null : <p class="page-problem problem">{trouble}</p>;
  const change = (name: string, work: () => Promise<unknown>, after: { readAgain(): Promise<void> }) =>
    void act(name, () => work().then(() => after.readAgain()));
  return (
    <>
      {trouble !== '' && (
        <p class="page-problem problem" role="alert">
          {trouble}
        </p>
      )}
      <GatewayNotes
        warnings={status.value.warnings}
        changedSinceStart={status.value.changedSinceStart}
        unused={status.value.unused}
      />
      <PulsePlots state={state} status={status.value} />
      <PairingRequests
        requests={state.pairings.value}
        answering={state.answering.value}
        onAnswer={state.answerPairing}
      />
      <div class="halves">
        <div>
          <WaitingApprovals
            approvals={approvals.value ?? []}
            busy={busy}
            onAnswer={(id, decision) => change(id, () => client.answerApproval(id, decision), approvals)}
          />
          <DeadLetters
            letters={letters.value ?? []}
            busy={busy}
            onReplay={(id) => change(id, () => client.replayDeadLetter(id), letters)}
            onRemove={(id) => change(id, () => client.removeDeadLetter(id), letters)}
            onRemoveAll={() => change('all', () => client.removeAllDeadLetters(), letters)}
          />
          <ChannelHealth
            channels={status.value.channels}
            busy={busy}
            onReopen={(id) => change(`reopen ${id}`, () => client.reopenChannel(id), status)}
          />
        </div>
        <div>
          {kept.value && <ConservationView kept={kept.value} />}
          <SpendLimits limits={spending.value?.limits ?? []} days={usage.value ?? []} />
          <UsageByDay days={usage.value ?? []} />
        </div>
      </div>
    </>
  );
}
