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

/** The time of day; with the date when that is not today's. */
export function formatClock(at: number): string {
  const date = new Date(at);
  const isToday = date.toDateString() === new Date().toDateString();
  return isToday
    ? date.toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })
    : date.toLocaleString([], { dateStyle: 'medium', timeStyle: 'short' });
}

/** A short time for lists: `14:05` today, `Mon` within a week, else `3 Nov`. */
export function formatWhen(at: number, now = Date.now()): string {
  const date = new Date(at);
  if (date.toDateString() === new Date(now).toDateString())
    return date.toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' });
  if (now - at < 6 * 24 * 3_600_000) return date.toLocaleDateString([], { weekday: 'short' });
  const isThisYear = date.getFullYear() === new Date(now).getFullYear();
  return date.toLocaleDateString([], { day: 'numeric', month: 'short', ...(!isThisYear && { year: '2-digit' }) });
}
