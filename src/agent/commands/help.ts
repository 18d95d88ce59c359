// `/help`: the commands that any chat understands, one line each. The list is the one that people are shown; what the
// commands do stands elsewhere.

export interface ChatCommand {
  readonly name: string;
  /** What may follow the name. */
  readonly usage?: string;
  readonly summary: string;
}

export const CHAT_COMMANDS: readonly ChatCommand[] = [
  { name: 'new', usage: '[message]', summary: 'begin a new session, with the message if there is one' },
  { name: 'reset', usage: '[message]', summary: 'the same, noted as a reset' },
  {
    name: 'compact',
    usage: '[instructions]',
    summary: 'make a long conversation shorter now, minding the instructions if there are some',
  },
  { name: 'stop', summary: 'stop what is running in this session' },
  {
    name: 'approve',
    usage: '[ID allow-once | allow-always | deny]',
    summary: 'answer a tool call that waits for you, or list those that do',
  },
  { name: 'status', summary: 'show the agent, the model, this session, its last run and what waits' },
  {
    name: 'context',
    usage: '[list | detail | map]',
    summary: 'show what the agent reads: its files, every layer with its authors, or a map',
  },
  { name: 'help', summary: 'show this list' },
];

export function formatHelp(commands: readonly ChatCommand[] = CHAT_COMMANDS): string {
  const lines = commands.map(({ name, usage, summary }) => `- /${name}${usage ? ` ${usage}` : ''}: ${summary}`);
  return ['Commands', ...lines, '', 'Anything else is said to the agent.'].join('\n');
}
