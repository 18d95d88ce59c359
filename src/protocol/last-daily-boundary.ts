// Finds the last moment at which the clocks of a zone reached a given hour. There is one such moment a day: when an
// hour is skipped in spring, it is the moment of the jump; when an hour comes twice in autumn, the first time counts.

const DAY_MS = 86_400_000;

export function lastDailyBoundary(now: number, hour: number, timezone: string): number {
  const today = Math.floor((now + offsetAt(now, timezone)) / DAY_MS) * DAY_MS;
  // Clocks that are set back around midnight can return to the day before, and some zones have skipped a whole day.
  for (let day = today + DAY_MS; day >= today - 2 * DAY_MS; day -= DAY_MS) {
    const boundary = momentOf(day + hour * 3_600_000, timezone);
    if (boundary <= now) return boundary;
  }
  return now - 3 * DAY_MS;
}

/**
 * Returns the first moment at which clocks show `wallTime` (written as if it were UTC), or at which they jump over it.
 */
function momentOf(wallTime: number, timezone: string): number {
  const before = wallTime - offsetAt(wallTime - DAY_MS, timezone);
  const after = wallTime - offsetAt(wallTime + DAY_MS, timezone);
  for (const moment of before < after ? [before, after] : [after, before]) {
    if (moment + offsetAt(moment, timezone) === wallTime) return moment;
  }
  return before;
}

/** Returns how far the clocks of the zone are ahead of UTC. */
function offsetAt(moment: number, timezone: string): number {
  const fields: Record<string, number> = {};
  for (const { type, value } of formatterFor(timezone).formatToParts(moment)) fields[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = fields;
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(moment / 1000) * 1000;
}

/** Building a formatter costs more than everything else here, and a process asks for only a few zones. */
const formatters = new Map<string, Intl.DateTimeFormat>();
const MAX_FORMATTERS = 64;

function formatterFor(timezone: string): Intl.DateTimeFormat {
  let formatter = formatters.get(timezone);
  if (formatter === undefined) {
    formatter = new Intl.DateTimeFormat('en-US', {
      timeZone: timezone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
    if (formatters.size >= MAX_FORMATTERS) formatters.clear();
    formatters.set(timezone, formatter);
  }
  return formatter;
}
