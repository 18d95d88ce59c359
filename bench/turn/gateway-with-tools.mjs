// A program that runs a gateway from a build and brings many tools of its own; otherwise it does what `atrium start`
// does. Arguments: the folder of the build, the port, how many tools.

import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { manyTools } from './many-tools.mjs';

const [dist, port, count] = process.argv.slice(2);
const load = (file) => import(pathToFileURL(join(dist, file)).href);
const { readEnvironment } = await load('config/environment.js');
const { loadConfig } = await load('config/load-config.js');
const { startGateway } = await load('gateway/start-gateway.js');

const environment = readEnvironment();
const started = await startGateway({
  environment,
  loaded: await loadConfig({ environment }),
  warn: (sentence) => process.stderr.write(`warning: ${sentence}\n`),
  port: Number(port),
  tools: manyTools(Number(count)),
});
process.once('SIGTERM', () => started.stop().then(() => process.exit(0)));
