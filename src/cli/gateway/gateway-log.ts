// The log of a gateway on standard error: one line for each thing that an operator should know, the time first. Longer
// texts, such as the stack of a bug, continue below it, indented, so that no text can pass for a line of the log.

import { visibleLine } from '../output/text.ts';

/** Returns the function that writes a line. */
export function gatewayLog(
  write: (text: string) => void,
  now: () => Date,
  level: 'warning' | 'info' = 'warning',
): (text: string) => void {
  return (text) => {
    const [first = '', ...rest] = text
      .split(/\r?\n/)
      .map((line) => visibleLine(line).trimEnd())
      .filter((line) => line !== '');
    write(
      [`${now().toISOString()} ${level}: ${first.trim()}`, ...rest.map((line) => `    ${line.trim()}`), ''].join('\n'),
    );
  };
}
