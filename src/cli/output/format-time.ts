// Times for people, in the time zone of the machine.

export function formatTime(ms: number, timezone: string): string {
  // The same text without the data of all languages, which take longer to read than many a command.
  if (timezone === 'UTC') return new Date(ms).toISOString().slice(0, 19).replace('T', ' ');
  const formatter = new Intl.DateTimeFormat('sv-SE', { timeZone: timezone, dateStyle: 'short', timeStyle: 'medium' });
  return formatter.format(ms);
}

/** `3 s`, `5 min`, `2 h`, `4 d`: the largest unit that fits. */
export function formatAge(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000));
  if (seconds < 120) return `${seconds} s`;
  if (seconds < 7_200) return `${Math.round(seconds / 60)} min`;
  return seconds < 172_800 ? `${Math.round(seconds / 3_600)} h` : `${Math.round(seconds / 86_400)} d`;
}
