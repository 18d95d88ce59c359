// Values from outside of which nothing is known yet: the events of a provider's stream. What is wrong with one is said
// by the path of the field.

/** An object whose fields may hold anything. */
export type Loose = Readonly<Record<string, unknown>>;

export function isLoose(value: unknown): value is Loose {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isText(value: unknown): value is string {
  return typeof value === 'string';
}

export function isNumber(value: unknown): value is number {
  return typeof value === 'number';
}

/** Says that a field does not hold what it must: `choices: expected array, received string`. */
export function wrongField(path: string, expected: 'array' | 'number' | 'object' | 'string', value: unknown): string {
  return `${path}: expected ${expected}, received ${kindOf(value)}`;
}

export function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  return Array.isArray(value) ? 'array' : typeof value;
}
