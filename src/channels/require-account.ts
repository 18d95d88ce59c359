// Refuses a request to a platform when another node may have its account by now. What is thrown has a code like those of the
// network, under which no byte of a request has left.

export const ANOTHER_NODE = 'ANOTHER_NODE';

/** `mayAct` is the one of the extension's parts. */
export function requireAccount(mayAct: (() => boolean) | undefined): void {
  if (mayAct?.() !== false) return;
  const sentence = 'Another node may have this account by now, so nothing was requested.';
  throw Object.assign(new Error(sentence), { code: ANOTHER_NODE });
}
