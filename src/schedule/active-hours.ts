// The hours of a day in which something may happen, on the clock of one zone. They may run over midnight.

export interface ActiveHours {
  /** Minutes since midnight, 0 to 1440. */
  readonly start: number;
  /** The first minute that is out again. Before the start it is the next day's. */
  readonly end: number;
  readonly timezone: string;
}

/** The same time twice is the whole day. */
export function isActive({ start, end, timezone }: ActiveHours, at: number): boolean {
  const minute = minuteOfDay(at, timezone);
  if (start === end) return true;
  return start < end ? minute >= start && minute < end : minute >= start || minute < end;
}

/** Minutes of `08:30`; undefined for anything that is no time of day. */
export function parseTimeOfDay(text: string): number | undefined {
  const [, hour, minute] = /^(\d{1,2}):(\d{2})$/.exec(text.trim()) ?? [];
  const minutes = Number(hour) * 60 + Number(minute);
  return Number(minute) < 60 && minutes <= 1_440 ? minutes : undefined;
}

function minuteOfDay(at: number, timeZone: string): number {
  const format = new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
  return parseTimeOfDay(format.format(at)) ?? 0;
}
