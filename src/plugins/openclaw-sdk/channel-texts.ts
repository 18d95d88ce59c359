// Texts that channel plugins show, recognise, or make plain. Links to documentation lead to where the plugin's author
// meant them to.

import { formatErrorMessage, normalizeOptionalString, readStringValue } from './text-values.ts';

/** A model answers with this alone when there is nothing to say. */
export const SILENT_REPLY_TOKEN = 'NO_REPLY';

export const PAIRING_APPROVED_MESSAGE = 'You are approved. Write a message to begin.';

export function formatDocsLink(
  path: string | null | undefined,
  label?: string,
  { fallback }: { readonly fallback?: string } = {},
): string {
  const given = path?.trim() ?? '';
  const address = /^https?:\/\//i.test(given) ? given : `${DOCUMENTATION}/${given.replace(/^\/+/, '')}`;
  if (fallback !== undefined) return fallback;
  return label === undefined || label === address ? address : `${label} (${address})`;
}

const DOCUMENTATION = 'https://docs.openclaw.ai';

export function logTypingFailure({
  log,
  channel,
  target,
  action = 'start',
  error,
}: {
  readonly log: (text: string) => void;
  readonly channel: string;
  readonly target?: string;
  readonly action?: 'start' | 'stop';
  readonly error: unknown;
}): void {
  const where = target ? ` to ${target}` : '';
  log(`${channel}: showing that an answer is written${where} did not ${action}: ${formatErrorMessage(error)}`);
}

/** Where a call of a tool wants to send something; null when it wants something else. */
export function extractToolSend(
  args: Readonly<Record<string, unknown>>,
  expectedAction = 'sendMessage',
): { to: string; accountId?: string | undefined; threadId?: string | undefined } | null {
  const to = readStringValue(args.to);
  if (!to || readStringValue(args.action)?.trim() !== expectedAction) return null;
  const { threadId } = args;
  return {
    to,
    accountId: normalizeOptionalString(args.accountId),
    threadId: typeof threadId === 'number' ? String(threadId) : normalizeOptionalString(threadId),
  };
}

/** For channels that show text as it is. What is in code stays as it was written. */
export function stripMarkdown(text: string): string {
  return text
    .split(/(```[^`\n]*\n[\s\S]*?```|`[^`\n]+`)/)
    .map((part, index) => (index % 2 === 1 ? codeOf(part) : withoutMarks(part)))
    .join('')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

function codeOf(part: string): string {
  return part.startsWith('```') ? part.replace(/^```[^\n]*\n/, '').replace(/\n?```$/, '') : part.slice(1, -1);
}

function withoutMarks(text: string): string {
  return text
    .replace(/^[ \t]{0,3}(?:#{1,6}[ \t]+|>[ \t]?)/gm, '')
    .replace(/^[ \t]*(?:[-*_][ \t]*){3,}$/gm, '')
    .replace(/!?\[([^[\]\n]*)\]\([^()\s]*\)/g, '$1')
    .replace(/(\*\*|__|~~)(?=\S)([^\n]{0,1000}?\S)\1/g, '$2')
    .replace(/(?<![\w*])\*(?=[^\s*])([^*\n]*[^\s*])\*(?![\w*])/g, '$1')
    .replace(/(?<![\w_])_(?=[^\s_])([^_\n]*[^\s_])_(?![\w_])/g, '$1');
}
