// The channels with their promise and their accounts: connected or not, since when, and what to do about it.

import type { GatewayStatus } from '../client/operator-client.ts';
import { formatClock } from '../view/format.ts';
import { Block } from './block.tsx';

export interface ChannelHealthProps {
  readonly channels: GatewayStatus['channels'];
  readonly busy: string;
  onReopen(id: string): void;
}

export function ChannelHealth({ channels, busy, onReopen }: ChannelHealthProps) {
  return (
    <Block title="Channels" empty={channels.length === 0 && 'No channel is open.'}>
      <ul class="lines">
        {channels.map(({ id, guarantee, accounts }) => (
          <li key={id}>
            <div class="what">
              <p>
                <b>{id}</b>
                <span class="tag" title={guarantee.because}>
                  {guarantee.level}
                </span>
              </p>
              {accounts?.map(({ accountId, name, state, detail, nextStep, since }) => (
                <div key={accountId} class="account">
                  <p>
                    <span class="state" data-state={STATES[state] ?? 'pending'}>
                      {state}
                    </span>
                    <span class="soft">
                      {[accountId === 'default' ? '' : accountId, name, since && `since ${formatClock(since)}`]
                        .filter(Boolean)
                        .join(' · ')}
                    </span>
                  </p>
                  {detail !== undefined && <p class={state === 'failed' ? 'problem' : 'soft'}>{detail}</p>}
                  {nextStep !== undefined && <p class="why">{nextStep}</p>}
                </div>
              ))}
            </div>
            {accounts && (
              <button type="button" class="quiet small" disabled={busy !== ''} onClick={() => onReopen(id)}>
                {busy === `reopen ${id}` ? 'Opening…' : 'Open again'}
              </button>
            )}
          </li>
        ))}
      </ul>
    </Block>
  );
}

/** The colour of a state; every other one is on its way. */
const STATES: Readonly<Record<string, string>> = { connected: 'done', failed: 'failed', stopped: 'stopped' };
