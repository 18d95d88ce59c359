// What becomes of a field that an API client sends: it is used, it is not needed, or it is refused by its name. There is
// no fourth case, and a field that has no row is refused too. The rows are in `chat-fields.ts` and `response-fields.ts`;
// the refusals and the tables in docs/api.md come from them. The functions are pure.

import { isJsonObject } from '../../protocol/json.ts';
import { nearMatch } from '../../protocol/near-match.ts';
import { RequestInvalidError } from '../errors.ts';

export interface ClientField {
  /**
   * `used`: it does what OpenAI says; where the agent's model cannot be told, the run is refused by the field's name.
   * `not needed`: it has no effect here, and no answer would differ. `refused`: every value is.
   */
  readonly state: 'used' | 'not needed' | 'refused';
  readonly says: string;
  /** A value that is refused, in words, and why. */
  readonly refuses?: FieldRefusal | undefined;
  /** The fields of an object. */
  readonly inside?: ClientFields | undefined;
}

export interface FieldRefusal {
  readonly what: string;
  readonly why: string;
  readonly when: (value: unknown) => boolean;
}

export type ClientFields = Readonly<Record<string, ClientField>>;

export const used = (says: string): ClientField => ({ state: 'used', says });
export const notNeeded = (says: string): ClientField => ({ state: 'not needed', says });
export const refused = (why: string): ClientField => ({
  state: 'refused',
  says: '',
  refuses: { what: 'set', why, when: () => true },
});

/**
 * What a field of another API is called here. An empty text is for one that looks like a field of this API and is
 * something else.
 */
export type Counterparts = Readonly<Record<string, string>>;

/** Throws RequestInvalidError for the first field that has no row, or has a value that cannot be fulfilled. */
export function refuseFields(
  fields: ClientFields,
  body: Readonly<Record<string, unknown>>,
  { prefix = '', counterparts = {} }: { readonly prefix?: string; readonly counterparts?: Counterparts } = {},
): void {
  for (const [name, value] of Object.entries(body)) {
    if (value === undefined || value === null) continue;
    const row = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (!row) throw unknownField(fields, name, prefix, counterparts);
    const { refuses, inside } = row;
    const param = prefix + name;
    if (refuses?.when(value))
      throw new RequestInvalidError({
        problem: `"${param}" cannot be ${refuses.what} here: ${refuses.why}. Leave it out.`,
        param,
      });
    if (!inside) continue;
    if (!isJsonObject(value)) throw new RequestInvalidError({ problem: `"${param}" must be an object.`, param });
    refuseFields(inside, value, { prefix: `${param}.` });
  }
}

/** The client chose the name, so it is shown with bounds. */
const MOST_SHOWN = 100;

function unknownField(
  fields: ClientFields,
  name: string,
  prefix: string,
  counterparts: Counterparts,
): RequestInvalidError {
  const shown = (prefix + name).slice(0, MOST_SHOWN);
  const counterpart = Object.hasOwn(counterparts, name) ? counterparts[name] : undefined;
  const near = counterpart === undefined ? nearMatch(name, Object.keys(fields)) : undefined;
  const next = counterpart
    ? `It is ${counterpart} here.`
    : near === undefined
      ? 'Leave it out.'
      : `Did you mean "${prefix}${near}"?`;
  return new RequestInvalidError({ problem: `${JSON.stringify(shown)} is not known here. ${next}`, param: shown });
}
