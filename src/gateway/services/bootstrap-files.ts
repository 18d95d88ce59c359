// The bootstrap files of the agents' workspaces, for a person who reads and edits them: the text with its version, an
// edit that overwrites no other one, and the versions that were there before, any of which can be put back.
//
// Promise: paths are contained as those of the file tools are, also after links are followed; a file is replaced whole or
// not at all; and the text that an edit replaces is kept before the file is touched.
// Errors: UnknownAgentError, BootstrapFileUnknownError, BootstrapFileRefusedError, BootstrapFileChangedError when the file
// is not what the editor has read, and FileVersionUnknownError.

import { statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { resolveAgentConfig } from '../../config/agents.ts';
import type { Config } from '../../config/schema.ts';
import { TAXONOMIES, type TaxonomyFile } from '../../context/taxonomy.ts';
import { isAtriumError } from '../../protocol/errors.ts';
import { nearMatch } from '../../protocol/near-match.ts';
import { sha256Of } from '../../protocol/sha256-of.ts';
import { UnknownAgentError } from '../../routing/errors.ts';
import type { Store } from '../../store/store.ts';
import type { FileVersionRow } from '../../store/tables.ts';
import { type ContainedFile, openContainedFile, openContainedTarget } from '../../tools/contained-path.ts';
import { ToolFileChangedError, ToolFileMissingError } from '../../tools/errors.ts';
import { MAX_TEXT_BYTES, readWholeText } from '../../tools/file-text.ts';
import { OneAtATime } from '../../tools/one-at-a-time.ts';
import { replaceFile } from '../../tools/replace-file.ts';
import {
  BootstrapFileChangedError,
  BootstrapFileRefusedError,
  BootstrapFileUnknownError,
  FileVersionUnknownError,
} from '../errors.ts';

export interface BootstrapFilesParts {
  readonly store: Store;
  /** The configuration as it is now. */
  readonly config: () => Config;
  readonly agentIds: () => readonly string[];
  readonly workspaceDirOf: (agentId: string) => string;
  readonly now: () => number;
}

/** A file as an editor needs it. */
export interface BootstrapText {
  readonly agentId: string;
  readonly name: string;
  readonly path: string;
  /** What it is for, in one sentence. */
  readonly role: string;
  /** Null when there is no such file yet. */
  readonly text: string | null;
  /** The SHA-256 of the text; an edit names the version that it was made from. Null when there is no file. */
  readonly version: string | null;
}

export interface ListedBootstrapFile extends Pick<BootstrapText, 'name' | 'path' | 'role' | 'version'> {
  /** The characters of the file; null when it is not there or cannot be read. */
  readonly chars: number | null;
  /** Why it cannot be read; null when it can, and when it is not there. */
  readonly problem: string | null;
}

/** A version that was kept, without its text. */
export interface FileVersion extends Pick<FileVersionRow, 'at' | 'author'> {
  readonly id: number;
  /** Null when there was no file. */
  readonly version: string | null;
  readonly chars: number;
  /** The file has this text now. */
  readonly isCurrent: boolean;
}

export interface FileEdit {
  /** Null removes the file. */
  readonly text: string | null;
  /** The version that the editor has read; null when there was no file. */
  readonly version: string | null;
  readonly author: string;
}

export class BootstrapFiles {
  readonly #parts: BootstrapFilesParts;
  /** Two edits of one workspace must not see each other half done. */
  readonly #edits = new OneAtATime();

  constructor(parts: BootstrapFilesParts) {
    this.#parts = parts;
  }

  async list(agentId: string): Promise<readonly ListedBootstrapFile[]> {
    return Promise.all(
      this.#kindsOf(agentId).map(async ({ name }) => {
        const place = await this.#placeOf(agentId, name);
        const told = { name, path: join(place.workspaceDir, place.entry), role: place.role };
        try {
          const found = await readText(place);
          return { ...told, version: found?.version ?? null, chars: found?.text.length ?? null, problem: null };
        } catch (error) {
          if (!isAtriumError(error)) throw error;
          return { ...told, version: null, chars: null, problem: error.message };
        }
      }),
    );
  }

  /** Returns another value when a bootstrap file was changed, by an agent or a person. It looks at the first agents only, and reads no file. */
  stamp(): readonly (string | undefined)[] {
    return this.#parts
      .agentIds()
      .slice(0, MOST_STAMPED)
      .flatMap((agentId) => {
        const dir = this.#parts.workspaceDirOf(agentId);
        return this.#kindsOf(agentId).map(({ name }) => stampOf(join(dir, name)));
      });
  }

  async read(agentId: string, name: string): Promise<BootstrapText> {
    const place = await this.#placeOf(agentId, name);
    const { workspaceDir, entry, role } = place;
    const found = await readText(place);
    return {
      agentId,
      name,
      path: join(workspaceDir, entry),
      role,
      text: found?.text ?? null,
      version: found?.version ?? null,
    };
  }

  /** Resolves when the file is durable. The next run reads it. */
  async write(agentId: string, name: string, edit: FileEdit): Promise<BootstrapText> {
    const place = await this.#placeOf(agentId, name);
    await this.#edits.run(place.workspaceDir, () => this.#replace(agentId, name, place, edit));
    return this.read(agentId, name);
  }

  /** The versions that are kept, the latest first. */
  async history(agentId: string, name: string): Promise<readonly FileVersion[]> {
    const { version } = await this.read(agentId, name);
    const rows = await this.#rowsOf(agentId, name);
    return rows.map(({ seq, at, author, text, hash }) => ({
      id: seq,
      at,
      author,
      version: text === null ? null : hash,
      chars: text?.length ?? 0,
      isCurrent: (text === null ? null : hash) === version,
    }));
  }

  async readVersion(agentId: string, name: string, id: number): Promise<FileVersionRow> {
    this.#kindOf(agentId, name);
    const row = (await this.#rowsOf(agentId, name)).find(({ seq }) => seq === id);
    if (!row) throw new FileVersionUnknownError({ file: name, id });
    return row;
  }

  /** Puts a kept version back. This is an edit like any other, so it can be undone too. */
  async restore(
    agentId: string,
    name: string,
    { id, ...edit }: Omit<FileEdit, 'text'> & { readonly id: number },
  ): Promise<BootstrapText> {
    const { text } = await this.readVersion(agentId, name, id);
    return this.write(agentId, name, { ...edit, text });
  }

  async #replace(agentId: string, name: string, place: FilePlace, { text, version, author }: FileEdit): Promise<void> {
    if (text !== null) refuseUnusable(name, text);
    const before = await readText(place);
    if ((before?.version ?? null) !== version)
      throw new BootstrapFileChangedError({ file: name, version: before?.version ?? null });
    if ((before?.text ?? null) === text) return;
    await this.#keep(agentId, name, { before: before?.text ?? null, text, author });
    await putText(place, before?.stats, text);
  }

  /** The text that is replaced was perhaps written by another program, and then it is not among the versions yet. */
  async #keep(
    agentId: string,
    name: string,
    { before, text, author }: { readonly before: string | null; readonly text: string | null; readonly author: string },
  ): Promise<void> {
    const { store, now } = this.#parts;
    const at = now();
    const row = (words: string | null, by: string) => ({
      insert: 'fileVersions' as const,
      row: { agentId, name, at, author: by, text: words, hash: words === null ? '' : versionOf(words) },
    });
    const kept = await this.#rowsOf(agentId, name);
    const isKnown = kept.length > 0 && kept[0]?.text === before;
    const added = [...(isKnown ? [] : [row(before, 'disk')]), row(text, author)];
    const old = kept.slice(MOST_VERSIONS - added.length).map(({ seq }) => seq);
    const removals = old.length === 0 ? [] : [{ remove: 'fileVersions' as const, where: { seq: { in: old } } }];
    await store.commit([...added, ...removals], { site: 'file-version', waits: true });
  }

  #rowsOf(agentId: string, name: string): Promise<readonly FileVersionRow[]> {
    return this.#parts.store.select('fileVersions', { where: { agentId, name }, orderBy: [['seq', 'desc']] });
  }

  #kindsOf(agentId: string): readonly TaxonomyFile[] {
    const known = this.#parts.agentIds();
    if (!known.includes(agentId))
      throw new UnknownAgentError({ agentId, known, suggestion: nearMatch(agentId, known) });
    return TAXONOMIES[resolveAgentConfig(this.#parts.config(), agentId)?.taxonomy ?? 'openclaw'].files;
  }

  #kindOf(agentId: string, name: string): TaxonomyFile {
    const kinds = this.#kindsOf(agentId);
    const kind = kinds.find((each) => each.name === name);
    if (!kind) throw new BootstrapFileUnknownError({ file: name, known: kinds.map((each) => each.name) });
    return kind;
  }

  /** Of a file that may be spelled otherwise, the spelling that is there. */
  async #placeOf(agentId: string, name: string): Promise<FilePlace> {
    const { role, alternates = [] } = this.#kindOf(agentId, name);
    const workspaceDir = this.#parts.workspaceDirOf(agentId);
    for (const entry of [name, ...alternates]) {
      const place = { workspaceDir, entry, role };
      const isThere = await readText(place).then((found) => found !== undefined, isAtriumError);
      if (isThere) return place;
    }
    return { workspaceDir, entry: name, role };
  }
}

/** More versions of one file are not kept; the oldest ones go first. */
const MOST_VERSIONS = 100;

const MOST_STAMPED = 20;

/** Undefined for a file that is not there. */
function stampOf(path: string): string | undefined {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    return stats && `${stats.ino} ${stats.size} ${stats.mtimeMs}`;
  } catch {
    return undefined;
  }
}

interface FilePlace {
  readonly workspaceDir: string;
  /** The name of the file, as it is spelled there. */
  readonly entry: string;
  readonly role: string;
}

interface FoundText {
  readonly text: string;
  readonly version: string;
  readonly stats: ContainedFile['stats'];
}

/** Undefined when there is no such file. */
async function readText({ workspaceDir, entry }: FilePlace): Promise<FoundText | undefined> {
  return refusing(entry, async () => {
    let file: ContainedFile;
    try {
      file = await openContainedFile({ workspaceDir }, entry);
    } catch (error) {
      if (error instanceof ToolFileMissingError) return undefined;
      throw error;
    }
    try {
      const text = await readWholeText(entry, file);
      return { text, version: versionOf(text), stats: file.stats };
    } finally {
      await file.handle.close();
    }
  });
}

async function putText(
  { workspaceDir, entry }: FilePlace,
  expected: ContainedFile['stats'] | undefined,
  text: string | null,
): Promise<void> {
  await refusing(entry, async () => {
    const target = await openContainedTarget({ workspaceDir }, entry, { createFolders: false });
    try {
      if (text === null) await rm(target.folder.at(target.name), { force: true });
      else if (!expected && target.stats) throw new ToolFileChangedError({ path: entry });
      else await replaceFile(target, entry, text, { signal: NEVER, expected });
    } finally {
      await target.folder.close();
    }
  });
}

const NEVER = new AbortController().signal;

/** What the file tools tell a model is told to a person here, with the status of a refused request. */
async function refusing<Value>(name: string, use: () => Promise<Value>): Promise<Value> {
  try {
    return await use();
  } catch (error) {
    if (error instanceof ToolFileChangedError)
      throw new BootstrapFileChangedError({ file: name, version: null }, { cause: error });
    if (isAtriumError(error) && error.code.startsWith('ATRIUM_TOOL_'))
      throw new BootstrapFileRefusedError({ file: name, problem: error.message }, { cause: error });
    throw error;
  }
}

function refuseUnusable(name: string, text: string): void {
  const bytes = Buffer.byteLength(text);
  const problem = text.includes('\0')
    ? 'The text has a NUL character.'
    : bytes > MAX_TEXT_BYTES
      ? `The text has ${bytes} bytes, and at most ${MAX_TEXT_BYTES} are written.`
      : undefined;
  if (problem !== undefined) throw new BootstrapFileRefusedError({ file: name, problem });
}

function versionOf(text: string): string {
  return sha256Of(text);
}
