// Reads the metadata of a plugin's folder: `openclaw.plugin.json` and the `openclaw` part of `package.json`.
// Nothing of the plugin is run. A broken file becomes a sentence and never an exception.

import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { findContainedFile } from '../../hooks/packs/contained-file.ts';
import { parseJson5 } from '../../hooks/packs/hook-metadata.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../protocol/json.ts';
import { oneLine } from '../../protocol/one-line.ts';
import type { PluginManifest } from '../plugin-setup.ts';

const MANIFEST_NAME = 'openclaw.plugin.json';

/** Both are undefined in a folder that has neither file. */
export interface PluginMetadata {
  readonly manifest: JsonObject | undefined;
  readonly packageJson: JsonObject | undefined;
  readonly problem: string | undefined;
}

export async function readPluginMetadata(dir: string): Promise<PluginMetadata> {
  const [manifest, packageJson] = await Promise.all([
    readJsonObject(dir, MANIFEST_NAME),
    readJsonObject(dir, 'package.json'),
  ]);
  return {
    manifest: manifest.value,
    packageJson: packageJson.value,
    problem: manifest.problem ?? packageJson.problem,
  };
}

/** What stands in the manifest, else in the package; the id is found by the caller. */
export function manifestOf(id: string, { manifest = {}, packageJson = {} }: PluginMetadata): PluginManifest {
  const contracts = isJsonObject(manifest.contracts ?? null) ? (manifest.contracts as JsonObject) : {};
  const schema = manifest.configSchema;
  return {
    id,
    name: textOf(manifest.name),
    version: textOf(manifest.version) ?? textOf(packageJson.version),
    description: textOf(manifest.description) ?? textOf(packageJson.description),
    kind: textsOf(manifest.kind),
    enabledByDefault: manifest.enabledByDefault === true,
    configSchema: isJsonObject(schema) ? schema : undefined,
    tools: textsOf(contracts.tools),
    skills: textsOf(manifest.skills),
    raw: manifest,
  };
}

/** The id of a package without a manifest: the last part of its name. */
export function idOfPackage(name: string | undefined): string | undefined {
  return name
    ?.split('/')
    .at(-1)
    ?.replace(/(?<=.)-provider$/, '');
}

/** One line, trimmed and of a sane length; undefined when there is none. */
export function textOf(value: JsonValue | undefined): string | undefined {
  if (typeof value !== 'string') return undefined;
  const text = value.slice(0, MAX_TEXT).replace(/\s+/g, ' ').trim();
  return text === '' ? undefined : text;
}

/** A text, or those of a list. */
export function textsOf(value: JsonValue | undefined): readonly string[] {
  const list = Array.isArray(value) ? value : [value];
  return list.slice(0, MAX_ITEMS).flatMap((item) => textOf(item) ?? []);
}

const MAX_TEXT = 2_000;
const MAX_ITEMS = 1_000;
const MAX_BYTES = 1_048_576;

interface ReadJson {
  readonly value?: JsonObject;
  readonly problem?: string;
}

async function readJsonObject(dir: string, name: string): Promise<ReadJson> {
  const found = await findContainedFile(dir, join(dir, name));
  if (found.kind === 'missing') return {};
  if (found.kind === 'outside') return { problem: `${name} is a link that leads out of the plugin's folder.` };
  if (found.kind === 'unreadable') return { problem: `${name} cannot be read (${found.detail}).` };
  try {
    const text = await readBounded(found.realPath);
    if (text === undefined) return { problem: `${name} is larger than ${MAX_BYTES / 1_024} KB.` };
    const value = await parseJson5(text);
    return isJsonObject(value as JsonValue)
      ? { value: value as JsonObject }
      : { problem: `${name} is no JSON object.` };
  } catch (error) {
    return { problem: `${name} cannot be read: ${sentenceOf(error)}` };
  }
}

/** Undefined when the file is larger than the limit. Never reads more than that, also when the file grows. */
export async function readBounded(file: string, maxBytes = MAX_BYTES): Promise<string | undefined> {
  const handle = await open(file, 'r');
  try {
    const buffer = Buffer.alloc(Math.min((await handle.stat()).size, maxBytes) + 1);
    let length = 0;
    while (length < buffer.length) {
      const { bytesRead } = await handle.read(buffer, length, buffer.length - length, length);
      if (bytesRead === 0) break;
      length += bytesRead;
    }
    return length > maxBytes ? undefined : buffer.toString('utf8', 0, length).replace(/^\uFEFF/, '');
  } finally {
    await handle.close();
  }
}

function sentenceOf(error: unknown): string {
  return `${oneLine(error, 300).replace(/\.$/, '')}.`;
}
