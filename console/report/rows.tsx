// The rows of a report and the section that they stand in.

import type { ComponentChildren } from 'preact';

/** A section without rows is left out. */
export function Section({
  title,
  aside,
  children,
}: {
  title: string;
  aside: string | number;
  children: ComponentChildren[];
}) {
  if (children.length === 0) return null;
  return (
    <section aria-label={title}>
      <h3>
        {title}
        <span>{aside}</span>
      </h3>
      <ul class="rows">{children}</ul>
    </section>
  );
}

/** An empty tag means that there is no problem. */
export function Row({ tag, what, size, why }: { tag: string; what?: string; size?: string; why: string }) {
  return (
    <li>
      <span class={`tag ${tag}`} aria-hidden="true">
        {tag === '' ? '·' : '!'}
      </span>
      {what !== undefined && (
        <span class="what" title={what}>
          {what}
        </span>
      )}
      {size !== undefined && <span class="size">{size}</span>}
      {why && <span class="why">{why}</span>}
    </li>
  );
}
