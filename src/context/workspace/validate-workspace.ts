// Checks a workspace for the person who has to repair it: file by file, what is wrong and what to do. It reads through
// the function that is passed in and writes nothing; it never throws for anything in the workspace.

import { lstat, opendir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { FileAbsent } from '../sources/file-source.ts';
import type { LoadedFile } from '../sources/workspace-files.ts';
import type { Taxonomy, TaxonomyFile } from '../taxonomy.ts';
import { findIdentityName } from './find-identity-name.ts';
import { findMandateGaps } from './find-mandate-gaps.ts';
import { templatePlaceholders, WORKSPACE_TEMPLATES } from './templates/workspace-templates.ts';

export interface WorkspaceFinding {
  /** Relative to the workspace; `.` is the workspace itself. */
  readonly file: string;
  readonly problem: 'missing' | 'empty' | 'oversized' | 'unreadable' | 'incomplete' | 'chat-data';
  /** Errors make the workspace invalid; warnings are work left to do. */
  readonly severity: 'error' | 'warning';
  readonly message: string;
}

export interface ValidateWorkspaceParams {
  readonly dir: string;
  readonly taxonomy: Taxonomy;
  readonly limits: { readonly maxChars: number };
  /** Loads the files as composing does, so that what is valid here is what a prompt gets. */
  readonly load: () => Promise<readonly LoadedFile[]>;
}

/** The problems are in the taxonomy's order; files that should not be there come last. */
export async function validateWorkspace(params: ValidateWorkspaceParams): Promise<readonly WorkspaceFinding[]> {
  const { dir, taxonomy } = params;
  if (!(await isDirectory(dir))) {
    const message = `There is no workspace at ${dir}. Create it with "atrium agents init".`;
    return [{ file: '.', problem: 'missing', severity: 'error', message }];
  }
  const findings: WorkspaceFinding[] = [];
  const loaded = await params.load();
  for (const file of taxonomy.files) {
    const names = [file.name, ...(file.alternates ?? [])];
    const found = loaded.filter(({ name }) => names.includes(name));
    if (found.length === 0) findings.push(...judgeMissing(file));
    for (const each of found) findings.push(...validateFile(file, each, params));
  }
  const chat = await findChatData(dir);
  if (chat !== undefined) {
    const message = `Chat data never sits in a bootstrap workspace, and ${chat} does. Move it out of ${dir}.`;
    findings.push({ file: chat, problem: 'chat-data', severity: 'error', message });
  }
  return findings;
}

function validateFile(
  file: TaxonomyFile,
  { name, read }: LoadedFile,
  params: ValidateWorkspaceParams,
): readonly WorkspaceFinding[] {
  if (read.kind === 'absent') return judgeAbsence(file, name, read);

  const text = read.text.trimEnd();
  if (text.trim() === '') {
    // People empty the heartbeat list to switch heartbeats off.
    const severity = file.dynamic ? 'warning' : 'error';
    const remedy = file.required ? 'Write it.' : 'Write it, or delete it.';
    return [{ file: name, problem: 'empty', severity, message: `${name} is empty and is skipped. ${remedy}` }];
  }
  const findings: WorkspaceFinding[] = [];
  const { maxChars } = params.limits;
  if (text.length > maxChars) {
    const message = `${name} has ${text.length} characters and is cut to ${maxChars} in the prompt. Shorten it, or raise bootstrapMaxChars.`;
    findings.push({ file: name, problem: 'oversized', severity: 'error', message });
  }
  const gap = CONTENT_RULES[name]?.(text);
  if (gap !== undefined) findings.push({ file: name, problem: 'incomplete', severity: 'error', message: gap });
  const placeholder = findPlaceholder(name, text, params.taxonomy);
  if (placeholder !== undefined && gap === undefined) {
    const message = `${name} still has the placeholder ${placeholder}. Fill it in, or let the agent do so in its first run.`;
    findings.push({ file: name, problem: 'incomplete', severity: 'warning', message });
  }
  return findings;
}

function judgeAbsence(file: TaxonomyFile, name: string, read: FileAbsent): readonly WorkspaceFinding[] {
  if (read.reason === 'too-large') {
    const message = `${name} is too large to be read (${read.detail}). Shorten it.`;
    return [{ file: name, problem: 'oversized', severity: 'error', message }];
  }
  if (read.reason !== 'missing' || read.entryExists) {
    const message = `${name} cannot be read: ${read.detail}.${ANOTHER_FILE[read.reason]}`;
    return [{ file: name, problem: 'unreadable', severity: 'error', message }];
  }
  return judgeMissing(file);
}

/** Whether another file in its place would mend it. The details of the other reasons say what to do. */
const ANOTHER_FILE: Readonly<Record<FileAbsent['reason'], string>> = {
  missing: ' Put a regular file inside the workspace in its place.',
  'outside-workspace': ' Or put a regular file inside the workspace in its place.',
  disabled: ' Put a regular file of the workspace in its place.',
  unreadable: '',
  'too-large': '',
};

function judgeMissing(file: TaxonomyFile): readonly WorkspaceFinding[] {
  if (!file.required || file.mayBeAbsent) return [];
  const { name } = file;
  const message = `${name} is missing. It holds: ${file.role} Write it, or run "atrium agents init" for a template.`;
  return [{ file: name, problem: 'missing', severity: 'error', message }];
}

/** What a file of this name must say; the answer is what it fails to say. */
const CONTENT_RULES: Readonly<Record<string, (text: string) => string | undefined>> = {
  'MANDATE.md': (text) => {
    const gaps = findMandateGaps(text);
    if (gaps.length === 0) return undefined;
    return `MANDATE.md says nothing about ${gaps.join(', ')}. Give each a heading and at least one line.`;
  },
  'IDENTITY.md': (text) => {
    if (findIdentityName(text) !== undefined) return undefined;
    return 'IDENTITY.md gives the agent no name. Add a line such as "Name: Ada".';
  },
};

function findPlaceholder(name: string, text: string, taxonomy: Taxonomy): string | undefined {
  const template = WORKSPACE_TEMPLATES[taxonomy.id][name] ?? '';
  const left = templatePlaceholders(template).find((placeholder) => text.includes(placeholder));
  if (left !== undefined || name !== 'IDENTITY.md') return left;
  const identity = findIdentityName(text);
  return identity?.isPlaceholder ? identity.name : undefined;
}

/** Looks in the places where chat data is usually stored, and stops at the first find. */
async function findChatData(dir: string): Promise<string | undefined> {
  const record = join('.openboa', 'chat');
  if (await exists(join(dir, record))) return record;
  return findTranscript(dir, 'chats', 3);
}

async function findTranscript(dir: string, folder: string, depth: number): Promise<string | undefined> {
  try {
    for await (const entry of await opendir(join(dir, folder))) {
      const path = join(folder, entry.name);
      if (entry.name.endsWith('.jsonl')) return path;
      const below = entry.isDirectory() && depth > 1 ? await findTranscript(dir, path, depth - 1) : undefined;
      if (below !== undefined) return below;
    }
  } catch {
    // The folder does not exist or is not a folder, so it has no chat data.
  }
  return undefined;
}

async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

async function isDirectory(path: string): Promise<boolean> {
  return stat(path).then(
    (entry) => entry.isDirectory(),
    () => false,
  );
}
