// The skills catalogue: which skills exist and where, without their text. The agent reads the body of a skill with a
// tool when it needs it, so only name, description and location cost tokens.

import { basename, join } from 'node:path';
import { pairBoundaryBefore } from '../budget/pair-boundary.ts';
import { type FileRead, type FileSource, whyAbsent } from './file-source.ts';

export interface Skill {
  readonly name: string;
  readonly description: string;
  /** Where the agent finds the body. */
  readonly path: string;
}

/** A skill with what its file says besides, for the one who decides whether it is listed. */
export interface FoundSkill extends Skill {
  /** The value of `metadata` in the front matter, unchecked. */
  readonly metadata: unknown;
}

/** Says why a skill is not listed; undefined when it is. */
export type SkillPolicy = (skill: FoundSkill) => Promise<string | undefined>;

/** A folder of skills, and the roots that a skill's real path must lie in. */
export interface SkillFolder {
  readonly dir: string;
  readonly roots: readonly string[];
}

export interface LoadedSkills {
  readonly skills: readonly Skill[];
  /** Skills that exist but may not be listed, with the reason. */
  readonly refused: readonly RefusedSkill[];
}

export interface RefusedSkill {
  readonly path: string;
  /** Where its file could be read. */
  readonly name?: string | undefined;
  readonly reason: 'missing' | 'outside-workspace' | 'too-large' | 'unreadable' | 'over-budget' | 'disabled';
  readonly detail: string;
  readonly isThere?: true | undefined;
}

interface ReadSkill extends FoundSkill {
  /** Its own wish. */
  readonly isHidden: boolean;
}

/** A longer catalogue is a mistake that would fill the prompt. */
const MAX_SKILLS = 500;
const HIDDEN = 'it asks not to be shown to models (disable-model-invocation)';
const MAX_NAME_CHARS = 100;
const MAX_DESCRIPTION_CHARS = 1_000;
/** A longer front matter may be an attack on the parser, whose work grows faster than the text. */
const LONGEST_FRONT_MATTER = 16 * 1024;

export class SkillCatalogue {
  /** The skill of each read SKILL.md, kept as long as the read text. */
  readonly #parsed = new WeakMap<FileRead, ReadSkill>();

  /**
   * Loads the skills of every directory in turn; the first skill of a name wins, so a workspace can replace a shared
   * skill. One that the policy refuses is not replaced by another of its name.
   */
  async load(
    files: FileSource,
    folders: readonly SkillFolder[],
    policy: SkillPolicy = async () => undefined,
  ): Promise<LoadedSkills> {
    const found = (await Promise.all(folders.map((folder) => this.#loadFolder(files, folder)))).flat();
    const byName = new Map<string, ReadSkill>();
    const refused: RefusedSkill[] = [];
    for (const each of found) {
      if ('reason' in each) refused.push(each);
      else if (byName.has(each.name))
        refused.push({ path: each.path, reason: 'disabled', detail: `another skill is called ${each.name}` });
      else byName.set(each.name, each);
    }
    const candidates = [...byName.values()];
    const details = await Promise.all(candidates.map((each) => (each.isHidden ? HIDDEN : policy(each))));
    const skills: Skill[] = [];
    for (const [index, { name, description, path }] of candidates.entries()) {
      const detail = details[index];
      if (detail === undefined) skills.push({ name, description, path });
      else refused.push({ path, name, reason: 'disabled', detail });
    }
    return { skills, refused };
  }

  async #loadFolder(files: FileSource, folder: SkillFolder): Promise<(ReadSkill | RefusedSkill)[]> {
    const names = (await files.list(folder.dir)) ?? [];
    if (names.length === 0) return [];
    const listed = await Promise.all(names.slice(0, MAX_SKILLS).map((name) => this.#loadSkill(files, folder, name)));
    const skills = listed.filter((each) => each !== undefined);
    if (names.length <= MAX_SKILLS) return skills;
    const detail = `${names.length - MAX_SKILLS} more entries; at most ${MAX_SKILLS} are looked at`;
    return [...skills, { path: folder.dir, reason: 'over-budget', detail }];
  }

  async #loadSkill(
    files: FileSource,
    { dir, roots }: SkillFolder,
    name: string,
  ): Promise<ReadSkill | RefusedSkill | undefined> {
    const path = join(dir, name, 'SKILL.md');
    const read = await files.read(path, roots);
    if (read.kind === 'absent') {
      return read.entryExists ? { path, ...whyAbsent(read) } : undefined;
    }
    // The path is shown as it is, so a path that would break the line is refused.
    if (!fitsOnOneLine(name)) return { path, reason: 'disabled', detail: 'its folder name does not fit on one line' };
    // A link to another file under the name of a skill would show that file's words to sessions that may not read it.
    if (basename(read.realPath) !== 'SKILL.md')
      return { path, reason: 'disabled', detail: `it is a link to ${basename(read.realPath)}` };
    const known = this.#parsed.get(read);
    if (known) return known;
    const front = await parseFrontMatter(read.text);
    const description = textOf(front.description, MAX_DESCRIPTION_CHARS);
    const isHidden = /^(?:true|yes|on|1)$/i.test(textOf(front['disable-model-invocation'], 10));
    const shown = textOf(front.name, MAX_NAME_CHARS) || name;
    const skill = { name: shown, description, path, metadata: front.metadata, isHidden };
    this.#parsed.set(read, skill);
    return skill;
  }
}

async function parseFrontMatter(text: string): Promise<Record<string, unknown>> {
  const block = /^---\r?\n([\s\S]*?)\r?\n---/.exec(text)?.[1];
  if (!block || block.length > LONGEST_FRONT_MATTER) return {};
  const { parse } = await import('yaml');
  try {
    const value: unknown = parse(block, { logLevel: 'error', maxAliasCount: 20 });
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** On one line, because a catalogue entry is one line. */
function textOf(value: unknown, maxChars: number): string {
  if (!['string', 'number', 'boolean'].includes(typeof value)) return '';
  const line = String(value)
    .replace(/[\s\x00-\x1f\x7f-\x9f]+/g, ' ')
    .trim();
  return line.slice(0, pairBoundaryBefore(line, maxChars));
}

function fitsOnOneLine(name: string): boolean {
  return !/[\x00-\x1f\x7f-\x9f\u2028\u2029]/.test(name);
}
