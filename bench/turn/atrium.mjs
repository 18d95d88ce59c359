// Our gateway as it is started by hand, on a home of its own.

import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort, startProcess } from './processes.mjs';

const TOKEN = 'bench-token-of-no-secret-at-all';

/** `settings` are laid over those that send every turn to the model. */
export async function makeAtriumHome(root, modelUrl, settings = {}) {
  const home = join(root, 'atrium');
  const state = join(home, '.openclaw');
  await mkdir(state, { recursive: true });
  const config = {
    agents: { defaults: { model: 'bench/instant', maxConcurrent: 32 } },
    models: {
      providers: {
        bench: {
          baseUrl: `${modelUrl}/v1`,
          apiKey: 'bench',
          api: 'openai-completions',
          models: [{ id: 'instant', name: 'Instant', contextWindow: 128_000, maxTokens: 8_192 }],
        },
      },
    },
    gateway: { auth: { token: TOKEN } },
    ...settings,
  };
  await writeFile(join(state, 'openclaw.json'), JSON.stringify(config));
  return home;
}

export async function startAtrium(home, dist, { nodeArgs = [], variables = {} } = {}) {
  const port = await freePort();
  const process_ = startProcess(
    process.execPath,
    [...nodeArgs, join(dist, 'cli', 'main.js'), 'start', '--port', String(port)],
    { cwd: home, env: { ...variables, PATH: process.env.PATH, HOME: home, TZ: 'UTC' } },
  );
  return placeOf(process_, port);
}

/** The same gateway in a program that brings so many tools of its own. */
export async function startAtriumWithTools(home, dist, count) {
  const port = await freePort();
  const program = join(dirname(fileURLToPath(import.meta.url)), 'gateway-with-tools.mjs');
  const process_ = startProcess(process.execPath, [program, dist, String(port), String(count)], {
    cwd: home,
    env: { PATH: process.env.PATH, HOME: home, TZ: 'UTC' },
  });
  return placeOf(process_, port);
}

function placeOf(process_, port) {
  const url = `http://127.0.0.1:${port}`;
  return { ...process_, url, readyUrl: `${url}/readyz`, token: TOKEN };
}
