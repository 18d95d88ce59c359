// The processes of a measurement: starting them, waiting for them, asking what memory they use, ending them again.

import { execFileSync, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { get } from 'node:http';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const running = new Set();

/** Ends with this process at the latest. What it said last is told when it ends by itself. */
export function startProcess(command, args, options = {}) {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], detached: true, ...options });
  let said = '';
  for (const pipe of [child.stdout, child.stderr]) {
    pipe.on('data', (bytes) => {
      said = (said + bytes).slice(-4_000);
    });
  }
  const ended = new Promise((resolve) => child.once('close', resolve));
  const started = { pid: child.pid, child, ended, said: () => said, hasEnded: () => child.exitCode !== null };
  running.add(started);
  ended.then(() => running.delete(started));
  return started;
}

/** A process that prints its address when it listens. */
export async function startServer(file, ...args) {
  const server = startProcess(process.execPath, [file, ...args]);
  while (!server.said().includes('\n')) {
    if (server.hasEnded()) throw new Error(`${file} ended: ${server.said()}`);
    await sleep(5);
  }
  return { ...server, url: server.said().trim() };
}

export async function stopProcess(started, graceMs = 10_000) {
  signal(started, 'SIGTERM');
  await Promise.race([started.ended, sleep(graceMs, undefined, { ref: false })]);
  // Its own children, if it left any, are in its group.
  signal(started, 'SIGKILL');
  await started.ended;
}

export function killAll() {
  for (const started of running) signal(started, 'SIGKILL');
}

function signal({ pid }, name) {
  try {
    process.kill(-pid, name);
  } catch {
    // It has ended already.
  }
}

/** Milliseconds until the address answers 200, or until the process has ended or the time is over: then it throws. */
export async function untilReady(url, started, limitMs) {
  const begun = performance.now();
  for (;;) {
    if ((await statusOf(url)) === 200) return performance.now() - begun;
    if (started.hasEnded()) throw new Error(`It ended before it was ready:\n${started.said()}`);
    if (performance.now() - begun > limitMs) throw new Error(`It was not ready in time:\n${started.said()}`);
    await sleep(4);
  }
}

function statusOf(url) {
  return new Promise((resolve) => {
    const request = get(url, { agent: false, timeout: 2_000 }, (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode));
    });
    request.on('timeout', () => request.destroy());
    request.on('error', () => resolve(undefined));
  });
}

export function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

/** Megabytes of resident memory, of the process and everything that it started. */
export function memoryOf(pid) {
  const kilobytes = process.platform === 'linux' ? treeFromProc(pid) : treeFromPs(pid);
  return Math.round(kilobytes / 102.4) / 10;
}

/**
 * Milliseconds of processor time so far, of all threads; a busy machine lengthens it a little and not by what others use.
 * Undefined where it cannot be told. The system counts nanoseconds for each thread that is there, and ticks of ten
 * milliseconds for the process.
 */
export function processorTimeOf(pid) {
  if (process.platform !== 'linux') return undefined;
  try {
    const threads = readdirSync(`/proc/${pid}/task`);
    const times = threads.map((thread) => readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]);
    return times.reduce((sum, nanoseconds) => sum + Number(nanoseconds), 0) / 1e6;
  } catch {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
    return (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK;
  }
}

const MS_PER_TICK = 10;

function treeFromProc(root) {
  const facts = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const status = readFileSync(`/proc/${name}/status`, 'utf8');
        const number = (field) => Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0);
        return [{ pid: Number(name), parent: number('PPid'), kilobytes: number('VmRSS') }];
      } catch {
        return [];
      }
    });
  return treeSum(facts, root);
}

function treeFromPs(root) {
  const lines = execFileSync('ps', ['-axo', 'pid=,ppid=,rss='], { encoding: 'utf8' }).trim().split('\n');
  const facts = lines.map((line) => {
    const [pid, parent, kilobytes] = line.trim().split(/\s+/).map(Number);
    return { pid, parent, kilobytes };
  });
  return treeSum(facts, root);
}

function treeSum(facts, root) {
  const own = facts.find(({ pid }) => pid === root)?.kilobytes ?? 0;
  return facts.filter(({ parent }) => parent === root).reduce((sum, { pid }) => sum + treeSum(facts, pid), own);
}
