// `memory_search`: finds what the agent wrote down, by words, in MEMORY.md and below memory/. Each hit says where it
// stands, so that `memory_get` can read around it.

import { countOf } from '../../protocol/count-of.ts';
import type { Tool } from '../tool.ts';
import { type MemoryPolicyOf, withheldMemory } from './memory-access.ts';
import type { MemoryHit, MemoryIndexes, MemorySearch } from './memory-index.ts';
import { type MemorySupplementHit, type MemorySupplements, NO_SUPPLEMENTS } from './memory-supplements.ts';

export interface MemorySearchOptions {
  readonly indexes: MemoryIndexes;
  readonly policyOf: MemoryPolicyOf;
  readonly supplements?: MemorySupplements | undefined;
}

interface MemorySearchParams {
  readonly query: string;
  readonly maxResults?: number;
}

const DEFAULT_RESULTS = 6;
const MAX_RESULTS = 20;
/** More names than these say nothing. */
const MAX_NAMED = 10;

export function createMemorySearchTool({ indexes, policyOf, supplements = NO_SUPPLEMENTS }: MemorySearchOptions): Tool {
  const tool: Tool = {
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
      const withheld = withheldMemory(context, policyOf);
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
  return tool;
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
