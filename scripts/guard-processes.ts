// Runs before every test file. A test that starts processes or worker threads says so in its name, `….process.test.ts`; in
// every other file starting one fails the test, so that `npm run test:fast` can leave them out by their names. A gateway
// that puts a new workspace under version control finds no git there, as on a machine that has none; it is told so without
// an attempt to start one, because a thousand failed attempts took a tenth of the whole time.

import childProcess from 'node:child_process';
import { EventEmitter } from 'node:events';
import { syncBuiltinESMExports } from 'node:module';
import { promisify } from 'node:util';
import workerThreads from 'node:worker_threads';
import { afterEach, expect } from 'vitest';

const STARTERS = ['spawn', 'spawnSync', 'exec', 'execSync', 'execFile', 'execFileSync', 'fork'] as const;
/** With these a test makes a file that Node cannot make. */
const MAKES_FILES = new Set(['mkfifo', 'chmod', 'chown']);
const GUARDED = Symbol.for('atrium.guarded-processes');

const state = globalThis as { [GUARDED]?: string[] };
if (state[GUARDED] === undefined) {
  state[GUARDED] = [];
  for (const name of STARTERS) guard(name, state[GUARDED]);
  guardWorkers(state[GUARDED]);
  syncBuiltinESMExports();
}
const started = state[GUARDED];

afterEach(() => {
  const commands = started.splice(0);
  if (commands.length > 0) {
    throw new Error(
      `This test started ${commands.join(', ')}. Rename its file to ….process.test.ts, or start nothing.`,
    );
  }
});

function guard(name: (typeof STARTERS)[number], started: string[]): void {
  type Starter = (command: string, ...rest: unknown[]) => unknown;
  const real = childProcess[name] as unknown as Starter & { [promisify.custom]?: Starter };
  const guarded =
    (start: Starter): Starter =>
    (command, ...rest) => {
      if (isProcessTest() || MAKES_FILES.has(command)) return start(command, ...rest);
      const callback = rest.at(-1);
      if (command === 'git' && typeof callback === 'function') return failLater(command, callback as Callback);
      if (command !== 'git') started.push(command);
      return start(`/no-processes-in-this-test/${command}`, ...rest);
    };
  const replacement: typeof real = guarded(real);
  const promised = real[promisify.custom];
  if (promised) replacement[promisify.custom] = guarded(promised);
  Object.assign(childProcess, { [name]: replacement });
}

type Callback = (error: Error, stdout: string, stderr: string) => void;

function failLater(command: string, callback: Callback): EventEmitter {
  const error = Object.assign(new Error(`spawn ${command} ENOENT`), { code: 'ENOENT' });
  setImmediate(() => callback(error, '', ''));
  return new EventEmitter();
}

function guardWorkers(started: string[]): void {
  const Real = workerThreads.Worker;
  class GuardedWorker extends Real {
    constructor(...args: ConstructorParameters<typeof Real>) {
      if (!isProcessTest()) {
        started.push('a worker thread');
        throw new Error('no worker threads in this test');
      }
      super(...args);
    }
  }
  Object.assign(workerThreads, { Worker: GuardedWorker });
}

function isProcessTest(): boolean {
  return expect.getState().testPath?.endsWith('.process.test.ts') === true;
}
