// Fills a template of a mapping with what a request brought: `{{field.path}}` and `{{list[0].field}}` of its body, which
// `{{payload.…}}` names too, `{{headers.…}}`, `{{query.…}}`, `{{path}}` and `{{now}}`. What is not there becomes an empty
// text, and an object becomes JSON. Only own fields are read, so no template reaches into the program.

export interface WebhookRequest {
  /** The path behind that of the webhooks, without slashes around it. */
  readonly path: string;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly header: (name: string) => string | undefined;
  readonly headers: () => Readonly<Record<string, string>>;
  readonly now: number;
}

const PLACE = /\{\{\s*([^{}]+?)\s*\}\}/g;

export function fillTemplate(template: string, request: WebhookRequest): string {
  return template.replace(PLACE, (_, expression: string) => textOf(lookUp(expression, request)));
}

function lookUp(expression: string, { path, payload, query, header, now }: WebhookRequest): unknown {
  if (expression === 'path') return path;
  if (expression === 'now') return new Date(now).toISOString();
  const [, source, rest = ''] = /^(headers|query|payload)\.(.+)$/s.exec(expression) ?? [];
  // The token of the request is no text for a model.
  if (source === 'headers') return SECRET_HEADERS.has(rest.toLowerCase()) ? undefined : header(rest);
  if (source === 'query') return fieldAt(query, rest);
  return fieldAt(payload, source === 'payload' ? rest : expression);
}

export const SECRET_HEADERS: ReadonlySet<string> = new Set([
  'authorization',
  'x-openclaw-token',
  'cookie',
  'proxy-authorization',
]);

export function fieldAt(value: unknown, path: string): unknown {
  let current = value;
  for (const [, name, index] of path.matchAll(/([^.[\]]+)|\[(\d+)\]/g)) {
    if (typeof current !== 'object' || current === null) return undefined;
    const key = name ?? index ?? '';
    if ((index !== undefined && !Array.isArray(current)) || !Object.hasOwn(current, key)) return undefined;
    current = (current as Record<string, unknown>)[key];
  }
  return current;
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
