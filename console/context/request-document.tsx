// The request as a document: every unit that the model reads, each piece in the colour of its author, with the cache
// boundary and the place from which it is new.

import { useMemo } from 'preact/hooks';
import { formatCount } from '../view/format.ts';
import { drawText, type Pointing, type TextItem, usePointing } from './request-text.tsx';
import type { RequestPiece, RequestUnit, RequestView } from './request-view.ts';

export function RequestDocument({ isHidden, ...pointing }: Pointing & { readonly isHidden: boolean }) {
  const { view } = pointing;
  const { box, handlers } = usePointing(pointing);
  const drawn = useMemo(() => drawUnits(view), [view]);
  return (
    <div id="request" class="request" ref={box} hidden={isHidden} {...handlers}>
      {drawn}
    </div>
  );
}

function drawUnits(view: RequestView) {
  const named = new Set<number>();
  return view.units.map((unit) => {
    const isLast = unit.boundaryAfter !== undefined && unit.boundaryAfter === unit.pieces.at(-1)?.index;
    return (
      <>
        {/* Of a request, the tools are long and seldom read. */}
        <details key={`${unit.where} ${unit.pieces[0]?.index}`} class="unit" open={unit.where !== 'tools'}>
          <summary>
            <span class="title">{unit.title}</span>
            <span class="size">{`${formatCount(unit.chars)} characters · about ${formatCount(unit.tokens)} tokens`}</span>
          </summary>
          <div class="unit-text">{drawText(itemsOf(unit, view), view, named)}</div>
        </details>
        {isLast && <div class="text-mark boundary" role="note" aria-label={BOUNDARY} />}
      </>
    );
  });
}

const BOUNDARY = 'Cache boundary: all above is the same in every session';

function itemsOf(unit: RequestUnit, { newAt }: RequestView): readonly TextItem[] {
  const last = unit.pieces.at(-1)?.index;
  return unit.pieces.flatMap((piece): TextItem[] => {
    const { index } = piece;
    const text = textOf(piece);
    const words: TextItem[] =
      newAt?.piece === index
        ? [
            { text: text.slice(0, newAt.char), piece: index },
            newAt.isBreak ? { mark: 'break', label: BREAK } : { mark: 'new', label: NEW },
            { text: text.slice(newAt.char), piece: index },
          ]
        : [{ text, piece: index }];
    const isBoundary = unit.boundaryAfter === index && index !== last;
    return isBoundary ? [...words, { mark: 'boundary', label: BOUNDARY }] : words;
  });
}

const BREAK = 'The prefix broke here: all above is as in the request before';
const NEW = 'New from here: all above is as in the request before';

function textOf({ span }: RequestPiece): string {
  if (span.text !== undefined && span.text !== '') return span.text;
  return span.chars === 0 ? `[${span.origin}]` : `[${formatCount(span.chars)} characters that are not kept any more]`;
}
