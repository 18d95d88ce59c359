// Names of time zones, as clocks know them.

/** Asking a clock costs more than many a run, and few zones are ever asked for. */
const known = new Map<string, boolean>();
const MAX_KNOWN = 64;

/** True for a name that clocks here can be set to, such as "Europe/Berlin". */
export function isTimezone(name: string): boolean {
  let answer = known.get(name);
  if (answer === undefined) {
    answer = canBeSet(name);
    if (known.size >= MAX_KNOWN) known.clear();
    known.set(name, answer);
  }
  return answer;
}

function canBeSet(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
