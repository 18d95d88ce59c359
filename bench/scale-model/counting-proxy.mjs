// A door in front of a Postgres server that counts what goes through: round trips (a client that speaks after the server
// has answered), statements by their text, commits, and notifications that the server hands out. It changes nothing.

import { connect, createServer } from 'node:net';

export async function startCountingProxy(socketPath) {
  const counts = {
    roundTrips: 0,
    statements: 0,
    commits: 0,
    notifySent: 0,
    notifyDelivered: 0,
    bytesIn: 0,
    bytesOut: 0,
  };
  const server = createServer((client) => {
    const database = connect(socketPath);
    let lastToSpeak = 'server';
    const named = new Map();
    const fromClient = messageReader({ hasStart: true }, (type, body) => {
      if (type === 'P') {
        const [name, text] = textsIn(body);
        named.set(name, text);
      } else if (type === 'B') count(named.get(textsIn(body)[1]) ?? '');
      else if (type === 'Q') count(textsIn(body)[0]);
    });
    const fromServer = messageReader({ hasStart: false }, (type) => {
      if (type === 'A') counts.notifyDelivered += 1;
    });
    client.on('data', (bytes) => {
      if (lastToSpeak === 'server') counts.roundTrips += 1;
      lastToSpeak = 'client';
      counts.bytesIn += bytes.length;
      fromClient(bytes);
      database.write(bytes);
    });
    database.on('data', (bytes) => {
      lastToSpeak = 'server';
      counts.bytesOut += bytes.length;
      fromServer(bytes);
      client.write(bytes);
    });
    for (const [one, other] of [
      [client, database],
      [database, client],
    ]) {
      one.on('error', () => other.destroy());
      one.on('close', () => other.destroy());
    }
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { port: server.address().port, read: () => ({ ...counts }), close: () => server.close() };

  function count(text) {
    counts.statements += 1;
    if (/^\s*commit/i.test(text)) counts.commits += 1;
    if (/\bpg_notify\s*\(|^\s*notify\b/i.test(text)) counts.notifySent += 1;
  }
}

/** Cuts a stream into the messages of Postgres: a letter, a length and a body. The first of a client has no letter. */
function messageReader({ hasStart }, tell) {
  let rest = Buffer.alloc(0);
  let isStarted = !hasStart;
  return (bytes) => {
    rest = rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
    for (;;) {
      const at = isStarted ? 1 : 0;
      if (rest.length < at + 4) return;
      const end = at + rest.readUInt32BE(at);
      if (rest.length < end) return;
      if (isStarted) tell(String.fromCharCode(rest[0]), rest.subarray(at + 4, end));
      isStarted = true;
      rest = rest.subarray(end);
    }
  };
}

/** The texts of a message, each of which ends with a zero. */
function textsIn(body) {
  return body.toString('latin1').split('\0');
}
