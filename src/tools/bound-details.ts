// What is stored of the details of a tool's result. They are for people and programs and never for a model. When they are
// too large, a summary that says so is stored instead.

import type { JsonValue } from '../protocol/json.ts';

/** Of what a transcript or a journal keeps. */
export const MAX_DETAILS_BYTES = 8 * 1024;
const SUMMARY_CHARS = 500;

export function boundDetails(details: unknown, maxBytes = MAX_DETAILS_BYTES): JsonValue {
  let text: string | undefined;
  try {
    text = JSON.stringify(details);
  } catch {
    // A circle, or a value that JSON does not have.
  }
  if (text === undefined) return { summary: 'The details cannot be written down.', persistedDetailsTruncated: true };
  const bytes = Buffer.byteLength(text);
  // Read back, so that what is stored is plain data and no longer the tool's to change.
  if (bytes <= maxBytes) return JSON.parse(text);
  return {
    summary: text.slice(0, SUMMARY_CHARS).replace(/[\ud800-\udbff]$/, ''),
    bytes,
    persistedDetailsTruncated: true,
  };
}
