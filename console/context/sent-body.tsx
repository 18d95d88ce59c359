// The body byte for byte. What no author wrote is the form of the provider and has no colour.

import { useMemo } from 'preact/hooks';
import { drawText, type Pointing, type TextItem, usePointing } from './request-text.tsx';
import type { RequestView } from './request-view.ts';

export function SentBody(pointing: Pointing) {
  const { view } = pointing;
  const { box, handlers } = usePointing(pointing);
  const drawn = useMemo(() => drawText(itemsOf(view), view), [view]);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for controls, and this is text.
    <div
      id="sent-body"
      class="sent-body"
      ref={box}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: without a mouse, only an element that has the focus is scrolled.
      tabIndex={0}
      role="group"
      aria-label="The request as it is sent"
      {...handlers}
    >
      {drawn}
    </div>
  );
}

function itemsOf({ laid, newAt }: RequestView): readonly TextItem[] {
  return laid.parts.flatMap(({ text, span }): TextItem[] => {
    if (newAt?.offset === undefined || span !== newAt.piece) return [{ text, piece: span }];
    const label = newAt.isBreak ? 'The first byte that differs' : 'New from here';
    return [
      { text: text.slice(0, newAt.offset), piece: span },
      { mark: newAt.isBreak ? 'break' : 'new', label },
      { text: text.slice(newAt.offset), piece: span },
    ];
  });
}
