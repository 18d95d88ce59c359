// The program of the worker that third-party plugins run in. Loads the plugins that the gateway brings, each on its own
// port, writes on the board whose code runs, and limits what they print. It decides nothing: when
// it is stuck, the gateway ends it.

import { AsyncLocalStorage, createHook } from 'node:async_hooks';
import { subscribe } from 'node:diagnostics_channel';
import { getHeapStatistics } from 'node:v8';
import { workerData } from 'node:worker_threads';
import { HOOK_CATALOG, type HookRow } from '../../hooks/catalog.ts';
import { isPromiseLike } from '../../hooks/deadline.ts';
import { InvalidHandlerResult } from '../../protocol/handler.ts';
import { listed } from '../../protocol/listed.ts';
import { oneLine } from '../../protocol/one-line.ts';
import { PluginGoneError } from '../errors.ts';
import { type HandlerSetup, isHandlerSetup } from '../handler-setup.ts';
import { loadHandlerFile } from '../loading/load-handler-file.ts';
import { type LoadPluginSettings, loadPlugin, type PluginDraft } from '../loading/load-plugin.ts';
import type { PluginHost, PluginLogEntry } from '../plugin-host.ts';
import type { PluginSetup } from '../plugin-setup.ts';
import type { PluginRegistration, RouteRegistration } from '../registration.ts';
import { ActivityBoard } from './activity-board.ts';
import { CallPace, pacedHost } from './call-pace.ts';
import { IntrinsicsGuard } from './intrinsics-guard.ts';
import { OutputBudget } from './output-budget.ts';
import { RoundRunner } from './round-runner.ts';
import { serveRoute } from './serve-route.ts';
import { systemThreadId } from './thread-time.ts';
import { Wire } from './wire.ts';
import {
  MAX_ANSWER_BYTES,
  MAX_CALLS_OF_PLUGIN,
  type PluginPort,
  READY,
  type Tampering,
  type ToWorker,
  type WorkerStart,
} from './worker-messages.ts';

/** Which plugin runs. This follows everything that a call starts, timers and promises included. */
interface Running {
  readonly slot: number;
  readonly call: number;
}

const start = workerData as { -readonly [Field in keyof WorkerStart]: WorkerStart[Field] | undefined };
const { control, beatMs } = workerData as WorkerStart;
const board = new ActivityBoard(start.board);
board.thread = systemThreadId();
// Plugins can read `workerData` too, and must not reach the control port and the board.
start.control = undefined;
start.board = undefined;

const running = new AsyncLocalStorage<Running>();
// Plugins can reach the prototype, and must not say in whose name code runs.
const { getStore, run: runIn } = AsyncLocalStorage.prototype;
Object.assign(running, { getStore, run: runIn });
const intrinsics = new IntrinsicsGuard();
/** The output of each plugin, by its place. */
const outputs = new Map<number, OutputBudget>();

/** The plugin whose code has run since the built-ins were last compared, which is then the one that changed them. */
let ran: Running = { slot: 0, call: 0 };
/** All that have run since the last thorough look. */
const ranSinceBeat = new Set<number>();
/** After a change that several could have made, every look is a thorough one. */
let isThorough = false;
let isTampered = false;

createHook({
  before() {
    const who = running.getStore();
    if (who === undefined) {
      board.running(0, 0);
      // Code of the worker itself comes now, which concerns all plugins.
      accuse(intrinsics.restoreMostUsed());
    } else {
      board.running(who.slot, who.call);
      if (who !== ran) passTo(who);
    }
  },
}).enable();

setInterval(() => {
  const { used_heap_size: heap, external_memory: external } = getHeapStatistics();
  board.beat(Math.round((heap + external) / 1024 / 1024));
  lookThoroughly();
  sayAdditions();
}, beatMs);

printInto(process.stdout, 'info');
printInto(process.stderr, 'warn');
spareConsole();
// The name is that of process-guard.cjs.
subscribe('atrium:plugin-signal-refused', (text) => outputOfWhoRuns()?.add({ level: 'error', text: `${text}.` }));
process.on('uncaughtException', (error) => sayUnhandled('threw an error that nothing caught', error));
process.on('unhandledRejection', (reason) => sayUnhandled('left a rejected promise behind', reason));

/** How many plugins are being loaded. */
let loads = 0;
const wires = new Map<number, Wire>();
const rounds = new RoundRunner({
  wireAt: (slot) => wires.get(slot),
  around,
  post: (answers) => control.postMessage(answers),
});

control.on('message', (message: ToWorker) => {
  if (message.type === 'port') openPort(message);
  else if (message.type === 'round') rounds.run(message);
  else rounds.abort(message);
});
control.postMessage(READY);

function around(slot: number, call: number, run: () => void): void {
  const who: Running = { slot, call };
  passTo(who);
  // The worker is about to be ended. What was not begun here is begun in the next one.
  if (isTampered) return;
  board.begin(slot, call);
  running.run(who, run);
  accuse(intrinsics.restoreMostUsed());
}

/** Before the code of another plugin runs, so that it does not meet what the one before it has changed. */
function passTo(who: Running): void {
  if (who.slot !== ran.slot) {
    if (ran.slot !== 0) accuse(isThorough || loads > 0 ? intrinsics.restoreThoroughly() : intrinsics.restore());
    if (loads > 0) sayAdditions();
    ranSinceBeat.add(who.slot);
  }
  ran = who;
}

/** What is hardly used is looked at with each beat only; then it may not be certain who changed it. */
function lookThoroughly(): void {
  accuse(intrinsics.restore());
  const changed = intrinsics.restoreThoroughly();
  const suspects = [...ranSinceBeat];
  ranSinceBeat.clear();
  ranSinceBeat.add(ran.slot);
  if (!changed || suspects.length < 2) {
    accuse(changed);
    return;
  }
  isThorough = true;
  const text = `This plugin or another one changed ${listed(changed)}, which all plugins share; that was undone. The next one to do so is suspended.`;
  for (const slot of suspects) outputs.get(slot)?.add({ level: 'error', text });
}

function accuse(changed: readonly string[] | undefined): void {
  if (!changed || isTampered || ran.slot === 0) return;
  isTampered = true;
  control.postMessage({ type: 'tampering', slot: ran.slot, call: ran.call, changed } satisfies Tampering);
}

/** Published plugins bring standard methods that older versions of Node do not have. */
function sayAdditions(): void {
  const added = intrinsics.additions();
  if (added.length === 0) return;
  const text = `It added ${listed(added)}, which all plugins in the worker now have.`;
  outputs.get(ran.slot)?.add({ level: 'info', text });
}

function openPort({ slot, pluginId, port }: PluginPort): void {
  const wire = new Wire({
    pluginId,
    port,
    root: (setup, host, settings) =>
      load(setup as PluginSetup | HandlerSetup, host as PluginHost, settings as LoadPluginSettings),
    maxBytes: MAX_ANSWER_BYTES,
    maxCalls: MAX_CALLS_OF_PLUGIN,
    around: (call, run) => around(slot, call, run),
  });
  wires.set(slot, wire);
  port.on('close', () => {
    if (wires.get(slot) === wire) wires.delete(slot);
    wire.end(() => new PluginGoneError({ pluginId }));
    outputs.get(slot)?.close();
    outputs.delete(slot);
  });

  async function load(
    setup: PluginSetup | HandlerSetup,
    host: PluginHost,
    settings: LoadPluginSettings,
  ): Promise<PluginDraft> {
    const tellLog = host.log as (...args: readonly unknown[]) => unknown;
    const output = new OutputBudget({ write: (entry) => wire.tell(tellLog, [entry]), now: () => performance.now() });
    outputs.set(slot, output);
    const pace = new CallPace({ pluginId, now: () => performance.now() });
    const limited = {
      ...pacedHost(host, pace),
      log: ({ level, text }: PluginLogEntry) => output.add({ level, text: String(text) }),
    };
    loads += 1;
    const draft = isHandlerSetup(setup)
      ? await loadHandlerFile(setup, limited.log)
      : await loadPlugin(setup, limited, settings);
    accuse(intrinsics.restoreThoroughly());
    sayAdditions();
    loads -= 1;
    // The gateway hears of the tampering, and ends the worker.
    if (isTampered) return new Promise(() => {});
    if (!draft.ok) return draft;
    const { registrations, registered, notes } = draft;
    return { ok: true, registrations: registrations.map(crossing), registered, notes };
  }
}

function crossing(registration: PluginRegistration): PluginRegistration {
  if (registration.kind === 'cli') return { ...registration, registrar: undefined };
  if (registration.kind === 'route')
    return { ...registration, handler: serveRoute(registration) as RouteRegistration['handler'] };
  if (registration.kind !== 'hook') return registration;
  const { hook, handler } = registration;
  const row: HookRow | undefined = Object.hasOwn(HOOK_CATALOG, hook)
    ? HOOK_CATALOG[hook as keyof typeof HOOK_CATALOG]
    : undefined;
  return row?.sync ? { ...registration, handler: answeringAtOnce(handler) } : registration;
}

/** For the gateway every answer comes later, so only the worker can see whether a handler answered at once. */
function answeringAtOnce(handler: (event: object, context: object) => unknown) {
  return (event: object, context: object): unknown => {
    const answer = handler(event, context);
    if (!isPromiseLike(answer)) return answer;
    Promise.resolve(answer).catch(() => {});
    throw new InvalidHandlerResult('returned a promise, and this hook takes plain values only');
  };
}

/** What is printed outside of every call is counted for the plugin that ran last. */
function outputOfWhoRuns(): OutputBudget | undefined {
  return outputs.get(running.getStore()?.slot ?? board.lastSlot);
}

/** Line by line into the plugin's log; what is printed by `console` comes this way as well. */
function printInto(stream: NodeJS.WriteStream, level: PluginLogEntry['level']): void {
  const write = (chunk: unknown, encoding?: unknown, done?: unknown): boolean => {
    const text = typeof chunk === 'string' ? chunk : Buffer.from(chunk as Uint8Array).toString('utf8');
    const output = outputOfWhoRuns();
    for (const line of text.split('\n')) if (line !== '') output?.add({ level, text: line });
    const callback = typeof encoding === 'function' ? encoding : done;
    if (typeof callback === 'function') process.nextTick(callback as () => void);
    return true;
  };
  Object.defineProperty(stream, 'write', { value: write });
}

/** A line that would be dropped is not made at all, because making lines is the largest part of a flood's cost. */
function spareConsole(): void {
  for (const name of ['debug', 'error', 'info', 'log', 'trace', 'warn'] as const) {
    const print = console[name].bind(console);
    console[name] = (...args: readonly unknown[]) => {
      if (!outputOfWhoRuns()?.dropsWhole()) print(...args);
    };
  }
}

function sayUnhandled(what: string, error: unknown): void {
  const place = error instanceof Error ? /\n\s+at (.{1,300})/.exec(String(error.stack))?.[1] : undefined;
  outputOfWhoRuns()?.add({ level: 'error', text: `It ${what}: ${oneLine(error)}${place ? ` (at ${place})` : ''}` });
}
