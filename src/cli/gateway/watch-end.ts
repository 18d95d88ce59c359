// Notices that the process of a gateway ends although nothing asked the gateway to stop, says so in the log, and makes the
// exit code tell it too: a service manager takes 0 for "all is well" and does not start the gateway again.

export interface EndWatch {
  /** From here on the process may end. */
  release(): void;
}

export function watchEnd(warn: (sentence: string) => void): EndWatch {
  const onExit = (code: number) => {
    warn(`The gateway ends although nothing asked it to stop: ${causeOf(new Error().stack ?? '', code)}`);
    if (code === 0) process.exitCode = 1;
  };
  process.once('exit', onExit);
  return { release: () => void process.off('exit', onExit) };
}

/** The call of `process.exit` is still on the stack while the process is told of its end. */
function causeOf(stack: string, code: number): string {
  const frames = stack.split('\n').map((line) => line.trim());
  const exit = frames.findIndex((frame) => /^at process\.exit\b/.test(frame));
  if (exit === -1) return 'nothing was left that could keep it alive.';
  const caller = frames.slice(exit + 1).find((frame) => !frame.includes('(node:') && !frame.startsWith('at node:'));
  return `process.exit(${code}) was called${caller === undefined ? '' : ` ${caller}`}.`;
}
