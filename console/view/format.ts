// Formats numbers, texts and times for people.

export function formatCount(number: number | undefined): string {
  return (number ?? 0).toLocaleString('en-US');
}

export function formatPlural(number: number, noun: string): string {
  return `${formatCount(number)} ${noun}${number === 1 ? '' : 's'}`;
}

export function shorten(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`;
}

/** A cost is unknown, never zero, where the price of a call is not known. */
export function formatCost({ cost, unpriced }: { readonly cost: number | null; readonly unpriced: number }): string {
  if (cost === null) return 'cost unknown';
  const known = cost > 0 && cost < 0.0001 ? 'below 0.0001' : cost.toFixed(cost < 1 ? 4 : 2);
  return `cost ${known}${unpriced > 0 ? ' and more' : ''}`;
}

/** For example `12 s`, `3 min 5 s` or `2 h 10 min`. */
export function formatElapsed(ms: number): string {
  const seconds = Math.floor(ms / 1_000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes} min ${seconds % 60} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

export function formatDuration(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}
