// The hours of a day in which something may happen, on the clock of one zone. They may go past midnight.

export interface ActiveHours {
  /** Minutes since midnight, 0 to 1440. */
  readonly start: number;
  /** The first minute after the hours. When it is before the start, it is on the next day. */
  readonly end: number;
  readonly timezone: string;
}

/** When start and end are equal, the whole day is active. */
export function isActive({ start, end, timezone }: ActiveHours, at: number): boolean {
  const minute = minuteOfDay(at, timezone);
  if (start === end) return true;
  return start < end ? minute >= start && minute < end : minute >= start || minute < end;
}

/** Returns the minutes of `08:30`, or undefined for text that is not a time of day. */
export function parseTimeOfDay(text: string): number | undefined {
  const [, hour, minute] = /^(\d{1,2}):(\d{2})$/.exec(text.trim()) ?? [];
  const minutes = Number(hour) * 60 + Number(minute);
  return Number(minute) < 60 && minutes <= 1_440 ? minutes : undefined;
}

function minuteOfDay(at: number, timeZone: string): number {
  const format = new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
  return parseTimeOfDay(format.format(at)) ?? 0;
}
