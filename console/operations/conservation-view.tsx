// Whether every message of the last day is accounted for, as a bar and as numbers that add up.

import type { Conservation } from '../client/operator-client.ts';
import { formatCount } from '../view/format.ts';
import { Block } from './block.tsx';

export function ConservationView({ kept }: { kept: Conservation }) {
  const { accepted, unaccounted, deliveries } = kept;
  const ends = ENDS.map(([name, title]) => ({ name, title, count: kept[name] }));
  const sent = Object.values(deliveries).reduce((sum, count) => sum + count, 0);
  return (
    <Block
      title="Messages of the last day"
      note={
        accepted > 0 && (
          <p class={unaccounted > 0 ? 'problem' : 'good'}>
            {unaccounted > 0 ? `${formatCount(unaccounted)} not accounted for` : 'every one accounted for'}
          </p>
        )
      }
      empty={accepted === 0 && 'No message came in the last day. Write to an agent, and it is counted here.'}
    >
      <div class="ends" aria-hidden="true">
        {ends.map(({ name, count }) => (
          <i key={name} data-end={name} style={{ flexGrow: count }} hidden={count === 0} />
        ))}
      </div>
      <dl class="sums">
        <div class="whole">
          <dt>accepted</dt>
          <dd>{formatCount(accepted)}</dd>
        </div>
        {ends
          .filter(({ name, count }) => count > 0 || name === 'unaccounted')
          .map(({ name, title, count }) => (
            <div key={name} data-end={name}>
              <dt>{title}</dt>
              <dd>{formatCount(count)}</dd>
            </div>
          ))}
      </dl>
      <p class="soft">
        {`Parts of answers: ${formatCount(deliveries.sent)} of ${formatCount(sent)} arrived`}
        {(['queued', 'suppressed', 'failed', 'dead'] as const)
          .filter((name) => deliveries[name] > 0)
          .map((name) => `, ${formatCount(deliveries[name])} ${name}`)
          .join('')}
        .
      </p>
    </Block>
  );
}

const ENDS = [
  ['done', 'answered'],
  ['failed', 'failed'],
  ['stopped', 'stopped'],
  ['blocked', 'blocked'],
  ['suspended', 'wait for someone'],
  ['running', 'at work'],
  ['waiting', 'in their lane'],
  ['unaccounted', 'not accounted for'],
] as const satisfies readonly (readonly [keyof Conservation, string])[];
