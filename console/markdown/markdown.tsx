// Shows Markdown of models, people and files. The parser's tokens become elements directly and never pass through HTML,
// so what looks like a tag is text. A block is drawn again only when its source changed: an answer that grows redraws
// its last block.

import type { MarkedToken, Token, Tokens } from 'marked';
import { Component, type ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { CodeBlock } from './code-block.tsx';
import { decodeEntities } from './decode-entities.ts';
import { type LexedMarkdown, lexMarkdown } from './lex-markdown.ts';
import { RemotePicture } from './remote-picture.tsx';
import { pictureAddress, safeAddress } from './safe-address.ts';

export function Markdown({ text }: { text: string }) {
  const last = useRef<{ readonly given: string; readonly lexed: LexedMarkdown } | undefined>(undefined);
  if (last.current?.given !== text) last.current = { given: text, lexed: lexMarkdown(text, last.current?.lexed) };
  return (
    <>
      {last.current.lexed.blocks.map((token, index) =>
        token.type === 'space' || token.type === 'def' ? null : <Block key={index} token={token as MarkedToken} />,
      )}
    </>
  );
}

class Block extends Component<{ token: MarkedToken }, { readonly hasFailed: boolean }> {
  override state = { hasFailed: false };

  /** What cannot be drawn is shown as it was written. */
  static override getDerivedStateFromError(): { hasFailed: boolean } {
    return { hasFailed: true };
  }

  override shouldComponentUpdate({ token }: { token: MarkedToken }, { hasFailed }: { hasFailed: boolean }): boolean {
    const { raw, type } = this.props.token;
    return token.raw !== raw || token.type !== type || hasFailed !== this.state.hasFailed;
  }

  override render({ token }: { token: MarkedToken }, { hasFailed }: { hasFailed: boolean }): ComponentChildren {
    return hasFailed ? (
      <p class="plain" dir="auto">
        {token.raw}
      </p>
    ) : (
      renderBlock(token, 0)
    );
  }
}

function renderBlock(token: MarkedToken, depth: number): ComponentChildren {
  if (depth > DEEPEST)
    return (
      <p class="plain" dir="auto">
        {token.raw}
      </p>
    );
  switch (token.type) {
    case 'paragraph':
      return <p dir="auto">{inline(token.tokens)}</p>;
    case 'heading':
      return <Heading depth={token.depth}>{inline(token.tokens)}</Heading>;
    case 'code':
      return <CodeBlock code={token.text} language={token.lang?.trim().split(/[\s{]/)[0] || undefined} />;
    case 'blockquote':
      return <blockquote dir="auto">{blocksOf(token.tokens, depth + 1)}</blockquote>;
    case 'list':
      return <List list={token} depth={depth} />;
    case 'table':
      return <Table table={token} />;
    case 'hr':
      return <hr />;
    case 'html':
      return <p dir="auto">{token.text}</p>;
    case 'text':
      // A text that stands alone was not taken apart.
      if (depth === 0 && !token.tokens)
        return (
          <p class="plain" dir="auto">
            {token.text}
          </p>
        );
      return token.tokens ? inline(token.tokens) : decodeEntities(token.text);
    case 'space':
    case 'def':
      return null;
    default:
      return inline([token]);
  }
}

function blocksOf(tokens: readonly Token[] | undefined, depth: number): ComponentChildren {
  return tokens?.map((token) => renderBlock(token as MarkedToken, depth));
}

/** Deeper quotes and lists are no writing, and would not fit. */
const DEEPEST = 24;

/** Headings of an answer stand below those of the page. */
function Heading({ depth, children }: { depth: number; children: ComponentChildren }) {
  if (depth <= 1) return <h3 dir="auto">{children}</h3>;
  if (depth === 2) return <h4 dir="auto">{children}</h4>;
  if (depth === 3) return <h5 dir="auto">{children}</h5>;
  return <h6 dir="auto">{children}</h6>;
}

function List({ list, depth }: { list: Tokens.List; depth: number }) {
  const items = list.items.map((item, index) => (
    <li key={index} class={item.task ? 'task' : undefined}>
      {item.task && (
        <input type="checkbox" checked={item.checked} disabled aria-label={item.checked ? 'Done' : 'To do'} />
      )}
      {blocksOf(
        item.tokens.filter(({ type }) => type !== 'checkbox'),
        depth + 1,
      )}
    </li>
  ));
  if (!list.ordered) return <ul dir="auto">{items}</ul>;
  return (
    <ol dir="auto" start={list.start === '' ? undefined : list.start}>
      {items}
    </ol>
  );
}

function Table({ table }: { table: Tokens.Table }) {
  const side = (index: number) => table.align[index] ?? undefined;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: without a mouse, only an element that has the focus is scrolled.
    <section class="table" tabIndex={0} aria-label="Table">
      <table dir="auto">
        <thead>
          <tr>
            {table.header.map((cell, index) => (
              <th key={index} scope="col" data-align={side(index)}>
                {inline(cell.tokens)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {table.rows.map((row, at) => (
            <tr key={at}>
              {row.map((cell, index) => (
                <td key={index} data-align={side(index)}>
                  {inline(cell.tokens)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function inline(tokens: readonly Token[] = []): ComponentChildren {
  return tokens.map((each) => {
    const token = each as MarkedToken;
    switch (token.type) {
      case 'strong':
        return <strong>{inline(token.tokens)}</strong>;
      case 'em':
        return <em>{inline(token.tokens)}</em>;
      case 'del':
        return <del>{inline(token.tokens)}</del>;
      case 'codespan':
        return <code>{token.text}</code>;
      case 'br':
        return <br />;
      case 'link':
        return <Anchor link={token} />;
      case 'image':
        return <Picture image={token} />;
      case 'checkbox':
        return null;
      case 'text':
        return token.tokens ? inline(token.tokens) : decodeEntities(token.text);
      case 'escape':
        return token.text;
      default:
        return 'text' in token ? token.text : token.raw;
    }
  });
}

function Anchor({ link }: { link: Tokens.Link }) {
  const address = safeAddress(decodeEntities(link.href));
  const children = inline(link.tokens);
  // A link that leads nowhere good keeps its words, and its address can be read.
  if (address === undefined) return <span title={link.href}>{children}</span>;
  return (
    <a href={address} title={link.title ?? undefined} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  );
}

function Picture({ image: { href, text } }: { image: Tokens.Image }) {
  const inside = pictureAddress(href);
  if (inside) return <img src={inside} alt={text} />;
  const address = safeAddress(decodeEntities(href));
  if (address === undefined || address.startsWith('mailto:')) return <span>{text}</span>;
  return <RemotePicture address={address} description={text} />;
}
