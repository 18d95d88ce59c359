// Saves the end of a conversation in a note before a new session begins. The name of the note is computed from its
// content, so that a command which is taken up again after a crash makes no second note.

import type { InternalHookEvent } from '../../../protocol/bootstrap-event.ts';
import { oneLine } from '../../../protocol/one-line.ts';
import { parseAgentSessionKey } from '../../../protocol/session-key.ts';
import { type PackDeps, packDepsOf, type SaidMessage } from '../pack-deps.ts';

const DEFAULT_MESSAGES = 15;
const MOST_MESSAGES = 100;
const LONGEST_MESSAGE = 2_000;
const LONGEST_NOTE = 32_000;

export async function handler(event: InternalHookEvent): Promise<void> {
  if (event.type !== 'command' || (event.action !== 'new' && event.action !== 'reset')) return;
  const deps = packDepsOf(event);
  const { sessionKey, context } = event;
  const agentId = parseAgentSessionKey(sessionKey)?.agentId;
  const sessionId = sessionIdOf(context.previousSessionEntry);
  if (agentId === undefined || sessionId === undefined || !(await deps.mayRemember(sessionKey))) return;
  const said = await deps.readMessages(sessionId, limitOf(deps.settings.messages));
  const last = said.at(-1);
  if (!last) return;
  const name = nameOf(said, last.at, sessionId, deps.timezone);
  const source = typeof context.commandSource === 'string' ? context.commandSource : 'unknown';
  await deps.createFile(agentId, `memory/${name}`, noteOf(said, { sessionKey, sessionId, source }, deps));
}

function sessionIdOf(entry: unknown): string | undefined {
  const id = typeof entry === 'object' && entry !== null ? (entry as { sessionId?: unknown }).sessionId : undefined;
  return typeof id === 'string' && id !== '' ? id : undefined;
}

function limitOf(setting: unknown): number {
  return typeof setting === 'number' && setting >= 1 ? Math.min(Math.floor(setting), MOST_MESSAGES) : DEFAULT_MESSAGES;
}

function nameOf(said: readonly SaidMessage[], at: number, sessionId: string, timezone: string): string {
  const { date, time } = localTime(at, timezone);
  const first = said.find(({ role }) => role === 'user')?.text ?? '';
  const words = first.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  const slug = words.slice(0, 5).join('-').slice(0, 40).replace(/-+$/, '');
  const id = sessionId
    .replace(/[^a-z0-9]/gi, '')
    .slice(-6)
    .toLowerCase();
  return `${[date, time.replace(':', ''), slug, id].filter((part) => part !== '').join('-')}.md`;
}

function noteOf(
  said: readonly SaidMessage[],
  about: { readonly sessionKey: string; readonly sessionId: string; readonly source: string },
  { timezone }: PackDeps,
): string {
  const { date, time } = localTime(said.at(-1)?.at ?? 0, timezone);
  const head = [
    `# Conversation until ${date} ${time} (${timezone})`,
    '',
    `- session: ${oneLine(about.sessionKey)}`,
    `- id: ${oneLine(about.sessionId)}`,
    `- from: ${oneLine(about.source)}`,
    '',
  ].join('\n');
  const blocks = said.map(({ role, text, at }) => {
    const who = role === 'user' ? 'User' : 'Agent';
    return `${who}, ${localTime(at, timezone).time}:\n${quote(text)}\n`;
  });
  // The end of a conversation says more about it than its beginning, so the beginning is cut.
  let length = head.length;
  const kept: string[] = [];
  for (const block of blocks.reverse()) {
    length += block.length + 1;
    if (length > LONGEST_NOTE) break;
    kept.unshift(block);
  }
  return `${head}\n${kept.join('\n')}`;
}

function quote(text: string): string {
  const cut = text.length > LONGEST_MESSAGE ? `${text.slice(0, LONGEST_MESSAGE)} [… ${text.length} characters]` : text;
  return cut
    .split(/\r\n?|\n/)
    .map((line) => `> ${line.replace(/[\x00-\x1f\x7f]+/g, ' ')}`.trimEnd())
    .join('\n');
}

function localTime(at: number, timezone: string): { readonly date: string; readonly time: string } {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone: timezone, dateStyle: 'short', timeStyle: 'short' });
  const [date = '', time = ''] = format.format(new Date(at)).split(' ');
  return { date, time };
}
