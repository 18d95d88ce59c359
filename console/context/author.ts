// Who wrote a piece of a request, read from the origin that the gateway stored with it. The kind decides the colour.

import type { ToldSpan } from '../client/gateway-client.ts';

export type AuthorKind = 'product' | 'file' | 'handler' | 'plugin' | 'tool' | 'message' | 'model' | 'other';

export interface Author {
  readonly kind: AuthorKind;
  /** A file, a handler, a rule, a plugin, a tool, or who spoke. */
  readonly name: string;
  /** What it is, in words. */
  readonly role: string;
  readonly lines?: string | undefined;
}

export function authorOf({ origin, where }: Pick<ToldSpan, 'origin' | 'where'>): Author {
  const [, name = origin, lines] = /^(.*?)(?:, lines? ([\d-]+))?$/s.exec(origin) ?? [];
  return { ...named(name, where), ...(lines === undefined ? {} : { lines }) };
}

function named(origin: string, where: ToldSpan['where']): Author {
  const [, kind, id = '', from] = /^(handler|rule) (.+?)(?: from (.+?))?( \(rewritten\))?$/s.exec(origin) ?? [];
  if (kind !== undefined)
    return { kind: 'handler', name: id, role: from === undefined ? kind : `${kind}, with words from ${from}` };
  const [, tool, owner] = /^tool (\S+)(?: of (.+))?$/s.exec(origin) ?? [];
  if (tool !== undefined) {
    const what = where === 'tools' ? 'tool that is offered' : 'result of a tool';
    return { kind: 'tool', name: tool, role: owner === undefined ? what : `${what}, of ${owner}` };
  }
  if (origin.startsWith('atrium: ')) return { kind: 'product', name: origin.slice(8), role: 'Atrium itself' };
  const [, hook, plugin] = /^(injection|[a-z]+(?:_[a-z]+)+) of (.+)$/s.exec(origin) ?? [];
  if (hook !== undefined) return { kind: 'plugin', name: plugin ?? '', role: `plugin, through ${hook}` };
  if (where === 'tools') return { kind: 'tool', name: origin, role: 'tool that is offered' };
  if (where === 'system') return { kind: 'file', name: origin, role: 'file' };
  if (origin === 'model') return { kind: 'model', name: 'model', role: 'what the model said before' };
  if (origin === 'compaction' || origin === 'session.pins' || origin.startsWith('attachment '))
    return { kind: 'other', name: origin, role: origin.startsWith('attachment ') ? 'file of a message' : 'compaction' };
  return { kind: 'message', name: origin, role: 'what was said' };
}

export const KIND_LABELS: Readonly<Record<AuthorKind, string>> = {
  product: 'Atrium',
  file: 'Files',
  handler: 'Handlers and rules',
  plugin: 'Plugins',
  tool: 'Tools',
  message: 'Messages',
  model: 'Model',
  other: 'Other',
};
