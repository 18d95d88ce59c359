// OpenClaw, for comparison: installed into a folder that is thrown away, with a Node that it supports, and configured for
// the same model and the same work.

import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort, startProcess } from './processes.mjs';

/** The newest, and the one that `conformance/` compares with. */
export const OPENCLAW_VERSIONS = ['latest', '2026.5.19'];
const NODE = 'node@24';
const INSTALL_LIMIT_MS = 900_000;
const TOKEN = 'bench-token-of-no-secret-at-all';

/** Returns the folder of the installation. */
export async function installOpenClaw(root, version) {
  const folder = join(root, 'openclaw-package');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), '{"private":true}');
  // Its scripts refuse an older Node while it is installed, so the Node that it runs with has to be there first.
  for (const name of [NODE, `openclaw@${version}`]) {
    const args = ['install', '--no-audit', '--no-fund', '--loglevel=error', name];
    await promisify(execFile)('npm', args, { cwd: folder, timeout: INSTALL_LIMIT_MS });
  }
  return folder;
}

export async function makeOpenClawHome(root, modelUrl) {
  const home = join(root, 'openclaw');
  const state = join(home, '.openclaw');
  await mkdir(state, { recursive: true });
  await mkdir(join(home, 'tmp'));
  const config = {
    agents: {
      defaults: { workspace: join(home, 'workspace'), model: { primary: 'bench/instant' }, maxConcurrent: 32 },
    },
    models: {
      mode: 'replace',
      providers: {
        bench: {
          baseUrl: `${modelUrl}/v1`,
          apiKey: 'bench',
          api: 'openai-completions',
          models: [{ id: 'instant', name: 'Instant', contextWindow: 128_000, maxTokens: 8_192 }],
        },
      },
    },
    logging: { file: join(home, 'openclaw.log') },
    gateway: {
      mode: 'local',
      bind: 'loopback',
      auth: { mode: 'token', token: TOKEN },
      http: { endpoints: { chatCompletions: { enabled: true } } },
    },
  };
  await writeFile(join(state, 'openclaw.json'), JSON.stringify(config));
  return home;
}

export async function startOpenClaw(home, folder) {
  const port = await freePort();
  const bin = join(folder, 'node_modules', '.bin');
  const started = startProcess(
    join(folder, 'node_modules', 'node', 'bin', 'node'),
    [join(folder, 'node_modules', 'openclaw', 'openclaw.mjs'), 'gateway', 'run', '--port', String(port)],
    {
      cwd: home,
      env: { PATH: `${bin}:${process.env.PATH}`, HOME: home, TMPDIR: join(home, 'tmp'), TZ: 'UTC', CI: '1' },
    },
  );
  const url = `http://127.0.0.1:${port}`;
  return { ...started, url, readyUrl: `${url}/readyz`, token: TOKEN };
}
