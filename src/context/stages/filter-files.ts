// Removes files that a session must not see. It runs before the handlers and again after them, and checks names and
// real paths, so no handler can give a subagent the file MEMORY.md under another name.

import { basename, join } from 'node:path';
import type { WorkspaceBootstrapFile } from '../../protocol/bootstrap-file.ts';
import { isCronSessionKey, isSharedSurfaceSessionKey, isSubagentSessionKey } from '../../protocol/session-key.ts';
import { isWithheldName, SEVERAL_PEOPLE_READ } from '../../protocol/withheld-file.ts';
import type { Absence, ComposeInput, CompositionState, ContextFile, Stage } from '../composition.ts';
import { type Rope, ropeText, type Span } from '../provenance/rope.ts';
import { isHeartbeat, type Situation } from '../situation.ts';
import { OPENCLAW_TAXONOMY, type Taxonomy } from '../taxonomy.ts';

export const filterFiles: Stage = {
  name: 'filter',
  summary: 'keep files away from sessions that must not see them',
  async run(state: CompositionState): Promise<CompositionState> {
    let filtered = state;
    for (const rule of sessionRules(state.input)) filtered = await filter(filtered, rule);
    return filtered;
  },
};

async function filter(state: CompositionState, rule: SessionRule): Promise<CompositionState> {
  const forbidden = await forbiddenPaths(rule, state.input);
  const kept: ContextFile[] = [];
  const absences: Absence[] = [];
  const mayRead = (real: string) => rule.allowsPath(real) && !forbidden.has(real);
  for (const file of state.files) {
    const real = file.realPath ?? (await state.input.files.realPath(file.path));
    const { name, path, content: text, missing } = file;
    const { reason, detail } = rule;
    if (rule.allows(name) && mayRead(real)) {
      const { purged, taken } = withoutForbiddenText(file, mayRead);
      kept.push(purged);
      for (const span of taken)
        absences.push({ what: `text in ${name}`, path: span.source?.realPath, reason, detail, text: span.text });
    } else if (!missing) {
      absences.push({ what: name, path, reason, detail, text });
    }
  }
  return { ...state, files: kept, absences: [...state.absences, ...absences] };
}

/**
 * Text that a handler brought from a file of the workspace is judged by that file, not by the place where it was put.
 */
function withoutForbiddenText(
  file: ContextFile,
  mayRead: (real: string) => boolean,
): { purged: ContextFile; taken: Rope } {
  const isForbidden = ({ source }: Span) => source?.realPath !== undefined && !mayRead(source.realPath);
  const taken = file.rope.filter(isForbidden);
  if (taken.length === 0) return { purged: file, taken };
  const contributions = new Set(taken.map((span) => span.contribution));
  contributions.delete(undefined);
  const rope = file.rope.filter(
    (span) => !isForbidden(span) && !(span.contribution && contributions.has(span.contribution)),
  );
  return { purged: { ...file, rope, content: ropeText(rope) }, taken };
}

/** What subagents and cron jobs may read, unless the operator says otherwise. */
export const SUBAGENT_BOOTSTRAP_ALLOWLIST: ReadonlySet<string> = new Set(OPENCLAW_TAXONOMY.subagentFiles);

/** The contract's filter, by name and session key alone. */
export function filterBootstrapFilesForSession(
  files: readonly WorkspaceBootstrapFile[],
  sessionKey?: string,
  allowed: ReadonlySet<string> = SUBAGENT_BOOTSTRAP_ALLOWLIST,
): WorkspaceBootstrapFile[] {
  return readsAllowlistOnly(sessionKey) ? files.filter((file) => allowed.has(file.name)) : [...files];
}

interface SessionRule {
  readonly reason: 'filtered-session' | 'private-surface';
  readonly detail: string;
  allows(name: string): boolean;
  allowsPath(realPath: string): boolean;
  /** True for a real name that is itself one of the files that this session may read. */
  admits(name: string): boolean;
}

function readsAllowlistOnly(sessionKey: string | undefined): boolean {
  return isSubagentSessionKey(sessionKey) || isCronSessionKey(sessionKey);
}

/** A file is read when every rule that holds for the session allows it. */
function sessionRules(input: ComposeInput): readonly SessionRule[] {
  return [
    ...(isHelper(input.situation) ? [helperRule(input)] : []),
    ...(isShared(input.situation) && input.policy.withholdOnSharedSurfaces.length > 0 ? [sharedRule(input)] : []),
  ];
}

function helperRule({ situation, policy, taxonomy }: ComposeInput): SessionRule {
  const allowed = new Set(policy.subagentFiles);
  return {
    reason: 'filtered-session',
    detail: `${situation.sessionType} sessions read only ${policy.subagentFiles.join(', ')}`,
    allows: (name) => allowed.has(name),
    admits: (name) => allowed.has(name),
    allowsPath: (path) => !isBootstrapName(taxonomy, basename(path)) || allowed.has(basename(path)),
  };
}

function sharedRule({ policy, taxonomy }: ComposeInput): SessionRule {
  const isWithheld = (name: string) => isWithheldName(policy.withholdOnSharedSurfaces, name);
  return {
    reason: 'private-surface',
    detail: SEVERAL_PEOPLE_READ,
    allows: (name) => !isWithheld(name),
    admits: (name) => isBootstrapName(taxonomy, name) && !isWithheld(name),
    allowsPath: (path) => !isWithheld(basename(path)),
  };
}

function isHelper(situation: Situation): boolean {
  const key = keyOf(situation);
  return readsAllowlistOnly(key) || situation.sessionType === 'subagent' || (!key && isJob(situation));
}

/** The key of a child or a job does not say whom it works for, so that is said beside it. */
function isShared(situation: Situation): boolean {
  if (situation.isForSeveralPeople) return true;
  const key = keyOf(situation);
  return key ? isSharedSurfaceSessionKey(key) : !isHelper(situation) && isInChannel(situation);
}

function keyOf({ sessionKey, sessionId }: Situation): string | undefined {
  return sessionKey || sessionId;
}

/** Without a key, what is known of the session decides as the key would: a job has a cron key, a heartbeat has none. */
function isJob(situation: Situation): boolean {
  return situation.sessionType === 'scheduled' && !isHeartbeat(situation);
}

/** A channel with an id is a place on its platform; a conversation with one person has none. */
function isInChannel({ channel }: Situation): boolean {
  return channel?.channelId !== undefined;
}

/** When a name is not a bootstrap name, the path says nothing about the text. */
function isBootstrapName(taxonomy: Taxonomy, name: string): boolean {
  return allNames(taxonomy).some((known) => known.toLowerCase() === name.toLowerCase());
}

function allNames(taxonomy: Taxonomy): string[] {
  return taxonomy.files.flatMap((file) => [file.name, ...(file.alternates ?? [])]);
}

/** The real paths of the workspace files that the rule hides, so that a link under an allowed name is recognised. */
async function forbiddenPaths(rule: SessionRule, input: ComposeInput): Promise<ReadonlySet<string>> {
  const { files, taxonomy, workspaceDir } = input;
  const withheld = allNames(taxonomy).filter((name) => !rule.allows(name));
  const paths = await Promise.all(withheld.map((name) => files.realPath(join(workspaceDir, name))));
  // A hidden name may itself be a link to an allowed file, which stays allowed.
  return new Set(paths.filter((path) => !rule.admits(basename(path))));
}
