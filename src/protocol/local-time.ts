// The time that the clocks of a zone show. Building a formatter costs more than everything else here, and a process asks
// for only a few zones, so formatters are kept.

/** A process that asks for more zones uses invented spellings, so no more are remembered. */
const MAX_ZONES = 64;

export interface LocalFields {
  readonly year: number;
  /** A number from 1 to 12. */
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
}

export function localFieldsOf(moment: Date | number, timezone: string): LocalFields {
  const fields: Record<string, number> = {};
  for (const { type, value } of formatterOf(timezone).formatToParts(moment)) fields[type] = Number(value);
  return fields as unknown as LocalFields;
}

/** How many milliseconds the clocks of the zone are ahead of UTC at that moment. */
export function zoneOffsetOf(moment: number, timezone: string): number {
  const { year, month, day, hour, minute, second } = localFieldsOf(moment, timezone);
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(moment / 1000) * 1000;
}

/** One formatter for each zone, with these options. */
export function zonedFormatter(options: Intl.DateTimeFormatOptions): (timezone: string) => Intl.DateTimeFormat {
  const formatters = new Map<string, Intl.DateTimeFormat>();
  return (timezone) => {
    const known = formatters.get(timezone);
    if (known) return known;
    const formatter = new Intl.DateTimeFormat('en-US', { ...options, timeZone: timezone });
    if (formatters.size >= MAX_ZONES) formatters.clear();
    formatters.set(timezone, formatter);
    return formatter;
  };
}

const formatterOf = zonedFormatter({
  hourCycle: 'h23',
  year: 'numeric',
  month: 'numeric',
  day: 'numeric',
  hour: 'numeric',
  minute: 'numeric',
  second: 'numeric',
});
