// Embeddings of Google's API (batchEmbedContents), or of any server that speaks it. Only texts can be sent: tokens are of another provider's model.

import { isJsonObject, type JsonObject, type JsonValue } from '../../protocol/json.ts';
import {
  askForEmbeddings,
  countIn,
  type EmbeddingsAnswer,
  type EmbeddingsRequest,
  type EmbeddingsSettings,
} from '../ask-for-embeddings.ts';
import { googleKey, modelPath } from './google-model.ts';

export function makeEmbeddings(
  settings: EmbeddingsSettings,
  request: EmbeddingsRequest,
  signal: AbortSignal,
): Promise<EmbeddingsAnswer> {
  const { input, dimensions } = request;
  const model = modelPath(settings.model);
  const texts = (typeof input === 'string' ? [input] : input) as readonly string[];
  const requests = texts.map((text) => ({
    model,
    content: { parts: [{ text }] },
    ...(dimensions !== undefined && { outputDimensionality: dimensions }),
  }));
  const read = ({ embeddings, usageMetadata: usage }: JsonObject) => {
    if (!Array.isArray(embeddings)) return undefined;
    const data = embeddings.flatMap(valuesIn).map((vector, index) => ({
      object: 'embedding',
      index,
      embedding: vector,
    }));
    return { data, tokens: isJsonObject(usage) ? countIn(usage.promptTokenCount ?? usage.totalTokenCount) : undefined };
  };
  const dialect = { path: `/${model}:batchEmbedContents`, body: { requests }, keyHeader: googleKey, read };
  return askForEmbeddings(settings, request, dialect, signal);
}

function valuesIn(embedding: JsonValue): readonly (readonly number[])[] {
  const values = isJsonObject(embedding) ? embedding.values : undefined;
  return Array.isArray(values) && values.every((each) => typeof each === 'number') ? [values as number[]] : [];
}
