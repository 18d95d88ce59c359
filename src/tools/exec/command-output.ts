// What a command prints while it runs, in bounded memory: its beginning and its end for the model, and all of it in a
// private file once it is more than the model will read. A small output leaves no file.

import { constants } from 'node:fs';
import { type FileHandle, mkdir, open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { readableOutput } from './readable-output.ts';

export interface CommandOutputOptions {
  readonly file: string;
  /** What the model reads, the marker of a cut not counted. */
  readonly maxChars: number;
  readonly maxFileBytes?: number | undefined;
}

export interface CollectedOutput {
  readonly text: string;
  readonly bytes: number;
  /** Where all of it is; undefined when the text is all of it. */
  readonly file: string | undefined;
}

export const MAX_OUTPUT_FILE_BYTES = 10 * 1024 * 1024;
export const OUTPUT_GOES_ON = '\n[The output went on; what came after this is not kept.]\n';

/** The beginning gets the smaller share, because the end of an output says more. */
const HEAD_SHARE = 0.4;
/** A character takes at most three bytes for each of its units; the rest is for what is taken out. */
const BYTES_A_CHAR = 4;

export class CommandOutput {
  readonly #options: CommandOutputOptions;
  readonly #windowBytes: number;
  /** The first window of it; all of it as long as there is no more. */
  readonly #head: Buffer[] = [];
  /** The latest chunks, together at least a window. */
  readonly #tail: Buffer[] = [];
  #tailBytes = 0;
  #bytes = 0;
  /** What would be in the file if there were no bound. */
  #fileBytes = 0;
  #file: Promise<FileHandle | undefined> | undefined;
  /** The writes that are under way, one after the other. Never rejects. */
  #writing: Promise<void> = Promise.resolve();
  #isFileWhole = true;

  constructor(options: CommandOutputOptions) {
    this.#options = options;
    this.#windowBytes = options.maxChars * BYTES_A_CHAR;
  }

  get bytes(): number {
    return this.#bytes;
  }

  add(chunk: Buffer): void {
    const before = this.#bytes;
    this.#bytes += chunk.length;
    if (this.#bytes > this.#windowBytes) {
      if (before <= this.#windowBytes) for (const earlier of this.#head) this.#keep(earlier);
      this.#keep(chunk);
    }
    if (before < this.#windowBytes) this.#head.push(chunk.subarray(0, this.#windowBytes - before));
  }

  #keep(chunk: Buffer): void {
    this.#tail.push(chunk);
    this.#tailBytes += chunk.length;
    for (
      let first = this.#tail[0];
      first && this.#tailBytes - first.length >= this.#windowBytes;
      first = this.#tail[0]
    ) {
      this.#tail.shift();
      this.#tailBytes -= first.length;
    }
    this.#write(chunk);
  }

  #write(chunk: Buffer): void {
    const { maxFileBytes = MAX_OUTPUT_FILE_BYTES } = this.#options;
    const room = maxFileBytes - this.#fileBytes;
    if (room < 0) return;
    this.#fileBytes += chunk.length;
    const kept = chunk.length > room ? Buffer.concat([chunk.subarray(0, room), Buffer.from(OUTPUT_GOES_ON)]) : chunk;
    this.#file ??= openPrivateFile(this.#options.file).catch(() => undefined);
    const file = this.#file;
    this.#writing = this.#writing.then(async () => {
      try {
        const handle = await file;
        if (!handle) throw new Error('The file could not be opened.');
        await handle.appendFile(kept);
      } catch {
        this.#isFileWhole = false;
      }
    });
  }

  /** Once, when nothing more will come. `readOn` words how the reader gets what is left out, from a byte onward. */
  async end(readOn: (offset: number) => string): Promise<CollectedOutput> {
    const { maxChars, file } = this.#options;
    const head = readableOutput(Buffer.concat(this.#head));
    const isAllInHead = this.#bytes <= this.#windowBytes;
    if (isAllInHead && head.length <= maxChars) return { text: head, bytes: this.#bytes, file: undefined };
    if (isAllInHead) for (const chunk of this.#head) this.#keep(chunk);
    const tail = readableOutput(Buffer.concat(this.#tail));
    const headChars = Math.floor(maxChars * HEAD_SHARE);
    const start = head.slice(0, headChars).replace(/[\ud800-\udbff]$/, '');
    const finish = tail.slice(-(maxChars - headChars)).replace(/^[\udc00-\udfff]/, '');
    await this.#writing;
    await (await this.#file)?.close().catch(() => undefined);
    const isKept = this.#isFileWhole;
    if (!isKept) await rm(file, { force: true });
    const rest = isKept ? readOn(Buffer.byteLength(start)) : 'The file for all of it could not be written.';
    return {
      text: `${start}\n[Cut here: the output has ${this.#bytes} bytes, and its middle is left out. ${rest}]\n${finish}`,
      bytes: this.#bytes,
      file: isKept ? file : undefined,
    };
  }

  /** For a command whose output is not needed. */
  async discard(): Promise<void> {
    await this.#writing;
    await (await this.#file)?.close().catch(() => undefined);
    if (this.#file) await rm(this.#options.file, { force: true });
  }
}

/** A new file that only this user can read; a link in its place is an error. */
export async function openPrivateFile(file: string): Promise<FileHandle> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  return open(file, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_APPEND, 0o600);
}
