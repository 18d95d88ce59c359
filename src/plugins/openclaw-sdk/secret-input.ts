// Secrets in a plugin's configuration: written out, as `${NAME}`, or as a reference to where they are kept. References to
// the environment are followed; what other kinds refer to is not available here and is said to be so.

import { isRecord, normalizeOptionalString } from './text-values.ts';

export interface SecretRef {
  readonly source: 'env' | 'file' | 'exec';
  readonly provider: string;
  readonly id: string;
}

interface SecretPlace {
  readonly value: unknown;
  readonly refValue?: unknown;
  readonly path: string;
}

export function isSecretRef(value: unknown): value is SecretRef {
  if (!isRecord(value)) return false;
  const { source, provider, id } = value;
  return (
    (source === 'env' || source === 'file' || source === 'exec') &&
    Boolean(provider) &&
    typeof id === 'string' &&
    id !== ''
  );
}

export function coerceSecretRef(value: unknown): SecretRef | null {
  if (isSecretRef(value)) return value;
  if (isRecord(value) && typeof value.source === 'string' && typeof value.id === 'string') {
    const withProvider = { ...value, provider: 'default' };
    return isSecretRef(withProvider) ? withProvider : null;
  }
  const [, name] = typeof value === 'string' ? (/^\$\{([A-Z][A-Z0-9_]{0,127})\}$/.exec(value.trim()) ?? []) : [];
  return name === undefined ? null : { source: 'env', provider: 'default', id: name };
}

export function hasConfiguredSecretInput(value: unknown): boolean {
  return normalizeOptionalString(value) !== undefined || coerceSecretRef(value) !== null;
}

export function normalizeSecretInputString(value: unknown): string | undefined {
  return normalizeOptionalString(value);
}

/** As people paste it: without line breaks, and without characters that no header can carry. */
export function normalizeSecretInput(value: unknown): string {
  return typeof value === 'string'
    ? value
        .replace(/[\r\n\u2028\u2029]+/g, '')
        .replace(/[^\x00-\xff]/g, '')
        .trim()
    : '';
}

export function normalizeOptionalSecretInput(value: unknown): string | undefined {
  return normalizeSecretInput(value) || undefined;
}

export function resolveSecretInputString({
  value,
  refValue,
  path,
  mode = 'strict',
}: SecretPlace & { readonly mode?: 'strict' | 'inspect' }) {
  const ref = coerceSecretRef(refValue) ?? coerceSecretRef(value);
  const text = normalizeSecretInputString(value);
  if (ref === null) {
    return text === undefined
      ? ({ status: 'missing', value: undefined, ref: null } as const)
      : ({ status: 'available', value: text, ref: null } as const);
  }
  if (mode === 'strict') throw new Error(`${path} refers to a secret (${ref.source}) that has not been looked up.`);
  return { status: 'configured_unavailable', value: undefined, ref } as const;
}

export function normalizeResolvedSecretInputString(place: SecretPlace): string | undefined {
  return resolveSecretInputString(place).value;
}

interface ConfiguredSecret {
  readonly value: unknown;
  readonly path: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

export async function resolveConfiguredSecretInputString({ value, path, env = {} }: ConfiguredSecret): Promise<{
  value?: string;
  unresolvedRefReason?: string;
}> {
  const ref = coerceSecretRef(value);
  if (ref === null) {
    const text = normalizeSecretInputString(value);
    return text === undefined ? {} : { value: text };
  }
  const found = ref.source === 'env' ? normalizeOptionalString(env[ref.id]) : undefined;
  if (found !== undefined) return { value: found };
  const why =
    ref.source === 'env'
      ? `the variable ${ref.id} is not set`
      : `secrets of the kind "${ref.source}" are not looked up`;
  return { unresolvedRefReason: `${path}: ${why}.` };
}

export async function resolveConfiguredSecretInputWithFallback(
  secret: ConfiguredSecret & { readonly readFallback?: () => string | undefined },
) {
  const isRef = coerceSecretRef(secret.value) !== null;
  const { value, unresolvedRefReason } = await resolveConfiguredSecretInputString(secret);
  if (value !== undefined) return { value, source: isRef ? 'secretRef' : 'config', secretRefConfigured: isRef };
  const fallback = normalizeOptionalString(secret.readFallback?.());
  if (fallback !== undefined) return { value: fallback, source: 'fallback', secretRefConfigured: isRef };
  return { unresolvedRefReason, secretRefConfigured: isRef };
}

export async function resolveRequiredConfiguredSecretRefInputString(
  secret: ConfiguredSecret,
): Promise<string | undefined> {
  if (coerceSecretRef(secret.value) === null) return undefined;
  const { value, unresolvedRefReason } = await resolveConfiguredSecretInputString(secret);
  if (value === undefined) throw new Error(unresolvedRefReason);
  return value;
}
