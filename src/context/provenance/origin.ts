// The author of a run of characters. Every character of a composed prompt has exactly one origin, of one of the kinds
// listed here.

export type Origin = FileOrigin | HandlerOrigin | RuleOrigin | ProductOrigin;

/** Text that stands in a file. The span knows where in that file; `derived` marks text that was reworded on the way. */
export interface FileOrigin {
  readonly kind: 'file';
  readonly path: string;
  readonly derived?: true;
}

/** Text that a handler wrote, or brought from a file of its own. */
export interface HandlerOrigin {
  readonly kind: 'handler';
  readonly id: string;
  readonly path?: string;
  /** The handler assigned a text so different that single edits could not be told apart. */
  readonly rewritten?: true;
}

export interface RuleOrigin {
  readonly kind: 'rule';
  readonly id: string;
  readonly path?: string;
}

/** Text of Atrium's own: headings, separators, markers. */
export interface ProductOrigin {
  readonly kind: 'product';
  readonly part: string;
}

export function product(part: string): ProductOrigin {
  return { kind: 'product', part };
}

export function sameOrigin(a: Origin, b: Origin): boolean {
  if (a === b) return true;
  if (a.kind !== b.kind) return false;
  if (a.kind === 'product') return a.part === (b as ProductOrigin).part;
  if (a.kind === 'file') return a.path === (b as FileOrigin).path && a.derived === (b as FileOrigin).derived;
  const other = b as HandlerOrigin | RuleOrigin;
  if (a.id !== other.id || a.path !== other.path) return false;
  return (a as HandlerOrigin).rewritten === (other as HandlerOrigin).rewritten;
}

/** One line for people: `AGENTS.md`, `handler time-context`, `rule quiet-hours`, `atrium: heading`. */
export function formatOrigin(origin: Origin): string {
  switch (origin.kind) {
    case 'file':
      return origin.derived ? `${origin.path} (derived)` : origin.path;
    case 'product':
      return `atrium: ${origin.part}`;
    default: {
      const source = origin.path ? ` from ${origin.path}` : '';
      const rewritten = origin.kind === 'handler' && origin.rewritten ? ' (rewritten)' : '';
      return `${origin.kind} ${origin.id}${source}${rewritten}`;
    }
  }
}
