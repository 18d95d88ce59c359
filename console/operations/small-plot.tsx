// A line without axes, as high as a few words. The number beside it says the last value to everybody; the plotter is loaded
// with the first plot.

import { useEffect, useRef } from 'preact/hooks';
import type uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';

export interface SmallPlotProps {
  /** Seconds since 1970. */
  readonly times: readonly number[];
  readonly values: readonly number[];
}

const HEIGHT = 40;

export function SmallPlot({ times, values }: SmallPlotProps) {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | undefined>(undefined);
  const data = useRef<uPlot.AlignedData>([[], []]);
  data.current = [[...times], [...values]];
  useEffect(() => {
    let isGone = false;
    const resize = new ResizeObserver(() => {
      if (box.current) plot.current?.setSize({ width: box.current.clientWidth, height: HEIGHT });
    });
    void import('uplot').then(({ default: Plot }) => {
      if (isGone || !box.current) return;
      // The plotter draws on a canvas, so it reads the colours of the theme as they are now.
      const style = getComputedStyle(box.current);
      plot.current = new Plot(
        {
          width: box.current.clientWidth,
          height: HEIGHT,
          padding: [4, 0, 2, 0],
          legend: { show: false },
          cursor: { show: false },
          axes: [{ show: false }, { show: false }],
          scales: { y: { range: (_, least, most) => rangeOf(least, most) } },
          series: [{}, { stroke: () => style.stroke, fill: () => style.fill, width: 1.5, points: { show: false } }],
        },
        data.current,
        box.current,
      );
      resize.observe(box.current);
    });
    return () => {
      isGone = true;
      resize.disconnect();
      plot.current?.destroy();
      plot.current = undefined;
    };
  }, []);
  useEffect(() => plot.current?.setData(data.current), [times.at(-1), times.length]);
  return <div ref={box} class="plot" aria-hidden="true" />;
}

/** A series that hardly moves is drawn as a calm line, not as noise over the whole height. */
function rangeOf(least: number, most: number): [number, number] {
  const room = Math.max((most - least) * 0.15, Math.abs(most) * 0.1, 0.1);
  return [Math.max(0, least - room), most + room];
}
