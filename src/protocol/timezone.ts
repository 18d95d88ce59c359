// Checks names of time zones.

/** Answers are remembered, because a check costs more than many runs, and a process asks for only a few zones. */
const known = new Map<string, boolean>();
const MAX_KNOWN = 64;

/** True for a name that this machine's clocks know, such as "Europe/Berlin". */
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
  // Every machine knows it, and Node needs not be asked, which takes a while for the first time.
  if (name === 'UTC') return true;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
