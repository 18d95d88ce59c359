// What a model wrote as a tool's parameters. It ought to be a JSON object; whatever it is, it is kept as it was written,
// because a provider must be sent the same call back. What nests too deeply stays text: it can be read, but whoever
// writes it down or looks through it would run out of stack.

import type { JsonValue } from '../protocol/json.ts';

const MOST_LEVELS = 64;

export function parseToolInput(input: string): JsonValue {
  if (input.trim() === '') return {};
  try {
    const value = JSON.parse(input) as JsonValue;
    return isTooDeep(value) ? input : value;
  } catch {
    return input;
  }
}

function isTooDeep(value: JsonValue): boolean {
  let level = [value].filter(isNesting);
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > MOST_LEVELS) return true;
    level = level.flatMap((each) => Object.values(each)).filter(isNesting);
  }
  return false;
}

function isNesting(value: JsonValue): value is Exclude<JsonValue, string | number | boolean | null> {
  return typeof value === 'object' && value !== null;
}
