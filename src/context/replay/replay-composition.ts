// Composes a recorded composition again, through the pipeline that composed it, from its record alone: as it was, or with
// something changed. Handlers are not called; what they did is done again.
//
// Errors: rejects as `compose` does, for example when kept sections do not fit another budget.
// Promise: without changes, the prompt is the recorded one, byte for byte. Leaving an author out removes its text and what
// it did to the text of others, and nothing else.

import type { BootstrapHandler } from '../bootstrap-handlers.ts';
import { type Composition, compose } from '../compose.ts';
import type { ContextPolicy, HandlerEdits } from '../composition.ts';
import type { Origin } from '../provenance/origin.ts';
import type { FileSource } from '../sources/file-source.ts';
import { type RestoredInputs, taxonomyOf } from './composition-record.ts';
import { type FileTexts, RecordedFiles } from './recorded-files.ts';
import { asRecorded, onOtherFiles, RecordedHandlers, type ReplayedHandler } from './recorded-handlers.ts';

export interface CompositionChanges {
  /** True for handlers and rules that are left out. */
  readonly isLeftOut?: ((handler: Pick<HandlerEdits, 'id' | 'owner'>) => boolean) | undefined;
  /** The texts that some files get in place of their own; null leaves a file out. */
  readonly fileTexts?: FileTexts | undefined;
  readonly policy?: ContextPolicy | undefined;
  /** Handlers of the product that are called again, in place of what was recorded of them. */
  readonly called?: CalledHandlers | undefined;
}

export interface CalledHandlers {
  readonly handlers: readonly BootstrapHandler[];
  /** True for a recorded handler that these stand for. */
  readonly replaces: (handler: HandlerEdits) => boolean;
  /** Where files are looked for that were not recorded. */
  readonly disk: Pick<FileSource, 'read'>;
}

export interface ReplayedComposition {
  readonly composition: Composition;
  /** What could not be done again, one sentence each. */
  readonly notes: readonly string[];
}

export class CompositionReplay {
  readonly #inputs: RestoredInputs;
  #recorded: Promise<{ readonly composition: Composition; readonly handlers: RecordedHandlers }> | undefined;

  constructor(inputs: RestoredInputs) {
    this.#inputs = inputs;
  }

  /** The composition as it was. */
  async recorded(): Promise<Composition> {
    return (await this.#compose()).composition;
  }

  async changed(changes: CompositionChanges): Promise<ReplayedComposition> {
    const inputs = withoutFiles(this.#inputs, changes);
    const notes: string[] = [];
    const { handlers } = await this.#compose();
    const files = new RecordedFiles(inputs, { fileTexts: changes.fileTexts, disk: changes.called?.disk });
    const about = {
      recorded: handlers.drafts,
      isLeftOut: this.#isOnlyLeavingOut(changes) ? leavesOut(this.#inputs, changes) : undefined,
      note: (sentence: string) => notes.push(sentence),
    };
    const kept = inputs.handlers
      .filter((handler) => !changes.isLeftOut?.(handler) && !changes.called?.replaces(handler))
      .map((handler) => onOtherFiles(handler, about));
    const called = (changes.called?.handlers ?? []).filter((handler) => !changes.isLeftOut?.(handler));
    const all = inCallingOrder([...called.map((info): ReplayedHandler => ({ info })), ...kept]);
    const composition = await composeAgain(inputs, files, new RecordedHandlers(all), changes.policy);
    const readNow = files.readNow.map((path) => `${path} was not recorded and is read as it is now`);
    return { composition, notes: [...notes, ...readNow] };
  }

  #compose() {
    this.#recorded ??= this.#composeRecorded();
    return this.#recorded;
  }

  async #composeRecorded() {
    const handlers = new RecordedHandlers(this.#inputs.handlers.map(asRecorded));
    const composition = await composeAgain(this.#inputs, new RecordedFiles(this.#inputs), handlers);
    return { composition, handlers };
  }

  /** True when no file has another text, so that only words are missing. */
  #isOnlyLeavingOut({ fileTexts, called }: CompositionChanges): boolean {
    if (called) return false;
    const { files } = this.#inputs.record;
    return !files.some((file) => typeof fileTexts?.(file.path) === 'string');
  }
}

function composeAgain(
  { record }: RestoredInputs,
  files: RecordedFiles,
  handlers: RecordedHandlers,
  policy: ContextPolicy = record.policy,
): Promise<Composition> {
  const { workspaceDir, home, situation, skills, firstRunComplete } = record;
  return compose({
    workspaceDir,
    home,
    situation: { ...situation, at: new Date(situation.at) },
    taxonomy: taxonomyOf(record),
    policy,
    files,
    handlers,
    gather: {
      skills: async () => ({ skills, refused: [] }),
      firstRunComplete: async () => firstRunComplete,
    },
  });
}

/** Lowest number first; of equals, the product's own come first, as they are registered first. */
function inCallingOrder(handlers: readonly ReplayedHandler[]): readonly ReplayedHandler[] {
  if (handlers.every(({ edits }) => edits)) return handlers;
  return [...handlers].sort((a, b) => a.info.priority - b.info.priority);
}

/** Edits that bring the text of a file that is left out or replaced, and skills that are left out. */
function withoutFiles(inputs: RestoredInputs, { fileTexts }: CompositionChanges): RestoredInputs {
  if (!fileTexts) return inputs;
  const handlers = inputs.handlers.map((handler) => {
    const left = handler.left?.flatMap((file) => {
      if (typeof file === 'number' || !file.edits) return [file];
      const edits = file.edits.flatMap((edit) => {
        const brought = edit.parts.filter(({ from }) => from);
        if (brought.length > 0 && brought.every(({ from }) => fileTexts(from?.path ?? '') === null)) return [];
        const parts = edit.parts.map((part) => {
          const text = part.from && fileTexts(part.from.path);
          if (typeof text !== 'string' || !part.from) return part;
          const source = { text, realPath: part.from.source.realPath };
          return { text, from: { ...part.from, source, start: 0 } };
        });
        return [{ ...edit, parts }];
      });
      if (edits.length > 0) return [{ ...file, edits }];
      return file.from === undefined ? [] : [file.from];
    });
    return { ...handler, left };
  });
  const skills = inputs.record.skills.filter(({ path }) => fileTexts(path) !== null);
  return { ...inputs, record: { ...inputs.record, skills }, handlers };
}

function leavesOut({ handlers }: RestoredInputs, { isLeftOut, fileTexts }: CompositionChanges) {
  const ids = new Set(handlers.filter((handler) => isLeftOut?.(handler)).map(({ id }) => id));
  return (origin: Origin): boolean => {
    if (origin.kind === 'product') return false;
    if (origin.kind !== 'file' && ids.has(origin.id)) return true;
    return origin.path !== undefined && fileTexts?.(origin.path) === null;
  };
}
