// Asks a program for secrets, with the protocol of OpenClaw: the ids go in as one line of JSON, the secrets come out as
// JSON, or as plain text where `jsonOnly` is false and one secret was asked for. The program is started without a shell,
// with the variables that its settings name and no others, and is ended when it takes too long or says too much.
// Never throws, and no sentence shows what the program printed.

import { spawn } from 'node:child_process';
import { lstat, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { parseJson } from '../../protocol/json.ts';
import type { EnvironmentVariables } from '../home-dir.ts';
import { isPlainObject } from '../plain-object.ts';
import { resolveUserPath } from '../user-path.ts';

/** The settings under `secrets.providers.<name>`. What has another type than it should have is treated as absent. */
export interface SecretCommand {
  readonly command?: unknown;
  readonly args?: unknown;
  readonly passEnv?: unknown;
  readonly env?: unknown;
  readonly timeoutMs?: unknown;
  readonly maxOutputBytes?: unknown;
  readonly jsonOnly?: unknown;
  readonly allowSymlinkCommand?: unknown;
  readonly trustedDirs?: unknown;
  readonly allowInsecurePath?: unknown;
}

export interface SecretQuestion {
  /** The name of the provider. */
  readonly name: string;
  readonly ids: readonly string[];
  readonly variables: EnvironmentVariables;
  readonly home: string;
}

export interface SecretProgramAnswer {
  readonly values: ReadonlyMap<string, string>;
  readonly problems: ReadonlyMap<string, string>;
  /** What is wrong with every id that is in neither map. */
  readonly problem: string;
}

const DEFAULT_TIMEOUT_MS = 5_000;
const DEFAULT_OUTPUT_BYTES = 1024 * 1024;

export async function runSecretCommand(
  settings: SecretCommand,
  question: SecretQuestion,
): Promise<SecretProgramAnswer> {
  const where = `secrets.providers.${question.name}`;
  const program = await checkProgram(settings, where, question.home);
  if (typeof program !== 'string') return nothing(program.problem);
  const { output, problem } = await ask(program, settings, question);
  if (output === undefined) return nothing(`${where}: ${program} ${problem}.`);
  return readAnswer(output, settings.jsonOnly !== false, question.ids, `${where}: ${program}`);
}

function nothing(problem: string): SecretProgramAnswer {
  return { values: new Map(), problems: new Map(), problem };
}

/** The program that will be run, after every link; a program that others can change would hand out what they like. */
async function checkProgram(
  settings: SecretCommand,
  where: string,
  home: string,
): Promise<string | { readonly problem: string }> {
  const { command } = settings;
  if (typeof command !== 'string' || !path.isAbsolute(command)) {
    return { problem: `${where}.command is not an absolute path of a program.` };
  }
  try {
    if ((await lstat(command)).isSymbolicLink() && settings.allowSymlinkCommand !== true) {
      return {
        problem: `${command} is a link. Allow it with ${where}.allowSymlinkCommand, or name the program itself.`,
      };
    }
    const real = await realpath(command);
    const facts = await stat(real);
    if (!facts.isFile()) return { problem: `${command} is not a program.` };
    const trusted = texts(settings.trustedDirs).map((folder) => resolveUserPath(folder, home));
    const isTrusted = (folder: string) => real.startsWith(`${folder}${path.sep}`);
    if (trusted.length > 0 && !trusted.some(isTrusted)) {
      return { problem: `${real} is in none of the folders of ${where}.trustedDirs.` };
    }
    if (process.platform !== 'win32' && (facts.mode & 0o022) !== 0 && settings.allowInsecurePath !== true) {
      return { problem: `Other users of this machine can change ${real}. Make it private: chmod go-w ${real}` };
    }
    return real;
  } catch (error) {
    return { problem: `${command} cannot be run (${(error as NodeJS.ErrnoException).code ?? 'it is not there'}).` };
  }
}

interface Output {
  readonly output?: string | undefined;
  readonly problem?: string | undefined;
}

function ask(program: string, settings: SecretCommand, question: SecretQuestion): Promise<Output> {
  const timeoutMs = positive(settings.timeoutMs) ?? DEFAULT_TIMEOUT_MS;
  const largest = positive(settings.maxOutputBytes) ?? DEFAULT_OUTPUT_BYTES;
  return new Promise((resolve) => {
    const child = spawn(program, texts(settings.args), {
      env: variablesFor(settings, question.variables),
      stdio: ['pipe', 'pipe', 'ignore'],
      shell: false,
    });
    const chunks: Buffer[] = [];
    let size = 0;
    const end = (output: Output) => {
      clearTimeout(timer);
      child.kill('SIGKILL');
      resolve(output);
    };
    const timer = setTimeout(() => end({ problem: `did not answer within ${timeoutMs} ms` }), timeoutMs);
    child.on('error', (error) =>
      end({ problem: `cannot be run (${(error as NodeJS.ErrnoException).code ?? 'unknown'})` }),
    );
    child.stdout.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > largest) end({ problem: `printed more than ${largest} bytes` });
      else chunks.push(chunk);
    });
    child.on('close', (code) =>
      end(code === 0 ? { output: Buffer.concat(chunks).toString('utf8').trim() } : { problem: `ended with ${code}` }),
    );
    // A program that reads no question may be gone before it was asked.
    child.stdin.on('error', () => undefined);
    child.stdin.end(`${JSON.stringify({ protocolVersion: 1, provider: question.name, ids: question.ids })}\n`);
  });
}

function readAnswer(output: string, isJsonOnly: boolean, ids: readonly string[], who: string): SecretProgramAnswer {
  const only = isJsonOnly || ids.length !== 1 ? undefined : ids[0];
  const parsed = parseJson(output);
  const asText = typeof parsed === 'string' ? parsed : parsed === undefined ? output : undefined;
  if (only !== undefined && asText) return { ...nothing(''), values: new Map([[only, asText]]) };
  if (!isPlainObject(parsed) || parsed.protocolVersion !== 1 || !isPlainObject(parsed.values)) {
    return nothing(`${who} did not answer with { protocolVersion: 1, values: … }.`);
  }
  const { values, errors } = parsed;
  const said = ids.flatMap((id) => {
    const value = Object.hasOwn(values, id) ? values[id] : undefined;
    return typeof value === 'string' && value.trim() ? [[id, value.trim()] as const] : [];
  });
  const failed = isPlainObject(errors) ? Object.keys(errors).filter((id) => ids.includes(id)) : [];
  return {
    values: new Map(said),
    problems: new Map(failed.map((id) => [id, `${who} has no secret "${id}".`])),
    problem: `${who} gave no secret for it.`,
  };
}

function variablesFor(settings: SecretCommand, variables: EnvironmentVariables): Record<string, string> {
  const passed = texts(settings.passEnv).flatMap((name) => {
    const value = variables[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  const own = isPlainObject(settings.env)
    ? Object.entries(settings.env).filter((entry): entry is [string, string] => typeof entry[1] === 'string')
    : [];
  return Object.fromEntries([...passed, ...own]);
}

function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

function positive(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : undefined;
}
