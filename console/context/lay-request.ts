// Lays the pieces of a request, whose authors are known, over the bytes that were sent. What no author wrote is the form
// of the provider: names of fields, brackets, ids. Promise: the parts joined are the body, whatever the form. It is pure.

import type { ToldSpan } from '../client/gateway-client.ts';

export interface LaidPart {
  /** As it stands in the body, with the escapes of JSON. */
  readonly text: string;
  /** The index of the span; undefined for the form of the provider. */
  readonly span?: number | undefined;
}

export interface LaidRequest {
  readonly parts: readonly LaidPart[];
  /** Where each span begins in the body; undefined for a span that does not stand there word for word. */
  readonly starts: readonly (number | undefined)[];
}

export function layRequest(body: string, spans: readonly ToldSpan[]): LaidRequest {
  const starts = findSpans(body, spans);
  const found = spans
    .map((span, index) => ({ index, start: starts[index], length: lengthIn(body, span, starts[index]) }))
    .filter((each): each is { index: number; start: number; length: number } => each.start !== undefined)
    .toSorted((one, other) => one.start - other.start);
  const parts: LaidPart[] = [];
  let at = 0;
  for (const { index, start, length } of found) {
    if (start > at) parts.push({ text: body.slice(at, start) });
    parts.push({ text: body.slice(start, start + length), span: index });
    at = start + length;
  }
  if (at < body.length) parts.push({ text: body.slice(at) });
  return { parts, starts };
}

/**
 * The sections stand in different orders in the forms of the providers, but within a section the order is kept. A section
 * is found by its longest piece, and the others around it.
 */
function findSpans(body: string, spans: readonly ToldSpan[]): readonly (number | undefined)[] {
  const starts: (number | undefined)[] = spans.map(() => undefined);
  const taken: { from: number; to: number }[] = [];
  const isFree = (from: number, to: number) => taken.every((each) => to <= each.from || from >= each.to);
  for (const section of ['system', 'messages', 'tools'] as const) {
    let cursor = 0;
    const members = spans.map((span, index) => ({ span, index })).filter(({ span }) => span.where === section);
    for (const { span, index } of members) {
      const forms = formsOf(wordsOf(span, body, cursor));
      const hit = firstHit(forms, (form) => {
        // A short text may stand inside of another one by chance; as a whole text it is most likely the right one.
        const whole = form.length < SHORT ? indexOfFree(body, `"${form}"`, cursor, isFree) : -1;
        return whole === -1 ? indexOfFree(body, form, cursor, isFree) : whole + 1;
      });
      if (!hit) continue;
      starts[index] = hit.start;
      cursor = hit.start + hit.form.length;
      taken.push({ from: hit.start, to: cursor });
    }
  }
  return starts;
}

const SHORT = 40;

function firstHit(
  forms: readonly string[],
  find: (form: string) => number,
): { readonly form: string; readonly start: number } | undefined {
  for (const form of forms) {
    const start = find(form);
    if (start !== -1) return { form, start };
  }
  return undefined;
}

function indexOfFree(body: string, form: string, from: number, isFree: (from: number, to: number) => boolean): number {
  let start = body.indexOf(form, from);
  while (start !== -1 && !isFree(start, start + form.length)) start = body.indexOf(form, start + 1);
  return start;
}

/** A text stands in JSON with escapes, as JSON itself, or as JSON in a text. */
function formsOf(text: string | undefined): readonly string[] {
  if (text === undefined || text === '') return [];
  const escaped = JSON.stringify(text).slice(1, -1);
  return escaped === text ? [text] : [escaped, text];
}

/** An image has no words; in the body it is named by the hash of its bytes. */
function wordsOf({ text, chars, tokens }: ToldSpan, body: string, from: number): string | undefined {
  if (text !== undefined && text !== '') return text;
  if (chars > 0 || tokens === undefined) return undefined;
  HASH.lastIndex = from;
  return HASH.exec(body)?.[0];
}

const HASH = /sha256:[0-9a-f]{64}/g;

function lengthIn(body: string, span: ToldSpan, start: number | undefined): number {
  if (start === undefined) return 0;
  const form = formsOf(wordsOf(span, body, start)).find((each) => body.startsWith(each, start));
  return form?.length ?? 0;
}
