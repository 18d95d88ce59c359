// The `atrium` command of a process: runs one command line, and ends when it is done. Handlers are code of users and
// may leave timers and failing promises behind; neither may end the command early nor keep it from ending.

import { errorStack } from '../protocol/one-line.ts';
import { processIo } from './cli-io.ts';
import { warningLog } from './gateway/gateway-log.ts';
import { runCli } from './run-cli.ts';

export async function runProcess(argv: readonly string[]): Promise<void> {
  let lingers = false;
  const io = processIo(() => {
    lingers = true;
  });
  const warn = (error: unknown) => {
    const reason = errorStack(error);
    log(`something went wrong outside of any call, probably in a handler: ${reason}`);
  };
  // A closed standard error must not cause another warning.
  process.stderr.on('error', () => {});
  const log = warningLog(io);
  process.on('uncaughtException', warn);
  process.on('unhandledRejection', warn);

  const exitCode = await runCli(argv, io);
  process.exitCode ??= exitCode;
  // A pipe may write later, so the process ends after the last write.
  if (!lingers) process.stderr.write('', () => process.stdout.write('', () => process.exit(exitCode)));
}
