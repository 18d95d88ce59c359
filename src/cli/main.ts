#!/usr/bin/env node

// The `atrium` command of a process: runs one command line, and ends when it is done. Handlers are code of users and
// may leave timers and failing promises behind; neither may end the command early nor keep it from ending.

import { LEAST_OPEN_FILES } from '../config/open-file-limit.ts';
import { TooFewFilesError } from '../gateway/errors.ts';
import { processIo } from './cli-io.ts';
import { EXIT } from './exit-code.ts';
import { gatewayLog } from './gateway/gateway-log.ts';

let lingers = false;
const io = processIo(() => {
  lingers = true;
});
const warn = (error: unknown) => {
  const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
  log(`something went wrong outside of any call, probably in a handler: ${reason}`);
};
// A closed standard error must not cause another warning.
process.stderr.on('error', () => {});
const log = gatewayLog(io.err, io.now);
process.on('uncaughtException', warn);
process.on('unhandledRejection', warn);

const { runCli } = await import('./run-cli.ts').catch((error: NodeJS.ErrnoException) => {
  if (error.code !== 'EMFILE') throw error;
  process.stderr.write(`atrium: ${new TooFewFilesError({ limit: undefined, least: LEAST_OPEN_FILES }).message}\n`);
  process.exit(EXIT.failure);
});
const exitCode = await runCli(process.argv.slice(2), io);
process.exitCode ??= exitCode;
// A pipe may write later, so the process ends after the last write.
if (!lingers) process.stderr.write('', () => process.stdout.write('', () => process.exit(exitCode)));
