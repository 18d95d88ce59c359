// The documents that come with the product, by topic, and how a sentence names one. After a global install people do not
// know where the files are, so messages name the command that prints one. A test compares the list with the folder `docs/`.

export const DOCUMENTS = {
  'moving-in': 'coming from OpenClaw: keys, conversations, jobs',
  cli: 'every command, its flags and exit codes',
  config: 'settings, where they are read from, and what changes without a restart',
  models: 'models and keys, and what happens when a model fails',
  channels: 'Telegram, Discord and Slack, from a token to the first answer; how a channel is written',
  commands: 'what can be typed into a chat',
  service: 'run it as a service or in a container, and keep it up to date',
  'remote-access': 'reach it from elsewhere: reverse proxies, TLS, tunnels and the token',
  workspace: 'workspaces, the roles of their files, the first run',
  lifecycle: 'the life of a message, with every hook at its place',
  context: 'how a prompt is composed',
  attachments: 'files and images',
  conversations: 'long conversations, usage and cost',
  spend: 'limits on what an agent, a session or a sender may spend',
  'message-tool': 'how an agent writes into another conversation',
  delivery: 'what is promised about delivery, surface by surface',
  tools: 'tools, and who is offered which',
  subagents: 'children that work beside a session',
  mcp: 'tools of MCP servers',
  approvals: 'tool calls that ask first',
  schedules: 'jobs and heartbeats',
  webhooks: 'how other programs start a run or tell an agent something',
  api: 'the API',
  clients: 'clients of OpenAI: base URL, tools of the client, forms of an answer, what is refused',
  observability: 'the log, traces and metrics',
  recorder: 'what is recorded, and how to switch it off',
  replay: 'composing a past run again, and what would have been different',
  cache: 'prompt caches: what breaks them, and who did',
  receipts: 'which runs had a text, and why others had not',
  hooks: 'hooks, rules and bundled handlers',
  plugins: 'plugins: your first, what they can do, coming from OpenClaw',
  'openclaw-keys': 'what becomes of an OpenClaw configuration, key by key',
  scale: 'a Postgres database instead of a file, and several nodes',
  performance: 'what Atrium itself costs, measured',
  errors: 'every error, what it means and what to do',
  vocabulary: 'words, and what each means here',
} as const;

export type DocumentTopic = keyof typeof DOCUMENTS;

/** The command that prints a document, for sentences: `See "${docsCommand('models')}".` */
export function docsCommand(topic: DocumentTopic): string {
  return `atrium docs ${topic}`;
}
