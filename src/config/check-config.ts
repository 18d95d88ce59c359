// Asks the schema about a configuration: what is wrong in it, which keys no setting has, which values are read. Building
// the schema takes a third of a start, and most starts have the same configuration as the one before. So the answers are
// kept in the state directory, for one exact configuration and one exact program; a configuration with faults is asked
// about each time.
//
// Rules: what is kept decides nothing that reading the configuration again would not decide in the same way. A file that
// is missing, damaged or about something else is as good as none. No folder is made for it.

import { createHash } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ConfigPath } from './config-path.ts';
import type { ConfigFault, UnknownKey } from './validate-config.ts';

export interface ConfigCheck {
  /** The sections that Atrium reads. */
  readonly sections: readonly string[];
  /** `written` is the value before variables were replaced. */
  check(value: unknown, written: unknown): Promise<CheckedConfig>;
}

export interface CheckedConfig {
  readonly faults: readonly ConfigFault[];
  readonly unknownKeys: readonly UnknownKey[];
  /** Whether a path of this configuration is a setting that is known. */
  readonly isKnownSetting: (path: ConfigPath) => boolean;
}

interface KeptAnswers {
  readonly program: string;
  readonly config: string;
  readonly sections: readonly string[];
  readonly unknownKeys: readonly UnknownKey[];
  /** The paths of the configuration that Atrium reads. */
  readonly known: readonly string[];
}

/** `program` names the build; without one, as in a program that runs from its sources, nothing is kept. */
export async function openConfigCheck(stateDir: string, program = builtProgram()): Promise<ConfigCheck> {
  const file = join(stateDir, 'atrium', 'checked-config.json');
  const kept = program === undefined ? undefined : await readKept(file, program);
  return {
    sections: kept?.sections ?? (await import('./schema.ts')).USED_SECTIONS,
    check: async (value, written) => {
      const config = hashOf([value, written]);
      if (kept?.config === config) return fromKept(kept);
      const { isKnownSetting, listConfigFaults, listUnknownKeys } = await import('./validate-config.ts');
      const faults = listConfigFaults(value, written);
      const unknownKeys = listUnknownKeys(value);
      if (program !== undefined && faults.length === 0) {
        const { USED_SECTIONS: sections } = await import('./schema.ts');
        const known = pathsOf(value).filter(isKnownSetting).map(textOf);
        await keep(file, { program, config, sections, unknownKeys, known });
      }
      return { faults, unknownKeys, isKnownSetting };
    },
  };
}

/** The folder of a build has the hash of its content as its name. */
function builtProgram(here = import.meta.url): string | undefined {
  return here.endsWith('.ts') ? undefined : here;
}

function fromKept({ unknownKeys, known }: KeptAnswers): CheckedConfig {
  const paths = new Set(known);
  return { faults: [], unknownKeys, isKnownSetting: (path) => paths.has(textOf(path)) };
}

async function readKept(file: string, program: string): Promise<KeptAnswers | undefined> {
  try {
    const { hash, answers } = JSON.parse(await readFile(file, 'utf8')) as { hash: string; answers: KeptAnswers };
    return answers.program === program && hash === hashOf(answers) ? answers : undefined;
  } catch {
    return undefined;
  }
}

async function keep(file: string, answers: KeptAnswers): Promise<void> {
  const temporary = `${file}.${process.pid}.new`;
  try {
    await writeFile(temporary, JSON.stringify({ hash: hashOf(answers), answers }), { mode: 0o600 });
    await rename(temporary, file);
  } catch {
    // The next start asks the schema again.
  }
}

function pathsOf(value: unknown, at: ConfigPath = []): ConfigPath[] {
  if (typeof value !== 'object' || value === null) return [at];
  const parts: [string | number, unknown][] = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  return [at, ...parts.flatMap(([part, item]) => pathsOf(item, [...at, part]))];
}

function textOf(path: ConfigPath): string {
  return JSON.stringify(path);
}

function hashOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('base64');
}
