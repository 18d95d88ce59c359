// Removes secrets from text that people see: known forms of keys inside text, fields and headers whose name marks a
// secret, credentials in addresses. A secret that is not recognised stays; a secret is never added. Every pattern reads
// a text once from left to right, so that hostile text costs no more than its length.

import { isJsonObject, type JsonValue } from '../protocol/json.ts';
import { remembered } from '../protocol/remembered.ts';

export const REDACTED = '[redacted]';

/** Returns the text with every recognised secret replaced. */
export function redactText(text: string): string {
  if (text.length < SHORTEST_SECRET) return text;
  let shown = text;
  for (const { hint, pattern, replacement } of SHAPES) {
    // A search for the fixed beginning is much cheaper than the pattern, and most texts contain no secret.
    if (hint.test(shown)) shown = shown.replace(pattern, replacement);
  }
  return shown;
}

/** True for the names of fields and headers whose value is always a secret. */
export function isSecretName(name: string): boolean {
  let answer = knownNames.get(name);
  if (answer === undefined) {
    answer = looksSecret(name);
    if (knownNames.size >= MAX_KNOWN_NAMES) knownNames.clear();
    if (name.length <= MAX_KNOWN_LENGTH) knownNames.set(name, answer);
  }
  return answer;
}

/** Every record has the same few names, and each is checked many times in every run. */
const knownNames = new Map<string, boolean>();
const MAX_KNOWN_NAMES = 1_024;
const MAX_KNOWN_LENGTH = 64;

function looksSecret(name: string): boolean {
  const words = name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase();
  const plain = words.replace(/[^a-z0-9]+/g, '_').replace(/^_|_$/g, '');
  if (SECRET_NAMES.has(plain)) return true;
  return SECRET_ENDINGS.some((ending) => plain.endsWith(`_${ending}`));
}

/** Returns a value with its secrets replaced, at any depth. Values that are nested too deeply are dropped. */
export function redactValue(value: JsonValue, redact = redactText, depth = 0): JsonValue {
  if (typeof value === 'string') return redact(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= MAX_DEPTH) return REDACTED;
  if (!isJsonObject(value)) return value.map((item) => redactValue(item, redact, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [
      redact(name),
      hidesField(name, field) ? REDACTED : redactValue(field, redact, depth + 1),
    ]),
  );
}

/** Numbers and flags under such a name are counts and switches (`token: 12`), and an empty text contains no secret. */
export function hidesField(name: string, field: unknown): boolean {
  if (!isSecretName(name)) return false;
  return typeof field === 'string' ? field !== '' : typeof field === 'object' && field !== null;
}

/**
 * Returns an address without its user, password and secret parameters. Text that is not an address is treated as text.
 * Each request of a model names the same few addresses.
 */
export const redactUrl = remembered(64, (address) => {
  if (!URL.canParse(address)) return redactText(address);
  const url = new URL(address);
  const secrets = [...url.searchParams.keys()].filter((name) => isSecretName(name) || name === 'key' || name === 'sig');
  if (url.username === '' && url.password === '' && secrets.length === 0) return redactText(address);
  url.username = '';
  url.password = '';
  for (const name of secrets) url.searchParams.set(name, REDACTED);
  return redactText(url.href);
});

export function redactHeaders(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, isSecretName(name) ? REDACTED : redactText(value)]),
  );
}

/** No secret is shorter: `ab://u:p@` is the shortest form. */
const SHORTEST_SECRET = 9;

interface Shape {
  readonly hint: RegExp;
  readonly pattern: RegExp;
  readonly replacement: string;
}

const SHAPES: readonly Shape[] = [
  // Keys with a known beginning: OpenAI, Anthropic, OpenRouter, Slack, GitHub, GitLab, Google, AWS, Hugging Face, npm.
  {
    hint: /sk-|xox|xapp-|gh[opsur]_|github_pat_|glpat-|AIza|AKIA|ASIA|hf_|npm_/,
    pattern: /\b(sk-|xox[abeoprs]-|xapp-|gh[opsur]_|github_pat_|glpat-|AIza|AKIA|ASIA|hf_|npm_)[A-Za-z0-9_-]{12,}/g,
    replacement: `$1${REDACTED}`,
  },
  {
    hint: /\b(?:bearer|basic)\s/i,
    pattern: /\b(bearer|basic)\s{1,8}[A-Za-z0-9._~+/=-]{12,}/gi,
    replacement: `$1 ${REDACTED}`,
  },
  // JSON web tokens.
  {
    hint: /eyJ/,
    pattern: /(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*/g,
    replacement: REDACTED,
  },
  // Telegram's and Discord's bot tokens.
  { hint: /\d:/, pattern: /\b\d{8,12}:[A-Za-z0-9_-]{30,}/g, replacement: REDACTED },
  {
    hint: /\.[A-Za-z0-9_-]{6}\./,
    pattern: /(?<![A-Za-z0-9_-])[A-Za-z0-9_-]{23,28}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,}/g,
    replacement: REDACTED,
  },
  {
    hint: /-----BEGIN/,
    pattern: /-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[^-]*(?:-----END [A-Z ]{0,30}PRIVATE KEY-----)?/g,
    replacement: REDACTED,
  },
  {
    hint: /:\/\//,
    pattern: /(\b[a-z][a-z0-9+.-]{1,20}:\/\/)[^\s/@:"']{1,256}:[^\s/@"']{1,256}@/gi,
    replacement: `$1${REDACTED}@`,
  },
  // Assignments in text: `apiKey: "…"`, `TOKEN=…`, also inside escaped JSON.
  {
    hint: /key|token|secret|passw|authorization/i,
    pattern:
      /((?:api[_-]?key|access[_-]?token|auth[_-]?token|refresh[_-]?token|client[_-]?secret|secret[_-]?key|private[_-]?key|password|passwd|authorization|(?<![a-z])token|(?<![a-z])secret)\\?["']?\s{0,4}[:=]\s{0,4}\\?["']?)(?!\[redacted\]|bearer\s|basic\s)[A-Za-z0-9._~+/=-]{8,}/gi,
    replacement: `$1${REDACTED}`,
  },
];

const SECRET_NAMES: ReadonlySet<string> = new Set([
  'apikey',
  'api_key',
  'auth',
  'authorization',
  'cookie',
  'credential',
  'credentials',
  'jwt',
  'passphrase',
  'passwd',
  'password',
  'private_key',
  'secret',
  'set_cookie',
  'token',
]);
const SECRET_ENDINGS = [
  'api_key',
  'apikey',
  'access_key',
  'authorization',
  'credentials',
  'passphrase',
  'password',
  'private_key',
  'secret',
  'secret_key',
  'token',
];

const MAX_DEPTH = 64;
