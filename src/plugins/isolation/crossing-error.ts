// Errors on their way between the gateway and the worker: name, message, code and their plain fields. `instanceof` knows
// the errors of the product by their code, so that they can be used as if they had not crossed.

import { DeadlineExceeded } from '../../hooks/deadline.ts';
import { InvalidHandlerResult } from '../../protocol/handler.ts';

export interface EncodedError {
  readonly name: string;
  readonly message: string;
  readonly stack?: string | undefined;
  readonly fields: Readonly<Record<string, string | number | boolean>>;
}

const MAX_MESSAGE = 10_000;
const MAX_STACK = 4_000;
const MAX_FIELDS = 20;

/** Never throws, whatever was thrown. */
export function encodeError(error: unknown): EncodedError {
  try {
    const { name, message, stack } = error as Error;
    return {
      name: text(nameOfClass(error) ?? name, 200),
      message: text(message, MAX_MESSAGE),
      stack: typeof stack === 'string' ? stack.slice(0, MAX_STACK) : undefined,
      fields: plainFields(error as object),
    };
  } catch {
    return { name: 'Error', message: 'an error that cannot be shown', fields: {} };
  }
}

export function decodeError({ name, message, stack, fields }: EncodedError): Error {
  const error = new Error(text(message, MAX_MESSAGE));
  const known = classOf(name);
  if (known !== undefined) Object.setPrototypeOf(error, known.prototype);
  setHidden(error, 'name', text(name, 200));
  if (typeof stack === 'string') setHidden(error, 'stack', stack);
  for (const [key, value] of Object.entries(fields)) {
    if (!OWN.has(key))
      Object.defineProperty(error, key, { value, enumerable: true, writable: true, configurable: true });
  }
  return error;
}

const OWN = new Set(['message', 'stack', 'name', 'cause', '__proto__', 'constructor']);

/** Both are plain errors by name. */
const HANDLER_ERRORS: Readonly<Record<string, { readonly prototype: Error } | undefined>> = {
  InvalidHandlerResult,
  DeadlineExceeded,
};

function nameOfClass(error: unknown): string | undefined {
  if (error instanceof InvalidHandlerResult) return 'InvalidHandlerResult';
  return error instanceof DeadlineExceeded ? 'DeadlineExceeded' : undefined;
}

function classOf(name: string): { readonly prototype: Error } | undefined {
  return Object.hasOwn(HANDLER_ERRORS, name) ? HANDLER_ERRORS[name] : undefined;
}

function plainFields(error: object): EncodedError['fields'] {
  const fields: Record<string, string | number | boolean> = {};
  for (const key of [...Object.keys(error), 'code'].slice(0, MAX_FIELDS)) {
    const value = (error as Record<string, unknown>)[key];
    if (typeof value === 'string') fields[key] = value.slice(0, 1_000);
    else if (typeof value === 'number' || typeof value === 'boolean') fields[key] = value;
  }
  return fields;
}

function text(value: unknown, limit: number): string {
  return (typeof value === 'string' ? value : String(value)).slice(0, limit);
}

function setHidden(error: Error, key: string, value: string): void {
  Object.defineProperty(error, key, { value, enumerable: false, writable: true, configurable: true });
}
