// Remembers the result of the pure stages for the files that the handlers left. Most runs change nothing: the files and
// the contributions are the same. Equal input gives equal bytes, so the stages need not run again; any difference, even
// in the author of one span, is another input.

import type { CompositionState, ContextFile } from './composition.ts';
import { sameOrigin } from './provenance/origin.ts';
import type { Contribution, Rope, Span } from './provenance/rope.ts';

/** The kinds of session that one agent usually has at the same time: direct, group, subagent, scheduled. */
const MAX_REMEMBERED = 4;

export class CompositionMemory {
  /** The latest entry is last. */
  readonly #remembered: { before: CompositionState; after: CompositionState }[] = [];

  /** Returns the state after the pure stages, when they have seen this input before. */
  recall(state: CompositionState): CompositionState | undefined {
    const found = this.#remembered.findLast(({ before }) => isSameInput(before, state));
    if (!found) return undefined;
    const { before, after } = found;
    return {
      ...state,
      layers: after.layers,
      cuts: after.cuts,
      blocks: after.blocks,
      absences: [...state.absences, ...after.absences.slice(before.absences.length)],
      warnings: [...state.warnings, ...after.warnings.slice(before.warnings.length)],
    };
  }

  keep(before: CompositionState, after: CompositionState): void {
    this.#remembered.push({ before, after });
    if (this.#remembered.length > MAX_REMEMBERED) this.#remembered.shift();
  }
}

/** Compares everything that the pure stages read. */
function isSameInput(a: CompositionState, b: CompositionState): boolean {
  return (
    a.input.policy === b.input.policy &&
    a.input.taxonomy === b.input.taxonomy &&
    a.input.workspaceDir === b.input.workspaceDir &&
    a.input.situation.agentId === b.input.situation.agentId &&
    a.input.situation.sessionType === b.input.situation.sessionType &&
    a.input.handlers.list() === b.input.handlers.list() &&
    isSameList(a.skills, b.skills, (skill, other) => skill === other) &&
    isSameList(a.files, b.files, isSameFile)
  );
}

function isSameFile(a: ContextFile, b: ContextFile): boolean {
  if (a === b) return true;
  return (
    a.name === b.name &&
    a.path === b.path &&
    a.missing === b.missing &&
    a.realPath === b.realPath &&
    a.source === b.source &&
    a.absence?.reason === b.absence?.reason &&
    a.absence?.detail === b.absence?.detail &&
    isSameRope(a.rope, b.rope)
  );
}

function isSameRope(a: Rope, b: Rope): boolean {
  return a === b || isSameList(a, b, isSameSpan);
}

function isSameSpan(a: Span, b: Span): boolean {
  return (
    a.source === b.source &&
    a.start === b.start &&
    a.text === b.text &&
    sameOrigin(a.origin, b.origin) &&
    isSameContribution(a.contribution, b.contribution)
  );
}

function isSameContribution(a: Contribution | undefined, b: Contribution | undefined): boolean {
  if (a === b) return true;
  return (
    a !== undefined &&
    b !== undefined &&
    a.by === b.by &&
    a.chars === b.chars &&
    a.separator === b.separator &&
    a.at === b.at
  );
}

function isSameList<Item>(a: readonly Item[], b: readonly Item[], isSame: (a: Item, b: Item) => boolean): boolean {
  return a.length === b.length && a.every((item, index) => isSame(item, b[index] as Item));
}
