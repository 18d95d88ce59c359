// What a model wrote as a tool's parameters. It ought to be a JSON object; whatever it is, it is kept as it was written,
// because a provider must be sent the same call back.

import type { JsonValue } from '../protocol/json.ts';

export function parseToolInput(input: string): JsonValue {
  if (input.trim() === '') return {};
  try {
    return JSON.parse(input) as JsonValue;
  } catch {
    return input;
  }
}
