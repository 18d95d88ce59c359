// What a child's last answer says to its parent. A child that has nothing to report says so with a token, and then the
// parent is not told. Models sometimes write the token beside their text, where it means nothing.

/** An answer that is only this means that nothing is to be said about the end of the child. */
const SKIP = 'ANNOUNCE_SKIP';
const SILENCE = 'NO_REPLY';

/** Undefined when the child wants no announcement. */
export function announcedResult(answer: string): string | undefined {
  const text = answer.trim();
  if (text === '' || text === SILENCE || text === SKIP) return undefined;
  const rest = text
    .replace(new RegExp(`(?<![A-Za-z0-9_])${SILENCE}$`), '')
    .replace(new RegExp(`^${SILENCE}(?=\\S)`), '')
    .trim();
  return rest === '' ? undefined : rest;
}
