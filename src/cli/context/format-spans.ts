// The pieces of a request with their authors, for people, and the answer to "who wrote this?".

import { exactFinder, spacingFinder } from '../../context/report/find-text.ts';
import type { Preview } from '../../gateway/services/preview-message.ts';
import { clip } from '../../protocol/one-line.ts';
import { formatTable } from '../output/format-table.ts';
import { oneLine } from '../output/text.ts';

type ToldSpan = Preview['spans'][number];

export function formatSpans(spans: readonly ToldSpan[], width: number): string {
  return formatTable(
    spans,
    {
      where: placeOf,
      chars: ({ chars }) => chars,
      from: authorOf,
      begins: beginningOf,
    },
    width,
  );
}

export interface FoundPlace {
  readonly where: ToldSpan['where'];
  readonly index: number;
  /** Characters of the block, tool or message. */
  readonly start: number;
  readonly end: number;
  /** The spans of these words, in order. */
  readonly spans: readonly ToldSpan[];
}

/** Every place of a request where a text occurs; when it does not occur exactly, blanks and line breaks may differ. */
export function findInSpans(spans: readonly ToldSpan[], wanted: string): readonly FoundPlace[] {
  const exact = findWith(spans, exactFinder(wanted));
  return exact.length > 0 ? exact : findWith(spans, spacingFinder(wanted));
}

export function formatFoundPlaces(wanted: string, places: readonly FoundPlace[], width: number): string {
  const quoted = `"${clip(oneLine(wanted), 60)}"`;
  if (places.length === 0) return `${quoted} is not in the request.\n`;
  const times = places.length === 1 ? 'once' : `${places.length} times`;
  return `${quoted} is in the request, ${times}.\n\n${formatFoundTable(places, width)}`;
}

export function formatFoundTable(places: readonly FoundPlace[], width: number): string {
  const rows = places.flatMap(({ start, end, spans }) => spans.map((span) => ({ start, end, span })));
  return formatTable(
    rows,
    {
      where: ({ span }) => placeOf(span),
      at: ({ start, end }) => `${start}-${end}`,
      from: ({ span }) => authorOf(span),
      begins: ({ span }) => beginningOf(span),
    },
    width,
  );
}

function findWith(spans: readonly ToldSpan[], find: ReturnType<typeof exactFinder>): readonly FoundPlace[] {
  const units = new Map<string, ToldSpan[]>();
  for (const span of spans) {
    const unit = units.get(placeOf(span));
    if (unit) unit.push(span);
    else units.set(placeOf(span), [span]);
  }
  return [...units.values()].flatMap((unit) => {
    const [first] = unit;
    if (!first) return [];
    const text = unit.map((span) => span.text ?? '').join('');
    return find(text).map(({ start, end }): FoundPlace => {
      let at = 0;
      const touched = unit.filter((span) => {
        const from = at;
        at += span.text?.length ?? 0;
        return from < end && at > start;
      });
      return { where: first.where, index: first.index, start, end, spans: touched };
    });
  });
}

/** For example `system 1` or `messages 3`, counted from 1. */
function placeOf({ where, index }: ToldSpan): string {
  return `${where} ${index + 1}`;
}

function authorOf({ origin, runId, entry }: ToldSpan): string {
  return runId === undefined ? origin : `${origin} (entry ${entry}, ${runId})`;
}

const BEGINNING_CHARS = 40;

function beginningOf({ text }: ToldSpan): string {
  return text === undefined ? '(not kept)' : clip(oneLine(text), BEGINNING_CHARS);
}
