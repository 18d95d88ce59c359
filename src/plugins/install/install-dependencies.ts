// Fetches what a package depends on into its own `node_modules`. npm works in a folder of ours with a package.json of
// ours: no script runs, no settings of the package count, and the host that plugins name as a peer is not fetched, because
// the gateway takes its place. Only the registry is a source: a dependency on a folder, an address or a repository is refused.

import { lstat, mkdir, readdir, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isInside } from '../../hooks/packs/contained-file.ts';
import { isJsonObject, type JsonObject } from '../../protocol/json.ts';
import { DependencyRefusedError } from '../errors.ts';
import { DEPENDENCY_LIMITS, TreeMeter } from './package-tree.ts';
import { type NpmEnvironment, runNpm } from './run-npm.ts';

export interface InstalledDependencies {
  readonly count: number;
  /** Those that have install scripts, which were not run. */
  readonly withScripts: readonly string[];
}

export async function installDependencies(
  dir: string,
  packageJson: JsonObject,
  stagingDir: string,
  npm: NpmEnvironment,
): Promise<InstalledDependencies> {
  const { needed, optional } = await dependenciesOf(dir, packageJson);
  if (Object.keys(needed).length + Object.keys(optional).length === 0) return { count: 0, withScripts: [] };
  const cwd = join(stagingDir, 'dependencies');
  await mkdir(join(cwd, 'host'), { recursive: true, mode: 0o700 });
  await writeFile(join(cwd, 'host', 'package.json'), JSON.stringify({ name: 'host', version: '9999.0.0' }));
  await writeFile(
    join(cwd, 'package.json'),
    JSON.stringify({
      name: 'staging',
      private: true,
      dependencies: needed,
      optionalDependencies: optional,
      // A dependency of a dependency may want the host as well.
      overrides: Object.fromEntries(HOST_NAMES.map((name) => [name, 'file:./host'])),
    }),
  );
  await runNpm({
    ...npm,
    cwd,
    task: 'fetch the dependencies, and nothing was installed',
    args: ['install', '--omit=dev', '--legacy-peer-deps', '--no-package-lock'],
  });
  const modules = join(cwd, 'node_modules');
  for (const name of [...HOST_NAMES, '.bin']) await rm(join(modules, name), { recursive: true, force: true });
  await checkTree(modules);
  const told = await readHiddenLock(modules);
  await moveModules(modules, join(dir, 'node_modules'));
  return told;
}

/** What the gateway provides itself, under every name that it has been published by. */
const HOST_NAMES: readonly string[] = ['openclaw', 'clawdbot', 'moltbot', 'atrium'];

type Ranges = Readonly<Record<string, string>>;

/** Names of what would be fetched, for people. */
export function dependencyNames(packageJson: JsonObject): readonly string[] {
  const { dependencies, optionalDependencies } = packageJson;
  const names = [dependencies, optionalDependencies].flatMap((each) => (isJsonObject(each) ? Object.keys(each) : []));
  return [...new Set(names)].filter((name) => !HOST_NAMES.includes(name)).sort();
}

async function dependenciesOf(dir: string, packageJson: JsonObject): Promise<{ needed: Ranges; optional: Ranges }> {
  const { dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta } = packageJson;
  const meta = isJsonObject(peerDependenciesMeta) ? peerDependenciesMeta : {};
  const isOptionalPeer = (name: string) => isJsonObject(meta[name]) && meta[name].optional === true;
  const optional = rangesOf(optionalDependencies);
  // A peer that no other package brings has to be installed.
  const peers = Object.entries(rangesOf(peerDependencies)).filter(([name]) => !isOptionalPeer(name));
  const needed = { ...Object.fromEntries(peers), ...rangesOf(dependencies) };
  const isBundled = async (name: string) =>
    (await stat(join(dir, 'node_modules', name)).catch(() => undefined)) !== undefined;
  for (const name of Object.keys({ ...needed, ...optional })) {
    if (!(await isBundled(name))) continue;
    delete needed[name];
    delete optional[name];
  }
  for (const name of Object.keys(optional)) delete needed[name];
  return { needed, optional };
}

const PACKAGE_NAME = /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~_-][a-z0-9._~-]*$/i;
/** Ranges, tags, and another name for a package of the registry. */
const REGISTRY_RANGE = /^(?:npm:(?:@[a-z0-9._~-]+\/)?[a-z0-9._~-]+(?:@[\w.^~<>=|* +-]*)?|[\w.^~<>=|* +-]*)$/i;

function rangesOf(value: unknown): Record<string, string> {
  const ranges: Record<string, string> = {};
  for (const [name, range] of Object.entries(isJsonObject(value) ? value : {})) {
    if (HOST_NAMES.includes(name)) continue;
    if (!PACKAGE_NAME.test(name))
      throw new DependencyRefusedError({ dependency: name.slice(0, 200), problem: 'it has no name that npm knows' });
    if (typeof range !== 'string' || !REGISTRY_RANGE.test(range)) {
      throw new DependencyRefusedError({
        dependency: name,
        problem: `it comes from ${JSON.stringify(range).slice(0, 200)}`,
      });
    }
    ranges[name] = range;
  }
  return ranges;
}

/** No link leads out, and there is not too much of it. */
async function checkTree(modules: string): Promise<void> {
  const root = await realpath(modules).catch(() => undefined);
  if (root === undefined) return;
  const meter = new TreeMeter(DEPENDENCY_LIMITS);
  const check = async (dir: string, prefix: string): Promise<void> => {
    for (const name of await readdir(dir)) {
      const path = join(dir, name);
      const entry = await lstat(path);
      const problem = meter.problemWith(prefix + name, entry.isFile() ? entry.size : 0);
      if (problem !== undefined) throw new DependencyRefusedError({ dependency: 'node_modules', problem });
      if (entry.isDirectory()) await check(path, `${prefix}${name}/`);
      else if (entry.isSymbolicLink()) {
        const target = await realpath(path).catch(() => undefined);
        if (target === undefined) await rm(path);
        else if (!isInside(root, target))
          throw new DependencyRefusedError({ dependency: prefix + name, problem: 'it is a link that leads out' });
      } else if (!entry.isFile())
        throw new DependencyRefusedError({ dependency: prefix + name, problem: 'it is neither a file nor a folder' });
    }
  };
  await check(root, '');
}

/** npm writes down what it put there. */
async function readHiddenLock(modules: string): Promise<InstalledDependencies> {
  const text = await readFile(join(modules, '.package-lock.json'), 'utf8').catch(() => '{}');
  const value: unknown = JSON.parse(text);
  const packages = isJsonObject(value) && isJsonObject(value.packages) ? value.packages : {};
  const real = Object.entries(packages).filter(
    ([path, entry]) => path.startsWith('node_modules/') && isJsonObject(entry) && 'version' in entry,
  );
  const withScripts = real
    .filter(([, entry]) => isJsonObject(entry) && entry.hasInstallScript === true)
    .map(([path]) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length));
  return { count: real.length, withScripts: [...new Set(withScripts)].sort() };
}

/** Beside what the package brought itself, which stays. */
async function moveModules(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true, mode: 0o700 });
  for (const name of await readdir(from).catch(() => [])) {
    const target = join(to, name);
    const exists = (await stat(target).catch(() => undefined)) !== undefined;
    if (!exists) await rename(join(from, name), target);
    else if (name.startsWith('@')) await moveModules(join(from, name), target);
  }
}
