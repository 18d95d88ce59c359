// The first handler that says `handled` has the message, and nobody after it is asked.

export function isClaim(answer: { readonly handled?: unknown }): boolean {
  return Boolean(answer.handled);
}
