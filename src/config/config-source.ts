// A configuration file as text: its value, the line of each value, and a way to change one value without touching the
// rest. There is one implementation per format, which is loaded only when a file of that format exists.

import { lstat, readFile, stat } from 'node:fs/promises';
import type { ConfigPath } from './config-path.ts';
import { ConfigSyntaxError, ConfigUnreadableError } from './errors.ts';

export type ConfigFormat = 'json5' | 'yaml';

/**
 * Errors: parsing throws `ConfigSyntaxError`; `edit` throws `ConfigEditError` when the path leads through a value that
 * is neither an object nor a list. Rules: `edit` keeps every character that it does not have to change, and above all
 * the comments.
 */
export interface ConfigSource {
  readonly file: string;
  readonly format: ConfigFormat;
  readonly text: string;
  /** An empty object for a file that has only space and comments. */
  readonly value: unknown;
  /** Returns the line, counted from 1, of the value at `path`, or of the nearest value around it. */
  lineOf(path: ConfigPath): number;
  /** Returns the text with `value` at `path`. The index after the last item adds an item to a list. */
  edit(path: ConfigPath, value: unknown): string;
  /** Returns the text without the member of an object at `path`, which exists. Comments inside of it go with it. */
  remove(path: ConfigPath): string;
  /** Returns every comment, in order. */
  comments(): readonly string[];
}

const MAX_CONFIG_BYTES = 8 * 1024 * 1024;
const MAX_DEPTH = 100;

/** Returns undefined when there is no such file. */
export async function loadConfigSource(file: string): Promise<ConfigSource | undefined> {
  const text = await readConfigText(file);
  return text === undefined ? undefined : parseConfigSource(file, text);
}

export async function parseConfigSource(file: string, text: string): Promise<ConfigSource> {
  const source =
    configFormatOf(file) === 'yaml'
      ? (await import('./yaml-source.ts')).parseYamlSource(file, text)
      : (await import('./json5-source.ts')).parseJson5Source(file, text);
  return source;
}

/** The ending of the name decides. Every file that is not YAML is read as JSON5, which includes JSON. */
function configFormatOf(file: string): ConfigFormat {
  return /\.ya?ml$/i.test(file) ? 'yaml' : 'json5';
}

/** Later steps walk values recursively, so a file that is nested deeply enough to exhaust the stack is refused here. */
export function refuseDeepValue(file: string, value: unknown): void {
  if (isDeeperThan(value, MAX_DEPTH))
    throw new ConfigSyntaxError({
      file,
      line: 1,
      column: 1,
      problem: `the values are nested more than ${MAX_DEPTH} levels deep`,
    });
}

function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeperThan(inner, levels - 1));
}

async function readConfigText(file: string): Promise<string | undefined> {
  try {
    const facts = await stat(file);
    if (facts.isDirectory()) throw new ConfigUnreadableError({ file, detail: 'it is a directory' });
    // Opening a pipe would wait for a writer that may never come.
    if (!facts.isFile()) throw new ConfigUnreadableError({ file, detail: 'it is not a regular file' });
    if (facts.size > MAX_CONFIG_BYTES) {
      throw new ConfigUnreadableError({
        file,
        detail: `it has ${facts.size} bytes, more than the ${MAX_CONFIG_BYTES} that are read`,
      });
    }
    return await readFile(file, 'utf8');
  } catch (error) {
    if (error instanceof ConfigUnreadableError) throw error;
    const code = (error as NodeJS.ErrnoException).code;
    if (code !== 'ENOENT' && code !== 'ENOTDIR')
      throw new ConfigUnreadableError({ file, detail: reasonOf(code) }, { cause: error });
    if (await isLink(file))
      throw new ConfigUnreadableError({ file, detail: 'it is a link to a file that does not exist' });
    return undefined;
  }
}

async function isLink(file: string): Promise<boolean> {
  return lstat(file).then(
    (facts) => facts.isSymbolicLink(),
    () => false,
  );
}

function reasonOf(code: string | undefined): string {
  if (code === 'EACCES' || code === 'EPERM') return 'permission is denied';
  if (code === 'ELOOP') return 'its links go round in a circle';
  return `the system says ${code ?? 'that something is wrong'}`;
}
