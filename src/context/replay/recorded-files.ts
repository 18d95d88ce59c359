// The files of a recorded composition, as a source that composition reads from. The disk is not touched: a path that was
// not recorded is not there. A caller may give other texts for some files, and may allow a look at the disk for files that
// only handlers of another configuration ask for; such paths are noted.

import { basename, dirname } from 'node:path';
import type { FileRead, FileSource } from '../sources/file-source.ts';
import type { RestoredInputs } from './composition-record.ts';

/** The text of a file in place of the recorded one; null when the file is left out, undefined when it stays. */
export type FileTexts = (path: string) => string | null | undefined;

export interface RecordedFilesSettings {
  readonly fileTexts?: FileTexts | undefined;
  /** Where files are looked for that were not recorded. */
  readonly disk?: Pick<FileSource, 'read'> | undefined;
}

export class RecordedFiles implements FileSource {
  readonly #reads: ReadonlyMap<string, FileRead>;
  readonly #realPaths: Readonly<Record<string, string>>;
  readonly #settings: RecordedFilesSettings;
  readonly #readNow = new Set<string>();

  constructor(inputs: RestoredInputs, settings: RecordedFilesSettings = {}) {
    this.#reads = readsOf(inputs);
    this.#realPaths = inputs.record.realPaths;
    this.#settings = settings;
  }

  /** Files that were read from the disk as they are now. */
  get readNow(): readonly string[] {
    return [...this.#readNow];
  }

  async read(path: string, roots: readonly string[]): Promise<FileRead> {
    const recorded = this.#reads.get(path);
    const given = this.#settings.fileTexts?.(path);
    if (typeof given === 'string') return textAt(path, given, recorded?.kind === 'text' ? recorded.realPath : path);
    // An empty file is left out without a marker; a missing one might get one.
    if (given === null && recorded?.kind === 'text') return { ...recorded, text: '' };
    if (recorded) return recorded;
    const { disk } = this.#settings;
    if (!disk) return notThere(path);
    const read = await disk.read(path, roots);
    if (read.kind === 'text') this.#readNow.add(path);
    return read;
  }

  async list(dir: string): Promise<readonly string[]> {
    const names = new Set<string>();
    for (const path of this.#reads.keys()) {
      for (let at = path; dirname(at) !== at; at = dirname(at)) if (dirname(at) === dir) names.add(basename(at));
    }
    return [...names].sort();
  }

  async isDirectory(): Promise<boolean> {
    return true;
  }

  async realPath(path: string): Promise<string> {
    return this.#realPaths[path] ?? path;
  }
}

/** The files of the workspace, and those that handlers brought text from. */
function readsOf({ record, handlers, textOf }: RestoredInputs): ReadonlyMap<string, FileRead> {
  const reads = new Map<string, FileRead>();
  for (const { path, realPath, text, absent } of record.files) {
    if (text !== undefined) reads.set(path, textAt(path, textOf(text), realPath ?? path));
    else if (absent) reads.set(path, { kind: 'absent', path, ...absent });
  }
  for (const { from } of handlers.flatMap(partsOf)) {
    if (from && !reads.has(from.path)) {
      reads.set(from.path, textAt(from.path, from.source.text, from.source.realPath ?? from.path));
    }
  }
  return reads;
}

function partsOf({ left = [] }: RestoredInputs['handlers'][number]) {
  return left.flatMap((file) => (typeof file === 'number' ? [] : (file.edits ?? []).flatMap(({ parts }) => parts)));
}

function textAt(path: string, text: string, realPath: string): FileRead {
  return { kind: 'text', path, realPath, identity: `recorded ${path}`, text };
}

function notThere(path: string): FileRead {
  return { kind: 'absent', path, reason: 'missing', detail: 'no such file', entryExists: false };
}
