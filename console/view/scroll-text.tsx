// Text that keeps its spaces and may be longer than its box.

import type { ComponentChildren } from 'preact';

export function ScrollText({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: without a mouse, only an element that has the focus is scrolled.
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for controls, and this is text.
    <pre tabIndex={0} role="group" aria-label={label}>
      {children}
    </pre>
  );
}
