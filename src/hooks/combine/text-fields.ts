// The answer that is given most: one text, for a field that gathers the texts of all handlers, such as `appendContext`.
// Nothing but that field changes and the next handler sees the same event, so such an answer needs no comparing of
// results. Every other answer is combined as `combine.ts` says, with the same outcome for these.

import { HOOK_CATALOG, type HookName, type HookRow } from '../catalog.ts';
import { shapeOfField } from './answer-shape.ts';

export interface TextField {
  readonly field: string;
  /** The name alone in a list, which the records of all such answers share. */
  readonly alone: readonly string[];
}

/** The text fields of one hook by their names. It is empty where answers do more than add up. */
export type TextFields = ReadonlyMap<string, TextField>;

export function textFieldsOf(hook: HookName): TextFields {
  const known = textFields.get(hook);
  if (known) return known;
  const { combine }: HookRow = HOOK_CATALOG[hook];
  const addsUp = Object.values(combine).every((combinator) => combinator === 'collect' || combinator === 'first');
  const names = Object.keys(combine).filter((field) => combine[field] === 'collect' && shapeOfField(field) === 'text');
  const fields = new Map(addsUp ? names.map((field) => [field, { field, alone: Object.freeze([field]) }]) : []);
  textFields.set(hook, fields);
  return fields;
}

const textFields = new Map<HookName, TextFields>();

/** The field of an answer that has this one field and nothing else; undefined for any other answer. */
export function onlyTextField(fields: TextFields, answer: object): TextField | undefined {
  if (fields.size === 0 || Object.getPrototypeOf(answer) !== Object.prototype) return undefined;
  let only: string | undefined;
  for (const field in answer) {
    if (only !== undefined) return undefined;
    only = field;
  }
  return only === undefined ? undefined : fields.get(only);
}
