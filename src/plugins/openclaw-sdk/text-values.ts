// Small functions that make sure of a value: a text, a number, a record, a list of texts. What is none of it becomes
// undefined or empty and is never an error.

type Fields = Record<string, unknown>;

export function isRecord(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export const isPlainObject = isRecord;

export function asRecord(value: unknown): Fields {
  return isRecord(value) ? value : {};
}

export function asOptionalRecord(value: unknown): Fields | undefined {
  return isRecord(value) ? value : undefined;
}

export const asObject = asOptionalRecord;
export const asOptionalObjectRecord = asOptionalRecord;

export function asNullableRecord(value: unknown): Fields | null {
  return isRecord(value) ? value : null;
}

export const asNullableObjectRecord = asNullableRecord;

export function asBoolean(value: unknown): boolean | undefined {
  return typeof value === 'boolean' ? value : undefined;
}

export function asFiniteNumber(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

export function parseFiniteNumber(value: unknown): number | undefined {
  if (typeof value === 'number') return asFiniteNumber(value);
  return typeof value === 'string' && value.trim() !== '' ? asFiniteNumber(Number(value)) : undefined;
}

export function parseStrictPositiveInteger(value: unknown): number | undefined {
  const number = parseFiniteNumber(value);
  return number !== undefined && Number.isSafeInteger(number) && number > 0 ? number : undefined;
}

export function readStringValue(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

export function readStringField(record: Fields | null | undefined, key: string): string | undefined {
  return readStringValue(record?.[key]);
}

export function normalizeOptionalString(value: unknown): string | undefined {
  const text = typeof value === 'string' ? value.trim() : '';
  return text === '' ? undefined : text;
}

export const trimToUndefined = normalizeOptionalString;

export function normalizeNullableString(value: unknown): string | null {
  return normalizeOptionalString(value) ?? null;
}

export function normalizeStringifiedOptionalString(value: unknown): string | undefined {
  const isWritable = ['string', 'number', 'boolean', 'bigint'].includes(typeof value);
  return isWritable ? normalizeOptionalString(String(value)) : undefined;
}

export const normalizeOptionalStringifiedId = normalizeStringifiedOptionalString;

export function normalizeOptionalLowercaseString(value: unknown): string | undefined {
  return normalizeOptionalString(value)?.toLowerCase();
}

export function normalizeLowercaseStringOrEmpty(value: unknown): string {
  return normalizeOptionalLowercaseString(value) ?? '';
}

export function lowercasePreservingWhitespace(value: string): string {
  return value.toLowerCase();
}

export function localeLowercasePreservingWhitespace(value: string): string {
  return value.toLocaleLowerCase();
}

export function hasNonEmptyString(value: unknown): value is string {
  return normalizeOptionalString(value) !== undefined;
}

export function normalizeStringEntries(list?: readonly unknown[]): string[] {
  return (list ?? []).map((entry) => String(entry).trim()).filter((entry) => entry !== '');
}

export function normalizeStringEntriesLower(list?: readonly unknown[]): string[] {
  return normalizeStringEntries(list).map((entry) => entry.toLowerCase());
}

export function normalizeTrimmedStringList(value: unknown): string[] {
  return Array.isArray(value) ? value.filter(hasNonEmptyString).map((entry) => entry.trim()) : [];
}

export function normalizeOptionalTrimmedStringList(value: unknown): string[] | undefined {
  const list = normalizeTrimmedStringList(value);
  return list.length > 0 ? list : undefined;
}

export function normalizeSingleOrTrimmedStringList(value: unknown): string[] {
  return normalizeTrimmedStringList(Array.isArray(value) ? value : [value]);
}

export function normalizeCsvOrLooseStringList(value: unknown): string[] {
  return typeof value === 'string' ? normalizeStringEntries(value.split(',')) : normalizeTrimmedStringList(value);
}

export function normalizeHyphenSlug(raw?: string | null): string {
  return slugOf(raw, /[^a-z0-9#@._+-]+/g);
}

export function normalizeAtHashSlug(raw?: string | null): string {
  return slugOf(raw?.trim().replace(/^[@#]+/, ''), /[^a-z0-9-]+/g);
}

export function summarizeStringEntries({
  entries,
  limit = 6,
  emptyText = '',
}: {
  readonly entries?: readonly string[] | null;
  readonly limit?: number;
  readonly emptyText?: string;
}): string {
  const list = entries ?? [];
  if (list.length === 0) return emptyText;
  const more = list.length - limit;
  return more > 0 ? `${list.slice(0, limit).join(', ')} (+${more})` : list.join(', ');
}

export function clamp(value: number, min: number, max: number): number {
  return Math.min(max, Math.max(min, value));
}

export const clampNumber = clamp;

export function clampInt(value: number, min: number, max: number): number {
  return clamp(Math.floor(value), min, max);
}

export function escapeRegExp(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

export function safeParseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Cuts without splitting a pair. */
export function sliceUtf16Safe(text: string, start: number, end: number = text.length): string {
  const from = start < 0 ? Math.max(0, text.length + start) : start;
  const to = end < 0 ? Math.max(0, text.length + end) : Math.min(end, text.length);
  const splits = (index: number) =>
    /[\udc00-\udfff]/.test(text[index] ?? '') && /[\ud800-\udbff]/.test(text[index - 1] ?? '');
  return text.slice(splits(from) ? from + 1 : from, splits(to) ? to - 1 : to);
}

export function truncateUtf16Safe(text: string, limit: number): string {
  return text.length <= limit ? text : sliceUtf16Safe(text, 0, limit);
}

/** Pieces of at most `limit` characters, cut at line breaks where there are any, else at spaces. */
export function chunkTextForOutbound(text: string, limit: number): string[] {
  const chunks: string[] = [];
  let rest = text;
  while (limit > 0 && rest.length > limit) {
    const head = sliceUtf16Safe(rest, 0, limit + 1);
    const at = [head.lastIndexOf('\n'), head.lastIndexOf(' '), Math.max(1, truncateUtf16Safe(rest, limit).length)].find(
      (index) => index > 0,
    );
    chunks.push(rest.slice(0, at).trimEnd());
    rest = rest.slice(at).replace(/^\s/, '');
  }
  return rest === '' ? chunks : [...chunks, rest];
}

export function chunkItems<Item>(items: readonly Item[], size: number): Item[][] {
  const step = Math.max(1, Math.floor(size));
  return Array.from({ length: Math.ceil(items.length / step) }, (_, index) =>
    items.slice(index * step, (index + 1) * step),
  );
}

export function formatErrorMessage(error: unknown): string {
  if (error instanceof Error) return error.message || error.name;
  return typeof error === 'string' ? error : (JSON.stringify(error) ?? String(error));
}

export function extractErrorCode(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null | undefined)?.code;
  return typeof code === 'string' || typeof code === 'number' ? String(code) : undefined;
}

export function readErrorName(error: unknown): string {
  const name = (error as { name?: unknown } | null | undefined)?.name;
  return typeof name === 'string' ? name : '';
}

function slugOf(raw: string | null | undefined, unwanted: RegExp): string {
  return (raw ?? '')
    .trim()
    .toLowerCase()
    .replace(/\s+/g, '-')
    .replace(unwanted, '-')
    .replace(/-{2,}/g, '-')
    .replace(/^[-.]+|[-.]+$/g, '');
}
