// Keeps the page as high as what can be seen of it. Some browsers lay the keyboard of a telephone over the page and do not
// make it smaller; then the field would stand behind the keyboard.

export function fitViewport({ visualViewport: seen, innerHeight }: Window, root: HTMLElement): void {
  if (!seen) return;
  // A person who has zoomed in sees a part of the page on purpose.
  const isCovered = seen.scale === 1 && innerHeight - seen.height > SMALLEST_KEYBOARD;
  root.style.height = isCovered ? `${seen.height}px` : '';
  if (isCovered) root.scrollTop = 0;
}

/** Bars of the browser that come and go are smaller. */
const SMALLEST_KEYBOARD = 100;
