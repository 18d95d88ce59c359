// The first handler that answers `handled` claims the message, and no handler after it is asked.

export function isClaim(answer: { readonly handled?: unknown }): boolean {
  return Boolean(answer.handled);
}
