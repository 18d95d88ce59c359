// The request as a document: every unit that the model reads, each piece in the colour of its author. A piece that is
// pointed at, or has the focus, is told about beside the document.

import { useState } from 'preact/hooks';
import { formatCount } from '../view/format.ts';
import type { RequestPiece, RequestUnit, RequestView } from './request-view.ts';

export interface RequestDocumentProps {
  readonly view: RequestView;
  readonly pointedAt: number | undefined;
  /** The name of an author that is looked at; other pieces are pale. */
  readonly only: string | undefined;
  onPoint(index: number): void;
}

export function RequestDocument({ view, pointedAt, only, onPoint }: RequestDocumentProps) {
  return (
    <div id="request" class="request">
      {view.units.map((unit) => (
        <Unit
          key={`${unit.where} ${unit.title} ${unit.pieces[0]?.index}`}
          {...{ unit, pointedAt, only, onPoint }}
          brokenAt={view.brokenAt}
        />
      ))}
    </div>
  );
}

interface UnitProps extends Omit<RequestDocumentProps, 'view'> {
  readonly unit: RequestUnit;
  readonly brokenAt: number | undefined;
}

function Unit({ unit, pointedAt, only, brokenAt, onPoint }: UnitProps) {
  // Of a request, the tools are long and seldom read.
  const [isOpen, setOpen] = useState(unit.where !== 'tools');
  const isPointed = unit.pieces.some(({ index }) => index === pointedAt);
  return (
    <>
      <details class="unit" open={isOpen || isPointed} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>
          <span class="title">{unit.title}</span>
          <span class="size">{`${formatCount(unit.chars)} characters · about ${formatCount(unit.tokens)} tokens`}</span>
        </summary>
        <pre>
          {unit.pieces.map((piece) => (
            <Piece
              key={piece.index}
              piece={piece}
              isOn={piece.index === pointedAt}
              isBroken={piece.index === brokenAt}
              isPale={only !== undefined && piece.author.name !== only}
              onPoint={onPoint}
            />
          ))}
        </pre>
      </details>
      {unit.isBoundary && (
        <p class="boundary">
          <span>Cache boundary: all above is the same in every session</span>
        </p>
      )}
    </>
  );
}

interface PieceProps {
  readonly piece: RequestPiece;
  readonly isOn: boolean;
  readonly isPale: boolean;
  /** Here the request first differs from the one before it. */
  readonly isBroken: boolean;
  onPoint(index: number): void;
}

function Piece({ piece, isOn, isPale, isBroken, onPoint }: PieceProps) {
  const { author, span, index } = piece;
  const names = ['piece', author.kind, isOn && 'on', isBroken && 'broken', isPale && 'pale'].filter(Boolean).join(' ');
  const text =
    span.text ??
    (span.chars === 0 ? `[${span.origin}]` : `[${formatCount(span.chars)} characters that are not kept any more]`);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it is read, and tells who wrote it when it is pointed at.
    <span
      id={`piece-${index}`}
      class={names}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: without a mouse, the focus is what points at it.
      tabIndex={0}
      onMouseMove={() => onPoint(index)}
      onFocus={() => onPoint(index)}
    >
      {text}
    </span>
  );
}
