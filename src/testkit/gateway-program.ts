// A program that runs a gateway with its own handlers, in its own process. It does what `atrium start` does; its
// additions are in the module that it is given: `register(hooks)`, `ready(started)` and `now()`, each of them optional.
// It is built into `build/`, because a process that compiles first takes ten times as long to start.

import { formatBanner } from '../cli/gateway/format-banner.ts';
import { readEnvironment } from '../config/environment.ts';
import { loadConfig } from '../config/load-config.ts';
import { startGateway } from '../gateway/start-gateway.ts';

const [addition = ''] = process.argv.slice(2);
const { register, ready, now } = await import(addition);
const environment = readEnvironment();
const loaded = await loadConfig({ environment });
const started = await startGateway({
  environment,
  loaded,
  warn: (sentence) => process.stderr.write(`warning: ${sentence}\n`),
  port: 0,
  register,
  now,
});
process.once('SIGTERM', () => started.stop().then(() => process.exit(0)));
process.stdout.write(await formatBanner({ ...started, told: loaded.warnings.map(({ message }) => message) }));
await ready?.(started);
