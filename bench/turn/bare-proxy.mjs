// The least that can stand between a client and a model: hands requests on and answers back, and does nothing else.
// `node bare-proxy.mjs <address of the model>` prints its own address.

import { Agent, createServer, request } from 'node:http';

const model = process.argv[2];
const agent = new Agent({ keepAlive: true });

const server = createServer((incoming, outgoing) => {
  const { host: _, connection: __, ...headers } = incoming.headers;
  const onward = request(model + incoming.url, { method: incoming.method, headers, agent }, (answer) => {
    outgoing.writeHead(answer.statusCode, answer.headers);
    answer.pipe(outgoing);
  });
  onward.on('error', () => outgoing.destroy());
  incoming.pipe(onward);
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));
