// Reads the parameters of `sessions_spawn`: what a model asked for, or why it cannot be had. It is pure: whether the agent
// exists, how many children there are and where threads can be opened is decided by others. The words of most refusals
// are the contract's, because existing prompts and tests know them.

import { isValidAgentId, normalizeAgentId } from '../../protocol/agent-id.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../protocol/json.ts';
import { clip } from '../../protocol/one-line.ts';
import { sessionsSpawnSchema } from '../../tools/sessions-spawn.ts';

export interface SpawnRequest {
  readonly task: string;
  readonly taskName?: string | undefined;
  readonly label?: string | undefined;
  /** Undefined for the agent that asks. */
  readonly agentId?: string | undefined;
  readonly model?: string | undefined;
  /** Undefined when the call does not say it; 0 for no limit. */
  readonly runTimeoutSeconds?: number | undefined;
  readonly thread: boolean;
  readonly mode: 'run' | 'session';
  readonly context: 'isolated' | 'fork';
  /** Whether the call named the context. */
  readonly isContextChosen: boolean;
  readonly cleanup: 'keep' | 'delete';
  readonly expectsCompletionMessage?: boolean | undefined;
  readonly attachments: readonly SpawnAttachment[];
  /** A folder for attached files, below the folder that is the child's alone. */
  readonly mountPath?: string | undefined;
  /** Parameters that were given and have no effect here. */
  readonly unused: readonly string[];
}

/** A text file. */
export interface SpawnAttachment {
  readonly name: string;
  readonly content: string;
}

export type ParsedSpawn =
  | { readonly kind: 'request'; readonly request: SpawnRequest }
  /** The parameters make no sense at all. */
  | { readonly kind: 'misuse'; readonly error: string }
  | { readonly kind: 'refusal'; readonly error: string; readonly role?: string | undefined };

/** The child speaks through its parent, so a call cannot name a place. That such a key is there is enough. */
const PLACES = ['target', 'transport', 'channel', 'to', 'threadId', 'thread_id', 'replyTo', 'reply_to'] as const;

/** Parameters of the contract that change nothing here. */
const WITHOUT_EFFECT = ['thinking', 'lightContext', 'resumeSessionId', 'streamTo'] as const;

export function parseSpawnRequest(params: Readonly<Record<string, unknown>>): ParsedSpawn {
  const place = PLACES.find((key) => Object.hasOwn(params, key));
  if (place !== undefined) {
    const instead = 'Use "message" or "sessions_send" for channel delivery.';
    return { kind: 'misuse', error: `sessions_spawn does not support "${place}". ${instead}` };
  }
  const task = textOf(params.task);
  if (task === undefined) return { kind: 'misuse', error: 'task required' };

  const role = textOf(params.agentId);
  const refuse = (error: string): ParsedSpawn => ({ kind: 'refusal', error, ...(role === undefined ? {} : { role }) });
  const named = normalizeSubagentTaskName(params.taskName);
  if (named.error !== undefined) return refuse(named.error);
  if (params.runtime === 'acp') return refuse(ACP_UNAVAILABLE);
  if (role !== undefined && !isValidAgentId(role)) {
    const form = 'Agent IDs must match [a-z0-9][a-z0-9_-]{0,63}. Use agents_list to discover valid targets.';
    return refuse(`Invalid agentId "${role}". ${form}`);
  }
  const thread = params.thread === true;
  const mode = params.mode === 'session' || params.mode === 'run' ? params.mode : thread ? 'session' : 'run';
  if (mode === 'session' && !thread) return refuse(SESSION_NEEDS_THREAD);
  if (params.sandbox === 'require') return refuse('There is no sandbox here, so sandbox="require" cannot be had.');
  if (textOf(params.cwd) !== undefined) {
    return refuse('cwd cannot be chosen: a child works in the workspace of its agent. Name folders in the task.');
  }
  const files = attachmentsOf(params.attachments);
  if (typeof files === 'string') return refuse(files);
  const mountPath = isJsonObject(params.attachAs as JsonValue)
    ? textOf((params.attachAs as JsonObject).mountPath)
    : undefined;
  if (mountPath !== undefined && !isPathBelow(mountPath)) return refuse(MOUNT_REFUSED);
  const asked = params.context === 'fork' || params.context === 'isolated' ? params.context : undefined;
  return {
    kind: 'request',
    request: {
      task,
      taskName: named.taskName,
      label: textOf(params.label),
      agentId: role === undefined ? undefined : normalizeAgentId(role),
      model: textOf(params.model),
      runTimeoutSeconds: secondsOf(params.runTimeoutSeconds) ?? secondsOf(params.timeoutSeconds),
      thread,
      mode,
      context: asked ?? (thread ? 'fork' : 'isolated'),
      isContextChosen: asked !== undefined,
      // A session that people go on writing to is kept.
      cleanup: params.cleanup === 'delete' && mode === 'run' ? 'delete' : 'keep',
      expectsCompletionMessage:
        typeof params.expectsCompletionMessage === 'boolean' ? params.expectsCompletionMessage : undefined,
      attachments: files,
      mountPath,
      unused: [
        ...WITHOUT_EFFECT.filter((key) => params[key] !== undefined && params[key] !== false),
        ...unknownKeysOf(params),
      ],
    },
  };
}

const KNOWN: ReadonlySet<string> = new Set([
  ...Object.keys(sessionsSpawnSchema({ acpAvailable: true, threadAvailable: true }).properties as JsonObject),
]);
const MOST_UNKNOWN = 20;

/** The contract accepts parameters that it does not know. The answer says that they have no effect. */
function unknownKeysOf(params: Readonly<Record<string, unknown>>): readonly string[] {
  const unknown = Object.keys(params).filter((key) => !KNOWN.has(key));
  return unknown.slice(0, MOST_UNKNOWN).map((key) => clip(key, 100));
}

const ACP_UNAVAILABLE =
  'runtime="acp" is unavailable in this session because no ACP runtime backend is loaded. Enable the acpx plugin or use runtime="subagent".';

const SESSION_NEEDS_THREAD =
  'sessions_spawn(mode="session") requires thread=true so the subagent can stay bound to a channel thread. Retry with { mode: "session", thread: true } on a channel that supports threads, use mode="run" for one-shot work, or use sessions_send(sessionKey=...) to keep talking to a persistent session without thread binding.';

const MOUNT_REFUSED =
  'attachAs.mountPath must lead below the folder of the attached files: a relative path such as "inbox", without "..".';

const TASK_NAME = /^[a-z][a-z0-9_]{0,63}$/;
/** Commands use these words for several children. */
const RESERVED_NAMES: ReadonlySet<string> = new Set(['all', 'last']);

export function normalizeSubagentTaskName(value: unknown): { taskName?: string; error?: string } {
  const name = textOf(value);
  if (name === undefined) return {};
  if (!TASK_NAME.test(name)) {
    return { error: `Invalid taskName "${name}". Use 1-64 chars matching [a-z][a-z0-9_]*.` };
  }
  if (RESERVED_NAMES.has(name)) {
    return { error: `Invalid taskName "${name}". Reserved subagent targets cannot be used as taskName values.` };
  }
  return { taskName: name };
}

const MAX_FILES = 50;
const MAX_FILE_BYTES = 1_048_576;
const MAX_TOTAL_BYTES = 5_242_880;

/** A sentence when they cannot be taken. */
function attachmentsOf(value: unknown): readonly SpawnAttachment[] | string {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) return 'attachments must be a list of { name, content }.';
  if (value.length > MAX_FILES) return `At most ${MAX_FILES} files can be attached, and these are ${value.length}.`;
  const files: SpawnAttachment[] = [];
  let total = 0;
  for (const each of value) {
    const name = isJsonObject(each) ? textOf(each.name) : undefined;
    if (name === undefined || typeof each.content !== 'string') return 'Each attachment needs a name and a content.';
    if (!isPlainName(name)) return `The attachment ${JSON.stringify(name)} needs a plain file name without folders.`;
    if (files.some((file) => file.name === name)) return `Two attachments have the name ${JSON.stringify(name)}.`;
    const content = each.encoding === 'base64' ? textOfBase64(each.content) : each.content;
    if (content === undefined) return `The attachment ${JSON.stringify(name)} is no text, and only texts are taken.`;
    const bytes = Buffer.byteLength(content);
    if (bytes > MAX_FILE_BYTES) return `The attachment ${JSON.stringify(name)} is larger than 1 MiB.`;
    total += bytes;
    if (total > MAX_TOTAL_BYTES) return 'The attachments together are larger than 5 MiB.';
    files.push({ name, content });
  }
  return files;
}

function textOfBase64(content: string): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(content, 'base64'));
  } catch {
    return undefined;
  }
}

function isPlainName(name: string): boolean {
  return name.length <= 200 && !/[/\\\p{Cc}\p{Cs}]/u.test(name) && name !== '.' && name !== '..';
}

/** Whether the path as written leads to a folder or below it, whatever the folder is. */
function isPathBelow(path: string): boolean {
  const names = path.split('/');
  return path.length <= 200 && !path.startsWith('/') && !/[\\\p{Cc}\p{Cs}]/u.test(path) && !names.includes('..');
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}

/** Ten years. A longer time is no other one, and this one can be added to any date. */
const MAX_SECONDS = 315_360_000;

function secondsOf(value: unknown): number | undefined {
  const isTime = typeof value === 'number' && Number.isFinite(value) && value >= 0;
  return isTime ? Math.min(Math.floor(value), MAX_SECONDS) : undefined;
}
