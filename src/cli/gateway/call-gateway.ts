// One request to a gateway from a command that talks to an agent.
//
// Errors: GatewayRefusedError with the gateway's own sentence, GatewayGoneError when nobody answers.

import { isJsonObject, type JsonObject } from '../../protocol/json.ts';
import { GatewayGoneError, GatewayRefusedError } from '../errors.ts';

export interface GatewayAddress {
  readonly url: string;
  readonly token: string;
}

export async function callGateway(
  { url, token }: GatewayAddress,
  method: 'GET' | 'POST',
  path: string,
  body?: object,
): Promise<JsonObject> {
  const { status, statusText, text } = await send(`${url}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, ...(body ? { 'content-type': 'application/json' } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const answer = parseObject(text);
  if (status < 400) return answer;
  const error = isJsonObject(answer.error ?? null) ? (answer.error as JsonObject) : {};
  throw new GatewayRefusedError({
    httpStatus: status,
    refusal: String(error.code ?? ''),
    sentence: String(error.message ?? statusText),
  });
}

async function send(url: string, init: RequestInit): Promise<{ status: number; statusText: string; text: string }> {
  try {
    const response = await fetch(url, init);
    const { status, statusText } = response;
    return { status, statusText, text: await response.text() };
  } catch (error) {
    const { cause, message } = error as Error & { cause?: NodeJS.ErrnoException };
    throw new GatewayGoneError({ detail: cause?.code ?? cause?.message ?? message });
  }
}

function parseObject(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}
