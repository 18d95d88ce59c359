// Why the prompt of a run did not have a text that is known from elsewhere: from a file that some run has read, a handler, a
// plugin, a tool or a conversation. The reasons of composition keep their names; those that need another run to compare with
// are added here. It is pure.

import type { AbsenceReason } from '../../../context/composition.ts';
import type { PiecePlace } from './piece-places.ts';
import type { PromptSources, SourceFile } from './prompt-sources.ts';

export const MISSING_REASONS = {
  'not-in-file': 'the file was read, and did not have the text then',
  'not-read': 'the file that has the text was not among the files of this run',
  'not-in-prompt': 'the file had the text, and nothing says why the prompt did not',
  'other-words': 'the handler, rule or plugin that wrote it elsewhere wrote something else, or nothing',
  'not-there': 'the handler or rule that wrote it elsewhere was not there',
  'not-offered': 'the tool whose text it is was not offered, or was described in other words',
  'not-said': 'the conversation did not have it, or no longer',
  'not-known': 'no recorded run had it',
} as const;

export type MissingReason = AbsenceReason | keyof typeof MISSING_REASONS;

export interface Missing {
  readonly reason: MissingReason;
  /** The file, handler, plugin or tool that the reason is about. */
  readonly what: string;
  readonly path?: string | undefined;
  /** The lines with the text, of a file that had it. */
  readonly lines?: readonly [number, number] | undefined;
  /** What the file was at that time. */
  readonly hash?: string | undefined;
  readonly by?: string | undefined;
  readonly detail: string;
}

/** Where the text is known from, in all runs together. */
export interface KnownFrom {
  /** The lines of the text, by the hash of a file. */
  readonly files: ReadonlyMap<string, readonly (readonly [number, number])[]>;
  /** The paths under which runs have read these files. */
  readonly paths: ReadonlySet<string>;
  readonly places: readonly Pick<PiecePlace, 'kind' | 'name' | 'where'>[];
}

export function explainMissing(sources: PromptSources, known: KnownFrom): Missing {
  return (
    inReadFile(sources, known) ??
    inOtherFile(sources, known) ??
    notWritten(sources, known) ?? { reason: 'not-known', what: '', detail: MISSING_REASONS['not-known'] }
  );
}

/** A file of this run had the text, so it was left out on the way. */
function inReadFile({ files, cuts, absences, handlers }: PromptSources, known: KnownFrom): Missing | undefined {
  for (const { name, path, hash } of files) {
    const places = hash === undefined ? undefined : known.files.get(hash);
    if (!places) continue;
    const found = { what: name, path, lines: places[0], hash };
    const absence = absences.find((each) => each.path === path);
    if (absence) return { ...found, reason: absence.reason, by: absence.by, detail: absence.detail };
    for (const lines of places) {
      const cut = cuts.find((each) => each.path === path && each.lines[0] <= lines[1] && each.lines[1] >= lines[0]);
      if (cut) return { ...found, lines, reason: 'over-budget', detail: cut.detail };
    }
    const by = handlers.find(({ removedFrom }) => removedFrom.includes(name))?.id;
    if (by !== undefined) return { ...found, reason: 'removed-by-handler', by, detail: `${by} changed ${name}` };
    return { ...found, reason: 'not-in-prompt', detail: MISSING_REASONS['not-in-prompt'] };
  }
  return undefined;
}

/** The same path, else a file of the same name in another workspace. */
function inOtherFile({ files, absences }: PromptSources, { paths }: KnownFrom): Missing | undefined {
  if (paths.size === 0) return undefined;
  const names = new Set([...paths].map(nameOf));
  const file = files.find(({ path }) => paths.has(path)) ?? files.find(({ path }) => names.has(nameOf(path)));
  if (!file) {
    const [path = ''] = paths;
    return { reason: 'not-read', what: nameOf(path), path, detail: MISSING_REASONS['not-read'] };
  }
  return whyNot(file, absences);
}

function whyNot({ name, path, hash }: SourceFile, absences: PromptSources['absences']): Missing {
  if (hash !== undefined)
    return { reason: 'not-in-file', what: name, path, hash, detail: MISSING_REASONS['not-in-file'] };
  const absence = absences.find((each) => each.path === path);
  return {
    reason: absence?.reason ?? 'missing',
    what: name,
    path,
    by: absence?.by,
    detail: absence?.detail ?? 'no such file',
  };
}

function notWritten({ handlers, absences }: PromptSources, { places }: KnownFrom): Missing | undefined {
  for (const { kind, name, where } of places) {
    if (kind === 'handler' || kind === 'rule') {
      const absence = absences.find(({ what, by }) => what === name || by === name || what === `${kind} ${name}`);
      if (absence) return { reason: absence.reason, what: name, by: absence.by, detail: absence.detail };
      const ran = handlers.find(({ id }) => id === name);
      if (ran && ran.outcome !== 'done') {
        return { reason: 'handler-failed', what: name, by: name, detail: `${name} ended with ${ran.outcome}` };
      }
      const reason = ran ? 'other-words' : 'not-there';
      return { reason, what: name, detail: MISSING_REASONS[reason] };
    }
    if (kind === 'plugin') return { reason: 'other-words', what: name, detail: MISSING_REASONS['other-words'] };
    if (kind === 'tool' && where === 'tools')
      return { reason: 'not-offered', what: name, detail: MISSING_REASONS['not-offered'] };
  }
  if (places.some(({ where }) => where === 'messages'))
    return { reason: 'not-said', what: 'conversation', detail: MISSING_REASONS['not-said'] };
  return undefined;
}

function nameOf(path: string): string {
  return path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
}
