// Finds the last moment at which the clocks of a zone reached a given hour. There is one such moment a day: when an
// hour is skipped in spring, it is the moment of the jump; when an hour comes twice in autumn, the first time counts.

import { zoneOffsetOf } from './local-time.ts';

const DAY_MS = 86_400_000;

export function lastDailyBoundary(now: number, hour: number, timezone: string): number {
  const today = Math.floor((now + zoneOffsetOf(now, timezone)) / DAY_MS) * DAY_MS;
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
  const before = wallTime - zoneOffsetOf(wallTime - DAY_MS, timezone);
  const after = wallTime - zoneOffsetOf(wallTime + DAY_MS, timezone);
  for (const moment of before < after ? [before, after] : [after, before]) {
    if (moment + zoneOffsetOf(moment, timezone) === wallTime) return moment;
  }
  return before;
}
