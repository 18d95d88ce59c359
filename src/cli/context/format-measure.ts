// The sizes of a whole request for people: its parts, who wrote them, and how much of the model's window is left.

import type { LookedRequest } from '../../gateway/services/preview-message.ts';
import { countOf } from '../../protocol/count-of.ts';
import { formatTable } from '../output/format-table.ts';
import { oneLine, wrapText } from '../output/text.ts';

type RequestMeasure = LookedRequest['measure'];
type RequestRoom = NonNullable<RequestMeasure['room']>;

/** Further authors are counted, not listed. */
const MOST_AUTHORS = 30;

export function formatMeasure(measure: RequestMeasure, width: number): string {
  const { parts, room } = measure;
  const rows = [
    ...parts.filter(({ part, count }) => count > 0 || part !== 'steps').map((part) => ({ ...part, name: part.part })),
    { name: 'whole request', count: '', chars: measure.chars, tokens: measure.tokens },
  ];
  const table = formatTable(
    rows,
    {
      part: ({ name }) => name,
      count: { right: ({ count }) => String(count) },
      chars: ({ chars }) => chars,
      tokens: ({ tokens }) => tokens,
      ...(room && { window: { right: ({ tokens }: { tokens: number }) => shareOf(tokens, room) } }),
    },
    width,
  );
  const sentences = room ? describeRoom(room).flatMap((sentence) => wrapText(sentence, width)) : [];
  return `${table}${sentences.map((line) => `${line}\n`).join('')}${formatAuthors(measure, width)}`;
}

export function describeRoom({ window, free, compactsAt, untilCompaction }: RequestRoom): readonly string[] {
  const space =
    free >= 0
      ? `${countOf(free, 'token')} of the window of ${window.toLocaleString('en-US')} are free.`
      : `It is ${countOf(-free, 'token')} too large for the window of ${window.toLocaleString('en-US')}.`;
  if (compactsAt === undefined || untilCompaction === undefined) return [`${space} Compaction is off.`];
  const distance =
    untilCompaction > 0
      ? `Compaction begins at ${compactsAt.toLocaleString('en-US')}, ${countOf(untilCompaction, 'token')} from here.`
      : `It is above ${countOf(compactsAt, 'token')}, where compaction begins.`;
  return [`${space} ${distance}`];
}

/** What a plugin's prompt hook added: `before_prompt_build of greeter`. */
const CONTRIBUTION = /^\w+ of \S/;

/** Who wrote the tools, the history and the message; of the system blocks only what is not in a file. */
function formatAuthors({ parts }: RequestMeasure, width: number): string {
  const rows = parts.flatMap(({ part, authors }) =>
    authors
      .filter(({ origin }) => part !== 'system' || CONTRIBUTION.test(origin))
      .map(({ origin, chars, tokens }) => ({ part, origin, chars, tokens })),
  );
  const isOwn = ({ part, origin }: (typeof rows)[number]) => part === 'tools' && !CONTRIBUTION.test(origin.slice(5));
  const own = rows.filter(isOwn);
  const sum = own.reduce((all, { chars, tokens }) => ({ chars: all.chars + chars, tokens: all.tokens + tokens }), NONE);
  const others = rows.filter((row) => !isOwn(row)).sort((a, b) => b.tokens - a.tokens);
  const shown = [
    ...(own.length === 0 ? [] : [{ part: 'tools', origin: `${countOf(own.length, 'tool')} of Atrium`, ...sum }]),
    ...others.slice(0, MOST_AUTHORS),
  ];
  if (shown.length === 0) return '';
  const table = formatTable(
    shown,
    {
      'beside the files': ({ origin }) => oneLine(origin),
      part: ({ part }) => part,
      chars: ({ chars }) => chars,
      tokens: ({ tokens }) => tokens,
    },
    width,
  );
  const more = others.length - MOST_AUTHORS;
  return `\n${table}${more > 0 ? `... and ${more} more, which are smaller\n` : ''}`;
}

const NONE = { chars: 0, tokens: 0 };

function shareOf(tokens: number, { window }: RequestRoom): string {
  return `${((100 * tokens) / window).toFixed(1)} %`;
}
