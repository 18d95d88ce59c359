// Compares a composition with the one before it: where the first changed character is and whose it is, which is what
// decides how much of a provider's prompt cache is lost; and which handlers broke their promise to be static.

import type { Composition, Prompt } from '../compose.ts';
import { formatOrigin } from '../provenance/origin.ts';
import { type Rope, sliceRope } from '../provenance/rope.ts';
import { type LocatedOrigin, originOf } from './located-origin.ts';

export interface ContextChange {
  readonly changed: boolean;
  /** Offset of the first character that differs from the previous prompt. */
  readonly firstChangedChar?: number | undefined;
  /** The same place in UTF-8 bytes, in which the prompt is sent. */
  readonly firstChangedByte?: number | undefined;
  /** True when the change lies before the previous boundary, so that the cache is lost from there on. */
  readonly breaksCache: boolean;
  readonly origin?: LocatedOrigin | undefined;
  readonly previousOrigin?: LocatedOrigin | undefined;
  /** The author of the change. For a heading of Atrium, it is the first author under the heading. */
  readonly author?: LocatedOrigin | undefined;
  /**
   * `text` means that the author wrote other or more text. `heading` means that another layer of the author begins
   * here. `text-gone` means that text of the author was removed. `layer-gone` means that the prompt ends where the
   * author's layer began.
   */
  readonly kind?: 'text' | 'heading' | 'text-gone' | 'layer-gone' | undefined;
  /** One sentence for people. */
  readonly summary: string;
  /** Handlers that declare themselves static but wrote another text than last time. */
  readonly brokenPromises: readonly string[];
}

/** A handler and how often it says that its text changes. */
interface DeclaredHandler {
  readonly id: string;
  readonly stability?: string | undefined;
}

export function findChange(
  prompt: Prompt,
  hash: string,
  previous: Composition,
  handlers: readonly DeclaredHandler[],
): ContextChange {
  if (hash === previous.report.prompt.hash) {
    return { changed: false, breaksCache: false, summary: 'nothing changed', brokenPromises: [] };
  }
  const at = firstDifference(prompt.text, previous.prompt.text);
  const origin = originAt(prompt.rope, at);
  const previousOrigin = originAt(previous.prompt.rope, at);
  const kind = kindOf(origin, previousOrigin);
  const author = {
    text: origin,
    heading: firstAuthor(prompt.rope, at),
    'text-gone': previousOrigin,
    'layer-gone': firstAuthor(previous.prompt.rope, at),
  }[kind];
  const breaksCache = at < previous.prompt.cacheBoundary;
  return {
    changed: true,
    firstChangedChar: at,
    firstChangedByte: byteOfDifference(prompt.text, previous.prompt.text, at),
    breaksCache,
    origin,
    previousOrigin,
    author,
    kind,
    summary: summarise(at, breaksCache, kind, author ? formatOrigin(author) : 'an unknown author'),
    brokenPromises: brokenPromises(prompt.rope, previous.prompt.rope, handlers),
  };
}

type ChangeKind = NonNullable<ContextChange['kind']>;

function kindOf(origin: LocatedOrigin | undefined, previousOrigin: LocatedOrigin | undefined): ChangeKind {
  if (origin && !isHeading(origin)) return 'text';
  if (previousOrigin && !isHeading(previousOrigin)) return 'text-gone';
  return origin ? 'heading' : 'layer-gone';
}

function summarise(at: number, breaksCache: boolean, kind: ChangeKind, author: string): string {
  const side = breaksCache ? 'before the cache boundary' : 'behind the cache boundary';
  const place = {
    text: `in ${author}`,
    heading: `in the heading before ${author}`,
    'text-gone': `where ${author} went on`,
    'layer-gone': `at the end, where ${author} followed`,
  }[kind];
  return `the first change is at character ${at}, ${side}, ${place}`;
}

function firstDifference(a: string, b: string): number {
  const limit = Math.min(a.length, b.length);
  let at = 0;
  while (at < limit && a.charCodeAt(at) === b.charCodeAt(at)) at++;
  return at;
}

/** Two different characters may begin with the same bytes, and half a pair is not a character. */
function byteOfDifference(a: string, b: string, at: number): number {
  const start = at > 0 && /[\ud800-\udbff]/.test(a.charAt(at - 1)) ? at - 1 : at;
  const [left, right] = [a, b].map((text) => Buffer.from(text.slice(start, start + 2), 'utf8')) as [Buffer, Buffer];
  let common = 0;
  while (common < left.length && common < right.length && left[common] === right[common]) common++;
  return Buffer.byteLength(a.slice(0, start), 'utf8') + common;
}

function isHeading(origin: LocatedOrigin | undefined): boolean {
  return origin?.kind === 'product' && origin.part === 'heading';
}

function firstAuthor(rope: Rope, from: number): LocatedOrigin | undefined {
  let end = 0;
  for (const span of rope) {
    end += span.text.length;
    if (end > from && !isHeading(span.origin)) return originOf(span);
  }
  return undefined;
}

/** The author of one character, with its line. */
function originAt(rope: Rope, offset: number): LocatedOrigin | undefined {
  const span = sliceRope(rope, offset, offset + 1)[0];
  return span && originOf(span);
}

/** Text that a handler brought from a file does not count, because the operator edits the file. */
function brokenPromises(rope: Rope, previous: Rope, handlers: readonly DeclaredHandler[]): string[] {
  const promised = handlers.filter((handler) => handler.stability === 'static');
  return promised.map((handler) => handler.id).filter((id) => ownText(rope, id) !== ownText(previous, id));
}

function ownText(rope: Rope, id: string): string {
  let text = '';
  for (const span of rope) {
    if (
      span.source === undefined &&
      (span.origin.kind === 'handler' || span.origin.kind === 'rule') &&
      span.origin.id === id
    )
      text += span.text;
  }
  return text;
}
