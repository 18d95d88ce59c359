// The page's two ways to the gateway: requests with the token, and a socket that comes back by itself when it breaks.
// The token travels in headers and as a subprotocol, never in an address.

export const CONNECTION_SCRIPT = String.raw`
class Refused extends Error {
  constructor(status, code, message) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** With a body it is a change. */
async function ask(path, asText, body) {
  const response = await fetch(path, {
    headers: { authorization: 'Bearer ' + state.token },
    cache: 'no-store',
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (response.ok) return asText ? text : JSON.parse(text);
  let error = {};
  try { error = JSON.parse(text).error; } catch {}
  throw new Refused(response.status, error.code, error.message || 'The gateway answered with status ' + response.status + '.');
}

function base64url(text) {
  const bytes = Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join('');
  return btoa(bytes).replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');
}

const PING_MS = 20000;
const SILENCE_MS = 45000;
const LONGEST_PAUSE_MS = 8000;

/** One conversation's socket. After it was closed on purpose it stays closed. */
class Connection {
  constructor({ hello, frame, link }) {
    this.hello = hello;
    this.frame = frame;
    this.link = link;
    this.pause = 300;
    this.connect();
  }

  connect() {
    if (this.isClosed) return;
    this.link('wait', this.wasOpen ? 'Reconnecting' : 'Connecting');
    const address = location.origin.replace(/^http/, 'ws') + '/ws?channel=web';
    const socket = new WebSocket(address, ['atrium', 'atrium.token.' + base64url(state.token)]);
    this.socket = socket;
    let heard = Date.now();
    const pulse = setInterval(() => {
      if (Date.now() - heard > SILENCE_MS) socket.close();
      else this.send({ type: 'ping' });
    }, PING_MS);
    socket.onopen = () => {
      this.wasOpen = true;
      socket.send(JSON.stringify(this.hello()));
    };
    socket.onmessage = ({ data }) => {
      heard = Date.now();
      const frame = JSON.parse(data);
      if (frame.type === 'ready') {
        this.pause = 300;
        this.link('on', 'Connected');
      }
      if (!this.isClosed) this.frame(frame);
    };
    socket.onclose = () => {
      clearInterval(pulse);
      if (this.isClosed || this.socket !== socket) return;
      this.link('wait', 'Reconnecting');
      setTimeout(() => this.connect(), this.pause * (0.7 + Math.random() * 0.6));
      this.pause = Math.min(LONGEST_PAUSE_MS, this.pause * 2);
    };
  }

  /** False when nobody is there to hear it. */
  send(frame) {
    if (this.socket.readyState !== WebSocket.OPEN) return false;
    this.socket.send(JSON.stringify(frame));
    return true;
  }

  close() {
    this.isClosed = true;
    this.socket.close();
  }
}
`;
