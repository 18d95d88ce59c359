// Keeps plugins from ending the process that their thread is a part of: a signal to the gateway, to its group or to the
// program that started it is refused. Node loads this file before anything else in the plugin worker, and in every thread
// that a plugin starts from there; so it is plain JavaScript, and imports Node only.
//
// `process.exit` ends the thread only, which is allowed, and certain: a listener that throws does not stop it half-way.
// What a child process of a plugin signals is not seen here.

'use strict';

const { channel } = require('node:diagnostics_channel');
const { readFileSync } = require('node:fs');
const { syncBuiltinESMExports } = require('node:module');
const threads = require('node:worker_threads');

/** On this channel, the worker is told what was refused. */
const REFUSED = 'atrium:plugin-signal-refused';

/** Whether a signal to this number reaches the gateway, in the numbering of kill(2). */
function reachesGateway(number, { pid, ppid, group }) {
  return [pid, ppid, 0, -1, -pid, -ppid, -group].includes(number);
}

/** The number of the gateway's process group; where the system does not tell, the gateway's own number. */
function ownGroup() {
  try {
    const stat = readFileSync('/proc/self/stat', 'utf8');
    // The name of the program stands in brackets and may hold anything.
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[2]);
  } catch {
    return process.pid;
  }
}

function guardProcess() {
  const { pid, ppid, _kill: kill, _debugProcess: debugProcess, exit, reallyExit } = process;
  const refused = channel(REFUSED);
  const refuse = (what) => {
    const text = `${what} was refused, because it would end or disturb the gateway, of which the plugin is a part`;
    refused.publish(text);
    throw new Error(text);
  };
  const isGateway = (number) => reachesGateway(number, { pid, ppid, group: ownGroup() });
  const guards = {
    // `process.kill` calls this. The numbers are read once, because an object may give another one each time.
    _kill(to, signal) {
      const [number, signalNumber] = [to | 0, signal | 0];
      if (signalNumber !== 0 && isGateway(number)) refuse(`process.kill(${number})`);
      return kill(number, signalNumber);
    },
    _debugProcess(to) {
      const number = to | 0;
      if (isGateway(number)) refuse(`process._debugProcess(${number})`);
      return debugProcess(number);
    },
    abort() {
      refuse('process.abort()');
    },
    exit(code) {
      try {
        exit(code);
      } finally {
        reallyExit(Number(code) || 0);
      }
    },
  };
  for (const [name, value] of Object.entries(guards)) Object.defineProperty(process, name, { value });
}

/** Threads inherit `--require`, except those that are started with arguments of their own. */
function guardThreads() {
  const { Worker: Inheriting } = threads;
  threads.Worker = class Worker extends Inheriting {
    constructor(program, options) {
      const execArgv = options?.execArgv;
      super(
        program,
        Array.isArray(execArgv) ? { ...options, execArgv: [...execArgv, '--require', __filename] } : options,
      );
    }
  };
  syncBuiltinESMExports();
}

if (!threads.isMainThread) {
  guardProcess();
  guardThreads();
}

module.exports = { REFUSED, reachesGateway };
