// `atrium context check`: the prompts of named situations against committed snapshots, so that a change of what an
// agent reads shows up in a review like any other change.

import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { resolveUserPath } from '../../config/user-path.ts';
import type { MachineFolder } from '../../context/report/path-normaliser.ts';
import { isRequestSection, requestSections } from '../../context/report/request-sections.ts';
import {
  compareSnapshots,
  type Snapshot,
  type SnapshotDifference,
  type SnapshotSection,
  takeSnapshot,
} from '../../context/report/snapshot.ts';
import { buildAgentMainSessionKey } from '../../protocol/build-session-key.ts';
import { countOf } from '../../protocol/count-of.ts';
import { nearMatch } from '../../protocol/near-match.ts';
import { resolveSessionType } from '../../protocol/session-type.ts';
import type { CliIo } from '../cli-io.ts';
import { type Answer, command, type FlagsOf } from '../command.ts';
import { SnapshotsMissingError, UnknownSituationError } from '../errors.ts';
import { oneLine, wrapText } from '../output/text.ts';
import { describePath, type KnownPlaces } from './describe-origin.ts';
import { formatComparedLines } from './format-compared-lines.ts';
import { defaultSituations, formatSituations, type LockedSituation, parseSituations } from './locked-situations.ts';
import { type ContextEye, isComplete, type Look, noteMissing, withContext } from './look-at-context.ts';
import { SITUATION_OPTIONS } from './situation-options.ts';
import { SNAPSHOT_DIRNAME, SnapshotFolder, type StoredSnapshot } from './snapshot-folder.ts';

const OPTIONS = {
  '--update': 'write the snapshots as they are now',
  '--dir <dir>': `the folder of the snapshots (default: ${SNAPSHOT_DIRNAME} in the workspace)`,
  '--run-hooks': 'also call prompt hooks that may have effects',
  '--strict': 'exit with 1 when something that a run would have could not be checked',
  ...SITUATION_OPTIONS,
} as const;

type CheckFlags = FlagsOf<typeof OPTIONS>;

export const contextCheck = command({
  path: 'context check',
  summary: `compare the prompts of named situations with the snapshots in ${SNAPSHOT_DIRNAME}/`,
  args: { '[situation...]': 'the situations to check (default: all)' },
  options: OPTIONS,
  about: `Situations are listed in ${SNAPSHOT_DIRNAME}/situations.json; the first --update writes some to begin with. What a
situation says counts; the flags fill in what it leaves open. A snapshot holds the prompt, what plugins add to it, and every
tool with its parameters; not what was said. Paths of this machine are written as <workspace>,
<state> and <home>, so the snapshots hold in every checkout.
Exits with 1 when a prompt has changed.`,
  examples: [
    'context check --update                       the first time, and after a change that is meant',
    'context check                                in a pipeline',
    'context check night --workspace ./workspace  one situation of a checkout',
  ],
  async run({ situation: names, ...flags }, { io }) {
    return withContext(flags.config, io, (eye) => checkAll(eye, names, flags, io));
  },
});

async function checkAll(eye: ContextEye, names: readonly string[], flags: CheckFlags, io: CliIo): Promise<Answer> {
  const first = await eye.look(flags);
  const { workspaceDir, agentId = first.agentId } = first.composition.report.situation;
  const agent = { workspaceDir, agentId };
  const folder = new SnapshotFolder(folderPath(flags, agent, io));
  const known = await loadSituations(folder, flags, agent);
  const situations: SituationResult[] = [];
  const looks: Look[] = [];
  for (const each of choose(known, names)) {
    const look = await lookAtSituation(eye, each, agentId, flags);
    looks.push(look);
    const taken = await snapshotOf(look, io);
    situations.push(flags.update ? await update(folder, each, taken) : await check(folder, each, taken));
  }
  const strays = await folder.strays(known.map(({ name }) => name));
  const ok = situations.every(({ status }) => status !== 'changed' && status !== 'missing' && status !== 'edited');
  const places = { workspaceDir: agent.workspaceDir, home: io.environment.home };
  return {
    json: { ok, dir: folder.dir, situations, strays },
    text: (width) => formatResults(situations, strays, folder, places, width),
    warnings: [...new Set(looks.flatMap(noteMissing))],
    ok: ok && (!flags.strict || looks.every(isComplete)),
  };
}

/** The agent whose prompts are checked. */
interface CheckedAgent {
  readonly agentId: string;
  readonly workspaceDir: string;
}

interface SituationResult {
  readonly name: string;
  readonly status: 'same' | 'prompt-only' | 'changed' | 'missing' | 'edited' | 'written';
  readonly differences: readonly SnapshotDifference[];
}

function folderPath({ dir }: CheckFlags, { workspaceDir }: CheckedAgent, { environment }: CliIo): string {
  return dir === undefined
    ? join(workspaceDir, SNAPSHOT_DIRNAME)
    : resolveUserPath(dir, environment.home, environment.cwd);
}

async function loadSituations(
  folder: SnapshotFolder,
  { update: isUpdate }: CheckFlags,
  { agentId }: CheckedAgent,
): Promise<readonly LockedSituation[]> {
  const text = await folder.readSituations();
  if (text !== undefined) return parseSituations(text, folder.situationsPath);
  if (!isUpdate) throw new SnapshotsMissingError({ dir: folder.dir });
  const situations = defaultSituations(agentId);
  await folder.writeSituations(formatSituations(situations));
  return situations;
}

function choose(situations: readonly LockedSituation[], names: readonly string[]): readonly LockedSituation[] {
  const known = situations.map(({ name }) => name);
  for (const name of names) {
    if (!known.includes(name))
      throw new UnknownSituationError({ situation: name, known, suggestion: nearMatch(name, known) });
  }
  return names.length === 0 ? situations : situations.filter(({ name }) => names.includes(name));
}

/** A pipeline must see the same as a person's machine, so nothing depends on where a session was used last. */
function lookAtSituation(
  eye: ContextEye,
  { name: _, ...fixed }: LockedSituation,
  agentId: string,
  flags: CheckFlags,
): Promise<Look> {
  const all = { ...flags, ...fixed };
  const { agent = agentId, channel = 'cli' } = all;
  const session = all.session ?? buildAgentMainSessionKey({ agentId: agent });
  // Only the situation itself can make a session one of type `ci`.
  return eye.look({ ...all, session, channel, type: all.type ?? resolveSessionType({ sessionKey: session }) });
}

/** A snapshot, and how much of the request is in it. */
interface TakenSnapshot extends Snapshot {
  /** False when there is no request here, for example without a key; then only the prompt is compared. */
  readonly hasRequest: boolean;
  /** Servers whose tools are not known here. */
  readonly unknownServers: readonly string[];
}

async function snapshotOf({ composition, request, placeholders }: Look, io: CliIo): Promise<TakenSnapshot> {
  const folders = await machineFolders(composition.report.situation.workspaceDir, io);
  const others = request ? requestSections(request.spans, composition) : [];
  return {
    ...takeSnapshot(composition, folders, others),
    hasRequest: request !== null,
    unknownServers: placeholders.flatMap((each) => /^tools of the MCP server (.+)$/.exec(each)?.[1] ?? []),
  };
}

/** What both sides know: a snapshot of an older version has no tools, and a machine may not know all servers. */
function comparable(stored: StoredSnapshot, fresh: TakenSnapshot): readonly [Snapshot, Snapshot] {
  const isOfUnknown = ({ authors }: SnapshotSection) =>
    authors.some(([author]) => fresh.unknownServers.some((server) => author.endsWith(` of ${server}`)));
  const hasBoth = stored.hasRequest && fresh.hasRequest;
  const kept = (section: SnapshotSection) => (hasBoth || !isRequestSection(section)) && !isOfUnknown(section);
  const only = ({ text, sections }: Snapshot): Snapshot => ({ text, sections: sections.filter(kept) });
  return [only(stored), only(fresh)];
}

/** Each folder under the name that it was given and under its real path. */
async function machineFolders(workspaceDir: string, { environment }: CliIo): Promise<MachineFolder[]> {
  const named: MachineFolder[] = [
    { path: workspaceDir, name: '<workspace>' },
    { path: environment.stateDir, name: '<state>' },
    { path: environment.home, name: '<home>' },
  ];
  const real = await Promise.all(
    named.map(async ({ path, name }) => ({ path: await realpath(path).catch(() => path), name })),
  );
  return [...named, ...real];
}

async function update(
  folder: SnapshotFolder,
  { name }: LockedSituation,
  snapshot: TakenSnapshot,
): Promise<SituationResult> {
  const stored = await folder.read(name);
  const differences = stored ? compareSnapshots(stored, snapshot) : [];
  return { name, status: (await folder.write(name, snapshot)) ? 'written' : 'same', differences };
}

async function check(
  folder: SnapshotFolder,
  { name }: LockedSituation,
  snapshot: TakenSnapshot,
): Promise<SituationResult> {
  const stored = await folder.read(name);
  if (!stored) return { name, status: 'missing', differences: [] };
  const differences = compareSnapshots(...comparable(stored, snapshot));
  if (differences.length > 0) return { name, status: 'changed', differences };
  if (!stored.isIntact) return { name, status: 'edited', differences };
  return { name, status: stored.hasRequest || !snapshot.hasRequest ? 'same' : 'prompt-only', differences };
}

function formatResults(
  results: readonly SituationResult[],
  strays: readonly string[],
  folder: SnapshotFolder,
  places: KnownPlaces,
  width: number,
): string {
  const where = describePath(folder.dir, places);
  const failing = results.filter(({ status }) => !['same', 'prompt-only', 'written'].includes(status)).length;
  const isUpdate = results.some(({ status }) => status === 'written');
  const verdict =
    failing > 0
      ? `${failing} of ${countOf(results.length, 'situation')} ${failing === 1 ? 'differs' : 'differ'} from ${where}. If that is intended, run "atrium context check --update" and commit the folder.`
      : isUpdate
        ? `The snapshots in ${where} are up to date. Commit the folder.`
        : `${countOf(results.length, 'situation')} as in ${where}.`;
  const notes = strays.map(
    (name) =>
      `The snapshot "${oneLine(name)}" in ${where} belongs to no situation; delete its files, or name it in situations.json.`,
  );
  const told = new Map<string, string>();
  return [
    ...results.map((result) => formatResult(result, told, width)),
    ...[...notes, verdict].flatMap((sentence) => wrapText(sentence, width)).map((line) => `${line}\n`),
  ].join('');
}

const STATUS = {
  same: 'as committed',
  'prompt-only': 'as committed; its tools and what plugins add are not in it yet, --update adds them',
  changed: 'changed',
  missing: 'has no snapshot yet',
  edited: 'its snapshot was changed by hand, or by a translation of line ends',
  written: 'written',
} as const;

/** A change that several situations share is shown once. */
function formatResult(
  { name, status, differences }: SituationResult,
  told: Map<string, string>,
  width: number,
): string {
  const sections = differences.map((difference) => {
    const { title, change, chars, authors, lines } = difference;
    const key = JSON.stringify(difference);
    const before = told.get(key);
    if (before !== undefined) return `  ${oneLine(title)}: ${change}, as in ${before}\n`;
    told.set(key, name);
    const sizes = `${chars.left.toLocaleString('en-US')} -> ${countOf(chars.right, 'character')}`;
    const heading = wrapText(
      `${oneLine(title)}: ${change}, ${sizes}, by ${authors.map(shortAuthor).join(', ')}`,
      width - 4,
    );
    const shown = lines.map((line) => ({ ...line, author: shortAuthor(line.author) }));
    return `  ${heading.join('\n    ')}\n${formatComparedLines(shown, width)}`;
  });
  return `${name}: ${STATUS[status]}\n${sections.join('')}${sections.length > 0 ? '\n' : ''}`;
}

/** There is only one workspace, so it is not named. */
function shortAuthor(author: string): string {
  return oneLine(author.replaceAll('<workspace>/', ''));
}
