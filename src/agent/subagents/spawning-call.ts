// The name of the tool call that spawned a child, as the row of the child keeps it. Only this file knows its form.

import type { JsonObject } from '../../protocol/json.ts';
import { sha256Of } from '../../protocol/sha256-of.ts';
import type { ChildRow } from '../../store/tables.ts';
import type { ToolCaller } from '../../tools/tool.ts';

/** Includes the parameters, because some providers use the same id for several calls of a run. */
export function spawningCall({ toolCallId }: Pick<ToolCaller, 'toolCallId'>, params: JsonObject): string {
  return `${toolCallId} ${sha256Of(JSON.stringify(params))}`;
}

/** The id that the provider gave to the call. */
export function spawningCallId({ call }: Pick<ChildRow, 'call'>): string {
  return call.slice(0, call.lastIndexOf(' '));
}
