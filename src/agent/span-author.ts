// The author of a piece of a request as one line of text, which spans carry, and the same line read back. Both
// directions stand here, so that they cannot drift apart.

import { formatOrigin } from '../context/provenance/origin.ts';
import type { LocatedOrigin } from '../context/report/located-origin.ts';

export function formatAuthor(origin: LocatedOrigin): string {
  const [first, last] = (origin.kind !== 'product' && origin.lines) || [];
  if (first === undefined) return formatOrigin(origin);
  return `${formatOrigin(origin)}, ${first === last ? `line ${first}` : `lines ${first}-${last}`}`;
}

export interface SpanAuthor {
  readonly kind: 'file' | 'handler' | 'rule' | 'product' | 'plugin' | 'tool' | 'conversation';
  /** The path of a file, the id of a handler or rule, the name of a plugin or tool, or who spoke. */
  readonly name: string;
  /** The file that the words stand in, also when a handler or rule brought them from there. */
  readonly path?: string | undefined;
  /** The lines of that file. */
  readonly lines?: readonly [number, number] | undefined;
  /** True when the words are those of the file; false when they were shortened or rewritten on the way. */
  readonly isVerbatim: boolean;
}

export function readAuthor(where: 'system' | 'tools' | 'messages', author: string): SpanAuthor {
  const [, named = author, first, last = first] = /^(.*), lines? (\d+)(?:-(\d+))?$/s.exec(author) ?? [];
  const lines = first === undefined ? undefined : ([Number(first), Number(last)] as const);
  const isVerbatim = !/ \((?:derived|rewritten)\)$/.test(named);
  const text = named.replace(/ \((?:derived|rewritten)\)$/, '');
  const [, kind, id = '', path] = /^(handler|rule) (\S+)(?: from (.+))?$/s.exec(text) ?? [];
  if (kind === 'handler' || kind === 'rule') return { kind, name: id, path, lines, isVerbatim };
  const [, part] = /^atrium: (.+)$/s.exec(text) ?? [];
  if (part !== undefined) return { kind: 'product', name: part, isVerbatim };
  const [, tool] = /^tool (\S+)(?: of .+)?$/s.exec(text) ?? [];
  if (tool !== undefined) return { kind: 'tool', name: tool, isVerbatim };
  const [, plugin] = /^(?:injection|[a-z_]+) of (.+)$/s.exec(text) ?? [];
  if (plugin !== undefined) return { kind: 'plugin', name: plugin, isVerbatim };
  if (where === 'system') return { kind: 'file', name: text, path: text, lines, isVerbatim };
  return { kind: 'conversation', name: text, isVerbatim };
}
