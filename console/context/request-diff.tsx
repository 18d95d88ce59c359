// In what two requests differ: who changed how much, then line by line with the author of each line.

import { useMemo } from 'preact/hooks';
import type { ToldSpan } from '../client/gateway-client.ts';
import { formatPlural } from '../view/format.ts';
import { changesByAuthor, compareRequests, type DiffRow, type DiffUnit } from './compare-requests.ts';

export interface RequestDiffProps {
  readonly before: readonly ToldSpan[];
  readonly after: readonly ToldSpan[];
}

export default function RequestDiff({ before, after }: RequestDiffProps) {
  const units = useMemo(() => compareRequests(before, after), [before, after]);
  if (units.length === 0) return <p class="none">The prompts are the same.</p>;
  return (
    <div class="request-diff">
      <ul class="diff-authors" aria-label="Changes by author">
        {changesByAuthor(units).map(({ author, added, removed }) => (
          <li key={`${author.kind} ${author.name}`}>
            <i class={`swatch ${author.kind}`} />
            <span>{shortName(author.name)}</span>
            {added > 0 && <ins>{`+${added}`}</ins>}
            {removed > 0 && <del>{`−${removed}`}</del>}
          </li>
        ))}
      </ul>
      {units.map((unit) => (
        <Unit key={unit.title} unit={unit} />
      ))}
    </div>
  );
}

/** A whole unit that is new may be long; the beginning of it says enough. */
const MOST_ROWS = 2_000;

function Unit({ unit: { title, rows } }: { unit: DiffUnit }) {
  return (
    <section class="diff-unit" aria-label={title}>
      <h4>{title}</h4>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: without a mouse, only an element that has the focus is scrolled. */}
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for controls, and this is text. */}
      <div class="diff" role="group" tabIndex={0} aria-label={`Difference of ${title}`}>
        {rows.slice(0, MOST_ROWS).map((row, index) => (
          <Row key={index} row={row} />
        ))}
        {rows.length > MOST_ROWS && <p class="fold">{`${formatPlural(rows.length - MOST_ROWS, 'more line')}`}</p>}
      </div>
    </section>
  );
}

function Row({ row: { kind, text, author, count } }: { row: DiffRow }) {
  if (kind === 'left-out') return <p class="fold">{`${formatPlural(count ?? 0, 'line')} as before`}</p>;
  const by = author && (
    <span class="by" title={author.name}>
      <i class={`swatch ${author.kind}`} />
      {shortName(author.name)}
    </span>
  );
  const words = text === '' ? ' ' : text;
  return (
    <p class={`diff-row ${kind}`}>
      {kind === 'added' ? <ins>{words}</ins> : kind === 'removed' ? <del>{words}</del> : <span>{words}</span>}
      {by}
    </p>
  );
}

function shortName(name: string): string {
  return name.split('/').at(-1) ?? name;
}
