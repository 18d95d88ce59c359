// The logger that plugins write to: any number of arguments, put into one bounded line for the operator's log. Writing
// never throws, whatever is written.

import { inspect } from 'node:util';
import type { PluginLogEntry } from '../plugin-host.ts';

export interface PluginLogger {
  readonly trace: (...parts: unknown[]) => void;
  readonly debug: (...parts: unknown[]) => void;
  readonly info: (...parts: unknown[]) => void;
  readonly warn: (...parts: unknown[]) => void;
  readonly error: (...parts: unknown[]) => void;
  readonly fatal: (...parts: unknown[]) => void;
  /** A logger whose lines begin with a name. */
  readonly child: (bindings?: unknown) => PluginLogger;
}

export function createPluginLogger(log: (entry: PluginLogEntry) => void, prefix = ''): PluginLogger {
  const at =
    (level: PluginLogEntry['level']) =>
    (...parts: unknown[]): void =>
      log({ level, text: `${prefix}${parts.map(shown).join(' ')}`.slice(0, LONGEST_LINE) });
  return {
    trace: at('debug'),
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    fatal: at('error'),
    child: (bindings) => createPluginLogger(log, `${prefix}${prefixOf(bindings)}`),
  };
}

const LONGEST_LINE = 8_192;

function shown(part: unknown): string {
  if (typeof part === 'string') return part;
  try {
    if (part instanceof Error) return part.stack ?? part.message;
    return inspect(part, {
      depth: 3,
      maxArrayLength: 20,
      maxStringLength: 1_000,
      breakLength: Number.POSITIVE_INFINITY,
    });
  } catch {
    return '(something that cannot be shown)';
  }
}

function prefixOf(bindings: unknown): string {
  if (bindings === undefined || bindings === null) return '';
  if (typeof bindings !== 'object') return `[${String(bindings)}] `;
  const named = Object.values(bindings).filter((value) => typeof value === 'string' || typeof value === 'number');
  return named.length === 0 ? '' : `[${named.join(' ')}] `;
}
