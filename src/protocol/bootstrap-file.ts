// The bootstrap file: a workspace Markdown file that becomes part of the prompt. The shape and the names are the
// contract that loaders, handlers and plugins share; nothing here touches a disk.

export const DEFAULT_AGENTS_FILENAME = 'AGENTS.md';
export const DEFAULT_SOUL_FILENAME = 'SOUL.md';
export const DEFAULT_TOOLS_FILENAME = 'TOOLS.md';
export const DEFAULT_IDENTITY_FILENAME = 'IDENTITY.md';
export const DEFAULT_USER_FILENAME = 'USER.md';
export const DEFAULT_HEARTBEAT_FILENAME = 'HEARTBEAT.md';
export const DEFAULT_BOOTSTRAP_FILENAME = 'BOOTSTRAP.md';
export const DEFAULT_MEMORY_FILENAME = 'MEMORY.md';
export const DEFAULT_MEMORY_ALT_FILENAME = 'memory.md';

/** How many characters one file, and all files together, may bring when the configuration sets no limit. */
export const DEFAULT_BOOTSTRAP_MAX_CHARS = 12_000;
export const DEFAULT_BOOTSTRAP_TOTAL_MAX_CHARS = 60_000;

/** Handlers may add files of any name, so the known names are suggestions to the editor, not a closed set. */
export type WorkspaceBootstrapFileName =
  | 'AGENTS.md'
  | 'SOUL.md'
  | 'TOOLS.md'
  | 'IDENTITY.md'
  | 'USER.md'
  | 'HEARTBEAT.md'
  | 'BOOTSTRAP.md'
  | 'MEMORY.md'
  | 'memory.md'
  | 'AGENT.md'
  | 'PROFILE.md'
  | 'MANDATE.md'
  | (string & {});

/** The fields are mutable on purpose: a handler edits the entries of its private draft in place. */
export interface WorkspaceBootstrapFile {
  name: WorkspaceBootstrapFileName;
  path: string;
  /** The content is absent when the file is missing. */
  content?: string;
  missing: boolean;
}
