// `atrium stop` and `atrium restart`: end the gateway of this state directory, or let it start again, and wait until it
// has. The lock on the state directory says whether a gateway runs; what its owner wrote beside it may be old.

import { stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { BadFlagError } from '../../gateway/errors.ts';
import { loadStartableConfig } from '../../gateway/settings/load-startable-config.ts';
import { parseDuration } from '../../protocol/duration.ts';
import { command } from '../command.ts';
import { GatewayDownError, GatewayNotStoppedError, GatewaySignalError } from '../errors.ts';
import { line } from '../output/text.ts';

const POLL_MS = 50;
/** A process that was told twice ends at once; one that does not, cannot run at all. */
const NOW_MS = 3_000;

const WAIT_OPTION = {
  '--timeout <time>': {
    text: 'how long to wait for it, such as 30s or 5m',
    default: '60s',
    parse: timeOf,
  },
} as const;

export const stop = command({
  path: 'stop',
  summary: 'stop the gateway that runs: it finishes what is running first',
  options: { ...WAIT_OPTION, '--now': 'do not wait for running work; the next start takes it up, and nothing is lost' },
  examples: ['stop', 'stop --now'],
  notes: 'Exit code: 0 when no gateway runs any more, also when none ran before; 2 when it did not stop in time.',
  async run({ timeout, now }, { io: { environment }, say }) {
    const { stateDir } = environment;
    const { isStateLocked, readOwner } = await import('../../store/state-lock.ts');
    const owner = await readOwner(stateDir);
    if (!owner && (await isStateLocked(stateDir)))
      throw new GatewayDownError({ stateDir, detail: 'one is starting and cannot be reached yet' });
    if (!owner) return { json: { wasRunning: false }, text: line(`No gateway runs on ${stateDir}.`) };
    const { pid } = owner;
    const isGone = async () => !(await isStateLocked(stateDir));
    signal(pid, 'SIGTERM');
    if (now) {
      signal(pid, 'SIGTERM');
      if (!(await until(isGone, NOW_MS))) signal(pid, 'SIGKILL');
    } else say('Waiting until the gateway has finished what is running.');
    if (!(await until(isGone, timeout))) throw new GatewayNotStoppedError({ pid, seconds: timeout / 1_000 });
    return { json: { wasRunning: true, pid }, text: line(`The gateway (process ${pid}) has stopped.`) };
  },
});

export const restart = command({
  path: 'restart',
  summary: 'let the gateway that runs start again, with the configuration as it is now',
  options: WAIT_OPTION,
  examples: ['restart'],
  notes:
    'The process stays the same, so a new version of Atrium is not taken up: stop and start it for that. A configuration that cannot be used is named, and the gateway goes on. Exit code: 2 then, and when it did not come back in time.',
  async run({ timeout }, { io: { environment }, say }) {
    const { stateDir } = environment;
    const { isStateLocked, ownerFile, readOwner } = await import('../../store/state-lock.ts');
    const owner = await readOwner(stateDir);
    if (!owner) throw new GatewayDownError({ stateDir, detail: 'no process owns it' });
    const stampOf = () =>
      stat(ownerFile(stateDir)).then(
        ({ ino, mtimeMs }) => `${ino} ${mtimeMs}`,
        () => undefined,
      );
    const before = await stampOf();
    // What is wrong is said here, where somebody reads it; the gateway would refuse as well, in its log.
    await loadStartableConfig({ environment });
    signal(owner.pid, 'SIGUSR1');
    say('Waiting until the gateway has finished what is running and is ready again.');
    const isBack = async () => {
      const stamp = await stampOf();
      if (stamp === undefined || stamp === before) return false;
      const url = (await readOwner(stateDir))?.url;
      return url !== undefined && (await isReady(url));
    };
    const hasEnded = async () => !isAlive(owner.pid) && !(await isStateLocked(stateDir));
    if (!(await until(async () => (await isBack()) || (await hasEnded()), timeout)))
      throw new GatewayNotStoppedError({ pid: owner.pid, seconds: timeout / 1_000, isRestart: true });
    if (!(await isBack()))
      throw new GatewayDownError({ stateDir, detail: 'it ended while it started again; see its log' });
    const { url } = (await readOwner(stateDir)) ?? owner;
    return { json: { pid: owner.pid, url }, text: line(`The gateway is ready again: ${url}`) };
  },
});

function timeOf(text: string): number {
  const ms = parseDuration(text);
  if (ms !== undefined && ms > 0) return ms;
  throw new BadFlagError({ flag: '--timeout', value: text, expected: 'a time such as 30s or 5m' });
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // It has ended meanwhile, which is what was wanted.
    if (code !== 'ESRCH') throw new GatewaySignalError({ pid, detail: code ?? String(error) }, { cause: error });
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

async function until(isTrue: () => Promise<boolean>, timeoutMs: number): Promise<boolean> {
  const end = Date.now() + timeoutMs;
  for (;;) {
    if (await isTrue()) return true;
    if (Date.now() >= end) return false;
    await sleep(POLL_MS);
  }
}

async function isReady(url: string): Promise<boolean> {
  return fetch(`${url}/readyz`, { signal: AbortSignal.timeout(2_000) }).then(
    ({ ok }) => ok,
    () => false,
  );
}
