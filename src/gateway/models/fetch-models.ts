// Asks a provider for its own list of models, in the form of its protocol, page by page. Only names, windows and limits
// are taken; prices are not. Redirects are not followed, because a key must not be sent to another host. Never rejects:
// what went wrong is one sentence without secrets.

import type { LearnedModel } from '../../config/learned-models.ts';
import type { ProviderSettings } from '../../config/model-provider.ts';
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '../../protocol/json.ts';
import { errorText, oneLine } from '../../protocol/one-line.ts';

export type FetchedModels = { readonly models: readonly LearnedModel[] } | { readonly problem: string };

const TIMEOUT_MS = 20_000;
const MOST_PAGES = 20;
const MOST_BYTES = 16 * 1024 * 1024;
const LONGEST_REASON = 200;

export async function fetchModels(settings: ProviderSettings): Promise<FetchedModels> {
  const models: LearnedModel[] = [];
  let next: string | undefined = firstPage(settings);
  try {
    for (let page = 0; next !== undefined && page < MOST_PAGES; page += 1) {
      const body: JsonObject | readonly JsonValue[] = await getJson(next, headersOf(settings));
      const list = isJsonObject(body) ? (body.data ?? body.models) : body;
      if (!Array.isArray(list)) throw new Error('its answer has no list of models');
      models.push(...list.flatMap(modelOf));
      next = isJsonObject(body) ? nextPage(settings, body) : undefined;
    }
  } catch (error) {
    return { problem: oneLine(`${settings.name} gave no list: ${withoutSecrets(reasonOf(error), settings)}`, 300) };
  }
  return { models: [...new Map(models.map((model) => [model.id, model])).values()] };
}

function firstPage({ api, baseUrl }: ProviderSettings): string {
  const url = withoutLogin(baseUrl);
  if (api === 'anthropic-messages') return `${url}/models?limit=1000`;
  return api === 'google-generative-ai' ? `${url}/models?pageSize=1000` : `${url}/models`;
}

function nextPage({ api, baseUrl }: ProviderSettings, body: JsonObject): string | undefined {
  const url = withoutLogin(baseUrl);
  if (api === 'anthropic-messages' && body.has_more === true && typeof body.last_id === 'string')
    return `${url}/models?limit=1000&after_id=${encodeURIComponent(body.last_id)}`;
  if (api === 'google-generative-ai' && typeof body.nextPageToken === 'string' && body.nextPageToken !== '')
    return `${url}/models?pageSize=1000&pageToken=${encodeURIComponent(body.nextPageToken)}`;
  return undefined;
}

function headersOf({ api, apiKey, headers, baseUrl }: ProviderSettings): Record<string, string> {
  const { username, password } = new URL(baseUrl);
  const login = username || password ? `${decodeURIComponent(username)}:${decodeURIComponent(password)}` : undefined;
  return {
    accept: 'application/json',
    ...(login === undefined ? {} : { authorization: `Basic ${Buffer.from(login).toString('base64')}` }),
    ...(api === 'anthropic-messages' ? { 'anthropic-version': '2023-06-01' } : {}),
    ...(apiKey === undefined ? {} : keyHeader(api, apiKey)),
    ...headers,
  };
}

function keyHeader(api: ProviderSettings['api'], apiKey: string): Record<string, string> {
  if (api === 'anthropic-messages') return { 'x-api-key': apiKey };
  return api === 'google-generative-ai' ? { 'x-goog-api-key': apiKey } : { authorization: `Bearer ${apiKey}` };
}

function withoutLogin(baseUrl: string): string {
  const url = new URL(baseUrl);
  url.username = '';
  url.password = '';
  return url.toString().replace(/\/+$/, '');
}

/** Most providers put their list into an object; Together sends the list alone. */
async function getJson(url: string, headers: Record<string, string>): Promise<JsonObject | readonly JsonValue[]> {
  const response = await fetch(url, { headers, redirect: 'manual', signal: AbortSignal.timeout(TIMEOUT_MS) });
  const text = await boundedText(response);
  const body = parseJson(text);
  if (response.status !== 200) {
    const told = isJsonObject(body) && isJsonObject(body.error) ? body.error.message : undefined;
    throw new Error(`it answered ${response.status}${typeof told === 'string' ? `: ${told}` : ''}`);
  }
  if (isJsonObject(body) || Array.isArray(body)) return body;
  throw new Error('its answer is no JSON');
}

async function boundedText(response: Response): Promise<string> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of response.body ?? []) {
    bytes += piece.length;
    if (bytes > MOST_BYTES) throw new Error('its answer is too long');
    pieces.push(Buffer.from(piece));
  }
  return Buffer.concat(pieces).toString('utf8');
}

/** Servers name a window in several ways. What is no model that can be talked to, as far as the list says, is left out. */
function modelOf(value: JsonValue): LearnedModel[] {
  if (!isJsonObject(value)) return [];
  const { supportedGenerationMethods: methods, capabilities, type } = value;
  if (Array.isArray(methods) && !methods.includes('generateContent')) return [];
  if (isJsonObject(capabilities) && capabilities.completion_chat === false) return [];
  if (typeof type === 'string' && SILENT_TYPES.has(type)) return [];
  const name = value.id ?? value.name;
  const id = typeof name === 'string' ? name.replace(/^models\//, '').trim() : '';
  if (id === '' || id.length > 200) return [];
  const contextWindow = countIn(value, [
    ...['context_length', 'context_window', 'max_context_length', 'max_model_len', 'inputTokenLimit'],
    'max_input_tokens',
  ]);
  const maxTokens = countIn(value, ['max_completion_tokens', 'max_output_tokens', 'outputTokenLimit', 'max_tokens']);
  return [{ id, ...(contextWindow && { contextWindow }), ...(maxTokens && { maxTokens }) }];
}

const SILENT_TYPES: ReadonlySet<string> = new Set([
  ...['audio', 'embedding', 'image', 'moderation', 'rerank', 'transcribe', 'video'],
]);

function countIn(value: JsonObject, names: readonly string[]): number | undefined {
  const found = names.map((name) => value[name]).find((count) => typeof count === 'number' && count > 0);
  return typeof found === 'number' && Number.isSafeInteger(found) ? found : undefined;
}

function reasonOf(error: unknown): string {
  const { name, cause } = error as { name?: string; cause?: { code?: string; message?: string } };
  if (name === 'TimeoutError') return `it was silent for ${TIMEOUT_MS / 1000} seconds`;
  if (cause) return `it cannot be reached (${cause.code ?? cause.message ?? 'no reason is given'})`;
  return oneLine(errorText(error), LONGEST_REASON);
}

function withoutSecrets(text: string, { apiKey, headers }: ProviderSettings): string {
  const secrets = [...Object.values(headers), ...(apiKey === undefined ? [] : [apiKey])].filter(
    (secret) => secret.length >= 4,
  );
  return secrets.reduce((safe, secret) => safe.replaceAll(secret, '[redacted]'), text);
}
