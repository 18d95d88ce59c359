// One tool of a server as it is kept and offered, made of the server's own words. Those are bounded before they are
// used; a tool that cannot be offered is left out with the reason. Tools from the store are checked too.

import { isJsonObject, type JsonObject, type JsonValue } from '../../protocol/json.ts';
import { clip } from '../../protocol/one-line.ts';

export interface ListedTool extends JsonObject {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of an object. */
  readonly parameters: JsonObject;
  readonly idempotent: boolean;
}

export interface Listing {
  /** The tools, ordered by name. */
  readonly tools: readonly ListedTool[];
  /** A sentence for each reason to leave some out. */
  readonly remarks: readonly string[];
}

export const MAX_TOOLS = 512;
const MAX_NAME_CHARS = 128;
const MAX_DESCRIPTION_CHARS = 4_000;
export const MAX_SCHEMA_CHARS = 32_000;
export const MAX_SCHEMA_DEPTH = 32;
const MAX_LISTING_CHARS = 2_000_000;

/** Reads the tools as a server lists them, page by page. Of each page only its tools are kept. */
export class ListingReader {
  readonly #tools = new Map<string, ListedTool>();
  readonly #leftOut = new Map<string, number>();
  #chars = 0;
  #seen = 0;

  /** True when all further tools would be left out, because there are too many. */
  get isFull(): boolean {
    return this.#seen > MAX_TOOLS;
  }

  add(written: readonly unknown[]): void {
    for (const each of written) {
      this.#seen += 1;
      const reason = this.#take(readTool(each));
      if (reason !== undefined) this.#leftOut.set(reason, (this.#leftOut.get(reason) ?? 0) + 1);
    }
  }

  listing(): Listing {
    return {
      tools: [...this.#tools.values()].sort((a, b) => (a.name < b.name ? -1 : 1)),
      remarks: [...this.#leftOut].map(([reason, count]) => `${count} of its tools cannot be offered: ${reason}.`),
    };
  }

  /** Why it was not taken; undefined when it was. */
  #take(read: ListedTool | string): string | undefined {
    if (typeof read === 'string') return read;
    const { name, description, parameters } = read;
    const size = name.length + description.length + JSON.stringify(parameters).length;
    if (this.#tools.has(name)) return 'their name came up before';
    if (this.#tools.size >= MAX_TOOLS) return `there are more than ${MAX_TOOLS}`;
    if (this.#chars + size > MAX_LISTING_CHARS)
      return `all of them together take more than ${MAX_LISTING_CHARS} characters`;
    this.#tools.set(name, read);
    this.#chars += size;
    return undefined;
  }
}

/** The tools from the store. An entry of another form is left out. */
export function readStoredTools(kept: readonly JsonObject[]): readonly ListedTool[] {
  return kept.filter(
    (tool): tool is ListedTool =>
      typeof tool.name === 'string' &&
      typeof tool.description === 'string' &&
      typeof tool.idempotent === 'boolean' &&
      isJsonObject(tool.parameters),
  );
}

/** The tool, or why it is left out. */
function readTool(written: unknown): ListedTool | string {
  if (!isJsonObject(written)) return 'they are no objects';
  const { name, description, inputSchema, annotations, execution } = written;
  if (typeof name !== 'string' || name.trim() === '') return 'they have no name';
  if (name.length > MAX_NAME_CHARS) return `their name is longer than ${MAX_NAME_CHARS} characters`;
  if (isJsonObject(execution) && execution.taskSupport === 'required') return 'they want to run as tasks';
  const parameters = isJsonObject(inputSchema) && inputSchema.type === 'object' ? inputSchema : NO_PARAMETERS;
  if (!isShallow(parameters, MAX_SCHEMA_DEPTH)) return 'their parameters nest too deeply';
  if (JSON.stringify(parameters).length > MAX_SCHEMA_CHARS) return 'the schema of their parameters is too long';
  const hints = isJsonObject(annotations) ? annotations : {};
  return {
    name,
    description: readDescription(description, written.title),
    parameters,
    idempotent: hints.readOnlyHint === true && hints.idempotentHint === true,
  };
}

const NO_PARAMETERS: JsonObject = { type: 'object', properties: {} };

/** The first of these that is a text, without control characters and bounded. */
export function readDescription(...candidates: readonly unknown[]): string {
  const text = candidates.find((each) => typeof each === 'string' && each.trim() !== '') ?? '';
  const plain = String(text)
    .replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, ' ')
    .trim();
  return clip(plain, MAX_DESCRIPTION_CHARS);
}

/** Whether it ends within so many levels; a circle does not. */
export function isShallow(value: JsonValue, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((each) => isShallow(each as JsonValue, levels - 1));
}
