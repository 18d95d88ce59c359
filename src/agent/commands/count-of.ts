// Numbers as people read them.

/** `1 file`, `3 files`, `12,345 characters`. */
export function countOf(count: number, noun: string): string {
  return `${count.toLocaleString('en-US')} ${noun}${count === 1 ? '' : 's'}`;
}

/** `12,345 characters, about 3,100 tokens`. */
export function sizeOf({ chars, tokens }: { readonly chars: number; readonly tokens: number }): string {
  return `${countOf(chars, 'character')}, about ${countOf(tokens, 'token')}`;
}

/** `line 3`, `lines 3-9`. */
export function linesOf([first, last]: readonly [number, number]): string {
  return first === last ? `line ${first}` : `lines ${first}-${last}`;
}
