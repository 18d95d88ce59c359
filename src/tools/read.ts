// `read`: a text file of the workspace or of a skill that the agent was told of, or some lines of it. The file is never
// held in memory as a whole, so its size does not matter; what is returned is bounded, and says how to read on.

import type { FileHandle } from 'node:fs/promises';
import { isAbsolute, resolve, sep } from 'node:path';
import { countOf } from '../protocol/count-of.ts';
import { type ContainedFile, namedPaths, openContainedFile, type WithheldFiles } from './contained-path.ts';
import { ToolInputError } from './errors.ts';
import { decodeText, refuseBinary } from './file-text.ts';
import type { Tool, ToolCaller } from './tool.ts';

const READ_MAX_LINES = 2_000;
/** Below the bound on any tool's output, so that the note at the end is never cut. */
export const READ_MAX_CHARS = 40_000;

interface ReadParams {
  readonly path: string;
  readonly offset?: number;
  readonly limit?: number;
}

export interface ReadToolOptions {
  readonly home?: string | undefined;
  /** Folders outside of the workspace that may be read as well: those of shared skills. */
  readonly skillDirsOf?: SkillDirsOf | undefined;
  readonly withheldOf?: WithheldOf | undefined;
}

/** What a caller's file tools must not open. */
export type WithheldOf = (caller: ToolCaller) => Promise<WithheldFiles | undefined>;

export type SkillDirsOf = (caller: ToolCaller) => Promise<readonly string[]>;

export function createReadTool({ home, skillDirsOf = async () => [], withheldOf }: ReadToolOptions = {}): Tool {
  return {
    name: 'read',
    description: `Read a text file of the workspace or of a skill. Returns at most ${READ_MAX_LINES} lines or ${READ_MAX_CHARS} characters and says how to read on; use offset and limit for large files.`,
    parameters: {
      type: 'object',
      properties: {
        path: { type: 'string', description: 'The file, relative to the workspace, or the location of a skill.' },
        offset: { type: 'integer', minimum: 1, description: 'The first line to read, counted from 1.' },
        limit: { type: 'integer', minimum: 1, maximum: READ_MAX_LINES, description: 'How many lines to read.' },
      },
      required: ['path'],
      additionalProperties: false,
    },
    idempotent: true,
    derivedPaths: (params) => namedPaths(params, home),
    async run(params, context) {
      const { signal } = context;
      const { path, offset = 1, limit = READ_MAX_LINES } = params as unknown as ReadParams;
      const workspaceDir = await rootFor(path, context, home, skillDirsOf);
      const file = await openContainedFile({ workspaceDir, home, withheld: await withheldOf?.(context) }, path);
      try {
        const found = await readLines(path, file, { offset, limit, signal });
        if (found.text === '' && offset > 1) {
          const lines = found.linesBefore;
          throw new ToolInputError({
            tool: 'read',
            problems: [`The file has ${countOf(lines, 'line')}, so that none begins at offset ${offset}.`],
          });
        }
        const { text, note, last } = boundLines(found, offset);
        const details = { path, firstLine: offset, lastLine: last, bytes: Number(file.stats.size) };
        return {
          content: [text, note].filter((part) => part !== '').join(text.endsWith('\n') ? '\n' : '\n\n'),
          details,
        };
      } finally {
        await file.handle.close();
      }
    },
  };
}

/** The workspace, unless the path is written as one of a skill elsewhere; then nothing but that folder is within reach. */
async function rootFor(
  path: string,
  caller: ToolCaller,
  home: string | undefined,
  skillDirsOf: SkillDirsOf,
): Promise<string> {
  const { workspaceDir } = caller;
  const [full = path] = namedPaths({ path }, home);
  if (!isAbsolute(full) || isBelow(workspaceDir, full)) return workspaceDir;
  return (await skillDirsOf(caller)).find((dir) => isBelow(dir, full)) ?? workspaceDir;
}

function isBelow(dir: string, path: string): boolean {
  return resolve(path).startsWith(`${resolve(dir)}${sep}`);
}

interface FoundLines {
  readonly text: string;
  /** True when the file goes on behind the text. */
  readonly hasMore: boolean;
  /** Lines that were passed on the way to the offset. */
  readonly linesBefore: number;
}

const CHUNK_BYTES = 64 * 1024;
const NEWLINE = 10;

/** A character of JavaScript's takes at most three bytes, so this holds more than may be returned. */
const MAX_COLLECTED_BYTES = READ_MAX_CHARS * 3 + CHUNK_BYTES;

async function readLines(
  path: string,
  { handle, stats }: ContainedFile,
  { offset, limit, signal }: { readonly offset: number; readonly limit: number; readonly signal: AbortSignal },
): Promise<FoundLines> {
  const collected: Buffer[] = [];
  let size = 0;
  let line = 1;
  let consumed = 0;
  let endsWithNewline = true;
  for await (const chunk of chunksOf(handle, signal)) {
    refuseBinary(path, chunk);
    endsWithNewline = chunk.at(-1) === NEWLINE;
    let start = 0;
    while (line < offset && start < chunk.length) {
      const newline = chunk.indexOf(NEWLINE, start);
      start = newline === -1 ? chunk.length : newline + 1;
      if (newline !== -1) line++;
    }
    let end = start;
    while (line >= offset && line < offset + limit && end < chunk.length) {
      const newline = chunk.indexOf(NEWLINE, end);
      end = newline === -1 ? chunk.length : newline + 1;
      if (newline !== -1) line++;
    }
    // A view, even an empty one, would keep its whole chunk in memory.
    if (end > start) collected.push(Buffer.from(chunk.subarray(start, end)));
    size += end - start;
    consumed += end;
    if (line === offset + limit || size > MAX_COLLECTED_BYTES) break;
  }
  const hasMore = consumed < stats.size;
  const text = decodeText(path, Buffer.concat(collected), !hasMore);
  return { text, hasMore, linesBefore: consumed === 0 || endsWithNewline ? line - 1 : line };
}

async function* chunksOf(handle: FileHandle, signal: AbortSignal): AsyncGenerator<Buffer> {
  for (let position = 0; ; ) {
    signal.throwIfAborted();
    const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(CHUNK_BYTES), 0, CHUNK_BYTES, position);
    if (bytesRead === 0) return;
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

interface BoundedLines {
  readonly text: string;
  /** What the reader must know beside the text; empty for nothing. */
  readonly note: string;
  readonly last: number;
}

function boundLines({ text, hasMore }: FoundLines, first: number): BoundedLines {
  if (text === '') return { text, note: '[The file is empty.]', last: 0 };
  if (text.length > READ_MAX_CHARS) {
    const lineEnd = text.lastIndexOf('\n', READ_MAX_CHARS - 1);
    if (lineEnd === -1) {
      const begun = text.slice(0, READ_MAX_CHARS).replace(/[\ud800-\udbff]$/, '');
      const isLast = !hasMore && !text.slice(0, -1).includes('\n');
      const onward = isLast ? 'It is the last one.' : `Read on with offset ${first + 1}.`;
      const note = `[Line ${first} is longer than ${READ_MAX_CHARS} characters and was cut there. ${onward}]`;
      return { text: begun, note, last: first };
    }
    return noteMore(text.slice(0, lineEnd + 1), true, first);
  }
  return noteMore(text, hasMore, first);
}

function noteMore(text: string, hasMore: boolean, first: number): BoundedLines {
  const last = first + text.split('\n').length - (text.endsWith('\n') ? 2 : 1);
  const note = hasMore ? `[These are lines ${first} to ${last}; more follow. Read on with offset ${last + 1}.]` : '';
  return { text, note, last };
}
