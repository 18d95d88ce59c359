// Names of time zones, as clocks know them.

/** True for a name that clocks here can be set to, such as "Europe/Berlin". */
export function isTimezone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
