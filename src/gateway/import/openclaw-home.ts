// What lies in a home of OpenClaw, of the versions that keep files and of those that keep databases. It only reads; what
// cannot be read is a note, and the rest goes on. Paths that a list names are followed only inside of the home.

import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import zlib from 'node:zlib';
import { isPlainObject } from '../../config/plain-object.ts';
import { DEFAULT_AGENT_ID } from '../../protocol/agent-id.ts';
import { countOf } from '../../protocol/count-of.ts';
import { parseJson } from '../../protocol/json.ts';
import { errorText } from '../../protocol/one-line.ts';
import { sha256Of } from '../../protocol/sha256-of.ts';
import { OpenClawDatabase } from '../../store/sqlite/openclaw-database.ts';
import { isOfOneRun } from './import-session.ts';
import { readJsonLines } from './read-lines.ts';
import type { ImportNote, SourceEvent, SourceSession } from './source-session.ts';
import type { StorePaths } from './store-paths.ts';

/** A person whom the operator of OpenClaw had approved. */
export interface AllowedPerson {
  readonly channel: string;
  readonly accountId: string;
  readonly entry: string;
  readonly place: string;
}

export interface SourceJob {
  readonly value: unknown;
  readonly place: string;
}

const LARGEST_JSON = 512 * 1024 * 1024;

export class OpenClawHome {
  readonly dir: string;
  readonly #workDir: string;
  readonly #databases = new Map<string, OpenClawDatabase>();
  readonly #paths: StorePaths;
  readonly #notes: ImportNote[];
  #unread = 0;
  #lostSessions = 0;

  /** `workDir` is a folder of Atrium's own, where databases are copied to. */
  constructor(dir: string, workDir: string, paths: StorePaths) {
    this.dir = dir;
    this.#workDir = workDir;
    this.#paths = paths;
    this.#notes = [...paths.notes];
  }

  /** What could not be read so far. */
  get notes(): readonly ImportNote[] {
    return this.#notes;
  }

  /** How many files, folders and databases could not be read. */
  get unread(): number {
    return this.#unread;
  }

  /** How many conversations are listed and have no transcript that can be read. */
  get lostSessions(): number {
    return this.#lostSessions;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#databases.values()].map((database) => database.close()));
    this.#databases.clear();
  }

  async agentIds(): Promise<readonly string[]> {
    const named = [...(await this.#list(path.join(this.dir, 'agents'))), ...this.#paths.agentIds];
    return [...new Set(named)].filter((name) => /^[\w-]{1,64}$/.test(name));
  }

  /** The conversations of all agents. A session that is both in files and in a database is taken from the database. */
  async sessions(): Promise<readonly SourceSession[]> {
    const all: SourceSession[] = [];
    const lists = await this.#sessionLists();
    for (const agentId of await this.agentIds()) {
      const kept = await this.#keptSessions(agentId);
      const known = new Set(kept.map(({ sessionId }) => sessionId));
      const list = lists.get(agentId);
      const filed = list === undefined ? [] : await this.#filedSessions(agentId, list);
      all.push(...kept, ...filed.filter(({ sessionId }) => !known.has(sessionId)));
    }
    return withOwnIds(all);
  }

  async jobs(): Promise<readonly SourceJob[]> {
    const file = await this.#jobsFile();
    const written = await this.#readJson(file);
    const list = isPlainObject(written) ? written.jobs : written;
    const filed = Array.isArray(list) ? list.map((value) => ({ value, place: file })) : [];
    const { file: kept, database } = await this.#state();
    const stored = this.#ask(kept, database, (each) => each.jobs()).map((json) => ({
      value: parseJson(json),
      place: kept,
    }));
    return [...stored, ...filed];
  }

  async people(): Promise<readonly AllowedPerson[]> {
    const folder = path.join(this.dir, 'credentials');
    const people: AllowedPerson[] = [];
    for (const name of await this.#list(folder)) {
      const [, channel, accountId = 'default'] = /^([a-z]+)(?:-(.+))?-allowFrom\.json$/.exec(name) ?? [];
      if (channel === undefined) continue;
      const place = path.join(folder, name);
      const written = await this.#readJson(place);
      const list = isPlainObject(written) ? written.allowFrom : written;
      const entries = Array.isArray(list) ? list.filter((each) => ['string', 'number'].includes(typeof each)) : [];
      people.push(...entries.map((entry) => ({ channel, accountId, entry: String(entry), place })));
    }
    const { file, database } = await this.#state();
    const allowed = this.#ask(file, database, (each) => each.allowed());
    return [...people, ...allowed.map((each) => ({ ...each, place: file }))];
  }

  /** What the databases hold beside that, and what follows; one note for each kind. */
  async leftInDatabases(): Promise<readonly ImportNote[]> {
    const agents = (await this.agentIds()).map((agentId) => this.#agentFile(agentId));
    const files = [path.join(this.dir, 'state', 'openclaw.sqlite'), ...agents];
    const notes: ImportNote[] = [];
    for (const file of files) {
      const database = await this.#database(file);
      for (const [table, what] of LEFT_TABLES) {
        const [count = 0] = this.#ask(file, database, (each) => [each.count(table)]);
        if (count > 0)
          notes.push({ place: file, sentence: `Not brought along: ${countOf(count, 'row')} of ${table} (${what}).` });
      }
    }
    return notes;
  }

  /** How many people wait for an answer to their request, in each file of requests. */
  async waitingPeople(): Promise<readonly { readonly place: string; readonly count: number }[]> {
    const folder = path.join(this.dir, 'credentials');
    const names = (await this.#list(folder)).filter((name) => /^[a-z]+(?:-.+)?-pairing\.json$/.test(name));
    const files = await Promise.all(
      names.map(async (name) => {
        const place = path.join(folder, name);
        const written = await this.#readJson(place);
        const list = isPlainObject(written) ? written.requests : written;
        return { place, count: Array.isArray(list) ? list.length : 0 };
      }),
    );
    return files.filter(({ count }) => count > 0);
  }

  /** The auth profiles of databases, which are not read in place. Those of the default agent go before all others. */
  async authProfiles(defaultAgentId: string): Promise<Readonly<Record<string, unknown>>> {
    const { file, database } = await this.#state();
    const stores = this.#ask(file, database, (each) => each.authProfiles()).map(parseJson);
    for (const agentId of new Set([DEFAULT_AGENT_ID, defaultAgentId])) {
      const own = this.#agentFile(agentId);
      stores.push(...this.#ask(own, await this.#database(own), (each) => each.authProfiles()).map(parseJson));
    }
    return profilesIn(stores);
  }

  /** The auth profiles that the databases of other agents have for themselves, by agent. */
  async profilesOfAgents(defaultAgentId: string): Promise<ReadonlyMap<string, Readonly<Record<string, unknown>>>> {
    const others = (await this.agentIds()).filter((agentId) => ![DEFAULT_AGENT_ID, defaultAgentId].includes(agentId));
    const found = new Map<string, Readonly<Record<string, unknown>>>();
    for (const agentId of others) {
      const file = this.#agentFile(agentId);
      const stores = this.#ask(file, await this.#database(file), (each) => each.authProfiles()).map(parseJson);
      const profiles = profilesIn(stores);
      if (Object.keys(profiles).length > 0) found.set(agentId, profiles);
    }
    return found;
  }

  async #keptSessions(agentId: string): Promise<readonly SourceSession[]> {
    const file = this.#agentFile(agentId);
    const database = await this.#database(file);
    const rows = this.#ask(file, database, (each) => each.sessions());
    for (const { sessionKey, sessionId } of rows.filter((row) => row.isArchived && row.events === 0))
      this.#note(
        `${file} (${sessionId})`,
        `OpenClaw has put what was said in ${sessionKey} into an archive, which is not read.`,
      );
    const readable = rows.filter((row) => !row.isArchived || row.events > 0);
    return readable.map((row) => ({
      agentId,
      sessionKey: row.sessionKey,
      sessionId: row.sessionId,
      startedAt: row.startedAt,
      activeAt: row.activeAt,
      endedAt: row.isCurrent ? null : row.updatedAt,
      place: `${file} (${row.sessionId})`,
      stamp: `${row.events}/${row.updatedAt}`,
      isLinear: database?.hasActiveLine(row.sessionId) ?? false,
      ...choicesOf(objectIn(row.entry)),
      events: () => readEvents(database, row.sessionId),
    }));
  }

  /** The list of each agent. A file that agents share is read for the first of them, since its keys name their agent. */
  async #sessionLists(): Promise<ReadonlyMap<string, string>> {
    const lists = new Map<string, string>();
    const { sessions } = this.#paths;
    let isAnyThere = false;
    const agentIds = await this.agentIds();
    for (const agentId of agentIds) {
      const usual = path.join(this.dir, 'agents', agentId, 'sessions', 'sessions.json');
      const configured = sessions?.(agentId);
      const exists = configured !== undefined && (await isThere(configured));
      isAnyThere ||= exists;
      const list = exists ? configured : usual;
      if (![...lists.values()].includes(list)) lists.set(agentId, list);
    }
    if (sessions && !isAnyThere) this.#noteMissing('session.store', sessions('{agentId}'));
    return lists;
  }

  async #jobsFile(): Promise<string> {
    const usual = path.join(this.dir, 'cron', 'jobs.json');
    const { jobs = usual } = this.#paths;
    if (jobs === usual || (await isThere(jobs))) return jobs;
    this.#noteMissing('cron.store', jobs);
    return usual;
  }

  #noteMissing(setting: string, place: string): void {
    this.#note(place, `${setting} names this file, which is not there; the usual place was looked at.`);
  }

  async #filedSessions(agentId: string, list: string): Promise<readonly SourceSession[]> {
    const folder = path.dirname(list);
    const written = await this.#readJson(list);
    if (!isPlainObject(written)) {
      if (await isThere(list)) await this.#noteUnlisted(folder);
      return [];
    }
    const sessions: SourceSession[] = [];
    const listed = new Set<string>();
    for (const [sessionKey, entry] of Object.entries(written)) {
      const { sessionId } = isPlainObject(entry) ? entry : {};
      if (!isPlainObject(entry) || typeof sessionId !== 'string' || !/^[\w.-]{1,128}$/.test(sessionId)) {
        this.#noteLost(list, `${JSON.stringify(sessionKey.slice(0, 200))} names no transcript.`);
        continue;
      }
      const usual = path.join(folder, `${sessionId}.jsonl`);
      const place = (await this.#transcriptOf(sessionKey, { ...entry, sessionId }, folder)) ?? usual;
      listed.add(path.basename(place));
      const facts = await stat(place).catch(() => undefined);
      if (facts && (await this.#inside(place, folder)) === undefined) {
        this.#noteLost(
          place,
          `The transcript of ${sessionKey} is a link to a file outside of this home, and is not read.`,
        );
        continue;
      }
      // OpenClaw removes the transcripts of single runs, and those that are there stay too.
      if (!facts && isOfOneRun(sessionKey)) continue;
      if (!facts?.isFile()) {
        const what = facts ? 'is no file' : 'is not there';
        this.#noteLost(place, `The transcript of ${sessionKey} ${what}.`);
        continue;
      }
      const numberAt = (key: string) => (typeof entry[key] === 'number' ? (entry[key] as number) : undefined);
      sessions.push({
        agentId,
        sessionKey,
        sessionId,
        startedAt: numberAt('sessionStartedAt'),
        activeAt: numberAt('lastInteractionAt') ?? numberAt('updatedAt') ?? Math.trunc(facts.mtimeMs),
        endedAt: null,
        place,
        stamp: `${facts.size}/${facts.mtimeMs}`,
        isLinear: false,
        ...choicesOf(entry),
        events: () => readJsonLines(place),
      });
    }
    await this.#noteOrphans(folder, listed);
    return sessions;
  }

  /**
   * The first that is there of: the file that the entry names, the file of that name in the folder of the sessions (the
   * home may have been copied from another place), and the file that OpenClaw uses for a topic of a chat.
   */
  async #transcriptOf(
    sessionKey: string,
    { sessionId, sessionFile }: { readonly sessionId: string; readonly sessionFile?: unknown },
    folder: string,
  ): Promise<string | undefined> {
    const named = typeof sessionFile === 'string' && sessionFile !== '' ? sessionFile : undefined;
    const [, topic] = /:(?:topic|thread):([^:]+)$/.exec(sessionKey) ?? [];
    const places = [
      ...(named === undefined ? [] : [path.resolve(folder, named), path.join(folder, lastPart(named))]),
      ...(topic === undefined ? [] : [path.join(folder, `${sessionId}-topic-${encodeURIComponent(topic)}.jsonl`)]),
    ];
    for (const place of places) {
      const inside = await this.#inside(place, folder);
      if (inside !== undefined && (await isFile(inside))) return inside;
    }
    return undefined;
  }

  /** Transcripts of sessions that were reset or removed name no session key, so they cannot be told apart here. */
  async #noteOrphans(folder: string, known: ReadonlySet<string>): Promise<void> {
    const orphans = (await this.#transcriptsIn(folder)).filter((name) => !known.has(name));
    if (orphans.length === 0) return;
    const [which, stays] =
      orphans.length === 1
        ? ['transcript belongs', 'stays where it is']
        : ['transcripts belong', 'stay where they are'];
    this.#note(folder, `${orphans.length} ${which} to no session that OpenClaw still lists, and ${stays}.`);
  }

  /** Without the list nobody knows whose transcripts they are. */
  async #noteUnlisted(folder: string): Promise<void> {
    const { length } = await this.#transcriptsIn(folder);
    if (length === 0) return;
    const which = length === 1 ? 'One transcript stays where it is' : `${length} transcripts stay where they are`;
    this.#note(folder, `${which}: the list that says whose they are cannot be read.`);
  }

  async #transcriptsIn(folder: string): Promise<readonly string[]> {
    const names = (await this.#list(folder)).filter((name) => /\.jsonl(?:$|\.(?:reset|deleted)\.)/.test(name));
    return names.filter((name) => !/\.(?:trajectory|checkpoint)\b/.test(name));
  }

  #agentFile(agentId: string): string {
    return path.join(this.dir, 'agents', agentId, 'agent', 'openclaw-agent.sqlite');
  }

  async #state(): Promise<{ readonly file: string; readonly database: OpenClawDatabase | undefined }> {
    const file = path.join(this.dir, 'state', 'openclaw.sqlite');
    return { file, database: await this.#database(file) };
  }

  async #database(file: string): Promise<OpenClawDatabase | undefined> {
    const known = this.#databases.get(file);
    if (known || !(await isFile(file))) return known;
    if (this.#notes.some(({ place }) => place === file)) return undefined;
    try {
      const database = await OpenClawDatabase.open(file, this.#workDir);
      this.#databases.set(file, database);
      return database;
    } catch (error) {
      this.#noteUnread(file, error);
      return undefined;
    }
  }

  /** A database may be of a version whose tables are others; then it is named, and the rest goes on. */
  #ask<Row>(
    file: string,
    database: OpenClawDatabase | undefined,
    read: (database: OpenClawDatabase) => readonly Row[],
  ): readonly Row[] {
    if (!database) return [];
    try {
      return read(database);
    } catch (error) {
      this.#noteUnread(file, error);
      return [];
    }
  }

  /** The file that a path leads to. The folder of the sessions may be a link itself, to another disk for example. */
  async #inside(file: string | undefined, folder: string): Promise<string | undefined> {
    if (file === undefined) return undefined;
    const [real, ...roots] = await Promise.all([
      realpath(file).catch(() => undefined),
      realpath(this.dir),
      realpath(folder).catch(() => this.dir),
    ]);
    return roots.some((root) => real?.startsWith(`${root}${path.sep}`)) ? real : undefined;
  }

  /** A folder that is not there is empty; one that cannot be read is named. */
  async #list(folder: string): Promise<readonly string[]> {
    try {
      return (await readdir(folder)).toSorted();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') this.#noteOnce(folder, error);
      return [];
    }
  }

  async #readJson(file: string): Promise<unknown> {
    try {
      const facts = await stat(file);
      if (!facts.isFile() || facts.size > LARGEST_JSON) throw new Error('it is no file, or too large');
      return JSON.parse((await readFile(file, 'utf8')).replace(/^\uFEFF/, ''));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') this.#noteOnce(file, error);
      return undefined;
    }
  }

  #noteOnce(place: string, error: unknown): void {
    if (!this.#notes.some((note) => note.place === place)) this.#noteUnread(place, error);
  }

  #noteUnread(place: string, error: unknown): void {
    this.#unread += 1;
    this.#note(place, `It cannot be read: ${errorText(error)}.`);
  }

  #noteLost(place: string, sentence: string): void {
    this.#lostSessions += 1;
    this.#note(place, sentence);
  }

  #note(place: string, sentence: string): void {
    this.#notes.push({ place, sentence });
  }
}

/**
 * Two entries of OpenClaw may have one id and a transcript each. The transcript that is named after the id keeps it, and
 * each other one has the name of its file for an id, which is the same at every import. Agents may have the same names.
 */
function withOwnIds(sessions: readonly SourceSession[]): readonly SourceSession[] {
  const places = new Map<string, Set<string>>();
  for (const { sessionId, place } of sessions) places.set(sessionId, (places.get(sessionId) ?? new Set()).add(place));
  const taken = new Map<string, string>();
  return sessions.map((session) => {
    const { agentId, sessionKey, place } = session;
    const name = path.basename(place, '.jsonl');
    const isAlone = places.get(session.sessionId)?.size === 1 || !/^[\w.-]{1,128}$/.test(name);
    const wished = isAlone ? session.sessionId : name;
    const isFree = (taken.get(wished) ?? place) === place;
    const sessionId = isFree ? wished : `${wished}-${shortHash(`${agentId} ${sessionKey}`)}`;
    taken.set(sessionId, place);
    return { ...session, sessionId };
  });
}

/** What people chose for one session, by the names that its entry in the list of sessions has for them. */
function choicesOf(entry: Readonly<Record<string, unknown>>): Pick<SourceSession, 'title' | 'model' | 'unused'> {
  const textAt = (key: string) => (typeof entry[key] === 'string' ? (entry[key] as string).trim() : '');
  const [provider, model] = [textAt('providerOverride'), textAt('modelOverride')];
  const isWhole = provider === '' || model.startsWith(`${provider}/`);
  // While its own model failed, OpenClaw has noted a fallback; nobody chose that.
  const isChosen = model !== '' && textAt('modelOverrideSource') !== 'auto';
  return {
    title: textAt('label') || textAt('displayName') || undefined,
    model: !isChosen ? undefined : isWhole ? model : `${provider}/${model}`,
    unused: UNUSED_CHOICES.filter((key) => ![undefined, null, '', false].includes(entry[key] as undefined)),
  };
}

function objectIn(json: string | undefined): Readonly<Record<string, unknown>> {
  const value = json === undefined ? undefined : parseJson(json);
  return isPlainObject(value) ? value : {};
}

/** Tables with what a person may miss. Those that OpenClaw only needs to run are not listed. */
const LEFT_TABLES: readonly (readonly [table: string, what: string])[] = [
  ['channel_pairing_requests', 'people who wait to be approved; a new message asks again here'],
  [
    'secret_store_entries',
    "OpenClaw's own store of secrets; put those that you need into the .env file of the state directory",
  ],
  ['mcp_oauth_stores', 'logins to MCP servers'],
  ['exec_approvals_config', 'rules about commands; tools.exec.allow has those of Atrium'],
  ['operator_approval_standing_grants', 'standing approvals; tools.exec.allow has those of Atrium'],
  ['delivery_queue_entries', 'answers that OpenClaw has not sent'],
  ['session_transcript_archives', 'transcripts of sessions that were reset or deleted'],
  ['standing_intents', 'intents of agents'],
  ['session_groups', 'groups of conversations'],
  ['projects', 'projects'],
  ['skill_library_entries', 'the library of skills; skills in folders are used in place'],
  ['workboard_cards', 'cards of the workboard'],
  ['meeting_transcript_sessions', 'transcripts of meetings'],
  ['plugin_state_entries', 'what plugins of OpenClaw have kept'],
];

const UNUSED_CHOICES = [
  'thinkingLevel',
  'fastMode',
  'verboseLevel',
  'traceLevel',
  'reasoningLevel',
  'elevatedLevel',
  'responseUsage',
  'authProfileOverride',
  'groupActivation',
  'sendPolicy',
  'queueMode',
  'ttsAuto',
  'execHost',
  'execSecurity',
  'execAsk',
  'execNode',
];

function shortHash(text: string): string {
  return sha256Of(text).slice(0, 8);
}

/** The name of a file in a path of any system. */
function lastPart(file: string): string {
  return file.split(/[\\/]/).at(-1) ?? file;
}

async function* readEvents(database: OpenClawDatabase | undefined, sessionId: string): AsyncGenerator<SourceEvent> {
  for (const { seq, json } of database?.events(sessionId) ?? []) {
    try {
      yield { line: seq, value: JSON.parse(typeof json === 'string' ? json : await unpack(json)) };
    } catch (error) {
      yield { line: seq, problem: errorText(error) };
    }
  }
}

/** Older versions of Node cannot read what OpenClaw has packed. */
async function unpack(bytes: Uint8Array): Promise<string> {
  const { zstdDecompress } = zlib as unknown as { zstdDecompress?: typeof zlib.unzip };
  if (!zstdDecompress) throw new Error('it is packed with zstd, which needs Node 22.15 or newer');
  return (await promisify(zstdDecompress)(bytes)).toString('utf8');
}

function isThere(place: string): Promise<boolean> {
  return stat(place).then(
    () => true,
    () => false,
  );
}

function isFile(file: string): Promise<boolean> {
  return stat(file).then(
    (facts) => facts.isFile(),
    () => false,
  );
}

/** Of profiles with the same name, the last one counts. */
function profilesIn(stores: readonly unknown[]): Readonly<Record<string, unknown>> {
  return Object.assign(
    {},
    ...stores.map((store) => (isPlainObject(store) && isPlainObject(store.profiles) ? store.profiles : {})),
  );
}
