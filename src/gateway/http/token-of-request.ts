// Where a request carries its token. Never in its address, which ends up in logs and histories. A browser cannot set
// headers on a WebSocket, so there the token may also be a subprotocol, encoded because those allow few characters.

export function tokenOf(headers: Headers, isSocket: boolean): string | undefined {
  const [, bearer] = /^Bearer +(\S+) *$/i.exec(headers.get('authorization') ?? '') ?? [];
  if (bearer !== undefined || !isSocket) return bearer;
  const protocols = (headers.get('sec-websocket-protocol') ?? '').split(',').map((each) => each.trim());
  const encoded = protocols.find((each) => each.startsWith(TOKEN_PROTOCOL))?.slice(TOKEN_PROTOCOL.length);
  return encoded === undefined ? undefined : Buffer.from(encoded, 'base64url').toString('utf8');
}

/** Followed by the token in base64url. The server answers with the protocol `atrium`. */
export const TOKEN_PROTOCOL = 'atrium.token.';
export const SOCKET_PROTOCOL = 'atrium';
