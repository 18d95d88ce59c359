// One line for each request to a model and one for each answer, for the log of the gateway. Names and sizes only, unless
// the whole payload is asked for; then it is shown without secrets.

import type { ModelPayloadLevel } from '../protocol/debug-log.ts';
import { isJsonObject, type JsonValue } from '../protocol/json.ts';
import type { RecordedModelCall } from '../protocol/recorded-fact.ts';
import { talkOf } from './cache-prefix.ts';
import { BUILT_IN_REDACTOR, type Redactor } from './redactor.ts';
import type { TraceContext } from './trajectory.ts';

export function describeRequest(
  context: TraceContext,
  call: number,
  body: string,
  level: ModelPayloadLevel,
  redactor: Redactor = BUILT_IN_REDACTOR,
): string {
  const payload = parsedBody(body);
  const request = isJsonObject(payload) ? payload : {};
  const messages = talkOf(request);
  const tools = listOf(request.tools).flatMap((tool) =>
    isJsonObject(tool) && tool.functionDeclarations ? listOf(tool.functionDeclarations) : [tool],
  );
  const { system = request.systemInstruction } = request;
  const facts = [
    `${context.provider}/${context.modelId}`,
    `${Buffer.byteLength(body)} bytes`,
    ...(system === undefined ? [] : [`system ${sizeOf(system)} bytes`]),
    `${messages.length} messages${rolesOf(messages)}`,
    `${tools.length} tools`,
  ];
  const line = `Model request ${context.runId} call ${call}: ${facts.join(', ')}`;
  if (level === 'tools') {
    return `${line}: ${tools.map((tool) => `${redactor.text(toolNameOf(tool))} (${sizeOf(tool)} bytes)`).join(', ')}`;
  }
  return level === 'full-redacted' ? `${line}; payload ${JSON.stringify(redactor.value(payload))}` : line;
}

export function describeAnswer(
  context: TraceContext,
  answer: RecordedModelCall,
  level: ModelPayloadLevel,
  redactor: Redactor = BUILT_IN_REDACTOR,
): string {
  const { call, stop, usage, ms, error, text = '', toolCalls = [] } = answer;
  const calls = toolCalls.map(({ name }) => redactor.text(name)).join(', ');
  const facts = [
    stop,
    `${ms} ms`,
    `${usage.input} tokens in (${usage.cacheRead} read from the cache, ${usage.cacheWrite} written to it)`,
    `${usage.output} out`,
    `${text.length} characters`,
    ...(toolCalls.length === 0 ? [] : [`calls ${calls}`]),
    ...(error === undefined ? [] : [`error ${redactor.text(error)}`]),
  ];
  const line = `Model answer ${context.runId} call ${call}: ${facts.join(', ')}`;
  if (level !== 'full-redacted') return line;
  const whole = parsedBody(JSON.stringify({ text, toolCalls }));
  return `${line}; answer ${JSON.stringify(redactor.value(whole))}`;
}

/** The value of a JSON text, or the text itself when it is none. */
export function parsedBody(text: string): JsonValue {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) || Array.isArray(value) ? (value as JsonValue) : text;
  } catch {
    return text;
  }
}

function rolesOf(messages: readonly JsonValue[]): string {
  const counts = new Map<string, number>();
  for (const message of messages) {
    const role = isJsonObject(message) && typeof message.role === 'string' ? message.role : 'other';
    counts.set(role, (counts.get(role) ?? 0) + 1);
  }
  return counts.size === 0 ? '' : ` (${[...counts].map(([role, count]) => `${role} ${count}`).join(', ')})`;
}

/** Providers write the name of a tool beside its schema, or one level below. */
function toolNameOf(tool: JsonValue): string {
  if (!isJsonObject(tool)) return 'unnamed';
  const { name = isJsonObject(tool.function) ? tool.function.name : undefined } = tool;
  return typeof name === 'string' ? name : 'unnamed';
}

function sizeOf(value: JsonValue): number {
  return Buffer.byteLength(JSON.stringify(value));
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}
