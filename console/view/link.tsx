// A link to another part of the page. A click with a key held down, or with another button, is left to the browser.

import type { ComponentChildren } from 'preact';
import { formatRoute, type Route } from '../route.ts';
import { navigate } from '../router.ts';

export interface LinkProps {
  readonly to: Route;
  readonly class?: string | undefined;
  readonly title?: string | undefined;
  readonly label?: string | undefined;
  readonly isCurrent?: boolean | undefined;
  onFollow?(): void;
  readonly children: ComponentChildren;
}

export function Link({ to, class: name, title, label, isCurrent, onFollow, children }: LinkProps) {
  return (
    <a
      href={formatRoute(to)}
      class={name}
      title={title}
      aria-label={label}
      aria-current={isCurrent ? 'page' : undefined}
      onClick={(event) => {
        if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
        event.preventDefault();
        navigate(to);
        onFollow?.();
      }}
    >
      {children}
    </a>
  );
}
