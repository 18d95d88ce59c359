// A button that copies a text and says so for a moment.

import { useEffect, useState } from 'preact/hooks';
import { Icon } from './icon.tsx';

export interface CopyButtonProps {
  /** A text that is expensive to make may be a function. */
  readonly text: string | (() => string);
  readonly label?: string | undefined;
}

export function CopyButton({ text, label = 'Copy' }: CopyButtonProps) {
  const [state, setState] = useState<'ready' | 'copied' | 'refused'>('ready');
  useEffect(() => {
    if (state === 'ready') return;
    const timer = setTimeout(() => setState('ready'), 1_600);
    return () => clearTimeout(timer);
  }, [state]);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(typeof text === 'string' ? text : text());
      setState('copied');
    } catch {
      // Browsers refuse on pages that are served without TLS from another machine.
      setState('refused');
    }
  };
  return (
    <button type="button" class="ghost copy" aria-label={label} title={label} onClick={() => void copy()}>
      <Icon name={state === 'copied' ? 'check' : 'copy'} size={16} />
      <span>{state === 'ready' ? 'Copy' : state === 'copied' ? 'Copied' : 'Not allowed'}</span>
    </button>
  );
}
