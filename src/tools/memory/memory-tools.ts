// The tools that look into an agent's memory, over the same indexes and under the same policy.

import { countOf } from '../../protocol/count-of.ts';
import { ToolFileMissingError } from '../errors.ts';
import { readWholeText } from '../file-text.ts';
import { READ_MAX_CHARS } from '../read.ts';
import type { Tool, ToolOutput } from '../tool.ts';
import {
  type MemoryRules,
  type MemorySupplementHit,
  type MemorySupplements,
  NO_SUPPLEMENTS,
  withheldMemory,
} from './memory-access.ts';
import { memoryPathOf, openMemoryFile } from './memory-files.ts';
import { type MemoryHit, MemoryIndexes, type MemorySearch } from './memory-index.ts';

export interface MemoryToolsOptions {
  readonly rules: MemoryRules;
  readonly now: () => number;
  /** Further sources of memory, from plugins. */
  readonly supplements?: MemorySupplements | undefined;
}

export function createMemoryTools({ rules, now, supplements }: MemoryToolsOptions): readonly Tool[] {
  const indexes = new MemoryIndexes({ now });
  return [createMemoryGetTool({ rules, supplements }), createMemorySearchTool({ indexes, rules, supplements })];
}

interface MemoryGetParams {
  readonly path: string;
  readonly from?: number;
  readonly lines?: number;
}

export interface MemoryGetOptions {
  readonly rules: MemoryRules;
  readonly supplements?: MemorySupplements | undefined;
}

export function createMemoryGetTool({ rules, supplements = NO_SUPPLEMENTS }: MemoryGetOptions): Tool {
  const tool: Tool = {
    name: 'memory_get',
    description: 'Read a file of your memory, MEMORY.md or memory/<name>.md, or some lines of it.',
    parameters: {
      type: 'object',
      properties: {
        path: { type: 'string', minLength: 1, description: 'MEMORY.md, or a file below memory/.' },
        from: { type: 'integer', minimum: 1, description: 'The first line, counted from 1.' },
        lines: { type: 'integer', minimum: 1, description: 'How many lines; all by default.' },
      },
      required: ['path'],
      additionalProperties: false,
    },
    idempotent: true,
    async run(params, context) {
      const { path, from = 1, lines } = params as unknown as MemoryGetParams;
      const withheld = await withheldMemory(context, rules);
      if (withheld) return withheld;
      const { workspaceDir } = context;
      const besides = path.includes(':') ? await supplements.get(path) : undefined;
      if (besides !== undefined) return showLines(path, besides, from, lines);
      const way = memoryPathOf(tool.name, workspaceDir, path);
      try {
        const file = await openMemoryFile(tool.name, workspaceDir, way);
        const text = await readWholeText(way, file).finally(() => file.handle.close());
        return showLines(way, text, from, lines);
      } catch (error) {
        if (!(error instanceof ToolFileMissingError)) throw error;
        return { content: `There is no ${way} yet.`, details: { path: way, missing: true } };
      }
    },
  };
  return tool;
}

function showLines(path: string, text: string, from: number, lines: number | undefined): ToolOutput {
  const all = text.split('\n');
  // A line end at the end of the text does not begin another line.
  if (all.at(-1) === '') all.pop();
  if (all.length === 0) return { content: `${path} is empty.`, details: { path, lines: 0 } };
  if (from > all.length) {
    return {
      content: `${path} has ${all.length} lines, so that none begins at ${from}.`,
      details: { path, lines: all.length },
    };
  }
  const shown: string[] = [];
  let room = READ_MAX_CHARS;
  for (const line of all.slice(from - 1, lines === undefined ? undefined : from - 1 + lines)) {
    room -= line.length + 1;
    if (room < 0) break;
    shown.push(line);
  }
  // A first line that is too long by itself is shown as far as it goes.
  if (shown.length === 0) shown.push((all[from - 1] ?? '').slice(0, READ_MAX_CHARS).replace(/[\ud800-\udbff]$/, ''));
  const last = from + shown.length - 1;
  const note = last < all.length ? [`[Lines ${from} to ${last} of ${all.length}. Read on with from ${last + 1}.]`] : [];
  return {
    content: [...shown, ...note].join('\n'),
    details: { path, firstLine: from, lastLine: last, lines: all.length },
  };
}

export interface MemorySearchOptions {
  readonly indexes: MemoryIndexes;
  readonly rules: MemoryRules;
  readonly supplements?: MemorySupplements | undefined;
}

interface MemorySearchParams {
  readonly query: string;
  readonly maxResults?: number;
}

const DEFAULT_RESULTS = 6;
const MAX_RESULTS = 20;
/** The most names that are listed. */
const MAX_NAMED = 10;

export function createMemorySearchTool({ indexes, rules, supplements = NO_SUPPLEMENTS }: MemorySearchOptions): Tool {
  return {
    name: 'memory_search',
    description:
      'Search your memory, MEMORY.md and memory/*.md, by words. Returns the passages that fit best with their file and lines; read around them with memory_get.',
    parameters: {
      type: 'object',
      properties: {
        query: { type: 'string', minLength: 1, maxLength: 1_000, description: 'Words to look for.' },
        maxResults: {
          type: 'integer',
          minimum: 1,
          maximum: MAX_RESULTS,
          description: `How many passages at most. ${DEFAULT_RESULTS} by default.`,
        },
      },
      required: ['query'],
      additionalProperties: false,
    },
    idempotent: true,
    async run(params, context) {
      const { query, maxResults = DEFAULT_RESULTS } = params as unknown as MemorySearchParams;
      const withheld = await withheldMemory(context, rules);
      if (withheld) return withheld;
      const { workspaceDir, sessionKey, signal } = context;
      const [found, others] = await Promise.all([
        indexes.search({ workspaceDir, query, maxResults, signal }),
        supplements.search({ query, maxResults, sessionKey }),
      ]);
      const { hits } = found;
      const besides = others.slice(0, maxResults);
      return {
        content: [
          ...(hits.length > 0 ? hits.map(describeHit) : [describeNothing(found)]),
          ...besides.map(describeBesides),
          ...describeLeftOut(found),
        ].join('\n\n'),
        details: {
          files: found.files,
          results: [
            ...hits.map((hit) => ({ place: placeOf(hit), score: hit.score })),
            ...besides.map(({ place, score }) => ({ place, score })),
          ],
        },
      };
    },
  };
}

function placeOf({ path, firstLine, lastLine }: MemoryHit): string {
  return `${path}#L${firstLine}-L${lastLine}`;
}

function describeHit(hit: MemoryHit): string {
  return `${placeOf(hit)}${hit.heading === '' ? '' : ` (${hit.heading})`}\n${hit.text}`;
}

function describeBesides({ owner, place, title, text }: MemorySupplementHit): string {
  return `${place}${title === '' ? '' : ` (${title})`}, from the plugin ${owner}\n${text}`;
}

function describeNothing({ files }: MemorySearch): string {
  if (files === 0) return 'The memory is empty: there is neither a MEMORY.md nor a file below memory/.';
  return `Nothing in the memory fits (${countOf(files, 'file')} searched). Try other words.`;
}

function describeLeftOut({ leftOut }: MemorySearch): readonly string[] {
  if (leftOut.length === 0) return [];
  const rest = leftOut.length > MAX_NAMED ? ` and ${leftOut.length - MAX_NAMED} more` : '';
  return [`[Not searched, being too large or too many: ${leftOut.slice(0, MAX_NAMED).join(', ')}${rest}.]`];
}
