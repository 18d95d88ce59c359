// Embeddings of a server with an API like OpenAI's. The request goes out as the client wrote it. Some servers ignore the form
// that was asked for, so both are read.

import { isJsonObject, type JsonObject, type JsonValue } from '../../protocol/json.ts';
import {
  askForEmbeddings,
  countIn,
  type EmbeddingsAnswer,
  type EmbeddingsRequest,
  type EmbeddingsSettings,
  type MadeEmbeddings,
} from '../ask-for-embeddings.ts';
import { bearer } from './openai-compatible-model.ts';

export function makeEmbeddings(
  settings: EmbeddingsSettings,
  request: EmbeddingsRequest,
  signal: AbortSignal,
): Promise<EmbeddingsAnswer> {
  const body = { model: settings.model, ...request } as JsonObject;
  return askForEmbeddings(settings, request, { path: '/embeddings', body, keyHeader: bearer, read }, signal);
}

function read({ data, usage }: JsonObject): MadeEmbeddings | undefined {
  if (!Array.isArray(data)) return undefined;
  const tokens = isJsonObject(usage) ? countIn(usage.prompt_tokens ?? usage.total_tokens) : undefined;
  return { data: data.filter(isEmbedding), tokens };
}

function isEmbedding(value: JsonValue): value is JsonObject {
  if (!isJsonObject(value)) return false;
  const { embedding } = value;
  return (
    typeof embedding === 'string' || (Array.isArray(embedding) && embedding.every((each) => typeof each === 'number'))
  );
}
