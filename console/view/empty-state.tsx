// A place with nothing to show: what would stand here, and what to do next.

import type { ComponentChildren } from 'preact';

export interface EmptyStateProps {
  readonly title: string;
  readonly text: string;
  readonly children?: ComponentChildren;
}

export function EmptyState({ title, text, children }: EmptyStateProps) {
  return (
    <div class="empty-state">
      <h2>{title}</h2>
      <p>{text}</p>
      {children}
    </div>
  );
}
