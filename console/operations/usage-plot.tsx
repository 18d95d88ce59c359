// The tokens of each day as a small plot. The plotter is loaded when there are at least two days; a table beside it says
// the same to who cannot see it.

import { useEffect, useRef } from 'preact/hooks';
import type { UsageDay } from '../client/gateway-client.ts';
import { formatCount } from '../view/format.ts';
import 'uplot/dist/uPlot.min.css';

export function UsagePlot({ days }: { days: readonly UsageDay[] }) {
  const box = useRef<HTMLDivElement>(null);
  const sorted = days.toSorted((one, other) => one.key.localeCompare(other.key));
  useEffect(() => {
    if (sorted.length < 2 || !box.current) return;
    let plot: { destroy(): void } | undefined;
    let isGone = false;
    void import('uplot').then(({ default: Plot }) => {
      if (isGone || !box.current) return;
      const style = getComputedStyle(document.documentElement);
      const axis = {
        stroke: style.getPropertyValue('--soft'),
        grid: { stroke: style.getPropertyValue('--line'), width: 1 },
      };
      plot = new Plot(
        {
          width: box.current.clientWidth,
          height: 160,
          legend: { show: false },
          cursor: { show: false },
          axes: [axis, { ...axis, size: 64 }],
          series: [
            {},
            {
              label: 'tokens',
              stroke: style.getPropertyValue('--accent'),
              fill: style.getPropertyValue('--accent-ground'),
              width: 2,
            },
          ],
        },
        [
          sorted.map(({ key }) => Date.parse(`${key}T00:00:00Z`) / 1_000),
          sorted.map(({ input, output }) => input + output),
        ],
        box.current,
      );
    });
    return () => {
      isGone = true;
      plot?.destroy();
    };
  }, [JSON.stringify(sorted)]);
  if (sorted.length === 0) return <p class="none">No model has been called yet.</p>;
  return (
    <>
      <div ref={box} class="plot" aria-hidden="true" />
      <table class="list">
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
          {sorted.slice(-7).map(({ key, calls, input, output, cost }) => (
            <tr key={key}>
              <td>{key}</td>
              <td class="number">{formatCount(calls)}</td>
              <td class="number">{formatCount(input)}</td>
              <td class="number">{formatCount(output)}</td>
              <td class="number">{cost === null ? 'unknown' : cost.toFixed(4)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}
