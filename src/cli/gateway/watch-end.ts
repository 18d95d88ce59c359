// Notices that the process of a gateway ends although nothing asked the gateway to stop, says so in the log, and makes the
// exit code tell it too: a service manager takes 0 for "all is well" and does not start the gateway again.

import type { GatewayLog } from '../../gateway/parts/create-log.ts';
import { errorStack } from '../../protocol/one-line.ts';

export interface EndWatch {
  /** From here on the process may end. */
  release(): void;
}

/** Errors that no call caught are shown on the terminal for every command; here they are put into the log file too. */
export function watchEnd(log: Pick<GatewayLog, 'fatal' | 'file'>): EndWatch {
  const onExit = (code: number) => {
    log.fatal(`The gateway ends although nothing asked it to stop: ${causeOf(new Error().stack ?? '', code)}`);
    if (code === 0) process.exitCode = 1;
  };
  const onError = (error: unknown) => {
    const reason = errorStack(error);
    log.file.error(`Something went wrong outside of any call, probably in a handler: ${reason}`);
  };
  process.once('exit', onExit);
  process.on('uncaughtExceptionMonitor', onError);
  process.on('unhandledRejection', onError);
  return {
    release: () => {
      process.off('exit', onExit).off('uncaughtExceptionMonitor', onError).off('unhandledRejection', onError);
    },
  };
}

/** The call of `process.exit` is still on the stack while the process is told of its end. */
function causeOf(stack: string, code: number): string {
  const frames = stack.split('\n').map((line) => line.trim());
  const exit = frames.findIndex((frame) => /^at process\.exit\b/.test(frame));
  if (exit === -1) return 'nothing was left that could keep it alive.';
  const caller = frames.slice(exit + 1).find((frame) => !frame.includes('(node:') && !frame.startsWith('at node:'));
  return `process.exit(${code}) was called${caller === undefined ? '' : ` ${caller}`}.`;
}
