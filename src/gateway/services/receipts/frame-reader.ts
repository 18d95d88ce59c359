// Reads the frames of many runs. They have most of their parts in common (tools, files, the beginning of the conversation),
// so the elements of a list that were read once are the very same values in every later frame that has them.
//
// Promise: a frame equals what parsing its whole body gives. It relies on how bodies are cut: a part is either elements of
// one list of the outermost object, or the text between such lists. Parts are named by their content, so what is remembered
// is never stale; it is bounded, and no caller changes it. What stands between the lists is long and hardly ever new, so it is
// parsed only for a caller that asks for it.

import type { RequestFrame } from '../../../agent/request-frame.ts';
import type { JsonObject, JsonValue } from '../../../protocol/json.ts';
import { partSizeOf, readParts } from '../../../recorder/capture.ts';
import type { Store } from '../../../store/store.ts';
import type { CaptureRow } from '../../../store/tables.ts';

/** Returns undefined when parts of the frame are gone. Throws SyntaxError when it is no JSON. */
export type FrameOf = (row: Pick<CaptureRow, 'manifest'>) => ReadFrame | undefined;

export interface ReadFrame extends Pick<RequestFrame, 'system' | 'tools' | 'spans' | 'unkept'> {
  readonly whole: () => RequestFrame;
  /**
   * Frames with the same texts here say the same about files, cuts, absences and handlers. Undefined where only the whole frame
   * can tell.
   */
  readonly alike: readonly string[] | undefined;
}

type Elements = readonly JsonValue[];

const MOST_BYTES = 512 * 1024;

export class FrameReader {
  readonly #store: Store;
  /** The elements by the key of their part; the one that was used last is at the end. */
  readonly #elements = new Map<string, Elements>();
  #bytes = 0;

  constructor(store: Store) {
    this.#store = store;
  }

  /** Reads what is not known of these frames. */
  async read(rows: readonly Pick<CaptureRow, 'manifest'>[]): Promise<FrameOf> {
    const known = new Map<string, Elements>();
    const unknown: string[] = [];
    for (const key of new Set(rows.flatMap(({ manifest }) => manifest))) {
      const elements = this.#elements.get(key);
      if (elements) known.set(key, elements);
      else unknown.push(key);
    }
    for (const [key, elements] of known) this.#remember(key, elements);
    const texts = await readParts(this.#store, [{ manifest: unknown }]);
    const elementsOf = (key: string, text: string) => {
      const elements = parseElements(text);
      known.set(key, elements);
      this.#remember(key, elements);
      return elements;
    };
    return ({ manifest }) => joinFrame(manifest, { known, texts, elementsOf });
  }

  #remember(key: string, elements: Elements): void {
    if (!this.#elements.delete(key)) this.#bytes += partSizeOf(key);
    this.#elements.set(key, elements);
    for (const oldest of this.#elements.keys()) {
      if (this.#bytes <= MOST_BYTES) break;
      this.#elements.delete(oldest);
      this.#bytes -= partSizeOf(oldest);
    }
  }
}

interface ReadParts {
  readonly known: ReadonlyMap<string, Elements>;
  readonly texts: ReadonlyMap<string, string>;
  readonly elementsOf: (key: string, text: string) => Elements;
}

function joinFrame(manifest: readonly string[], { known, texts, elementsOf }: ReadParts): ReadFrame | undefined {
  const lists: Record<string, JsonValue[]> = {};
  const between: Part[] = [];
  const fileParts: string[] = [];
  let list: JsonValue[] | undefined;
  for (const key of manifest) {
    const elements = list && known.get(key);
    const text = elements ? '' : texts.get(key);
    if (text === undefined) return undefined;
    if (list && list === lists.texts) fileParts.push(key);
    if (elements) list?.push(...elements);
    else if (list && !text.startsWith(']')) list.push(...elementsOf(key, text));
    else {
      between.push({ key, text });
      // Only the end is looked at, because a pattern would go through all of a long text.
      const name = LIST_BEGINS.exec(text.slice(-LONGEST_NAME))?.[1];
      list = name === undefined ? undefined : [];
      if (list && name !== undefined) lists[name] = list;
    }
  }
  const whole = () =>
    ({ ...(JSON.parse(between.map(({ text }) => text).join('')) as JsonObject), ...lists }) as unknown as RequestFrame;
  const own = readOwn(between.at(-2)?.text);
  const { system, tools, spans } = lists;
  if (!own || !system || !tools || !spans) return { ...whole(), whole, alike: undefined };
  const shared = between.toSpliced(-2, 1).map(({ key }) => key);
  return {
    ...(lists as unknown as Pick<RequestFrame, 'system' | 'tools' | 'spans'>),
    unkept: own.unkept,
    whole,
    alike: [...shared, ...fileParts, handlersText(own.report)],
  };
}

/** What a report says about handlers, as far as it tells where words are from. */
export function handlersText({ handlers }: RequestFrame['report']): string {
  return JSON.stringify(handlers.map(({ id, outcome, changes }) => [id, outcome, changes]));
}

interface Part {
  readonly key: string;
  readonly text: string;
}

/**
 * What a frame says of its own run alone, which stands in one part between the report's and the composition's common ones.
 * Undefined when the frame was cut in another way.
 */
function readOwn(text: string | undefined): Pick<RequestFrame, 'report' | 'unkept'> | undefined {
  if (!text?.startsWith(OWN_BEGINS)) return undefined;
  try {
    const own = JSON.parse(`{"report":{"prompt":0${text}}}}`) as Pick<RequestFrame, 'report' | 'unkept'>;
    return Array.isArray(own.report.handlers) ? own : undefined;
  } catch {
    return undefined;
  }
}

const OWN_BEGINS = ',"version":';

const LONGEST_NAME = 64;
const LIST_BEGINS = /"(\w+)":\[$/;

/** A comma belongs to the element after it. */
function parseElements(text: string): Elements {
  return JSON.parse(`[${text.startsWith(',') ? text.slice(1) : text}]`) as Elements;
}
