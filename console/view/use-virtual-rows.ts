// The rows of a long list that are in sight, for a list whose rows have known heights.

import { elementScroll, observeElementOffset, observeElementRect, Virtualizer } from '@tanstack/virtual-core';
import type { RefObject } from 'preact';
import { useLayoutEffect, useReducer, useRef } from 'preact/hooks';

export interface VirtualRows {
  readonly items: readonly { readonly index: number; readonly start: number; readonly size: number }[];
  /** The height of the whole list. */
  readonly total: number;
  scrollTo(index: number): void;
}

export interface VirtualRowsOptions {
  /** The element that scrolls. */
  readonly box: RefObject<HTMLElement | null>;
  readonly count: number;
  sizeOf(index: number): number;
}

export function useVirtualRows({ box, count, sizeOf }: VirtualRowsOptions): VirtualRows {
  const [, draw] = useReducer((times: number, _: undefined) => times + 1, 0);
  const made = useRef<Virtualizer<HTMLElement, HTMLElement> | undefined>(undefined);
  const options = {
    count,
    getScrollElement: () => box.current,
    estimateSize: sizeOf,
    overscan: 8,
    scrollToFn: elementScroll,
    observeElementRect,
    observeElementOffset,
    onChange: () => draw(undefined),
  };
  made.current ??= new Virtualizer<HTMLElement, HTMLElement>(options);
  const virtualizer = made.current;
  virtualizer.setOptions(options);
  useLayoutEffect(() => virtualizer._didMount(), []);
  useLayoutEffect(() => {
    virtualizer._willUpdate();
  });
  // Heights are functions of the rows, which may be others now.
  const sizes = Array.from({ length: Math.min(count, 50) }, (_, index) => sizeOf(index)).join();
  useLayoutEffect(() => virtualizer.measure(), [count, sizes]);
  return {
    items: virtualizer.getVirtualItems(),
    total: virtualizer.getTotalSize(),
    scrollTo: (index) => virtualizer.scrollToIndex(index, { align: 'center' }),
  };
}
