// A taxonomy is the set of bootstrap files of an agent's workspace: their order, their roles, and what it means when
// one is absent. There are two; all other code in this folder reads them and knows no file by name.

import type { SessionType } from '../protocol/session-type.ts';

export type TaxonomyId = 'openclaw' | 'openboa';

export interface TaxonomyFile {
  readonly name: string;
  /** One sentence for the person who has to write this file. */
  readonly role: string;
  /** A required file that is absent leaves a marker in the prompt; an optional one leaves only a line in the report. */
  readonly required: boolean;
  /** Set where workspaces without it are in order: those that OpenClaw made since the summer of 2026 have no TOOLS.md. */
  readonly mayBeAbsent?: true | undefined;
  /** A file that is not always listed appears only when it exists; its absence is not reported. */
  readonly listed: 'always' | 'when-present';
  /** A dynamic file changes often and is rendered below the cache boundary. */
  readonly dynamic?: boolean;
  /** The file is read in the agent's first conversations, and is optional afterwards. */
  readonly firstRun?: boolean;
  /** Other spellings of the same file, tried after the name; the same real file is never loaded twice. */
  readonly alternates?: readonly string[];
}

export interface Taxonomy {
  readonly id: TaxonomyId;
  readonly files: readonly TaxonomyFile[];
  /** What a subagent or a cron job may read. */
  readonly subagentFiles: readonly string[];
  /** Files that must not enter the prompt of a surface that several people see. */
  readonly privateFiles: readonly string[];
  /** Names of the other taxonomy that helpers may use for a file of this one. */
  readonly aliases: Readonly<Record<string, string>>;
  /** Folders that belong to the workspace, are readable by tools, and are never injected. */
  readonly folders: readonly string[];
}

export const OPENCLAW_TAXONOMY: Taxonomy = {
  id: 'openclaw',
  files: [
    {
      name: 'AGENTS.md',
      role: 'Operating instructions: how this agent works, reports and where it stops.',
      required: true,
      listed: 'always',
    },
    { name: 'SOUL.md', role: 'Persona and tone.', required: false, listed: 'always' },
    {
      name: 'TOOLS.md',
      role: 'Local tool conventions, command gotchas, machine-specific hints.',
      required: true,
      mayBeAbsent: true,
      listed: 'always',
    },
    { name: 'IDENTITY.md', role: 'Who the agent is: name and short descriptor.', required: false, listed: 'always' },
    { name: 'USER.md', role: 'Who the agent works for.', required: false, listed: 'always' },
    {
      name: 'HEARTBEAT.md',
      role: 'Checklist of the periodic heartbeat.',
      required: false,
      listed: 'always',
      dynamic: true,
    },
    {
      name: 'BOOTSTRAP.md',
      role: 'First-run guidance; deleted when the first run is complete.',
      required: false,
      listed: 'always',
      firstRun: true,
    },
    {
      name: 'MEMORY.md',
      role: 'Curated long-term memory; private to direct conversations.',
      required: false,
      listed: 'when-present',
      alternates: ['memory.md'],
    },
  ],
  subagentFiles: ['AGENTS.md', 'SOUL.md', 'IDENTITY.md', 'USER.md', 'TOOLS.md'],
  privateFiles: ['MEMORY.md', 'memory.md'],
  aliases: {},
  folders: ['memory', '.learnings'],
};

export const OPENBOA_TAXONOMY: Taxonomy = {
  id: 'openboa',
  files: [
    {
      name: 'AGENT.md',
      role: 'Operational rules: workflow, reporting style, execution boundaries.',
      required: true,
      listed: 'always',
    },
    {
      name: 'PROFILE.md',
      role: 'Persona baseline: tone, response style, behavioural preferences.',
      required: true,
      listed: 'always',
    },
    {
      name: 'MANDATE.md',
      role: 'Responsibility contract: scope, success criteria, non-goals.',
      required: true,
      listed: 'always',
    },
    {
      name: 'TOOLS.md',
      role: 'Environment notes: tool conventions, command gotchas, machine-specific hints.',
      required: true,
      listed: 'always',
    },
    { name: 'IDENTITY.md', role: 'Identity metadata: name, short descriptor.', required: true, listed: 'always' },
    {
      name: 'BOOTSTRAP.md',
      role: 'First-run guidance; an optional left-over afterwards.',
      required: false,
      listed: 'always',
      firstRun: true,
    },
    { name: 'USER.md', role: 'Who the agent works for.', required: false, listed: 'when-present' },
    {
      name: 'MEMORY.md',
      role: 'Curated long-term memory; private to direct conversations.',
      required: false,
      listed: 'when-present',
      alternates: ['memory.md'],
    },
  ],
  subagentFiles: ['AGENT.md', 'PROFILE.md', 'MANDATE.md', 'TOOLS.md', 'IDENTITY.md'],
  privateFiles: ['MEMORY.md', 'memory.md'],
  aliases: { 'AGENTS.md': 'AGENT.md', 'SOUL.md': 'PROFILE.md' },
  folders: ['memory', '.learnings'],
};

export const TAXONOMIES: Readonly<Record<TaxonomyId, Taxonomy>> = {
  openclaw: OPENCLAW_TAXONOMY,
  openboa: OPENBOA_TAXONOMY,
};

export function bootstrapNames(taxonomy: Taxonomy): readonly string[] {
  return taxonomy.files.map((file) => file.name);
}

/**
 * Returns the names under which shared files and overrides may be stored. Names of the other taxonomy mean the same
 * files.
 */
export function sharedFileNames(taxonomy: Taxonomy): readonly string[] {
  return [...bootstrapNames(taxonomy), ...Object.keys(taxonomy.aliases)];
}

/** The file that an operator means in the configuration: the ending may be left out, and the other taxonomy's names work. */
export function configuredFileName(taxonomy: Taxonomy, name: string): string {
  const trimmed = name.trim();
  return canonicalFileName(taxonomy, trimmed.includes('.') ? trimmed : `${trimmed}.md`);
}

/** The file of this taxonomy that a helper means when it says `name`. */
export function canonicalFileName(taxonomy: Taxonomy, name: string): string {
  return Object.hasOwn(taxonomy.aliases, name) ? (taxonomy.aliases[name] ?? name) : name;
}

/** BOOTSTRAP.md speaks to the first person who talks to the agent, so only interactive prompts carry it. */
export function carriesFirstRun(sessionType: SessionType): boolean {
  return sessionType === 'interactive';
}
