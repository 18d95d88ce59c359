// The tokens of each day as bars, with a table that says the same.

import type { UsageDay } from '../client/operator-client.ts';
import { formatCount } from '../view/format.ts';
import { Block } from './block.tsx';

export function UsageByDay({ days }: { days: readonly UsageDay[] }) {
  const sorted = days.toSorted((one, other) => other.key.localeCompare(one.key)).slice(0, 14);
  const most = Math.max(1, ...sorted.map(({ input, output }) => input + output));
  return (
    <Block title="Tokens by day" empty={sorted.length === 0 && 'No model has been called yet.'}>
      <table class="list usage">
        <thead>
          <tr>
            <th scope="col">Day</th>
            <th scope="col">Calls</th>
            <th scope="col">In</th>
            <th scope="col">Out</th>
            <th scope="col">Cost</th>
          </tr>
        </thead>
        <tbody>
          {sorted.map(({ key, calls, input, output, cost }) => (
            <tr key={key} style={{ '--share': `${(100 * (input + output)) / most}%` }}>
              <td>{key}</td>
              <td class="number">{formatCount(calls)}</td>
              <td class="number">{formatCount(input)}</td>
              <td class="number">{formatCount(output)}</td>
              <td class="number">{cost === null ? 'unknown' : cost.toFixed(4)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Block>
  );
}
