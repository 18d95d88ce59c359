// Brings along what a home of OpenClaw holds: conversations, jobs and the people who were approved. Everything else is used
// where it is. It writes only into the store and the folder of Atrium, and never changes a file of OpenClaw. It can be
// done again at any time; a run that was interrupted is taken up by the next one.

import { chmod, mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { listAgentIds, resolveDefaultAgentId } from '../../config/agents.ts';
import type { Environment } from '../../config/environment.ts';
import { resolveModelAllowance } from '../../config/model-allowance.ts';
import { parseModelRef } from '../../config/model-choice.ts';
import type { Config } from '../../config/schema.ts';
import { AUTH_PROFILES_NAME, keptProfilesFile } from '../../config/secrets/auth-profiles.ts';
import { DEFAULT_AGENT_ID, normalizeAccountId } from '../../protocol/agent-id.ts';
import { countOf } from '../../protocol/count-of.ts';
import { errorText } from '../../protocol/one-line.ts';
import { normalizeSessionKey, parseAgentSessionKey, surfaceOfSessionKey } from '../../protocol/session-key.ts';
import { MAX_JOBS } from '../../schedule/job-draft.ts';
import type { Store, Write } from '../../store/store.ts';
import { readJob } from './import-job.ts';
import { importSession, reasonToLeave } from './import-session.ts';
import { type AllowedPerson, OpenClawHome } from './openclaw-home.ts';
import type { ImportNote } from './source-session.ts';
import { readStorePaths } from './store-paths.ts';

export interface ImportParts {
  readonly store: Store;
  readonly config: Config;
  readonly environment: Environment;
  /** The home of OpenClaw. */
  readonly from: string;
  readonly isDryRun: boolean;
  readonly now: () => number;
  /** How many characters one conversation may have, since it is held in memory as a whole. */
  readonly mostChars: number;
  /** Called before anything is written. */
  readonly found?: ((rows: readonly FoundRow[]) => void) | undefined;
  /** Called after each conversation. */
  readonly progress?: ((done: number, all: number) => void) | undefined;
}

export interface FoundRow {
  readonly what: string;
  readonly found: number;
  /** What becomes of it. */
  readonly plan: string;
}

export interface ImportRow {
  readonly what: string;
  readonly brought: number;
  /** Brought earlier, and longer now. */
  readonly grown: number;
  readonly unchanged: number;
  readonly left: number;
}

export interface ImportReport {
  readonly from: string;
  readonly isDryRun: boolean;
  readonly found: readonly FoundRow[];
  readonly rows: readonly ImportRow[];
  /** How many files, folders and databases could not be read; the notes name them. */
  readonly unread: number;
  readonly notes: readonly ImportNote[];
  /** How many notes there are besides, which are not listed. */
  readonly furtherNotes: number;
}

const MAIN_IS_SHARED =
  'In OpenClaw direct messages share the main session unless session.dmScope says otherwise; here each person has a session of their own. Set session.dmScope to "main" to go on with the main session that was brought.';

const CHANNELS = ['telegram', 'discord', 'slack'];
const MOST_NOTES = 1_000;

export async function importOpenClaw(parts: ImportParts): Promise<ImportReport> {
  const { from, environment } = parts;
  const workDir = join(environment.stateDir, 'atrium');
  const paths = await readStorePaths({ dir: from, environment, config: parts.config });
  const home = new OpenClawHome(from, workDir, paths);
  const notes = new Notes();
  try {
    const defaultAgentId = resolveDefaultAgentId(parts.config);
    const [sessions, jobs, people] = [await home.sessions(), await home.jobs(), await home.people()];
    const ofAgents = await home.profilesOfAgents(defaultAgentId);
    const kept: readonly KeptProfiles[] = [
      { file: keptProfilesFile(environment.stateDir), profiles: await home.authProfiles(defaultAgentId) },
      ...[...ofAgents].map(([agentId, profiles]) => ({
        file: keptProfilesFile(environment.stateDir, agentId),
        profiles,
      })),
    ];
    const isOwn = from === environment.stateDir;
    const inPlace = isOwn ? 'used where they are' : `not used: they belong to ${from}, and settings name other places`;
    const found: readonly FoundRow[] = [
      { what: 'conversations', found: sessions.length + home.lostSessions, plan: 'brought into the store' },
      { what: 'jobs', found: jobs.length, plan: 'brought into the store' },
      { what: 'approved people', found: people.length, plan: 'brought into the store' },
      ...(await listInPlace(from, inPlace, [DEFAULT_AGENT_ID, ...listAgentIds(parts.config)])),
      {
        what: 'auth profiles in databases',
        found: kept.reduce((sum, { profiles }) => sum + Object.keys(profiles).length, 0),
        plan: `keys are kept below ${workDir}`,
      },
    ];
    parts.found?.(found);
    const rows = [
      withLeft(await bringSessions(parts, sessions, notes), home.lostSessions),
      await bringJobs(parts, jobs, notes),
      await bringPeople(parts, people, notes),
      await keepProfiles(parts, kept, notes),
    ];
    for (const { place, count } of await home.waitingPeople()) {
      const who = count === 1 ? 'One person waits' : `${count} people wait`;
      notes.add({
        place,
        sentence: `${who} to be approved. Requests are not brought along: a new message asks again here.`,
      });
    }
    for (const note of await home.leftInDatabases()) notes.add(note);
    for (const note of notesOfUnknownAgents(parts, sessions)) notes.add(note);
    for (const sentence of sentencesOnMain(parts.config, sessions)) {
      notes.add({ place: environment.configPath, sentence });
    }
    for (const note of home.notes) notes.add(note);
    const { list, further: furtherNotes } = notes;
    return { from, isDryRun: parts.isDryRun, found, rows, unread: home.unread, notes: list, furtherNotes };
  } finally {
    await home.close();
  }
}

/** The notes of an import, as many as a person can read. */
class Notes {
  readonly list: ImportNote[] = [];
  further = 0;

  add(note: ImportNote): void {
    if (this.list.length < MOST_NOTES) this.list.push(note);
    else this.further += 1;
  }
}

async function bringSessions(
  parts: ImportParts,
  sessions: Awaited<ReturnType<OpenClawHome['sessions']>>,
  notes: Notes,
): Promise<ImportRow> {
  const counts = { new: 0, grown: 0, unchanged: 0, left: 0, stays: 0 };
  const kinds = new Map<string, number>();
  const { store, isDryRun, mostChars, progress } = parts;
  /** Which key has a transcript. Two keys may name the same one, and a session has one key. */
  const owners = new Map<string, string>();
  for (const [index, source] of sessions.entries()) {
    const owner = owners.get(source.place);
    if (owner !== undefined && reasonToLeave(source.sessionKey) === undefined) {
      counts.left += 1;
      const sentence = `${source.sessionKey} has the same transcript as ${owner}, which keeps it.`;
      notes.add({ place: source.place, sentence });
      progress?.(index + 1, sessions.length);
      continue;
    }
    try {
      const outcome = await importSession({ store, isDryRun, mostChars, now: parts.now() }, source);
      counts[outcome.state] += 1;
      if (outcome.state !== 'left' && outcome.state !== 'stays') owners.set(source.place, source.sessionKey);
      for (const note of outcome.notes) notes.add(note);
      if (outcome.kind) kinds.set(outcome.kind, (kinds.get(outcome.kind) ?? 0) + 1);
    } catch (error) {
      counts.left += 1;
      notes.add({ place: source.place, sentence: `It was not brought along: ${errorText(error)}` });
    }
    progress?.(index + 1, sessions.length);
  }
  for (const [kind, count] of kinds) {
    notes.add({
      place: parts.from,
      sentence: `${count} ${count === 1 ? 'session' : 'sessions'} ${kind} ${count === 1 ? 'stays where it is' : 'stay where they are'}.`,
    });
  }
  return rowOf('conversations', counts);
}

/** Conversations with agents that the configuration does not have: no message reaches them, so they are named. */
function notesOfUnknownAgents(
  { config, environment }: ImportParts,
  sessions: Awaited<ReturnType<OpenClawHome['sessions']>>,
): readonly ImportNote[] {
  const known = listAgentIds(config);
  const counts = new Map<string, number>();
  for (const { sessionKey } of sessions) {
    const agentId = parseAgentSessionKey(normalizeSessionKey(sessionKey))?.agentId;
    if (agentId === undefined || known.includes(agentId) || reasonToLeave(sessionKey) !== undefined) continue;
    counts.set(agentId, (counts.get(agentId) ?? 0) + 1);
  }
  return [...counts].map(([agentId, count]) => ({
    place: environment.configPath,
    sentence: `There is no agent "${agentId}" in the configuration. What was said with it (${countOf(count, 'conversation')}) can be read, and goes on when such an agent is added.`,
  }));
}

async function bringJobs(
  parts: ImportParts,
  jobs: Awaited<ReturnType<OpenClawHome['jobs']>>,
  notes: Notes,
): Promise<ImportRow> {
  const { store, config, environment, isDryRun } = parts;
  const counts = { new: 0, grown: 0, unchanged: 0, left: 0 };
  const agents = listAgentIds(config);
  const surroundings = {
    now: parts.now(),
    timezone: environment.timezone,
    defaultAgentId: resolveDefaultAgentId(config),
    knowsAgent: (agentId: string) => agents.includes(agentId),
    mayNotUse: (agentId: string, names: readonly string[]) => {
      const allowance = resolveModelAllowance(config, agentId, environment.variables);
      const refused = names.filter((name) => allowance?.mayUse(parseModelRef(name, config)) === false);
      return allowance && refused.length > 0 ? { models: refused, setting: allowance.setting } : undefined;
    },
    channels: ['web', 'cli', ...CHANNELS],
  };
  let room = MAX_JOBS - (await store.count('jobs'));
  const seen = new Set<string>();
  for (const { value, place } of jobs) {
    const { job, sentences, isOwnWork = false } = await readJob(value, surroundings);
    const isKnown = job !== undefined && (seen.has(job.id) || (await store.count('jobs', { id: job.id })) > 0);
    if (job) seen.add(job.id);
    if (isKnown) counts.unchanged += 1;
    else if (!job || room <= 0) counts.left += isOwnWork ? 0 : 1;
    else {
      room -= 1;
      counts.new += 1;
      if (!isDryRun) await store.commit([{ insert: 'jobs', row: job }], { site: 'import' });
    }
    if (isKnown) continue;
    for (const sentence of sentences) notes.add({ place, sentence });
    if (job && room < 0)
      notes.add({ place, sentence: `The job "${job.name}" was left: there are ${MAX_JOBS} already.` });
  }
  return rowOf('jobs', counts);
}

async function bringPeople(parts: ImportParts, people: readonly AllowedPerson[], notes: Notes): Promise<ImportRow> {
  const { store, isDryRun } = parts;
  const counts = { new: 0, grown: 0, unchanged: 0, left: 0 };
  const now = parts.now();
  const seen = new Set<string>();
  for (const { channel, accountId: account, entry, place } of people) {
    const senderId = entry.trim().replace(/^(?:telegram|tg|discord|slack|user):/i, '');
    if (!CHANNELS.includes(channel) || !/^[\w-]{1,100}$/.test(senderId)) {
      counts.left += 1;
      const why = CHANNELS.includes(channel)
        ? `${JSON.stringify(entry)} is no id of a person`
        : `there is no channel ${channel}`;
      notes.add({ place, sentence: `A person was not brought along: ${why}.` });
      continue;
    }
    const accountId = normalizeAccountId(account);
    const key = JSON.stringify([channel, accountId, senderId]);
    const isKnown = seen.has(key) || (await store.count('pairings', { channel, accountId, senderId })) > 0;
    seen.add(key);
    counts[isKnown ? 'unchanged' : 'new'] += 1;
    if (isKnown || isDryRun) continue;
    const write: Write = {
      insert: 'pairings',
      row: {
        channel,
        accountId,
        senderId,
        senderName: null,
        surface: { channel, accountId, peer: { kind: 'direct', id: senderId } },
        code: null,
        status: 'approved',
        requestedAt: now,
        expiresAt: null,
        timesTold: 0,
        approvedAt: now,
        approvedBy: 'import from OpenClaw',
      },
      onConflict: 'ignore',
    };
    await store.commit([write], { site: 'import' });
  }
  return rowOf('approved people', counts);
}

interface KeptProfiles {
  readonly file: string;
  readonly profiles: Readonly<Record<string, unknown>>;
}

/** Keys in a database cannot be read in place at every start, so those that can be used are kept in private files. */
async function keepProfiles(
  { isDryRun }: ImportParts,
  kept: readonly KeptProfiles[],
  notes: Notes,
): Promise<ImportRow> {
  const counts = { new: 0, grown: 0, unchanged: 0, left: 0 };
  for (const { file, profiles } of kept) {
    const usable = Object.entries(profiles).filter(([, profile]) => isUsable(profile));
    for (const [id, profile] of Object.entries(profiles)) {
      if (isUsable(profile)) continue;
      counts.left++;
      notes.add({ place: file, sentence: `The profile ${id} was left: it has no API key and no token.` });
    }
    const text = `${JSON.stringify({ version: 1, profiles: Object.fromEntries(usable) }, null, 2)}\n`;
    const isSame = usable.length === 0 || (await readFile(file, 'utf8').catch(() => undefined)) === text;
    if (isSame) counts.unchanged += usable.length;
    else counts.new += usable.length;
    if (!isSame && !isDryRun) await writePrivately(file, text);
  }
  return rowOf('auth profiles in databases', counts);
}

function isUsable(profile: unknown): boolean {
  const { type } = (profile ?? {}) as { readonly type?: unknown };
  return type === 'api_key' || type === 'token';
}

async function writePrivately(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${process.pid}`;
  await writeFile(draft, text, { mode: 0o600 });
  await chmod(draft, 0o600);
  await rename(draft, file);
}

/** How to go on with the main session, which is where OpenClaw has its page and its terminal with any scope. */
function sentencesOnMain(
  { session }: Config,
  sessions: Awaited<ReturnType<OpenClawHome['sessions']>>,
): readonly string[] {
  const main = sessions.find(({ sessionKey }) => isMainKey(sessionKey));
  if (main === undefined || session?.dmScope === 'main') return [];
  if (session?.dmScope === undefined) return [MAIN_IS_SHARED];
  const key = normalizeSessionKey(main.sessionKey);
  return [
    `In OpenClaw its page and its terminal speak in the main session; with session.dmScope "${session.dmScope}" they have sessions of their own here. To go on with it, choose it on the page, or say: atrium chat --session ${key}`,
  ];
}

function withLeft(row: ImportRow, more: number): ImportRow {
  return { ...row, left: row.left + more };
}

function isMainKey(sessionKey: string): boolean {
  return surfaceOfSessionKey(sessionKey) === 'main';
}

function rowOf(
  what: string,
  { new: brought, grown, unchanged, left }: Readonly<Record<'new' | 'grown' | 'unchanged' | 'left', number>>,
): ImportRow {
  return { what, brought, grown, unchanged, left };
}

async function listInPlace(from: string, plan: string, agentIds: readonly string[]): Promise<readonly FoundRow[]> {
  const names = (folder: string): Promise<readonly string[]> => readdir(folder).catch(() => []);
  const workspaces = (await names(from))
    .filter((name) => /^workspace(?:-|$)/.test(name))
    .map((name) => join(from, name));
  const notes = await Promise.all(
    workspaces.map(async (dir) => {
      const daily = (await names(join(dir, 'memory'))).filter((name) => name.endsWith('.md')).length;
      return daily + (await names(dir)).filter((name) => /^memory\.md$/i.test(name)).length;
    }),
  );
  const folders = [join(from, 'skills'), ...workspaces.map((dir) => join(dir, 'skills'))];
  const skills = await Promise.all(folders.map(async (dir) => (await names(dir)).length));
  const agents = (await names(join(from, 'agents'))).filter((name) => agentIds.includes(name));
  const profiles = await Promise.all(
    agents.map(async (agent) => (await names(join(from, 'agents', agent, 'agent'))).includes(AUTH_PROFILES_NAME)),
  );
  const sum = (counts: readonly number[]) => counts.reduce((all, count) => all + count, 0);
  return [
    { what: 'memory files', found: sum(notes), plan },
    { what: 'skills', found: sum(skills), plan },
    { what: 'files of auth profiles', found: profiles.filter(Boolean).length, plan },
  ];
}
