// A program that runs a gateway and brings its own handlers, in a process of its own. It does what `atrium start` does,
// from the built product; what it adds stands in the module that it is given: `register(hooks)`, `ready(started)` and
// `now()`, each of them optional.

import { formatBanner } from '../../dist/cli/format-banner.js';
import { readEnvironment } from '../../dist/config/environment.js';
import { loadConfig } from '../../dist/config/load-config.js';
import { startGateway } from '../../dist/gateway/start-gateway.js';

const [addition] = process.argv.slice(2);
const { register, ready, now } = await import(addition);
const environment = readEnvironment();
const started = await startGateway({
  environment,
  loaded: await loadConfig({ environment }),
  warn: (sentence) => process.stderr.write(`warning: ${sentence}\n`),
  port: 0,
  register,
  now,
});
process.once('SIGTERM', () => started.stop().then(() => process.exit(0)));
process.stdout.write(await formatBanner(started));
await ready?.(started);
