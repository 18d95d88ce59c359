// A list of names for a sentence: the first few of them, and how many there are besides.

const MOST = 5;

export function listed(names: readonly string[]): string {
  const rest = names.length - MOST;
  return names.slice(0, MOST).join(', ') + (rest > 0 ? ` and ${rest} more` : '');
}
