// Shows text of people, models and files, with the part of Markdown that `parseText` knows.

import { useMemo } from 'preact/hooks';
import { type Block, type Inline, parseText } from './parse-text.ts';
import { ScrollText } from './scroll-text.tsx';

export function Words({ text, isPart = false }: { text: string; isPart?: boolean }) {
  const blocks = useMemo(() => parseText(text), [text]);
  return <div class={isPart ? 'words part' : 'words'}>{blocks.map(renderBlock)}</div>;
}

function renderBlock(block: Block) {
  switch (block.kind) {
    case 'paragraph':
      return <p>{block.parts.map(renderInline)}</p>;
    case 'heading':
      return <h3>{block.parts.map(renderInline)}</h3>;
    case 'code':
      return (
        <ScrollText label="Code">
          <code>{block.text}</code>
        </ScrollText>
      );
  }
}

function renderInline({ kind, text }: Inline) {
  switch (kind) {
    case 'text':
      return text;
    case 'code':
      return <code>{text}</code>;
    case 'strong':
      return <strong>{text}</strong>;
    case 'link':
      return (
        <a href={text} target="_blank" rel="noopener noreferrer">
          {text}
        </a>
      );
  }
}
