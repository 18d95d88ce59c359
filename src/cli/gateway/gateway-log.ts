// The log of a gateway on standard error: one line for each thing that an operator should know, the time first. Longer
// texts, such as the stack of a bug, continue below it, indented, so that no text can pass for a line of the log.

import type { LogFields, LogLevel } from '../../protocol/log.ts';
import type { CliIo } from '../cli-io.ts';
import { visibleLine } from '../output/text.ts';

/** The same warning is written again after this time at the earliest, with how often it came meanwhile. */
const REPEAT_MS = 10 * 60_000;
const MOST_REMEMBERED = 1_000;

/** `pretty` has the time, `compact` leaves it to the program that collects the output, `json` is for programs. */
export type LogStyle = 'pretty' | 'compact' | 'json';

/** Returns the function that writes a line. */
export function gatewayLog(
  write: (text: string) => void,
  now: () => Date,
  style: LogStyle = 'pretty',
): (level: LogLevel, text: string, about?: LogFields) => void {
  const written = new Map<string, { readonly at: number; repeats: number }>();
  /** A fault that comes with every message must not bury the others. What plugins log themselves is left as it is. */
  const isRepeated = (text: string, at: number): boolean => {
    const known = written.get(text);
    if (!known || at - known.at >= REPEAT_MS) return false;
    known.repeats += 1;
    return true;
  };
  return (level, text, about) => {
    const at = now();
    const mayRepeat = level !== 'warn' && level !== 'error';
    if (!mayRepeat && isRepeated(text, at.getTime())) return;
    const repeats = mayRepeat ? 0 : (written.get(text)?.repeats ?? 0);
    if (written.size >= MOST_REMEMBERED) written.clear();
    if (!mayRepeat) written.set(text, { at: at.getTime(), repeats: 0 });
    if (style === 'json') {
      write(
        `${JSON.stringify({ level, ...about, ...(repeats > 0 && { repeats }), time: at.toISOString(), msg: text })}\n`,
      );
      return;
    }
    const [first = '', ...rest] = text
      .split(/\r?\n/)
      .map((line) => visibleLine(line).trimEnd())
      .filter((line) => line !== '');
    const again = repeats === 0 ? '' : ` (${repeats} times more since it was last written here)`;
    const time = style === 'pretty' ? `${at.toISOString()} ` : '';
    write(
      [`${time}${LEVEL_WORDS[level]}: ${first.trim()}${again}`, ...rest.map((line) => `    ${line.trim()}`), ''].join(
        '\n',
      ),
    );
  };
}

/** Returns the function that writes warnings in commands without a gateway. */
export function warningLog({ err, now }: Pick<CliIo, 'err' | 'now'>): (text: string) => void {
  const write = gatewayLog(err, now);
  return (text) => write('warn', text);
}

/** The levels in words, as people read them. */
export const LEVEL_WORDS: Readonly<Record<LogLevel, string>> = {
  trace: 'trace',
  debug: 'debug',
  info: 'info',
  warn: 'warning',
  error: 'error',
  fatal: 'fatal',
};
