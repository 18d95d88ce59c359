// Parses a small part of Markdown: code, headings, bold and links. Everything else stays as it was written. The result
// is data, so that words of people, models and files can enter the page only as text.

export type Block =
  | { readonly kind: 'paragraph' | 'heading'; readonly parts: readonly Inline[] }
  | { readonly kind: 'code'; readonly text: string };

export interface Inline {
  readonly kind: 'text' | 'code' | 'strong' | 'link';
  readonly text: string;
}

export function parseText(text: string): readonly Block[] {
  const blocks: Block[] = [];
  let paragraph: string[] = [];
  let code: { readonly fence: string; readonly lines: string[] } | undefined;
  const endParagraph = () => {
    if (paragraph.length > 0) blocks.push({ kind: 'paragraph', parts: parseInline(paragraph.join('\n')) });
    paragraph = [];
  };
  const endCode = (lines: readonly string[]) => {
    blocks.push({ kind: 'code', text: lines.join('\n') });
    code = undefined;
  };
  for (const line of text.split('\n')) {
    const [, fence, info = ''] = FENCE.exec(line) ?? [];
    if (code) {
      if (fence?.startsWith(code.fence) && info.trim() === '') endCode(code.lines);
      else code.lines.push(line);
    } else if (fence) {
      endParagraph();
      code = { fence, lines: [] };
    } else if (line.trim() === '') endParagraph();
    else if (/^#{1,6} /.test(line)) {
      endParagraph();
      blocks.push({ kind: 'heading', parts: parseInline(line.replace(/^#+ /, '')) });
    } else paragraph.push(line);
  }
  endParagraph();
  if (code) endCode(code.lines);
  return blocks;
}

function parseInline(text: string): readonly Inline[] {
  const parts: Inline[] = [];
  let from = 0;
  for (const match of text.matchAll(INLINE)) {
    const [whole, code, bold] = match;
    parts.push({ kind: 'text', text: text.slice(from, match.index) });
    if (code) parts.push({ kind: 'code', text: code.slice(1, -1) });
    else if (bold) parts.push({ kind: 'strong', text: bold.slice(2, -2) });
    else parts.push({ kind: 'link', text: whole });
    from = match.index + whole.length;
  }
  parts.push({ kind: 'text', text: text.slice(from) });
  return parts.filter((part) => part.text !== '');
}

const FENCE = /^ {0,3}(`{3,}|~{3,})\s*([^`]*)$/;
const INLINE = /(`[^`\n]+`)|(\*\*[^*\n]+\*\*)|https?:\/\/[^\s<>()"']+[^\s<>()"'.,;:!?]/g;
