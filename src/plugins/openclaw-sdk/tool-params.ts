// Reading the parameters that a model gave to a tool. Models write names in either spelling and numbers as texts, so
// both are understood; what is required and missing is an error that the model reads.

export class ToolInputError extends Error {
  readonly status: number = 400;
  constructor(message: string) {
    super(message);
    this.name = new.target.name;
  }
}

export class ToolAuthorizationError extends ToolInputError {
  override readonly status = 403;
}

export const OWNER_ONLY_TOOL_ERROR = 'This tool is for owners only.';

type Params = Readonly<Record<string, unknown>>;

export interface StringParamOptions {
  readonly required?: boolean;
  readonly trim?: boolean;
  readonly label?: string;
  readonly allowEmpty?: boolean;
}

export function asToolParamsRecord(params: unknown): Record<string, unknown> {
  return typeof params === 'object' && params !== null && !Array.isArray(params)
    ? (params as Record<string, unknown>)
    : {};
}

export function readStringParam(
  params: Params,
  key: string,
  options: StringParamOptions & { readonly required: true },
): string;
export function readStringParam(params: Params, key: string, options?: StringParamOptions): string | undefined;
export function readStringParam(params: Params, key: string, options: StringParamOptions = {}): string | undefined {
  const { required = false, trim = true, label = key, allowEmpty = false } = options;
  const raw = paramOf(params, key);
  const text = typeof raw === 'string' ? (trim ? raw.trim() : raw) : undefined;
  if (text !== undefined && (allowEmpty || text !== '')) return text;
  return missing(required, label);
}

export function readStringOrNumberParam(
  params: Params,
  key: string,
  { required = false, label = key }: { readonly required?: boolean; readonly label?: string } = {},
): string | undefined {
  const raw = paramOf(params, key);
  const text =
    typeof raw === 'number' && Number.isFinite(raw) ? String(raw) : typeof raw === 'string' ? raw.trim() : '';
  return text === '' ? missing(required, label) : text;
}

export function readNumberParam(
  params: Params,
  key: string,
  options: {
    readonly required?: boolean;
    readonly label?: string;
    readonly integer?: boolean;
    readonly strict?: boolean;
  } = {},
): number | undefined {
  const { required = false, label = key, integer = false, strict = false } = options;
  const raw = paramOf(params, key);
  const number = typeof raw === 'string' && raw.trim() !== '' ? (strict ? Number(raw) : Number.parseFloat(raw)) : raw;
  if (typeof number !== 'number' || !Number.isFinite(number)) return missing(required, label);
  return integer ? Math.trunc(number) : number;
}

export function readStringArrayParam(
  params: Params,
  key: string,
  options: StringParamOptions = {},
): string[] | undefined {
  const { required = false, label = key } = options;
  const raw = paramOf(params, key);
  const texts = (Array.isArray(raw) ? raw : [raw])
    .filter((item): item is string => typeof item === 'string')
    .map((item) => item.trim())
    .filter((item) => item !== '');
  return texts.length > 0 ? texts : missing(required, label);
}

export function readBooleanParam(params: Params, key: string): boolean | undefined {
  const raw = paramOf(params, key);
  if (typeof raw === 'boolean') return raw;
  const text = typeof raw === 'string' ? raw.trim().toLowerCase() : undefined;
  return text === 'true' ? true : text === 'false' ? false : undefined;
}

export function readReactionParams(
  params: Params,
  options: { readonly emojiKey?: string; readonly removeKey?: string; readonly removeErrorMessage: string },
): { emoji: string; remove: boolean; isEmpty: boolean } {
  const { emojiKey = 'emoji', removeKey = 'remove', removeErrorMessage } = options;
  const remove = readBooleanParam(params, removeKey) ?? false;
  const emoji = readStringParam(params, emojiKey, { required: true, allowEmpty: true });
  if (remove && emoji === '') throw new ToolInputError(removeErrorMessage);
  return { emoji, remove, isEmpty: emoji === '' };
}

/** Whether an action of a tool is switched on. */
export function createActionGate(actions: Readonly<Record<string, boolean | undefined>> | undefined) {
  return (key: string, defaultValue = true): boolean => actions?.[key] ?? defaultValue;
}

/** A text that is one of a few, as a schema. Marked so that builders of schemas take it for one of their own. */
export function stringEnum(values: readonly string[], options: Readonly<Record<string, unknown>> = {}): object {
  return marked({ type: 'string', enum: [...values], ...options }, false);
}

export function optionalStringEnum(values: readonly string[], options: Readonly<Record<string, unknown>> = {}): object {
  return marked({ type: 'string', enum: [...values], ...options }, true);
}

function marked(schema: object, isOptional: boolean): object {
  const hidden = (value: unknown) => ({ value, enumerable: false });
  return Object.defineProperties(schema, {
    [Symbol.for('TypeBox.Kind')]: { value: 'Unsafe', enumerable: true },
    '~kind': hidden('Unsafe'),
    ...(isOptional && {
      [Symbol.for('TypeBox.Optional')]: { value: 'Optional', enumerable: true },
      '~optional': hidden(true),
    }),
  });
}

function missing(required: boolean, label: string): undefined {
  if (required) throw new ToolInputError(`${label} is required.`);
  return undefined;
}

/** `someKey`, or `some_key` where a model wrote it so. */
function paramOf(params: Params, key: string): unknown {
  if (Object.hasOwn(params, key)) return params[key];
  const other = key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return Object.hasOwn(params, other) ? params[other] : undefined;
}
