// The tokens of a request as areas, by part and author. It is drawn with plain elements, so that each area can be pressed
// and read aloud.

import { hierarchy, treemap } from 'd3-hierarchy';
import type { RequestMeasure } from '../client/gateway-client.ts';
import { formatCount } from '../view/format.ts';
import { authorOf } from './author.ts';

interface Node {
  readonly name: string;
  readonly kind: string;
  readonly part: string;
  readonly tokens: number;
  readonly children?: readonly Node[];
}

export interface TokenMapProps {
  readonly measure: RequestMeasure;
  readonly only: string | undefined;
  onPick(name: string | undefined): void;
}

export default function TokenMap({ measure, only, onPick }: TokenMapProps) {
  const root = hierarchy<Node>(toNodes(measure), ({ children }) => children as Node[] | undefined)
    .sum(({ children, tokens }) => (children ? 0 : tokens))
    .sort((one, other) => (other.value ?? 0) - (one.value ?? 0));
  const leaves = treemap<Node>().size([WIDTH, HEIGHT]).paddingInner(2).round(true)(root).leaves();
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would be drawn as one.
    <div class="token-map" role="group" aria-label="Tokens by author">
      {leaves.map(({ x0, x1, y0, y1, data }) => (
        <button
          key={`${data.part} ${data.name}`}
          type="button"
          class={`area ${data.kind}${hasRoom(x1 - x0, y1 - y0) ? '' : ' tiny'}`}
          aria-pressed={only === data.name}
          title={`${data.name} (${data.part}): ${formatCount(data.tokens)} tokens`}
          style={{
            left: `${(100 * x0) / WIDTH}%`,
            top: `${(100 * y0) / HEIGHT}%`,
            width: `${(100 * (x1 - x0)) / WIDTH}%`,
            height: `${(100 * (y1 - y0)) / HEIGHT}%`,
          }}
          onClick={() => onPick(only === data.name ? undefined : data.name)}
        >
          {hasRoom(x1 - x0, y1 - y0) ? (
            <>
              <span>{shortName(data.name)}</span>
              <b>{formatCount(data.tokens)}</b>
            </>
          ) : (
            <span class="hidden">{data.name}</span>
          )}
        </button>
      ))}
    </div>
  );
}

/** Whether a name and a number fit into the rectangle. */
function hasRoom(width: number, height: number): boolean {
  return width > 34 && height > 24;
}

const WIDTH = 320;
const HEIGHT = 200;

function toNodes({ parts }: RequestMeasure): Node {
  const children = parts.map(({ part, authors }): Node => {
    const where = part === 'system' || part === 'tools' ? part : 'messages';
    const members = authors
      .filter(({ tokens }) => tokens > 0)
      .map(({ origin, tokens }): Node => {
        const { name, kind } = authorOf({ origin, where });
        return { name, kind, part, tokens };
      });
    return { name: part, kind: 'other', part, tokens: 0, children: members };
  });
  return {
    name: 'request',
    kind: 'other',
    part: '',
    tokens: 0,
    children: children.filter(({ children: own }) => own?.length),
  };
}

function shortName(name: string): string {
  return name.split('/').at(-1) ?? name;
}
