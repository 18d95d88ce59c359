// Lists of who may write, as channel plugins keep them in their configuration. An empty list allows no sender; `*` allows
// every sender.

type Entries = readonly (string | number)[];

export function addWildcardAllowFrom(allowFrom?: Entries | null): string[] {
  return [...new Set([...trimmed(allowFrom ?? []), '*'])];
}

export function isNormalizedSenderAllowed({
  senderId,
  allowFrom,
  stripPrefixRe,
}: {
  readonly senderId: string | number;
  readonly allowFrom: Entries;
  /** Taken off the entries of the list, not off the sender. */
  readonly stripPrefixRe?: RegExp;
}): boolean {
  const [sender] = trimmed([senderId]);
  const plain = (entry: string) => (stripPrefixRe ? entry.replace(stripPrefixRe, '') : entry).trim().toLowerCase();
  const allowed = new Set(trimmed(allowFrom).map(plain));
  return allowed.has('*') || (sender !== undefined && allowed.has(sender.toLowerCase()));
}

export function resolveDirectDmAuthorizationOutcome({
  isGroup,
  dmPolicy,
  senderAllowedForCommands,
}: {
  readonly isGroup: boolean;
  readonly dmPolicy: string;
  readonly senderAllowedForCommands: boolean;
}): 'disabled' | 'unauthorized' | 'allowed' {
  const isDisabled = !isGroup && dmPolicy === 'disabled';
  if (isDisabled) return 'disabled';
  return isGroup || senderAllowedForCommands ? 'allowed' : 'unauthorized';
}

function trimmed(entries: Entries): string[] {
  return entries.map((entry) => String(entry).trim()).filter((entry) => entry !== '');
}
