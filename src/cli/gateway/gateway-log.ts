// The log of a gateway on standard error: one line for each thing that an operator should know, the time first. Longer
// texts, such as the stack of a bug, continue below it, indented, so that no text can pass for a line of the log.

import { visibleLine } from '../output/text.ts';

/** The same warning is written again after this time at the earliest, with how often it came meanwhile. */
const REPEAT_MS = 10 * 60_000;
const MOST_REMEMBERED = 1_000;

/** Returns the function that writes a line. */
export function gatewayLog(
  write: (text: string) => void,
  now: () => Date,
  level: 'warning' | 'info' = 'warning',
): (text: string) => void {
  const written = new Map<string, { readonly at: number; repeats: number }>();
  /** A fault that comes with every message must not bury the others. What plugins log themselves is left as it is. */
  const isRepeated = (text: string, at: number): boolean => {
    const known = written.get(text);
    if (level !== 'warning' || !known || at - known.at >= REPEAT_MS) return false;
    known.repeats += 1;
    return true;
  };
  return (text) => {
    const at = now();
    if (isRepeated(text, at.getTime())) return;
    const repeats = written.get(text)?.repeats ?? 0;
    if (written.size >= MOST_REMEMBERED) written.clear();
    written.set(text, { at: at.getTime(), repeats: 0 });
    const [first = '', ...rest] = text
      .split(/\r?\n/)
      .map((line) => visibleLine(line).trimEnd())
      .filter((line) => line !== '');
    const again = repeats === 0 ? '' : ` (${repeats} times more since it was last written here)`;
    write(
      [`${at.toISOString()} ${level}: ${first.trim()}${again}`, ...rest.map((line) => `    ${line.trim()}`), ''].join(
        '\n',
      ),
    );
  };
}
