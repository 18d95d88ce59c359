// A block of code: its language, a button that copies it, and colours, which come when the highlighter is loaded. Until
// then, and for unknown languages, it is plain text of the same size, so nothing moves.

import { type ComponentChildren, h } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { CopyButton } from '../view/copy-button.tsx';
import type { CodeNode } from './highlight.ts';

export function CodeBlock({ code, language }: { code: string; language: string | undefined }) {
  const [colored, setColored] = useState<{ readonly code: string; readonly nodes: readonly CodeNode[] } | undefined>();
  useEffect(() => {
    if (language === undefined || code.length > LONGEST_COLORED) return;
    let isGone = false;
    void import('./highlight.ts')
      .then(({ highlight }) => highlight(code, language))
      .then((nodes) => isGone || (nodes && setColored({ code, nodes })))
      .catch(() => undefined);
    return () => {
      isGone = true;
    };
  }, [code, language]);
  // While an answer grows, the part that was coloured stays coloured.
  const isUsable = colored !== undefined && code.startsWith(colored.code);
  const rest = isUsable ? code.slice(colored.code.length) : code;
  return (
    <figure class="code">
      <figcaption>
        <span>{language ?? 'text'}</span>
        <CopyButton text={code} />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: without a mouse, only an element that has the focus is scrolled. */}
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for controls, and this is text. */}
      <pre tabIndex={0} dir="ltr" role="group" aria-label="Code">
        <code>
          {isUsable && colored.nodes.map(renderNode)}
          {rest}
        </code>
      </pre>
    </figure>
  );
}

function renderNode(node: CodeNode): ComponentChildren {
  return typeof node === 'string' ? node : h('span', { class: node.kind }, node.children.map(renderNode));
}

/** Colouring more would hold up the page. */
const LONGEST_COLORED = 60_000;
