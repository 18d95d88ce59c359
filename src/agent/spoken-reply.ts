// Turns a model's reply into the text for people: an agent may answer with a token that means that it does not want to
// reply, and then nothing is sent.

import type { Inbound } from '../protocol/inbound.ts';
import type { TriggerKind } from '../store/tables.ts';

/** An agent that answers with only this token does not want to reply. */
const SILENCE = 'NO_REPLY';

/** At the beginning or the end of a heartbeat's answer it means that nothing needs attention. */
export const HEARTBEAT_TOKEN = 'HEARTBEAT_OK';

const DEFAULT_ACK_MAX_CHARS = 300;

/** Gives an empty string when the agent chose not to reply. */
export function spokenReply(run: { readonly kind: TriggerKind; readonly inbound: Inbound }, reply: string): string {
  if (reply.trim() === SILENCE) return '';
  const given = run.inbound.metadata?.ackMaxChars;
  // A webhook wakes an agent as a heartbeat does.
  const isBeat = run.kind === 'heartbeat' || (run.kind === 'webhook' && given !== undefined);
  const rest = isBeat ? withoutToken(reply) : undefined;
  if (rest === undefined) return reply;
  return rest.length <= (typeof given === 'number' ? given : DEFAULT_ACK_MAX_CHARS) ? '' : rest;
}

/** Models may write the token in bold or with a full stop. Undefined when the reply does not have the token. */
function withoutToken(reply: string): string | undefined {
  const text = reply.trim();
  const leading = new RegExp(`^[*_\`"']*${HEARTBEAT_TOKEN}(?![A-Za-z0-9_])[*_\`"']*[.!,:]?`);
  const trailing = new RegExp(`(?<![A-Za-z0-9_])[*_\`"']*${HEARTBEAT_TOKEN}[*_\`"']*[.!]?$`);
  const rest = text.replace(leading, '').trim().replace(trailing, '').trim();
  return rest === text ? undefined : rest;
}
