// Parses the parameters that a model wrote for a tool. They should be a JSON object, but the original text is always
// kept, because a provider must be sent the same call back. Parameters that are nested too deeply stay text, because
// code that serialises or walks them would overflow the stack.

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
