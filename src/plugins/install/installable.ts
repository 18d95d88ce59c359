// What a fetched folder is, by its own files: a plugin, a hook pack or a skill, and what it calls itself. Reads three
// small files and runs nothing. The name becomes the name of a folder, so it is held to what a folder may be called.

import { readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { parseFrontMatter } from '../../hooks/packs/front-matter.ts';
import { isJsonObject, type JsonObject } from '../../protocol/json.ts';
import {
  idOfPackage,
  type PluginMetadata,
  readBounded,
  readPluginMetadata,
  textOf,
  textsOf,
} from '../discovery/plugin-manifest.ts';
import { NotInstallableError } from '../errors.ts';

export type InstallKind = 'plugin' | 'hook-pack' | 'skill';

export interface Installable {
  readonly kind: InstallKind;
  /** Of a plugin what its manifest says; of the others the name under which they are found. */
  readonly id: string;
  /** Where it lies in the staging folder; a skill may be one folder of a package. */
  readonly dir: string;
  readonly packageName: string | undefined;
  readonly version: string | undefined;
  readonly description: string | undefined;
  /** The plugin's entries, as package.json has them. */
  readonly extensions: readonly string[];
  readonly packageJson: JsonObject;
}

/**
 * `wanted` is what the command installs; a hook pack comes by the way of plugins. `spec` is where it comes from, for
 * messages, and names what has no name of its own.
 */
export async function readInstallable(dir: string, wanted: 'plugin' | 'skill', spec: string): Promise<Installable> {
  return wanted === 'skill' ? readSkill(dir, spec) : readPluginOrPack(dir, spec);
}

/** The folder of an id. Ids of plugins may be scoped, which folders are not. */
export function folderNameOf(id: string): string {
  return id.replace(/^@/, '').replaceAll('/', '__');
}

async function readPluginOrPack(dir: string, spec: string): Promise<Installable> {
  const { manifest, packageJson = {} } = await readMetadata(dir, spec);
  const section = isJsonObject(packageJson.openclaw) ? packageJson.openclaw : {};
  const extensions = textsOf(section.extensions);
  const facts = { dir, extensions, packageJson, ...packageFacts(packageJson, manifest) };
  if (manifest || extensions.length > 0) {
    // Configuration speaks of a plugin by its id, so an id that cannot be kept is not replaced by another.
    const id = textOf(manifest?.id);
    return {
      ...facts,
      kind: 'plugin',
      id: checkedId(spec, id === undefined ? [idOfPackage(facts.packageName)] : [id]),
    };
  }
  const hookMd = await readText(dir, 'HOOK.md', spec);
  if (hookMd !== undefined || textsOf(section.hooks).length > 0) {
    const { name, description } = await parseFrontMatter(hookMd ?? '');
    const id = checkedId(spec, [textOf(name), idOfPackage(facts.packageName), nameInPath(spec)]);
    return { ...facts, kind: 'hook-pack', id, description: textOf(description) ?? facts.description };
  }
  const isSkill = (await readText(dir, 'SKILL.md', spec)) !== undefined;
  throw new NotInstallableError({
    spec,
    problem: isSkill
      ? 'it is a skill, which "atrium skills install" takes'
      : 'it has no openclaw.plugin.json, no "openclaw.extensions" in package.json, and no HOOK.md',
  });
}

async function readSkill(root: string, spec: string): Promise<Installable> {
  const [dir, ...others] = await skillFoldersIn(root);
  if (dir === undefined) throw new NotInstallableError({ spec, problem: 'it has no SKILL.md' });
  if (others.length > 0) {
    const names = [dir, ...others].map((each) => each.slice(root.length + 1)).join(', ');
    throw new NotInstallableError({
      spec,
      problem: `it has several skills (${names}); install the folder of one of them`,
    });
  }
  const { packageJson = {} } = await readMetadata(root, spec);
  const front = await parseFrontMatter((await readText(dir, 'SKILL.md', spec)) ?? '');
  const facts = packageFacts(packageJson, undefined);
  const names = dir === root ? [idOfPackage(facts.packageName), nameInPath(spec)] : [basename(dir)];
  return {
    ...facts,
    kind: 'skill',
    id: checkedId(spec, [textOf(front.name), ...names]),
    dir,
    description: textOf(front.description) ?? facts.description,
    extensions: [],
    // A skill that is a part of a package does not bring what the package needs.
    packageJson: dir === root ? packageJson : {},
  };
}

/** The folder itself when it is a skill, else those of its folders, or of the folders in `skills`, that are. */
async function skillFoldersIn(root: string): Promise<readonly string[]> {
  if (await hasSkill(root)) return [root];
  const inside = async (dir: string) => {
    const entries = await readdir(dir, { withFileTypes: true }).catch(() => []);
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(dir, name));
  };
  const candidates = [...(await inside(root)), ...(await inside(join(root, 'skills')))];
  const found = await Promise.all(candidates.map(async (dir) => ((await hasSkill(dir)) ? dir : undefined)));
  return found.filter((dir) => dir !== undefined);
}

async function hasSkill(dir: string): Promise<boolean> {
  return stat(join(dir, 'SKILL.md')).then(
    (entry) => entry.isFile(),
    () => false,
  );
}

/** Letters of either case, because ids of published plugins have them. */
const ID = /^(?:@[a-z0-9][a-z0-9._-]*\/)?[a-z0-9][a-z0-9._-]*$/i;
const LONGEST_ID = 100;

/** What may be the name of something that is installed, and so of a folder. */
export function isInstallId(id: string): boolean {
  return id.length <= LONGEST_ID && ID.test(id) && !id.includes('__') && !RESERVED.has(id.toLowerCase());
}

/** The first candidate that can be an id. */
function checkedId(spec: string, candidates: readonly (string | undefined)[]): string {
  const names = candidates.filter((name) => name !== undefined);
  const id = names.find(isInstallId);
  if (id !== undefined) return id;
  const [asked] = names;
  throw new NotInstallableError({
    spec,
    problem:
      asked === undefined
        ? 'it has no name'
        : `it calls itself ${JSON.stringify(asked.slice(0, 200))}, which cannot be a name`,
  });
}

/** Names that mean something else in the folders that things are installed to, or in a table of names. */
const RESERVED: ReadonlySet<string> = new Set(['installs.json', 'node_modules', 'constructor', 'prototype']);

function packageFacts(packageJson: JsonObject, manifest: JsonObject | undefined) {
  return {
    packageName: textOf(packageJson.name),
    version: textOf(packageJson.version) ?? textOf(manifest?.version),
    description: textOf(packageJson.description) ?? textOf(manifest?.description),
  };
}

/** The name of a folder or an archive; the last part of an npm name is the package's own. */
function nameInPath(spec: string): string {
  return basename(spec).replace(/\.(?:tgz|tar\.gz|tar)$/i, '');
}

async function readText(dir: string, name: string, spec: string): Promise<string | undefined> {
  const path = join(dir, name);
  const entry = await stat(path).catch(() => undefined);
  if (!entry?.isFile()) return undefined;
  const text = await readBounded(path);
  if (text === undefined) throw new NotInstallableError({ spec, problem: `its ${name} is larger than a megabyte` });
  return text;
}

async function readMetadata(dir: string, spec: string): Promise<PluginMetadata> {
  const metadata = await readPluginMetadata(dir);
  if (metadata.problem !== undefined)
    throw new NotInstallableError({ spec, problem: metadata.problem.replace(/\.$/, '') });
  return metadata;
}
