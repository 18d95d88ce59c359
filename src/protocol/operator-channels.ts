// The channels that only the operator can reach, because every client of them has the gateway's token.

const OPERATOR_CHANNELS: ReadonlySet<string> = new Set(['web', 'cli', 'api']);

export function isOperatorChannel(channel: string): boolean {
  return OPERATOR_CHANNELS.has(channel);
}
