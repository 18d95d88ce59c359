// A titled part of the page. When there is nothing to list it says what would stand there and what to do next.

import type { ComponentChildren } from 'preact';

export interface BlockProps {
  readonly title: string;
  /** A short remark beside the title. */
  readonly note?: ComponentChildren;
  /** Said instead of the content when there is none. */
  readonly empty?: ComponentChildren;
  readonly children?: ComponentChildren;
}

export function Block({ title, note, empty, children }: BlockProps) {
  return (
    <section class="block" aria-label={title}>
      <header class="block-head">
        <h2>{title}</h2>
        {note}
      </header>
      {empty ? <p class="none">{empty}</p> : children}
    </section>
  );
}
