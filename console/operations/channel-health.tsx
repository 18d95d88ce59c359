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
  const platforms = channels.filter(({ accounts }) => accounts);
  return (
    <Block title="Channels">
      <ul class="lines">
        <li>
          <p class="own">
            {channels
              .filter(({ accounts }) => !accounts)
              .map(({ id, guarantee }) => (
                <span key={id} title={guarantee.because}>
                  <b>{id}</b>
                  <span class="tag">{guarantee.level}</span>
                </span>
              ))}
          </p>
        </li>
        {platforms.map(({ id, guarantee, accounts }) => (
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
            <button type="button" class="quiet small" disabled={busy !== ''} onClick={() => onReopen(id)}>
              {busy === `reopen ${id}` ? 'Opening…' : 'Open again'}
            </button>
          </li>
        ))}
      </ul>
      {platforms.length === 0 && (
        <p class="none">
          {'No chat platform is connected. Add one with '}
          <code>atrium channels add</code>.
        </p>
      )}
    </Block>
  );
}

/** The colour of a state; every other one is on its way. */
const STATES: Readonly<Record<string, string>> = { connected: 'done', failed: 'failed', stopped: 'stopped' };
