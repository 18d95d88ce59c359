// The groups of commands. A command with two words belongs to the group of its first word.

/** The first word of a command with two words, and its line in the help. */
export const GROUPS = {
  sessions: 'list conversations, read, end or delete them',
  run: 'look at how a message became an answer, and compose it again',
  runs: 'compose many recorded runs again, with something changed',
  subagents: 'see what agents have handed to others, and stop it',
  cache: 'see how well prompt caches are used, and who broke them',
  debug: 'log what models are sent and what they write, for a while',
  trajectory: 'read what was exported from a session, on any machine',
  channels: 'connect chat platforms, see how they are, and try them without a token',
  approvals: 'look at tool calls that wait for a person, answer them, and revoke rules',
  pairing: 'see who on chat platforms may talk to the agent, and who asks to',
  deadletters: 'look at messages and answers that were given up, send them again or remove them',
  cron: 'keep jobs that agents do by themselves, and see what became of them',
  context: 'see what an agent reads, from whom, and what was left out',
  hooks: 'see, switch, write and test what steps in when a prompt is composed',
  agents: 'add agents, create their workspaces and check them',
  config: 'read, change and check the configuration',
  import: 'bring along what another program has kept: conversations, jobs, people',
  route: 'see which agent and session a message goes to',
  tools: 'see which tools an agent is offered, and why',
  mcp: 'look at the MCP servers, which bring tools, and try them',
  plugins: 'see, install, switch, load again and write plugins',
  skills: 'see, install and remove skills',
  service: 'let the system run the gateway, and start it again when it fails',
  completion: 'let your shell complete commands and flags',
} as const;
