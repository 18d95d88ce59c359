// The model that a person chose for one session, with /model. It is kept in the session's row, so it holds across restarts
// and ends with the session.

import { isJsonObject, type JsonObject } from '../protocol/json.ts';
import type { SessionRow } from '../store/tables.ts';

/** The owner of what the product itself keeps in a session's state. */
const OWNER = 'atrium';

/** The name as the person wrote it; undefined when no person chose one. */
export function sessionModelOf({ state }: Pick<SessionRow, 'state'>): string | undefined {
  const own = state[OWNER];
  return isJsonObject(own) && typeof own.model === 'string' ? own.model : undefined;
}

/** The state with another choice; without a name there is none. */
export function withSessionModel({ state }: Pick<SessionRow, 'state'>, model: string | undefined): JsonObject {
  const { [OWNER]: before, ...others } = state;
  const { model: _, ...own } = isJsonObject(before) ? before : {};
  return { ...others, [OWNER]: model === undefined ? own : { ...own, model } };
}
