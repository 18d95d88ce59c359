// What `atrium` alone says: how to begin, and the commands by what they are for. `atrium --help` has a sentence for each
// of them. A command that no group names stands in the last one, so that none is missing.

import { VERSION } from '../protocol/version.ts';
import { COMMAND_WORDS } from './commands-of-word.ts';
import { formatFacts } from './output/format-table.ts';
import { visibleLine } from './output/text.ts';

export function formatOverview(width: number): string {
  const named = new Set(Object.values(GROUPED).flat());
  const rest = COMMAND_WORDS.filter((word) => !named.has(word));
  const groups = Object.entries({ ...GROUPED, more: rest })
    .map(([title, words]) => [title, words.filter((word) => COMMAND_WORDS.includes(word)).join(', ')] as const)
    .map(([title, words]) => [title, words === '' ? undefined : words] as const);
  return [
    `Atrium ${VERSION}: a self-hosted gateway for AI agents that you can see through.\n\n`,
    'To begin:\n',
    ...BEGINNINGS.map(([line, does]) => `  ${visibleLine(line).padEnd(36)}${does}\n`),
    '\nCommands:\n',
    formatFacts(groups, { indent: '  ', width: width - 2 }),
    '\n"atrium --help" says what each of them does, "atrium COMMAND --help" how it is used.\n',
    'Exit codes: 0 done, 1 done and the answer is no, 2 not done; the last line says why.\n',
  ].join('');
}

const BEGINNINGS = [
  ['atrium onboard', 'set everything up in a few questions'],
  ['atrium start', 'run the gateway'],
  ['atrium chat', 'talk to an agent in this terminal'],
  ['atrium agent what is open today', 'one message, one answer'],
  ['atrium doctor', 'find out what is wrong'],
] as const;

const GROUPED: Readonly<Record<string, readonly string[]>> = {
  gateway: ['onboard', 'start', 'stop', 'restart', 'status', 'doctor', 'logs', 'service', 'update'],
  talk: ['chat', 'agent', 'sessions', 'subagents', 'approvals', 'cron'],
  understand: ['run', 'runs', 'receipts', 'context', 'cache', 'usage', 'route', 'tools', 'tour'],
  'set up': ['config', 'agents', 'models', 'channels', 'pairing', 'skills', 'plugins', 'hooks', 'mcp', 'import'],
  records: ['debug', 'export-trajectory', 'trajectory', 'deadletters', 'prune'],
};
