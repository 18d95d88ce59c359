// Reads the HTML that Telegram takes with `parse_mode: HTML`, and refuses what Telegram refuses: an unknown tag, a tag
// that is not closed, or one that is closed in the wrong order. It gives the text that people see and where its entities are.

export interface ReadHtml {
  readonly text: string;
  readonly entities: readonly HtmlEntity[];
}

export interface HtmlEntity {
  readonly type: string;
  readonly offset: number;
  readonly length: number;
  readonly url?: string;
  readonly language?: string;
}

/** Its message is what Telegram says. */
export class HtmlRefusedError extends Error {}

const TYPES: Readonly<Record<string, string>> = {
  b: 'bold',
  strong: 'bold',
  i: 'italic',
  em: 'italic',
  u: 'underline',
  ins: 'underline',
  s: 'strikethrough',
  strike: 'strikethrough',
  del: 'strikethrough',
  code: 'code',
  pre: 'pre',
  a: 'text_link',
  blockquote: 'blockquote',
  'tg-spoiler': 'spoiler',
};

const SIGNS: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"' };

export function readTelegramHtml(html: string): ReadHtml {
  const open: { readonly tag: string; readonly at: number; readonly attributes: string }[] = [];
  const entities: HtmlEntity[] = [];
  let text = '';
  let rest = html;
  while (rest !== '') {
    const at = html.length - rest.length;
    const [whole = '', closing, tag = '', attributes = ''] = /^<(\/?)([a-zA-Z][\w-]*)([^<>]*)>/.exec(rest) ?? [];
    if (whole !== '') {
      const name = tag.toLowerCase();
      if (!(name in TYPES)) throw refused(`Unsupported start tag "${name}" at byte offset ${at}`);
      if (closing === '') {
        open.push({ tag: name, at: text.length, attributes });
        if (name === 'blockquote' && open.filter((each) => each.tag === name).length > 1) {
          throw refused('Nested blockquotes are not allowed');
        }
      } else {
        const last = open.pop();
        if (last?.tag !== name) throw refused(`Unexpected end tag at byte offset ${at}`);
        if (text.length > last.at) entities.push(entityOf(last, text.length - last.at));
      }
      rest = rest.slice(whole.length);
      continue;
    }
    if (rest.startsWith('<')) throw refused(`Unsupported start tag "" at byte offset ${at}`);
    const [sign = '', name = ''] = /^&([a-z]+|#\d+);/.exec(rest) ?? [];
    const read = name.startsWith('#') ? String.fromCodePoint(Number(name.slice(1))) : SIGNS[name];
    text += read ?? rest[0];
    rest = rest.slice(read === undefined ? 1 : sign.length);
  }
  const last = open.at(-1);
  if (last) throw refused(`Can't find end tag corresponding to start tag "${last.tag}"`);
  return { text, entities };
}

function entityOf(
  { tag, at, attributes }: { tag: string; at: number; attributes: string },
  length: number,
): HtmlEntity {
  const [, url] = /href="([^"]*)"/.exec(attributes) ?? [];
  const [, language] = /class="language-([^"]*)"/.exec(attributes) ?? [];
  return {
    type: TYPES[tag] ?? tag,
    offset: at,
    length,
    ...(url !== undefined && { url: url.replace(/&(lt|gt|amp|quot);/g, (_, name: string) => SIGNS[name] ?? '') }),
    ...(language !== undefined && { language }),
  };
}

function refused(why: string): HtmlRefusedError {
  return new HtmlRefusedError(`Bad Request: can't parse entities: ${why}`);
}
