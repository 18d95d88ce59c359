// Helpers that speech plugins import. Speech has no use here, so there are no providers to list; such plugins load, and
// what else they do works.

import { rm } from 'node:fs/promises';
import { normalizeOptionalLowercaseString, truncateUtf16Safe } from './text-values.ts';

export function listSpeechProviders(): readonly never[] {
  return [];
}

export const listLoadedSpeechProviders = listSpeechProviders;

export function getSpeechProvider(): undefined {
  return undefined;
}

export function normalizeSpeechProviderId(id: unknown): string | undefined {
  return normalizeOptionalLowercaseString(id);
}

export const canonicalizeSpeechProviderId = normalizeSpeechProviderId;

export function requireInRange(value: number, min: number, max: number, label: string): void {
  if (Number.isFinite(value) && value >= min && value <= max) return;
  throw new Error(`${label} must be between ${min} and ${max}.`);
}

export function normalizeLanguageCode(code?: string): string | undefined {
  const lower = normalizeOptionalLowercaseString(code);
  if (lower !== undefined && !/^[a-z]{2}$/.test(lower)) throw new Error('languageCode must be a code of two letters.');
  return lower;
}

export function normalizeSeed(seed?: number): number | undefined {
  if (seed === undefined) return undefined;
  const whole = Math.floor(seed);
  requireInRange(whole, 0, 0xffff_ffff, 'seed');
  return whole;
}

export function normalizeApplyTextNormalization(mode?: string): 'auto' | 'on' | 'off' | undefined {
  const lower = normalizeOptionalLowercaseString(mode);
  if (lower === undefined || lower === 'auto' || lower === 'on' || lower === 'off') return lower;
  throw new Error('applyTextNormalization must be auto, on or off.');
}

/** Removes a folder of temporary audio after a while. */
export function scheduleCleanup(tempDir: string, delayMs = 300_000): void {
  setTimeout(() => void rm(tempDir, { recursive: true, force: true }).catch(() => undefined), delayMs).unref();
}

export const TTS_AUTO_MODES: ReadonlySet<string> = new Set(['off', 'always', 'inbound', 'tagged']);

export function normalizeTtsAutoMode(value: unknown): string | undefined {
  const lower = normalizeOptionalLowercaseString(value);
  return lower !== undefined && TTS_AUTO_MODES.has(lower) ? lower : undefined;
}

export function truncateErrorDetail(detail: string, limit = 220): string {
  return detail.length <= limit ? detail : `${truncateUtf16Safe(detail, limit - 1)}…`;
}

export async function readResponseTextLimited(response: Response, limitBytes = 16_384): Promise<string> {
  const reader = response.body?.getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  while (reader && size < limitBytes) {
    const { done, value } = await reader.read();
    if (done) break;
    chunks.push(value);
    size += value.length;
  }
  await reader?.cancel().catch(() => undefined);
  return Buffer.concat(chunks).subarray(0, limitBytes).toString('utf8');
}

export async function assertOkOrThrowProviderError(response: Response, label: string): Promise<void> {
  if (!response.ok) throw await createProviderHttpError(response, label);
}

export const assertOkOrThrowHttpError = assertOkOrThrowProviderError;

export async function createProviderHttpError(response: Response, label: string): Promise<Error> {
  const detail = truncateErrorDetail((await readResponseTextLimited(response)).trim());
  return Object.assign(new Error(`${label} (${response.status})${detail ? `: ${detail}` : ''}`), {
    status: response.status,
  });
}
