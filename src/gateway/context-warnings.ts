// Warnings for operators about what their agents read: files that were cut to fit, files that are there and cannot be
// read, and handlers that failed. Each warning is given when the problem begins and not repeated while it lasts; the
// status lists the warnings of the last composition for each kind of session. Warnings contain names and numbers only,
// never the content of files.

import type { ContextReport } from '../context/report/build-report.ts';
import { refusedFiles } from '../context/report/refused-files.ts';

export class ContextWarnings {
  readonly #warn: (sentence: string) => void;
  /**
   * The key is the agent and the kind of session: a subagent reads fewer files, and must not clear warnings of other
   * sessions.
   */
  readonly #latest = new Map<string, readonly string[]>();

  constructor(warn: (sentence: string) => void) {
    this.#warn = warn;
  }

  get warnings(): readonly string[] {
    return [...new Set([...this.#latest.values()].flat())];
  }

  look(agentId: string, report: Pick<ContextReport, 'situation' | 'cuts' | 'absences'>): void {
    const before = new Set(this.warnings);
    const sentences = [
      ...cutSentences(agentId, report),
      ...refusalSentences(agentId, report),
      ...failureSentences(agentId, report),
    ];
    this.#latest.set(`${agentId} ${report.situation.sessionType}`, sentences);
    for (const sentence of sentences) if (!before.has(sentence)) this.#warn(sentence);
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

/** This includes handlers that could not be loaded. */
function failureSentences(agentId: string, { absences }: Pick<ContextReport, 'absences'>): readonly string[] {
  return absences
    .filter(({ reason }) => reason === 'handler-failed')
    .map(
      ({ what }) =>
        `The agent "${agentId}" does not read what ${what} has to add, because it failed. "atrium context report --agent ${agentId}" shows why.`,
    );
}
