// A page that is loaded when it is opened. A file that cannot be loaded, because the gateway is away or has another
// version now, is said with the next step.

import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { EmptyState } from './empty-state.tsx';

/** Makes a component out of a function that loads one. */
export function lazyPage<Props extends object>(
  load: () => Promise<{ readonly default: ComponentType<Props> }>,
): ComponentType<Props> {
  let loaded: ComponentType<Props> | undefined;
  return function LazyPage(props: Props) {
    const [state, setState] = useState<'waiting' | 'there' | 'failed'>(loaded ? 'there' : 'waiting');
    useEffect(() => {
      load().then(
        (module) => {
          loaded = module.default;
          setState('there');
        },
        () => setState('failed'),
      );
    }, []);
    if (state === 'failed')
      return <EmptyState title="This page could not be loaded" text="Load it again when the gateway is there." />;
    const Page = loaded;
    return Page ? <Page {...props} /> : null;
  };
}
