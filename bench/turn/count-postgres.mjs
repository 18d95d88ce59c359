// Loaded into a gateway with `--import`: counts what it sends to Postgres, and writes it to the file named by COUNT_POSTGRES_FILE whenever
// it gets SIGUSR2. A build is CommonJS, so what it asks for by name goes through Node's loader of that kind.

import { writeFileSync } from 'node:fs';
import Module from 'node:module';

const counts = new Map();
const load = Module._load;
Module._load = function loadCounting(request, ...rest) {
  const loaded = load.call(this, request, ...rest);
  if (request === 'pg' && !loaded.Client.prototype.isCounted) count(loaded.Client.prototype);
  return loaded;
};

function count(client) {
  const query = client.query;
  client.isCounted = true;
  client.query = function counted(asked, ...rest) {
    const text = (asked?.text ?? String(asked)).replace(/\s+/g, ' ').slice(0, 120);
    counts.set(text, (counts.get(text) ?? 0) + 1);
    return query.call(this, asked, ...rest);
  };
}

process.on('SIGUSR2', () => writeFileSync(process.env.COUNT_POSTGRES_FILE, JSON.stringify([...counts])));
