// Warnings for operators about what their agents read: handlers that cannot be loaded, files that were cut to fit, files
// that are there and cannot be read, and handlers that failed. Each warning is given when the problem begins and not
// repeated while it lasts; the status lists those of the last preparation of each agent, and of its last composition for
// each kind of session. Warnings contain names, numbers and the handlers' own errors, never the content of files.

import type { Absence } from '../context/composition.ts';
import type { ContextReport } from '../context/report/build-report.ts';
import { refusedFiles } from '../context/report/refused-files.ts';

type Looked = Pick<ContextReport, 'situation' | 'cuts' | 'absences'>;

export class ContextWarnings {
  readonly #warn: (sentence: string) => void;
  /**
   * The key is the agent and the kind of session: a subagent reads fewer files, and must not clear warnings of other
   * sessions. The faults of an agent's handlers have a key of their own.
   */
  readonly #latest = new Map<string, readonly string[]>();
  #isClosed = false;

  constructor(warn: (sentence: string) => void) {
    this.#warn = warn;
  }

  get warnings(): readonly string[] {
    return [...new Set([...this.#latest.values()].flat())];
  }

  /** Takes what is wrong with the handlers of an agent, found when they were loaded. */
  prepared(agentId: string, faults: readonly string[]): void {
    if (!this.#isClosed) this.#set(`${agentId} handlers`, faults);
  }

  /** `known` are the absences that were found when the handlers were loaded, and told then. */
  look(agentId: string, report: Looked, known: readonly Absence[] = []): void {
    const failed = report.absences.filter((each) => each.reason === 'handler-failed' && !known.includes(each));
    // The log names a handler when its call fails, so the status alone says what this means for the agent.
    const untold = failed.filter(({ by }) => by !== undefined).map((each) => failureSentence(agentId, each));
    const told = [
      ...cutSentences(agentId, report),
      ...refusalSentences(agentId, report),
      ...failed.filter(({ by }) => by === undefined).map((each) => failureSentence(agentId, each)),
    ];
    this.#set(`${agentId} ${report.situation.sessionType}`, told, untold);
  }

  /** A stop interrupts what is being loaded, which is not the fault of the files. */
  close(): void {
    this.#isClosed = true;
  }

  #set(key: string, told: readonly string[], untold: readonly string[] = []): void {
    // Almost every composition is in order, as the one before it was.
    if (told.length + untold.length === 0 && this.#latest.get(key)?.length === 0) return;
    const before = new Set(this.warnings);
    this.#latest.set(key, [...told, ...untold]);
    for (const sentence of new Set(told)) if (!before.has(sentence)) this.#warn(sentence);
  }
}

/** The report lists all ranges. */
const MAX_RANGES = 8;

function cutSentences(agentId: string, { cuts }: Pick<ContextReport, 'cuts'>): readonly string[] {
  const files = new Map<string, string[]>();
  for (const { file, lines } of cuts) {
    const known = files.get(file) ?? [];
    files.set(file, [...known, lines[0] === lines[1] ? `${lines[0]}` : `${lines[0]}-${lines[1]}`]);
  }
  return [...files].map(([file, lines]) => {
    const which = lines.slice(0, MAX_RANGES).join(', ') + (lines.length > MAX_RANGES ? ' and more' : '');
    return `The agent "${agentId}" does not read all of ${file}: lines ${which} are cut to fit. "atrium context report --agent ${agentId}" shows why.`;
  });
}

function refusalSentences(agentId: string, { absences }: Pick<ContextReport, 'absences'>): readonly string[] {
  return refusedFiles(absences).map(
    ({ what, detail }) => `The agent "${agentId}" does not read ${what}, which is there: ${detail}.`,
  );
}

function failureSentence(agentId: string, { what, detail, by }: Absence): string {
  const reason = detail.replace(/[.\s]+$/, '');
  const part = by === undefined ? `${what}: ${reason}` : `what ${what} has to add, because it ${reason}`;
  return `The agent "${agentId}" does not read ${part}. "atrium context report --agent ${agentId}" shows more.`;
}
