// Whether `session.sendPolicy` lets the answers of a session be sent: a rule that denies wins, then one that allows, then
// the default. It is pure; the caller knows the session.

import type { Config } from './schema.ts';

export type SendPolicy = NonNullable<NonNullable<Config['session']>['sendPolicy']>;

export interface SendingSession {
  readonly sessionKey: string;
  readonly channel: string | undefined;
}

export function isSendDenied({ rules = [], default: otherwise }: SendPolicy, session: SendingSession): boolean {
  const matching = rules.filter(({ match }) => isAbout(match ?? {}, session));
  if (matching.some(({ action }) => action === 'deny')) return true;
  return matching.length === 0 && otherwise === 'deny';
}

export type SessionMatch = NonNullable<NonNullable<SendPolicy['rules']>[number]['match']>;

/** Every condition that is given must hold. */
export function isAbout(
  { channel, chatType, keyPrefix, rawKeyPrefix }: SessionMatch,
  session: SendingSession,
  kindOf: (plainKey: string) => string | undefined = chatTypeOf,
): boolean {
  const key = lowered(session.sessionKey);
  const plain = key.replace(/^agent:[^:]*:/, '');
  const [wanted, kind, prefix, rawPrefix] = [channel, chatType, keyPrefix, rawKeyPrefix].map(lowered);
  return (
    (!wanted || wanted === lowered(session.channel)) &&
    (!kind || (kind === 'dm' ? 'direct' : kind) === kindOf(plain)) &&
    (!prefix || key.startsWith(prefix) || plain.startsWith(prefix)) &&
    (!rawPrefix || key.startsWith(rawPrefix))
  );
}

export function chatTypeOf(key: string): string | undefined {
  const parts = key.split(':');
  const kind = ['group', 'channel', 'direct', 'dm'].find((each) => parts.includes(each));
  return kind === 'dm' ? 'direct' : kind;
}

function lowered(text: string | undefined): string {
  return text?.trim().toLowerCase() ?? '';
}
