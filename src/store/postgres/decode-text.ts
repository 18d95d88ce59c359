// A value as Postgres writes it, by the kind of its column.

import type { ValueKind } from '../sql/row-codec.ts';

export function decodeText(kind: ValueKind, value: unknown): unknown {
  if (typeof value !== 'string') return null;
  switch (kind) {
    case 'text':
      return value;
    case 'seq':
    case 'integer':
    case 'real':
      return Number(value);
    case 'boolean':
      return value === 't';
    case 'json':
      return JSON.parse(value);
  }
}
