// Builds a copy of the project, starts a gateway from it, changes a source that everything imports, and builds again:
// the gateway must go on with what it first needs after that, and `atrium` must start at every moment of the build.

import { spawn } from 'node:child_process';
import { cp, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { GatewayProcess } from '../src/testkit/gateway-process.ts';
import { reply } from '../src/testkit/model-server.ts';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const COPIED = [
  'src',
  'extensions',
  'console',
  'scripts',
  'examples',
  'package.json',
  'tsconfig.json',
  'tsconfig.types.json',
];

async function copyProject(): Promise<string> {
  const copy = await mkdtemp(join(tmpdir(), 'atrium-copy-'));
  onTestFinished(() => rm(copy, { recursive: true }));
  const filter = (path: string) => !path.endsWith('.test.ts');
  for (const name of COPIED) await cp(join(root, name), join(copy, name), { recursive: true, filter });
  await symlink(join(root, 'node_modules'), join(copy, 'node_modules'));
  return copy;
}

async function run(args: readonly string[], cwd: string): Promise<{ code: number | null; out: string }> {
  const child = spawn(process.execPath, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  let out = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (out += text));
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, out };
}

const build = (copy: string) => run(['node_modules/jiti/lib/jiti-cli.mjs', 'scripts/build.ts', '--only', 'dist'], copy);
const version = (copy: string) => run(['dist/cli/main.js', '--version'], copy);

it('a build disturbs neither a gateway that runs from the folder nor one that is being started', async () => {
  const copy = await copyProject();
  expect(await build(copy)).toEqual({ code: 0, out: '' });
  expect(await version(copy)).toEqual({ code: 0, out: '0.1.0\n' });

  const gateway = await GatewayProcess.create();
  onTestFinished(() => gateway.close());
  expect(await gateway.start({ command: join(copy, 'dist', 'cli', 'main.js') })).toBe('ready');

  const source = join(copy, 'src', 'protocol', 'version.ts');
  await writeFile(source, (await readFile(source, 'utf8')).replace('0.1.0', '0.1.0-next'));
  let isBuilding = true;
  const built = build(copy).finally(() => {
    isBuilding = false;
  });
  const starts: { code: number | null; out: string }[] = [];
  while (isBuilding) starts.push(await version(copy));
  expect(await built).toEqual({ code: 0, out: '' });
  starts.push(await version(copy));
  expect(starts.filter(({ code, out }) => code !== 0 || !/^0\.1\.0(-next)?\n$/.test(out))).toEqual([]);
  expect(starts.at(-1)?.out).toBe('0.1.0-next\n');
  expect(await readdir(join(copy, 'dist', 'builds'))).toHaveLength(2);

  // Each of these is imported when it is first needed, and nothing of the new build is mixed in.
  gateway.model.script(() => reply('still here'));
  const asked = { model: 'atrium', messages: [{ role: 'user', content: 'Are you there?' }] };
  const answer = await gateway.json<{ choices: unknown[] }>('/v1/chat/completions', { body: asked });
  expect(answer.choices).toMatchObject([{ message: { content: 'still here' } }]);
  expect(await (await gateway.fetch('/')).text()).toContain('<html');
  const description = await gateway.json<{ info: { version: string } }>('/openapi.json');
  expect(description.info.version).toBe('0.1.0');
  expect(gateway.err).not.toContain('ERR_MODULE_NOT_FOUND');
}, 240_000);
