// What is stored of the details of a tool's result. They are for people and programs and never for a model. When they are
// too large, a summary that says so is stored instead.

import type { JsonValue } from '../protocol/json.ts';

/** The limit for what a transcript or a journal keeps. */
export const MAX_DETAILS_BYTES = 8 * 1024;
const SUMMARY_CHARS = 500;

export function boundDetails(details: unknown, maxBytes = MAX_DETAILS_BYTES): JsonValue {
  let text: string | undefined;
  try {
    text = JSON.stringify(details);
  } catch {
    // It has a circle, or a value that JSON cannot write.
  }
  if (text === undefined) return { summary: 'The details cannot be written down.', persistedDetailsTruncated: true };
  const bytes = Buffer.byteLength(text);
  // It is read back from the text, so that the tool cannot change the stored value later.
  if (bytes <= maxBytes) return JSON.parse(text);
  return {
    summary: text.slice(0, SUMMARY_CHARS).replace(/[\ud800-\udbff]$/, ''),
    bytes,
    persistedDetailsTruncated: true,
  };
}
