// The name of the advisory lock that the transactions of a member hold. The node that expels the member finds by it which
// backends still have one of its transactions open.

export function memberLockName(schema: string, memberId: string): string {
  return `atrium ${schema} member ${memberId}`;
}
