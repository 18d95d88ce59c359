// Every error that Atrium raises on purpose: one class per cause, the facts as fields, a stable code, and the next
// step in the message. `docs/errors.md` lists the same codes, and a test keeps the two equal.

export abstract class AtriumError extends Error {
  abstract readonly code: string;

  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** True for errors of any copy of this package, which `instanceof` would miss. */
export function isAtriumError(error: unknown): error is AtriumError {
  return error instanceof Error && typeof (error as Partial<AtriumError>).code === 'string' && /^ATRIUM_/.test((error as AtriumError).code);
}
