#!/usr/bin/env node

// Where the `atrium` command begins. It is built into one small file without imports of our own, so that a process that
// may hardly open a file can still say so, and so that the version is told before anything else is loaded. Everything
// else is the program beside it, which is loaded with the code that an earlier process has compiled.

import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cachedDataVersionTag, setFlagsFromString } from 'node:v8';
import { resolveStateDir } from '../config/state-dir.ts';
import { VERSION } from '../protocol/version.ts';
import { CachedProgram } from './launch/cached-program.ts';
import { findReadyHelp } from './launch/ready-help.ts';

/** The same as `TooFewFilesError`, which may be in a file that cannot be opened. */
const TOO_FEW_FILES =
  'This process may not have enough files and connections open at once; a gateway needs 256. Raise the limit, for example with "ulimit -n 1024", and start again.';
const FAILURE = 2;

/**
 * V8 lets the heap grow to several times of what is alive before it cleans up. With this it cleans up earlier, which
 * costs little, because little is alive. Compiled code fits only a process with the same flags, the code of Node's own
 * modules too, so a gateway sets them when it has loaded what every start needs; a command ends before they matter.
 */
const GATEWAY_FLAGS = ['--heap-growing-percent=30'];

/** A gateway has loaded by then what every start needs, and has done it once. */
const KEEP_CODE_AFTER_MS = 4_000;

const argv = process.argv.slice(2);
const [word = ''] = argv;
/** The folder of the build. */
const program = dirname(dirname(fileURLToPath(import.meta.url)));
const answer = argv.length === 1 ? answerAtOnce() : undefined;
if (answer === undefined) launch();
else {
  // A reader that takes only the beginning, such as `| head`, does not cause an error.
  process.stdout.on('error', () => process.exit());
  process.stdout.write(answer);
}

/** What is known without the program. */
function answerAtOnce(): string | undefined {
  if (word === '--version' || word === '-V') return `${VERSION}\n`;
  if (word !== '--help' && word !== '-h') return undefined;
  return findReadyHelp({ folder: join(program, 'cli'), stateDir: resolveStateDir(), columns: process.stdout.columns });
}

function launch(): void {
  const isGateway = word === 'start';
  // It asks for a restart. Until the gateway listens for it, Node would open its debugger.
  if (isGateway) process.on('SIGUSR1', () => undefined);
  try {
    const cached = new CachedProgram({
      program,
      folders: [join(dirname(dirname(program)), 'code'), join(resolveStateDir(), 'atrium', 'code')],
      // A gateway and a command need different functions of the same modules.
      key: [isGateway ? 'gateway' : 'command', process.version, process.arch, cachedDataVersionTag()].join('-'),
    });
    const { importWith } = cached.load('protocol/import-module.js') as typeof import('../protocol/import-module.ts');
    importWith((specifier) => cached.import(specifier, (other) => import(other)));
    const { runProcess } = cached.load('cli/run-process.js') as typeof import('./run-process.ts');
    setTimeout(() => {
      cached.keepCode();
      if (isGateway) for (const flag of GATEWAY_FLAGS) setFlagsFromString(flag);
    }, KEEP_CODE_AFTER_MS).unref();
    process.once('exit', () => cached.keepCode());
    runProcess(argv);
  } catch (error) {
    if (!['EMFILE', 'ENFILE'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    process.stderr.write(`atrium: ${TOO_FEW_FILES}\n`, () => process.exit(FAILURE));
  }
}
