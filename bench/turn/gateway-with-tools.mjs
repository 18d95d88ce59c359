// A program that runs a gateway from a build and brings many tools of its own; otherwise it does what `atrium start`
// does. Arguments: the folder of the build, the port, how many tools.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { manyTools } from './many-tools.mjs';

const [dist, port, count] = process.argv.slice(2);
// Builds before 0.2 had these parts in `dist` itself.
const before = ['config/environment.js', 'config/load-config.js', 'gateway/start-gateway.js'].map((file) =>
  join(dist, file),
);
const files = before.every((file) => existsSync(file)) ? before : [join(dist, '..', 'build', 'bench', 'parts.js')];
const modules = await Promise.all(files.map((file) => import(pathToFileURL(file).href)));
const { readEnvironment, loadConfig, startGateway } = Object.assign({}, ...modules);

const environment = readEnvironment();
const started = await startGateway({
  environment,
  loaded: await loadConfig({ environment }),
  warn: (sentence) => process.stderr.write(`warning: ${sentence}\n`),
  port: Number(port),
  tools: manyTools(Number(count)),
});
process.once('SIGTERM', () => started.stop().then(() => process.exit(0)));
