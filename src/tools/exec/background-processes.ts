// Commands that go on in the background, across restarts of the gateway. A row is written before the command begins, and
// the command outlives the gateway in its own process group; its outcome is read from the files that it left.
//
// Promise: nothing runs without a row, a row that says `running` is looked at on every start, and a signal goes only to
// a process that is certainly the one of the row.

import { spawn } from 'node:child_process';
import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { newId } from '../../protocol/new-id.ts';
import type { NewRow, Store, Where } from '../../store/store.ts';
import type { ProcessRow } from '../../store/tables.ts';
import { ProcessLimitError } from '../errors.ts';
import { OneAtATime } from '../one-at-a-time.ts';
import { BEGIN, wrapCommand } from './background-wrapper.ts';
import { MAX_OUTPUT_FILE_BYTES, openPrivateFile } from './command-output.ts';
import { pidTokenOf } from './pid-token.ts';
import type { SpawnedCommand } from './run-command.ts';
import { endGroup } from './signal-group.ts';

export interface BackgroundProcessesOptions {
  readonly store: Store;
  /** Where outputs and exit codes are kept. */
  readonly dir: string;
  readonly now: () => number;
  readonly warn: (sentence: string) => void;
  readonly maxOutputBytes?: number | undefined;
  /** Of the commands that have ended. */
  readonly maxKeptASession?: number | undefined;
  readonly lookEveryMs?: number | undefined;
  /** The name of this node, where several share the store: each looks only at the processes of its own machine. */
  readonly node?: string | undefined;
}

export interface StartRequest {
  readonly agentId: string;
  readonly sessionKey: string;
  readonly runId: string;
  /** As the model wrote it. */
  readonly command: string;
  /** The folder, relative to the workspace. */
  readonly cwd: string;
  readonly spawned: SpawnedCommand;
}

const MAX_RUNNING_A_SESSION = 16;
const MAX_RUNNING_IN_ALL = 64;
const MAX_KEPT_A_SESSION = 50;
const KEPT_MS = 7 * 24 * 60 * 60_000;
const PRUNE_EVERY_MS = 60 * 60_000;
const SWEEP_EVERY_MS = 60_000;
const PRUNE_SLICE = 200;
const LOOK_EVERY_MS = 1_000;
const KILL_GRACE_MS = 3_000;

/** Stands on the row of a process that still runs, until its node has ended it. */
const ASKED_TO_END = 'SIGTERM';

type Ending = Pick<ProcessRow, 'status' | 'exitCode' | 'signal'>;

export class BackgroundProcesses {
  readonly #options: BackgroundProcessesOptions;
  readonly #starts = new OneAtATime();
  /** Processes of an earlier gateway. They do not tell this one when they end. */
  readonly #adopted = new Map<string, ProcessRow>();
  /** Processes that `kill` is ending; `kill` writes down how they ended. */
  readonly #killed = new Set<string>();
  /** Commands that have, or had, a row: when the row is gone, another node has removed it and the files here go too. */
  readonly #known = new Set<string>();
  /** What runs on this node of several; another node may want it to end. */
  readonly #running = new Map<string, ProcessRow>();
  #looking: NodeJS.Timeout | undefined;
  #heeding: NodeJS.Timeout | undefined;
  #pruning: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: BackgroundProcessesOptions) {
    this.#options = options;
  }

  /** Finds out what became of those that ran when the last gateway stopped. */
  async open(): Promise<void> {
    const { node, store, warn, lookEveryMs = LOOK_EVERY_MS } = this.#options;
    for (const row of await store.select('processes', { where: { status: 'running' } })) {
      if (!this.#isHere(row)) continue;
      if (await this.#isAlive(row)) {
        this.#adopted.set(row.id, row);
        this.#heed(row);
      } else await this.#settle(row, undefined);
    }
    if (this.#adopted.size > 0) this.#look(lookEveryMs);
    // No command of this gateway has begun, so what has no row was deleted at another node while this one was away.
    if (node !== undefined) await this.#sweep(() => true);
    const prune = () =>
      void this.prune().catch((error) => {
        if (!this.#isClosed) warn(`Old outputs of commands could not make room: ${(error as Error).message}`);
      });
    // What another node deletes must not lie here for long.
    this.#pruning = setInterval(prune, node === undefined ? PRUNE_EVERY_MS : SWEEP_EVERY_MS);
    this.#pruning.unref();
    prune();
  }

  /** Stops looking. The processes go on. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#looking);
    clearTimeout(this.#heeding);
    clearInterval(this.#pruning);
  }

  newId(): string {
    return newId('proc', this.#options.now());
  }

  outputFileOf(id: string): string {
    return join(this.#options.dir, `${id}.log`);
  }

  /** Rejects with ProcessLimitError when too many run already, and with whatever keeps it from being started. */
  start(request: StartRequest): Promise<ProcessRow> {
    return this.#starts.run('start', () => this.#start(request));
  }

  async #start({ agentId, sessionKey, runId, command, cwd, spawned }: StartRequest): Promise<ProcessRow> {
    const { store, now, maxOutputBytes = MAX_OUTPUT_FILE_BYTES } = this.#options;
    const own = await store.count('processes', { agentId, sessionKey, status: 'running' });
    if (own >= MAX_RUNNING_A_SESSION)
      throw new ProcessLimitError({ limit: MAX_RUNNING_A_SESSION, scope: 'of this session' });
    const all = await store.count('processes', { status: 'running' });
    if (all >= MAX_RUNNING_IN_ALL)
      throw new ProcessLimitError({ limit: MAX_RUNNING_IN_ALL, scope: 'of all sessions together' });

    await this.#makeRoom(agentId, sessionKey);
    const id = this.newId();
    const outputFile = this.outputFileOf(id);
    const handle = await openPrivateFile(outputFile);
    try {
      const wrapper = wrapCommand({ ...spawned, exitFile: this.#exitFileOf(id), maxOutputBytes });
      const child = spawn(wrapper.file, wrapper.args, {
        argv0: wrapper.argv0,
        cwd: wrapper.cwd,
        env: wrapper.env,
        detached: true,
        stdio: ['pipe', handle.fd, handle.fd],
      });
      await new Promise<void>((resolve, reject) => {
        child.once('spawn', resolve);
        child.once('error', reject);
      });
      const { pid = null } = child;
      // It may die while it waits, and then writing to it fails.
      child.stdin?.on('error', () => undefined);
      try {
        const pidToken = pid === null ? null : ((await this.#tokenOf(pid)) ?? null);
        const row: ProcessRow = {
          id,
          agentId,
          sessionKey,
          runId,
          pid,
          pidToken,
          command,
          cwd,
          outputFile,
          startedAt: now(),
          endedAt: null,
          exitCode: null,
          signal: null,
          status: 'running',
        };
        await store.commit([{ insert: 'processes', row }], { site: 'process' });
        this.#known.add(id);
        if (child.exitCode !== null || child.signalCode !== null) return await this.#settle(row, child.signalCode);
        child.once('exit', (_, signal) => void this.#settle(row, signal));
        child.stdin?.write(BEGIN);
        this.#heed(row);
        return row;
      } finally {
        // When the input ends without the word, the wrapper ends.
        child.stdin?.end();
        child.unref();
      }
    } catch (error) {
      await rm(outputFile, { force: true });
      throw error;
    } finally {
      await handle.close();
    }
  }

  /** Keeps what a command of the foreground printed, so that its session can read it later. */
  async keepOutput(printed: Omit<NewRow<'processes'>, 'pid' | 'pidToken'>): Promise<void> {
    const { node, store } = this.#options;
    // There is no process any more; the name says at which node the output is.
    const row = { ...printed, pid: null, pidToken: node === undefined ? null : `${node} ` };
    await this.#makeRoom(row.agentId, row.sessionKey);
    await store.commit([{ insert: 'processes', row }], { site: 'process', lazy: true });
    this.#known.add(row.id);
  }

  /** A session that prints without end must not fill the disk: its oldest outputs go before another one is kept. */
  async #makeRoom(agentId: string, sessionKey: string): Promise<void> {
    const { store, maxKeptASession = MAX_KEPT_A_SESSION } = this.#options;
    const ended = await store.select('processes', {
      where: { agentId, sessionKey, status: { not: 'running' } },
      orderBy: [['startedAt', 'desc']],
    });
    const ids = ended.slice(maxKeptASession - 1).map(({ id }) => id);
    if (ids.length === 0) return;
    for (const id of ids) await this.#removeFiles(id);
    await store.commit([{ remove: 'processes', where: { id: { in: ids } } }], { site: 'prune' });
  }

  async list(visible: Where<'processes'>, limit: number): Promise<readonly ProcessRow[]> {
    return this.#options.store.select('processes', { where: visible, orderBy: [['startedAt', 'desc']], limit });
  }

  async find(id: string, visible: Where<'processes'>): Promise<ProcessRow | undefined> {
    // The conditions of visibility come last, so that a model's parameters can narrow and never replace them.
    const [row] = await this.#options.store.select('processes', { where: { id, ...visible }, limit: 1 });
    return row;
  }

  /** The row as it stands afterwards. One that has ended already is left as it is, and one of another node is ended there soon. */
  async kill(row: ProcessRow): Promise<ProcessRow> {
    if (row.status !== 'running' || this.#killed.has(row.id)) return row;
    if (!this.#isHere(row)) {
      await this.#options.store.commit(
        [{ update: 'processes', where: { id: row.id, status: 'running' }, set: { signal: ASKED_TO_END } }],
        { site: 'process' },
      );
      return row;
    }
    if (!(await this.#isAlive(row))) return this.#settle(row, undefined);
    this.#killed.add(row.id);
    try {
      // The wrapper is the last to go.
      this.#running.delete(row.id);
      await endGroup(row.pid, KILL_GRACE_MS, async () => !(await this.#isAlive(row)));
      const exitCode = await this.#exitCodeOf(row.id);
      // One that was made to end left no code.
      const signal = exitCode === undefined ? 'SIGKILL' : 'SIGTERM';
      return await this.#write(row, { status: 'killed', exitCode: exitCode ?? null, signal });
    } finally {
      this.#killed.delete(row.id);
    }
  }

  /** Ends what a session runs and removes what its commands printed; the rows are the caller's to remove. */
  async forget(sessionKey: string): Promise<void> {
    for (const row of await this.#options.store.select('processes', { where: { sessionKey } })) {
      await this.kill(row);
      await this.#removeFiles(row.id);
    }
  }

  /** Removes what ended long ago, with its files, and files that belong to nothing. */
  async prune(): Promise<void> {
    const { store, now } = this.#options;
    const before = now() - KEPT_MS;
    for (let isMore = true; isMore && !this.#isClosed; ) {
      const old = await store.select('processes', { where: { endedAt: { lt: before } }, limit: PRUNE_SLICE });
      isMore = old.length === PRUNE_SLICE;
      for (const { id } of old) await this.#removeFiles(id);
      if (old.length === 0) break;
      const ids = old.map(({ id }) => id);
      await store.commit([{ remove: 'processes', where: { id: { in: ids } } }], { site: 'prune' });
    }
    await this.#sweep((id, changedAt) => this.#known.has(id) || changedAt < before);
  }

  /** Removes the files that have no row, where `isStray` agrees. The file of a command is there before its row is. */
  async #sweep(isStray: (id: string, changedAt: number) => boolean): Promise<void> {
    const { store, dir } = this.#options;
    const names = await readdir(dir).catch(() => []);
    for (let from = 0; from < names.length && !this.#isClosed; from += PRUNE_SLICE) {
      const files = names.slice(from, from + PRUNE_SLICE).map((name) => ({ name, id: name.replace(/\..*$/, '') }));
      const rows = await store.select('processes', { where: { id: { in: files.map(({ id }) => id) } } });
      for (const { id } of rows) this.#known.add(id);
      const kept = new Set(rows.map(({ id }) => id));
      for (const { name, id } of files) {
        if (kept.has(id)) continue;
        const file = join(dir, name);
        const changedAt = await stat(file).then(
          ({ mtimeMs }) => mtimeMs,
          () => undefined,
        );
        if (changedAt !== undefined && isStray(id, changedAt)) await rm(file, { force: true });
      }
    }
  }

  #exitFileOf(id: string): string {
    return join(this.#options.dir, `${id}.exit`);
  }

  async #removeFiles(id: string): Promise<void> {
    this.#known.delete(id);
    for (const file of [this.outputFileOf(id), this.#exitFileOf(id), `${this.#exitFileOf(id)}.part`]) {
      await rm(file, { force: true });
    }
  }

  async #isAlive({ pid, pidToken }: ProcessRow): Promise<boolean> {
    return pid !== null && pidToken !== null && (await this.#tokenOf(pid)) === pidToken;
  }

  /** The name of another node that has the output of this command; undefined when it is here, or when it is not known. */
  elsewhere({ pidToken }: ProcessRow): string | undefined {
    const { node } = this.#options;
    const name = node === undefined ? undefined : pidToken?.split(' ')[0];
    return name === node ? undefined : name;
  }

  /** Whether it is a process of this machine. */
  #isHere({ pidToken }: ProcessRow): boolean {
    const { node } = this.#options;
    return node === undefined || pidToken?.startsWith(`${node} `) === true;
  }

  async #tokenOf(pid: number): Promise<string | undefined> {
    const { node } = this.#options;
    const token = await pidTokenOf(pid);
    return token === undefined || node === undefined ? token : `${node} ${token}`;
  }

  async #exitCodeOf(id: string): Promise<number | undefined> {
    const text = await readFile(this.#exitFileOf(id), 'utf8').catch(() => '');
    return /^\d{1,3}\n$/.test(text) ? Number(text) : undefined;
  }

  #look(everyMs: number): void {
    this.#looking = setTimeout(async () => {
      for (const row of this.#adopted.values()) {
        if (this.#isClosed) return;
        if (await this.#isAlive(row)) continue;
        this.#adopted.delete(row.id);
        await this.#settle(row, undefined);
      }
      if (this.#adopted.size > 0 && !this.#isClosed) this.#look(everyMs);
    }, everyMs);
    this.#looking.unref();
  }

  /** Of several nodes, the one that has a process ends it when another one asks for that, or has removed its session. */
  #heed(row: ProcessRow): void {
    const { node, store, lookEveryMs = LOOK_EVERY_MS } = this.#options;
    if (node === undefined) return;
    this.#running.set(row.id, row);
    this.#heeding ??= setInterval(() => {
      if (this.#running.size === 0) return;
      const where = { id: { in: [...this.#running.keys()] } };
      // When the store cannot be read, the next look is another attempt.
      void store.select('processes', { where }).then(
        (rows) => this.#endUnwanted(rows),
        () => undefined,
      );
    }, lookEveryMs).unref();
  }

  #endUnwanted(rows: readonly ProcessRow[]): void {
    const byId = new Map(rows.map((row) => [row.id, row]));
    for (const known of this.#running.values()) {
      const row = byId.get(known.id);
      if (row?.status === 'running' && row.signal === null) continue;
      this.#running.delete(known.id);
      // A row that is not running any more was settled here.
      if (row === undefined || row.status === 'running') void this.#endFor(known).catch(() => undefined);
    }
  }

  /** Another node asks first and removes the row afterwards, so that the row may go while the process is being ended. */
  async #endFor(row: ProcessRow): Promise<void> {
    await this.kill(row);
    if ((await this.#options.store.count('processes', { id: row.id })) === 0) await this.#removeFiles(row.id);
  }

  /** Writes down how a process ended that is not there any more. `signal` is what is known of a child of our own. */
  async #settle(row: ProcessRow, signal: NodeJS.Signals | null | undefined): Promise<ProcessRow> {
    if (this.#isClosed || this.#killed.has(row.id)) return row;
    this.#running.delete(row.id);
    const exitCode = await this.#exitCodeOf(row.id);
    const ending: Ending =
      exitCode !== undefined
        ? { status: 'ended', exitCode, signal: null }
        : signal
          ? { status: 'ended', exitCode: null, signal }
          : { status: 'lost', exitCode: null, signal: null };
    return this.#write(row, ending);
  }

  /** The write may be lazy: after a power cut the same outcome is found again. */
  async #write(row: ProcessRow, ending: Ending): Promise<ProcessRow> {
    const { store, now, warn } = this.#options;
    const set = { ...ending, endedAt: now() };
    try {
      await store.commit([{ update: 'processes', where: { id: row.id, status: 'running' }, set }], {
        site: 'process',
        lazy: true,
      });
    } catch (error) {
      if (!this.#isClosed) warn(`The end of ${row.id} could not be written down: ${(error as Error).message}`);
    }
    return { ...row, ...set };
  }
}
