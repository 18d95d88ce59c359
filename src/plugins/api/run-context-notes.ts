// What a plugin remembers about a run while it goes on: plain values by run and namespace, on the plugin's own side.
// Bounded: the run that was written to longest ago is forgotten first, and a value that is too large is not taken.

import type { JsonValue } from '../../protocol/json.ts';

export class RunContextNotes {
  /** In the order of the last write. */
  readonly #runs = new Map<string, Map<string, string>>();

  /** False when the value cannot be kept. */
  set(runId: string, namespace: string, value: unknown): boolean {
    const text = textOf(value);
    if (!isName(runId) || !isName(namespace) || text === undefined) return false;
    const notes = this.#runs.get(runId) ?? new Map<string, string>();
    if (!notes.has(namespace) && notes.size >= MAX_NAMESPACES) return false;
    notes.set(namespace, text);
    this.#runs.delete(runId);
    this.#runs.set(runId, notes);
    for (const oldest of this.#runs.keys()) {
      if (this.#runs.size <= MAX_RUNS) break;
      this.#runs.delete(oldest);
    }
    return true;
  }

  /** A copy, so that changing it changes nothing here. */
  get(runId: string, namespace: string): JsonValue | undefined {
    const text = this.#runs.get(runId)?.get(namespace);
    return text === undefined ? undefined : (JSON.parse(text) as JsonValue);
  }

  clear(runId: string, namespace?: string): void {
    if (namespace === undefined) this.#runs.delete(runId);
    else this.#runs.get(runId)?.delete(namespace);
  }
}

const MAX_RUNS = 200;
const MAX_NAMESPACES = 32;
const MAX_VALUE_LENGTH = 64 * 1024;

function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= 200;
}

function textOf(value: unknown): string | undefined {
  try {
    const text = JSON.stringify(value);
    return text !== undefined && text.length <= MAX_VALUE_LENGTH ? text : undefined;
  } catch {
    return undefined;
  }
}
