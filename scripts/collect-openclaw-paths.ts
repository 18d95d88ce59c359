// The command `npm run collect:openclaw -- FOLDER`: reads every path of OpenClaw's configuration out of its unpacked npm
// package and writes the names into conformance/openclaw-config.txt. A test then says which new path has no row in
// `src/config/openclaw-keys.ts`. Only names are taken; the schema is run, because it is built by code.
// `npm run collect:openclaw -- VERSION FILE` does the same for a newer version, from what its own command
// `config schema` prints, and writes what the first file does not have into conformance/openclaw-config-newer.txt.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { NEWER_PATHS_FILE, OPENCLAW_PATHS_FILE, readOpenClawPaths } from './openclaw-paths.ts';

/** As much of a zod schema as has to be known to find the names in it. */
interface Schema {
  readonly _zod: { readonly def: Definition };
}

interface Definition {
  readonly type: string;
  readonly innerType?: Schema;
  readonly in?: Schema;
  readonly out?: Schema;
  readonly left?: Schema;
  readonly right?: Schema;
  readonly element?: Schema;
  readonly valueType?: Schema;
  readonly catchall?: Schema;
  readonly options?: readonly Schema[];
  readonly shape?: Readonly<Record<string, Schema>>;
  readonly getter?: () => Schema;
}

/** The parts of a path: names, `*` for any name, `[]` for any item of a list. */
interface Tree extends Map<string, Tree> {}

async function collect(folder: string): Promise<void> {
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string };
  const file = readdirSync(join(folder, 'dist')).find((name) => /^zod-schema-[^.]+\.js$/.test(name));
  if (file === undefined) throw new Error(`There is no dist/zod-schema-….js in ${folder}.`);
  const module = (await import(pathToFileURL(join(folder, 'dist', file)).href)) as Record<string, unknown>;
  const root = Object.values(module).find((value) => definitionOf(value)?.type === 'object');
  const tree: Tree = new Map();
  visit(root as Schema, tree, []);
  const channels = childOf(tree, 'channels');
  for (const [platform, schema] of await channelSchemas(folder)) visit(schema, childOf(channels, platform), []);
  writeFileSync(fileURLToPath(OPENCLAW_PATHS_FILE), `# OpenClaw ${version}\n${format(tree, '')}`);
}

/** As much of a JSON Schema as has to be known to find the names in it. */
interface JsonSchema {
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly additionalProperties?: JsonSchema | boolean;
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
}

const OWN_CHANNELS = ['defaults', 'discord', 'slack', 'telegram'];

/** Settings of single plugins, and of platforms that Atrium does not have, are left out: one row speaks for all of them. */
function collectNewer(version: string, file: string): void {
  const known = new Set(readOpenClawPaths().paths.map((path) => path.join(' ')));
  const tree: Tree = new Map();
  const add = (schema: JsonSchema, at: readonly string[]) => {
    const [section, name = '', key = ''] = at;
    if (section === 'channels' && name !== '' && !OWN_CHANNELS.includes(name)) return;
    if (section === 'plugins' && name === 'entries' && key !== '' && key !== '*') return;
    if (at.length > 0 && at.at(-1) !== '[]' && !known.has(at.join(' '))) at.reduce(childOf, tree);
    for (const each of [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])]) add(each, at);
    for (const [each, below] of Object.entries(schema.properties ?? {})) add(below, [...at, each]);
    if (typeof schema.additionalProperties === 'object') add(schema.additionalProperties, [...at, '*']);
    if (schema.items) add(schema.items, [...at, '[]']);
  };
  add(JSON.parse(readFileSync(file, 'utf8')) as JsonSchema, []);
  writeFileSync(fileURLToPath(NEWER_PATHS_FILE), `# OpenClaw ${version}\n${format(tree, '')}`);
}

/** The sections of the chat platforms that Atrium has. Their schemas stand in a file of their own, under short names. */
async function channelSchemas(folder: string): Promise<readonly (readonly [string, Schema])[]> {
  const file = readdirSync(join(folder, 'dist')).find((name) => /^bundled-channel-config-schema-[^.]+\.js$/.test(name));
  if (file === undefined) return [];
  const path = join(folder, 'dist', file);
  const module = (await import(pathToFileURL(path).href)) as Record<string, Schema>;
  const text = readFileSync(path, 'utf8');
  return ['Discord', 'Slack', 'Telegram'].flatMap((name) => {
    const [, short = ''] = new RegExp(`\\b${name}ConfigSchema as (\\w+)`).exec(text) ?? [];
    const schema = module[short];
    return schema ? [[name.toLowerCase(), schema] as const] : [];
  });
}

function definitionOf(value: unknown): Definition | undefined {
  return typeof value === 'object' && value !== null ? (value as Partial<Schema>)._zod?.def : undefined;
}

function visit(schema: Schema | undefined, at: Tree, above: readonly Schema[]): void {
  // A schema that contains itself would never end.
  if (schema === undefined || above.filter((each) => each === schema).length > 1) return;
  const def = schema._zod.def;
  const below = (child: Schema | undefined, name?: string) =>
    visit(child, name === undefined ? at : childOf(at, name), [...above, schema]);
  for (const child of [def.innerType, def.in, def.out, def.left, def.right, def.getter?.(), ...(def.options ?? [])]) {
    below(child);
  }
  for (const [name, child] of Object.entries(def.shape ?? {})) below(child, name);
  if (def.catchall !== undefined && def.catchall._zod.def.type !== 'never') below(def.catchall, '*');
  if (def.valueType !== undefined) below(def.valueType, '*');
  if (def.element !== undefined) below(def.element, '[]');
}

function childOf(tree: Tree, name: string): Tree {
  const child: Tree = tree.get(name) ?? new Map();
  tree.set(name, child);
  return child;
}

/** Names without anything below stand on one line; the others have a line each, and their parts are indented. */
function format(tree: Tree, indent: string): string {
  const entries = [...tree].sort(([a], [b]) => (a < b ? -1 : 1));
  const isLeaf = (child: Tree) => child.size === 0 || (child.size === 1 && child.get('[]')?.size === 0);
  const leaves = entries.filter(([, child]) => isLeaf(child)).map(([name]) => name);
  const line = leaves.length === 0 ? '' : `${indent}${leaves.join(' ')}\n`;
  const branches = entries.filter(([, child]) => !isLeaf(child));
  return line + branches.map(([name, child]) => `${indent}${name}:\n${format(child, `${indent} `)}`).join('');
}

const [first = '.', second] = process.argv.slice(2);
if (second === undefined) void collect(resolve(first));
else collectNewer(first, resolve(second));
