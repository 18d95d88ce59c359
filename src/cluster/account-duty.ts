// The name of the duty to connect one account of a chat platform, and to send to it.

export function accountDuty(channel: string, accountId: string): string {
  return `channel:${channel}:${accountId}`;
}
