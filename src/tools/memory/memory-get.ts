// `memory_get`: a file of the agent's memory, or some lines of it. A file that is not there is an answer, not an error:
// an agent looks for today's notes before it has written any.

import { ToolFileMissingError } from '../errors.ts';
import { readWholeText } from '../file-text.ts';
import { READ_MAX_CHARS } from '../read.ts';
import type { Tool, ToolOutput } from '../tool.ts';
import { type MemoryPolicyOf, withheldMemory } from './memory-access.ts';
import { memoryPathOf, openMemoryFile } from './memory-files.ts';
import { type MemorySupplements, NO_SUPPLEMENTS } from './memory-supplements.ts';

interface MemoryGetParams {
  readonly path: string;
  readonly from?: number;
  readonly lines?: number;
}

export interface MemoryGetOptions {
  readonly policyOf: MemoryPolicyOf;
  readonly supplements?: MemorySupplements | undefined;
}

export function createMemoryGetTool({ policyOf, supplements = NO_SUPPLEMENTS }: MemoryGetOptions): Tool {
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
      const withheld = withheldMemory(context, policyOf);
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
  // What ends the last line begins no other.
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
