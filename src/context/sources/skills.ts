// The skills catalogue: what skills exist and where, never what they say. The agent reads a skill's body with a tool
// when it needs it, so only name, description and location cost tokens.

import { join } from 'node:path';
import type { FileSource } from './file-source.ts';

export interface Skill {
  readonly name: string;
  readonly description: string;
  /** Where the agent finds the body. */
  readonly path: string;
}

/** A catalogue longer than this is a mistake that would eat the prompt. */
const MAX_SKILLS = 500;
const MAX_DESCRIPTION_CHARS = 1_000;

export class SkillCatalogue {
  /** The last parse of each SKILL.md, valid as long as its text is the same. */
  readonly #parsed = new Map<string, { text: string; skill: Skill }>();

  /** Skills of every directory in turn; the first of a name wins, so a workspace can replace a shared skill. */
  async load(files: FileSource, dirs: readonly string[]): Promise<readonly Skill[]> {
    const found = await Promise.all(dirs.map((dir) => this.#loadDirectory(files, dir)));
    const byName = new Map<string, Skill>();
    for (const skill of found.flat()) if (!byName.has(skill.name)) byName.set(skill.name, skill);
    return [...byName.values()];
  }

  async #loadDirectory(files: FileSource, dir: string): Promise<Skill[]> {
    const names = (await files.list(dir)).slice(0, MAX_SKILLS);
    if (names.length === 0) return [];
    const skills = await Promise.all(names.map((name) => this.#loadSkill(files, dir, name)));
    return skills.filter((skill) => skill !== undefined);
  }

  async #loadSkill(files: FileSource, dir: string, folder: string): Promise<Skill | undefined> {
    const path = join(dir, folder, 'SKILL.md');
    const read = await files.read(path, [dir]);
    if (read.kind !== 'text') return undefined;
    const known = this.#parsed.get(path);
    if (known?.text === read.text) return known.skill;
    const front = await parseFrontMatter(read.text);
    const description = textOf(front.description).slice(0, MAX_DESCRIPTION_CHARS);
    const skill = { name: textOf(front.name) || folder, description, path };
    this.#parsed.set(path, { text: read.text, skill });
    return skill;
  }
}

async function parseFrontMatter(text: string): Promise<Record<string, unknown>> {
  const block = /^---\r?\n([\s\S]*?)\r?\n---/.exec(text)?.[1];
  if (!block) return {};
  const { parse } = await import('yaml');
  try {
    const value: unknown = parse(block);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** On one line, because a catalogue entry is one line. */
function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value).replace(/\s+/g, ' ').trim() : '';
}
