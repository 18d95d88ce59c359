// One life of the plugin worker, from its start to its end. Watches that it is alive, and ends it when it is not; what
// becomes of its plugins then is for others to decide.
//
// Rules: `ended` resolves once, whatever the cause. A thread that is stuck in native code cannot be ended at once.
// The gateway does not wait for that: the thread has no ports any more, so what it still does has no effect.

import { fileURLToPath } from 'node:url';
import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads';
import { listed } from '../../protocol/listed.ts';
import { within } from '../../protocol/time-limit.ts';
import { ActivityBoard, MAX_SLOTS } from './activity-board.ts';
import { findProgram } from './find-program.ts';
import { HookRounds } from './hook-rounds.ts';
import { threadTimeMs } from './thread-time.ts';
import {
  type FromWorker,
  type PluginPort,
  READY,
  type Tampering,
  type ToWorker,
  type WorkerStart,
} from './worker-messages.ts';

export interface WorkerThreadSettings {
  readonly memoryMb: number;
  readonly heartbeatMs: number;
  /** How long a plugin that is being loaded may keep it busy: reading a large program takes its time. */
  readonly loadSilenceMs: number;
  readonly isLoading: (slot: number) => boolean;
  /** Whether a call waits for a plugin that has been loaded. */
  readonly isAwaited: () => boolean;
}

export interface WorkerEnd {
  readonly cause: 'spin' | 'memory' | 'exit' | 'crash' | 'tampering' | 'closed';
  readonly detail: string;
  /** Whose code it was and in which call, where the worker itself has said so. Otherwise the activity board tells it. */
  readonly by?: { readonly slot: number; readonly call: number } | undefined;
}

/**
 * What a plugin has just made is moved to the old generation at once. When more is moved than V8 adds to a limit that is
 * reached, V8 ends the whole process instead of the worker; the young generation of Node 24 would be large enough for that.
 */
const YOUNG_MB = 16;

/** It shows that it is alive so many times in the time that it may be silent, and never less often than below. */
const BEATS_A_HEARTBEAT = 4;
const SLOWEST_BEAT_MS = 250;
/** The factor where it is not certain that a plugin spins. */
const EXTRA_PATIENCE = 5;
/** The shares of its memory from which it counts as used up, and from which it is worth a word. */
const NEARLY_FULL = 0.75;
const NOTABLE = 0.25;
const START_MS = 30_000;
const AWAITED_LOAD_MS = 2_000;

export class WorkerThread {
  readonly board = new ActivityBoard();
  readonly rounds: HookRounds;
  readonly ready: Promise<void>;
  readonly ended: Promise<WorkerEnd>;
  readonly #settings: WorkerThreadSettings;
  readonly #worker: Worker;
  readonly #control: MessagePort;
  /** Who is, or last was, at which place. */
  readonly #places = new Map<number, string>();
  /** Left, the longest ago first. */
  readonly #left: number[] = [];
  #end: (end: WorkerEnd) => void = () => {};
  #watch: NodeJS.Timeout | undefined;
  #terminated: Promise<unknown> | undefined;
  #hasEnded = false;
  /** What the process took when the worker was ready, beside the heap of the gateway. */
  #otherMemoryMb = 0;

  constructor(settings: WorkerThreadSettings) {
    this.#settings = settings;
    const { port1, port2 } = new MessageChannel();
    this.#control = port1;
    this.rounds = new HookRounds({ board: this.board, post: (message) => this.#post(message) });
    const { program, isText, guard } = findWorkerProgram();
    const workerData: WorkerStart = {
      board: this.board.memory,
      control: port2,
      beatMs: beatMsOf(settings.heartbeatMs),
    };
    this.ended = new Promise((resolve) => {
      this.#end = (end) => {
        if (this.#hasEnded) return;
        this.#hasEnded = true;
        clearInterval(this.#watch);
        this.#readTheRest();
        this.#control.close();
        resolve(end);
      };
    });
    this.#worker = new Worker(program, {
      eval: isText,
      name: 'plugins',
      argv: [],
      execArgv: ['--require', guard],
      workerData,
      transferList: [port2],
      resourceLimits: { maxOldGenerationSizeMb: settings.memoryMb, maxYoungGenerationSizeMb: YOUNG_MB },
      stdin: false,
      stdout: true,
      stderr: true,
    });
    // Everything that plugins print is caught where they print it; what comes here belongs to no plugin.
    this.#worker.stdout.resume();
    this.#worker.stderr.resume();
    this.#worker.on('error', (error) => this.#fail(error));
    this.#worker.on('exit', (code) => this.#end({ cause: 'exit', detail: `process.exit(${code})` }));
    this.ready = this.#becomeReady();
    // `ended` is enough when no caller waits for `ready`.
    this.ready.catch(() => {});
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** A place for one more plugin, with the gateway's end of its port; undefined when there is none left. */
  openSlot(pluginId: string): { readonly slot: number; readonly port: MessagePort } | undefined {
    // A place that was left stays empty as long as it can: timers that its plugin left behind still run in its name.
    const slot = this.#places.size < MAX_SLOTS ? this.#places.size + 1 : this.#left.shift();
    if (slot === undefined) return undefined;
    this.#places.set(slot, pluginId);
    this.board.clear(slot);
    const { port1, port2 } = new MessageChannel();
    const message: PluginPort = { type: 'port', slot, pluginId, port: port2 };
    this.#control.postMessage(message, [port2]);
    return { slot, port: port1 };
  }

  closeSlot(slot: number): void {
    this.#left.push(slot);
    this.rounds.forget(slot);
  }

  pluginAt(slot: number): string | undefined {
    return this.#places.get(slot);
  }

  /** Resolves when it has ended, or after the deadline. */
  async close(deadlineMs: number): Promise<void> {
    this.#finish({ cause: 'closed', detail: '' });
    if (this.#terminated) await within(deadlineMs, this.#terminated);
  }

  #finish(end: WorkerEnd): void {
    this.#end(end);
    this.#terminated ??= this.#worker.terminate();
  }

  #post(message: ToWorker): void {
    if (!this.#hasEnded) this.#control.postMessage(message);
  }

  /** What was answered before the end counts. */
  #readTheRest(): void {
    for (let last = receiveMessageOnPort(this.#control); last; last = receiveMessageOnPort(this.#control)) {
      if (Array.isArray(last.message)) this.rounds.receive(last.message);
    }
  }

  #fail(error: unknown): void {
    const { code, message } = error as { code?: unknown; message?: unknown };
    if (code === 'ERR_WORKER_OUT_OF_MEMORY') this.#end({ cause: 'memory', detail: '' });
    else this.#end({ cause: 'crash', detail: String(message) });
  }

  async #becomeReady(): Promise<void> {
    const said = new Promise<undefined>((resolve) => {
      this.#control.on('message', (message: FromWorker) => {
        if (message === READY) resolve(undefined);
        else if ('type' in message) this.#finish(endBy(message));
        else this.rounds.receive(message);
      });
    });
    const first = Promise.race([said, this.ended]);
    const isInTime = await within(START_MS, first);
    const problem = isInTime
      ? await first
      : ({ cause: 'crash', detail: `it was not ready after ${START_MS} ms` } as const);
    if (problem) {
      this.#finish(problem);
      throw new Error(problem.detail || problem.cause);
    }
    this.#otherMemoryMb = otherMemoryMb();
    this.#watchIt();
    // Only calls that wait for an answer keep the process alive, see Wire: a program that composes ends by itself.
    this.#worker.unref();
    this.#control.unref();
  }

  #watchIt(): void {
    const { heartbeatMs, memoryMb, isLoading } = this.#settings;
    const { board } = this;
    const everyMs = beatMsOf(heartbeatMs);
    let beats = board.beats;
    let who = board.now;
    // Counted in looks rather than in time: a machine that slept, or a gateway that was busy itself, is no silence.
    let looks = 0;
    let looksAtOne = 0;
    let wasLoading = false;
    /** Its time at the first look that found it silent. */
    let worked: number | undefined;
    this.#watch = setInterval(() => {
      const { slot, call } = board.now;
      const hasBeaten = board.beats !== beats;
      // The time that a load took counts for nothing after it.
      const hasLoaded = wasLoading && !isLoading(slot);
      wasLoading = isLoading(slot);
      looks = hasBeaten || hasLoaded ? 0 : looks + 1;
      if (hasBeaten || hasLoaded || slot !== who.slot || call !== who.call) {
        beats = board.beats;
        who = { slot, call };
        looksAtOne = 0;
        worked = undefined;
      } else looksAtOne += 1;
      if (hasBeaten && board.memoryMb > memoryMb) this.#finish({ cause: 'memory', detail: '' });
      if (hasBeaten) return;
      const patience = this.#patienceWith(slot);
      const workedNow = threadTimeMs(board.thread);
      worked ??= workedNow;
      // On a busy machine it may have had no turn: then it has hardly worked, and more time is given. So it is when
      // plugins take turns without a pause, or one waits for something without letting others work.
      const isWorking = looksAtOne * everyMs >= patience && workedNow - worked >= patience / 2;
      if (isWorking || looks * everyMs >= patience * EXTRA_PATIENCE) {
        this.#finish(this.#endOfSilence(Math.round(looks * everyMs)));
      }
    }, everyMs);
    this.#watch.unref();
  }

  /**
   * A thread that is near its limit of memory does little but look for memory to free, so it is silent for the same reason.
   * Only the memory of the whole process can be read from here.
   */
  #endOfSilence(silentMs: number): WorkerEnd {
    const grownMb = otherMemoryMb() - this.#otherMemoryMb;
    const share = grownMb / this.#settings.memoryMb;
    if (share >= NEARLY_FULL) return { cause: 'memory', detail: '' };
    const taken = share >= NOTABLE ? `, taking about ${Math.round(grownMb)} MB of memory,` : '';
    return { cause: 'spin', detail: `${silentMs} ms${taken}` };
  }

  #patienceWith(slot: number): number {
    const { heartbeatMs, loadSilenceMs, isLoading, isAwaited } = this.#settings;
    if (slot === 0) return heartbeatMs * EXTRA_PATIENCE;
    if (!isLoading(slot)) return heartbeatMs;
    // At the start a load may take its time. Later, the calls of all other plugins stand still meanwhile.
    return Math.max(isAwaited() ? Math.min(AWAITED_LOAD_MS, loadSilenceMs) : loadSilenceMs, heartbeatMs);
  }
}

function otherMemoryMb(): number {
  const { rss, heapTotal } = process.memoryUsage();
  return (rss - heapTotal) / 1024 / 1024;
}

function endBy({ slot, call, changed }: Tampering): WorkerEnd {
  return { cause: 'tampering', detail: listed(changed), by: { slot, call } };
}

function beatMsOf(heartbeatMs: number): number {
  return Math.min(SLOWEST_BEAT_MS, Math.max(10, Math.floor(heartbeatMs / BEATS_A_HEARTBEAT)));
}

export interface WorkerProgram {
  readonly program: URL | string;
  /** The text of a program rather than its place. */
  readonly isText: boolean;
  /** The file that Node loads before it. */
  readonly guard: string;
}

function findWorkerProgram(here = import.meta.url): WorkerProgram {
  const guardBeside = (place: string | URL) => fileURLToPath(new URL('./process-guard.cjs', place));
  if (here.endsWith('.ts')) return { program: readingSource(here), isText: true, guard: guardBeside(here) };
  const program = findProgram(here, 'plugins/isolation/plugin-worker');
  return { program, isText: false, guard: guardBeside(program) };
}

function readingSource(here: string): string {
  const [from, source] = [here, new URL('./plugin-worker.ts', here).href].map((place) => JSON.stringify(place));
  return `
    const { createJiti } = require('node:module').createRequire(${from})('jiti');
    createJiti(${from}).import(${source});
  `;
}
