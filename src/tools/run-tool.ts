// Runs one tool call and makes a result of whatever happens: never throws, never waits longer than its time, never
// returns more than its bound. A tool may be a plugin's, so everything that it returns is checked.
//
// Result: an error result for parameters that make no sense, for a throw, for a call that overran or was stopped, and
// for an answer that is none. The tool's signal is aborted in the two cases where its answer is no longer awaited.

import { countOf } from '../protocol/count-of.ts';
import { isAtriumError } from '../protocol/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../protocol/json.ts';
import { oneLine } from '../protocol/one-line.ts';
import { boundDetails } from './bound-details.ts';
import { checkParams } from './check-params.ts';
import { ToolInputError } from './errors.ts';
import type { Tool, ToolContext, ToolOutput } from './tool.ts';

export interface RunToolOptions {
  readonly timeoutMs?: number | undefined;
  /** Of the content, the marker of a cut included. */
  readonly maxChars?: number | undefined;
}

const DEFAULT_TOOL_TIMEOUT_MS = 120_000;
const DEFAULT_TOOL_MAX_CHARS = 50_000;
const MAX_ERROR_CHARS = 1_000;
/** Handlers may see this much; far less is stored. */
const MAX_SHOWN_DETAILS_BYTES = 256 * 1024;

export async function runTool(
  tool: Tool,
  params: JsonValue,
  context: ToolContext,
  options: RunToolOptions = {},
): Promise<ToolOutput> {
  const { timeoutMs = tool.timeoutMs ?? DEFAULT_TOOL_TIMEOUT_MS } = options;
  const { maxChars = tool.maxChars ?? DEFAULT_TOOL_MAX_CHARS } = options;
  try {
    const problems = await checkParams(tool, params);
    if (!isJsonObject(params)) throw new ToolInputError({ tool: tool.name, problems: ['They must be a JSON object.'] });
    if (problems.length > 0) throw new ToolInputError({ tool: tool.name, problems });
    return boundOutput(await runInTime(tool, params, context, timeoutMs), tool, maxChars);
  } catch (error) {
    return failure(error, maxChars);
  }
}

async function runInTime(tool: Tool, params: JsonObject, context: ToolContext, timeoutMs: number): Promise<unknown> {
  const controller = new AbortController();
  const end = deferred();
  const giveUp = (reason: Error) => {
    // The rejection comes first, so that the tool's own error at the signal does not replace it.
    end.reject(reason);
    controller.abort(reason);
  };
  const stop = () => giveUp(new Error('The call was stopped before it ended; what it had done by then is not known.'));
  const timer = setTimeout(() => {
    const seconds = timeoutMs / 1000;
    giveUp(
      new Error(`The call was given up after ${countOf(seconds, 'second')}; what it had done by then is not known.`),
    );
  }, timeoutMs);
  context.signal.addEventListener('abort', stop, { once: true });
  try {
    if (context.signal.aborted) throw new Error('The call was stopped before it began.');
    const running = Promise.resolve(tool.run(params, { ...context, signal: controller.signal }));
    return await Promise.race([end.promise, running]);
  } finally {
    clearTimeout(timer);
    context.signal.removeEventListener('abort', stop);
    // It may be rejected when nothing waits for it any more.
    end.promise.catch(() => undefined);
  }
}

function boundOutput(output: unknown, tool: Tool, maxChars: number): ToolOutput {
  if (typeof output !== 'object' || output === null) throw new Error('The tool returned nothing that can be read.');
  const { content, isError, details, writes } = output as Partial<ToolOutput>;
  if (typeof content !== 'string') throw new Error('The tool returned no text.');
  return {
    content: boundContent(content, tool, maxChars),
    ...(isError === true ? { isError } : {}),
    ...(details === undefined ? {} : { details: boundDetails(details, MAX_SHOWN_DETAILS_BYTES) }),
    // A plugin's tool must not write to the store.
    ...(writes === undefined || tool.owner !== undefined ? {} : { writes }),
  };
}

function boundContent(content: string, tool: Tool, maxChars: number): string {
  if (content.length <= maxChars) return content;
  const properties = isJsonObject(tool.parameters.properties) ? Object.keys(tool.parameters.properties) : [];
  const handles = ['offset', 'limit'].filter((name) => properties.includes(name));
  const rest = handles.length > 0 ? `with ${handles.join(' and ')}` : 'by narrowing the call';
  const marker = (kept: number) =>
    `\n[The first ${kept} of ${content.length} characters; ${content.length - kept} were cut. Get the rest ${rest}.]`;
  // Both numbers of the marker may be as long as the length itself.
  const room = maxChars - marker(content.length).length - String(content.length).length;
  const kept = content.slice(0, Math.max(0, room)).replace(/[\ud800-\udbff]$/, '');
  return `${kept}${marker(kept.length)}`;
}

function failure(error: unknown, maxChars: number): ToolOutput {
  const code = isAtriumError(error) ? error.code : undefined;
  const content = oneLine(error, Math.min(MAX_ERROR_CHARS, maxChars)) || 'The tool failed without saying why.';
  return { content, isError: true, ...(code === undefined ? {} : { details: { code } }) };
}

function deferred() {
  let reject: (reason: Error) => void = () => undefined;
  const promise = new Promise<never>((_, refuse) => {
    reject = refuse;
  });
  return { promise, reject };
}
