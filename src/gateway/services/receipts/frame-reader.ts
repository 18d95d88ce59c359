// Reads the frames of many runs. They have most of their parts in common (tools, files, the beginning of the conversation),
// so the elements of a list that were read once are the very same values in every later frame that has them.
//
// Promise: a frame equals what parsing its whole body gives. It relies on how bodies are cut: a part is either elements of
// one list of the outermost object, or the text between such lists. Parts are named by their content, so what is remembered
// is never stale; it is bounded, and nobody changes it.

import type { RequestFrame } from '../../../agent/request-frame.ts';
import type { JsonObject, JsonValue } from '../../../protocol/json.ts';
import { partSizeOf, readParts } from '../../../recorder/capture.ts';
import type { Store } from '../../../store/store.ts';
import type { CaptureRow } from '../../../store/tables.ts';

/** Returns undefined when parts of the frame are gone. Throws SyntaxError when it is no JSON. */
export type FrameOf = (row: Pick<CaptureRow, 'manifest'>) => RequestFrame | undefined;

type Elements = readonly JsonValue[];

const MOST_BYTES = 512 * 1024;

export class FrameReader {
  readonly #store: Store;
  /** By the key of their part; the one that was used last is at the end. */
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

function joinFrame(manifest: readonly string[], { known, texts, elementsOf }: ReadParts): RequestFrame | undefined {
  const lists: Record<string, JsonValue[]> = {};
  let between = '';
  let list: JsonValue[] | undefined;
  for (const key of manifest) {
    const elements = list && known.get(key);
    const text = elements ? '' : texts.get(key);
    if (text === undefined) return undefined;
    if (elements) list?.push(...elements);
    else if (list && !text.startsWith(']')) list.push(...elementsOf(key, text));
    else {
      between += text;
      // Only the end is looked at, because a pattern would go through all of a long text.
      const name = LIST_BEGINS.exec(text.slice(-LONGEST_NAME))?.[1];
      list = name === undefined ? undefined : [];
      if (list && name !== undefined) lists[name] = list;
    }
  }
  return { ...(JSON.parse(between) as JsonObject), ...lists } as unknown as RequestFrame;
}

const LONGEST_NAME = 64;
const LIST_BEGINS = /"(\w+)":\[$/;

/** A comma belongs to the element after it. */
function parseElements(text: string): Elements {
  return JSON.parse(`[${text.startsWith(',') ? text.slice(1) : text}]`) as Elements;
}
