// The variables in the `.env` files of the working directory and of the state directory. They count where the process
// has no such variable, the working directory before the state directory, as in OpenClaw. A working directory may be
// anybody's project, so its file may neither say where requests go nor how this program is started; neither file may do
// the latter. Never throws: what is wrong is a remark, which never shows a value.

import path from 'node:path';
import { parseEnv } from 'node:util';
import type { EnvironmentVariables } from '../home-dir.ts';
import { readEnvLines } from './env-lines.ts';
import { describeExposure, readPrivateFile } from './private-file.ts';
import { isUsableVariable } from './usable-variable.ts';

export interface EnvFileVariables {
  readonly added: readonly AddedVariable[];
  readonly remarks: readonly FileRemark[];
}

/** A variable that the process does not have, and where it was found. */
export interface AddedVariable {
  readonly name: string;
  readonly value: string;
  /** Names the file, the setting or the profile for people. */
  readonly from: string;
}

export interface FileRemark {
  readonly file: string;
  /** Counted from 1; undefined when it is about the whole file. */
  readonly line?: number | undefined;
  readonly message: string;
}

const LARGEST = 256 * 1024;

/** The one variable of OpenClaw's own that people keep in the file of the state directory. */
const GATEWAY_TOKEN = 'OPENCLAW_GATEWAY_TOKEN';

/** They send keys and messages to another address. */
const REDIRECTING = /(?:_BASE_URL|_API_BASE|_API_HOST|_API_ROOT|_ENDPOINT|_HOMESERVER|_PROXY)$/i;

export function readEnvFiles(
  process: EnvironmentVariables,
  { cwd, stateDir }: { readonly cwd: string; readonly stateDir: string },
): EnvFileVariables {
  const read = envFilePaths({ cwd, stateDir })
    .map((file) => readEnvFile(file, path.dirname(file) === stateDir ? isFromState : isFromProject))
    .filter((each) => each !== undefined);
  return {
    added: withoutTaken(
      process,
      read.flatMap(({ added }) => added),
    ),
    remarks: read.flatMap(({ remarks }) => remarks),
  };
}

/** Where such files may be, the one that counts first before the other. */
export function envFilePaths({
  cwd,
  stateDir,
}: {
  readonly cwd: string;
  readonly stateDir: string;
}): readonly string[] {
  return [...new Set([cwd, stateDir])].map((folder) => path.join(folder, '.env'));
}

/** Of several variables with one name the first counts, and none that the process has. A blank value is no value. */
export function withoutTaken(
  process: EnvironmentVariables,
  variables: readonly AddedVariable[],
): readonly AddedVariable[] {
  const taken = new Set<string>();
  return variables.filter(({ name, value }) => {
    if (value.trim() === '' || taken.has(name) || (process[name] ?? '').trim() !== '') return false;
    taken.add(name);
    return true;
  });
}

function isFromState(name: string): boolean {
  return name === GATEWAY_TOKEN || isUsableVariable(name);
}

function isFromProject(name: string): boolean {
  return isUsableVariable(name) && !REDIRECTING.test(name);
}

function readEnvFile(file: string, mayBeHere: (name: string) => boolean): EnvFileVariables | undefined {
  const read = readPrivateFile(file, { largest: LARGEST, followsLinks: true });
  if (!('text' in read)) {
    return read.isMissing ? undefined : { added: [], remarks: [{ file, message: `${file} ${read.problem}.` }] };
  }
  const { text, malformed } = readEnvLines(read.text);
  const all = Object.entries(parseEnv(text)).flatMap(([name, value]) =>
    value === undefined ? [] : [{ name, value, from: file }],
  );
  const refused = all.filter(({ name }) => !mayBeHere(name)).map(({ name }) => name);
  const exposure = all.length === 0 ? undefined : describeExposure(file, read);
  const why = `${refused.join(', ')} in ${file} ${refused.length === 1 ? 'is' : 'are'} not used: such a variable decides how this program is started or where it sends requests. Give it to the process of the gateway.`;
  const messages = [...(exposure ? [exposure] : []), ...(refused.length === 0 ? [] : [why])];
  const faulty =
    malformed.length === 0 ? [] : [{ file, line: malformed[0], message: describeMalformed(file, malformed) }];
  return {
    added: all.filter(({ name }) => mayBeHere(name)),
    remarks: [...messages.map((message) => ({ file, message })), ...faulty],
  };
}

function describeMalformed(file: string, malformed: readonly number[]): string {
  const shown = malformed.slice(0, MOST_LINES).join(', ');
  const further = malformed.length > MOST_LINES ? ` and ${malformed.length - MOST_LINES} more` : '';
  const [lines, are] = malformed.length === 1 ? ['Line', 'is'] : ['Lines', 'are'];
  return `${lines} ${shown}${further} of ${file} ${are} malformed and not used: a line is NAME=value, with a name of letters, digits and _.`;
}

const MOST_LINES = 10;
