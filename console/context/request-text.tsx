// The words of a request with their authors, drawn in blocks that the browser lays out when they come into sight, and with
// lines where the cache ends or the request is new. A piece that is pointed at or has the focus is told about beside it.
// The words are drawn once: what is pointed at changes classes and not the tree, so a request of megabytes stays quick.

import type { ComponentChildren, RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { chunkParts, type TextPart } from './chunk-parts.ts';
import type { RequestView } from './request-view.ts';

/** A line between two characters. The words are drawn by the style, so that the text of the page stays the request. */
export interface TextMark {
  readonly mark: 'boundary' | 'break' | 'new';
  readonly label: string;
}

export type TextItem = TextPart | TextMark;

/** The blocks of a text. `named` gives every piece an id, for links to it. */
export function drawText(items: readonly TextItem[], view: RequestView, named?: Set<number>): ComponentChildren {
  const drawn: ComponentChildren[] = [];
  let parts: TextPart[] = [];
  const close = () => {
    for (const block of chunkParts(parts)) {
      drawn.push(
        <div key={drawn.length} class="text-block">
          {block.map((part, index) => drawPart(part, index, view, named))}
        </div>,
      );
    }
    parts = [];
  };
  for (const item of items) {
    if (!('mark' in item)) {
      parts.push(item);
      continue;
    }
    close();
    const id = named && item.mark !== 'boundary' ? 'new-mark' : undefined;
    drawn.push(<div key={drawn.length} id={id} class={`text-mark ${item.mark}`} role="note" aria-label={item.label} />);
  }
  close();
  return drawn;
}

function drawPart({ text, piece }: TextPart, key: number, { pieces }: RequestView, named: Set<number> | undefined) {
  if (piece === undefined)
    return (
      <span key={key} class="form">
        {text}
      </span>
    );
  const isFirst = named !== undefined && !named.has(piece);
  named?.add(piece);
  return (
    <span
      key={key}
      id={isFirst ? `piece-${piece}` : undefined}
      class={`piece ${pieces[piece]?.author.kind ?? 'other'}`}
      data-piece={piece}
      tabIndex={isFirst ? (piece === 0 ? 0 : -1) : undefined}
    >
      {text}
    </span>
  );
}

export interface Pointing {
  readonly view: RequestView;
  readonly pointedAt: number | undefined;
  /** The name of an author that is looked at; other pieces are pale. */
  readonly only: string | undefined;
  onPoint(index: number): void;
}

/** Follows the mouse, the focus and the arrow keys over the pieces of an element. */
export function usePointing({ view, pointedAt, only, onPoint }: Pointing): {
  readonly box: RefObject<HTMLDivElement | null>;
  readonly handlers: object;
} {
  const box = useRef<HTMLDivElement>(null);
  const rest = useRef({ x: Number.NaN, y: Number.NaN });
  useLayoutEffect(() => {
    for (const old of box.current?.querySelectorAll('.piece.on') ?? []) old.classList.remove('on');
    for (const now of box.current?.querySelectorAll(`[data-piece="${pointedAt}"]`) ?? []) now.classList.add('on');
  }, [pointedAt, view]);
  useLayoutEffect(() => {
    for (const each of box.current?.querySelectorAll('[data-piece]') ?? []) {
      const name = view.pieces[pieceOf(each) ?? -1]?.author.name;
      each.classList.toggle('pale', only !== undefined && name !== only);
    }
  }, [only, view]);
  const point = ({ target }: Event) => {
    const index = pieceOf(target);
    if (index !== undefined && index !== pointedAt) onPoint(index);
  };
  /** When the page scrolls below a mouse that rests, nothing was pointed at. */
  const follow = (event: MouseEvent) => {
    const { x, y } = rest.current;
    rest.current = { x: event.screenX, y: event.screenY };
    if (x !== event.screenX || y !== event.screenY) point(event);
  };
  const move = (event: KeyboardEvent) => {
    const from = pieceOf(event.target);
    const to = from === undefined ? undefined : MOVES[event.key]?.(from, view.pieces.length);
    if (to === undefined) return;
    event.preventDefault();
    showPiece(to);
  };
  return { box, handlers: { onMouseMove: follow, onFocusIn: point, onKeyDown: move } };
}

const MOVES: Readonly<Record<string, (from: number, count: number) => number>> = {
  ArrowDown: (from, count) => Math.min(from + 1, count - 1),
  ArrowRight: (from, count) => Math.min(from + 1, count - 1),
  ArrowUp: (from) => Math.max(from - 1, 0),
  ArrowLeft: (from) => Math.max(from - 1, 0),
  Home: () => 0,
  End: (_, count) => count - 1,
};

/** Brings a piece into sight and gives it the focus; the part that it is in is opened. */
export function showPiece(index: number): void {
  showElement(document.getElementById(`piece-${index}`));
}

export function showElement(element: HTMLElement | null): void {
  element?.closest('details')?.setAttribute('open', '');
  element?.scrollIntoView({ block: 'center' });
  element?.focus({ preventScroll: true });
}

function pieceOf(target: EventTarget | null): number | undefined {
  const element = target instanceof Element ? target.closest('[data-piece]') : null;
  return element ? Number(element.getAttribute('data-piece')) : undefined;
}
