// The sizes of the whole request of a run, by part: system, tools, history, message and steps, and how much of the
// model's window they leave. The layers below it are the system part only.

import type { RequestMeasure } from '../client/gateway-client.ts';
import { formatCount, formatPlural } from '../view/format.ts';

export function WholeRequest({ request }: { request: RequestMeasure }) {
  return (
    <section aria-label="The whole request">
      <h3>
        The whole request
        <span>{describeTotal(request)}</span>
      </h3>
      <ul class="rows">
        {request.parts
          .filter(({ count }) => count > 0)
          .map(({ part, count, tokens, authors }) => (
            <li key={part}>
              <span class="tag" aria-hidden="true">
                ·
              </span>
              <span class="what">{PARTS[part].title}</span>
              <span class="size">{`${formatPlural(tokens, 'token')}, ${shareOf(tokens, request.tokens)}`}</span>
              <span class="why">{`${formatPlural(count, PARTS[part].unit)}; ${largest(authors)}`}</span>
            </li>
          ))}
      </ul>
      {request.room && <p class="facts">{describeRoom(request.room)}</p>}
      {request.counted && !request.counted.isCredible && (
        <p class="facts">
          The provider counted {formatPlural(request.counted.tokens, 'token')}, which cannot be right; these sizes are
          estimates.
        </p>
      )}
    </section>
  );
}

type Part = RequestMeasure['parts'][number];

const PARTS: Readonly<Record<Part['part'], { readonly title: string; readonly unit: string }>> = {
  system: { title: 'System prompt', unit: 'block' },
  tools: { title: 'Tools', unit: 'tool' },
  history: { title: 'What was said before', unit: 'message' },
  message: { title: 'The message', unit: 'message' },
  steps: { title: 'Tool calls of this turn', unit: 'message' },
};

function describeTotal({ tokens, counted }: RequestMeasure): string {
  return counted?.isCredible ? formatPlural(tokens, 'token') : `about ${formatPlural(tokens, 'token')}`;
}

function shareOf(tokens: number, total: number): string {
  return `${total === 0 ? 0 : Math.round((100 * tokens) / total)} %`;
}

/** The authors that wrote most of a part. */
function largest(authors: Part['authors']): string {
  const named = authors
    .filter(({ origin }) => !origin.startsWith('atrium: '))
    .toSorted((one, other) => other.tokens - one.tokens);
  const shown = named
    .slice(0, 3)
    .map(({ origin, tokens }) => `${origin.replace(/^\/.*\//, '')} ${formatCount(tokens)}`);
  return [...shown, ...(named.length > 3 ? [`${named.length - 3} more`] : [])].join(', ');
}

function describeRoom({ window, free, untilCompaction }: NonNullable<RequestMeasure['room']>): string {
  const used = `${shareOf(window - free, window)} of ${formatPlural(window, 'token')} used`;
  if (untilCompaction === undefined) return `${used}, ${formatCount(free)} free.`;
  const rest =
    untilCompaction > 0
      ? `the conversation is shortened after ${formatCount(untilCompaction)} more`
      : 'the conversation is about to be shortened';
  return `${used}; ${rest}.`;
}
