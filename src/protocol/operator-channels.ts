// The channels that only the operator reaches: whoever gets through to one of them has the gateway's token.

const OPERATOR_CHANNELS: ReadonlySet<string> = new Set(['web', 'cli', 'api']);

export function isOperatorChannel(channel: string): boolean {
  return OPERATOR_CHANNELS.has(channel);
}
