// Where the commands with this first word are, so that a command line loads its own command and no other: reading them
// all takes longer than most of them work. `commands.test.ts` compares this list with the one of the help.

import type { CliCommand } from './command.ts';

/** Undefined for a word that no command begins with: it may be a plugin's, or a mistake. */
export async function loadCommandsOf(word: string): Promise<readonly CliCommand[] | undefined> {
  const commands = Object.hasOwn(WORDS, word) ? await WORDS[word]?.() : undefined;
  return commands?.filter(({ path }) => path.split(' ')[0] === word);
}

const WORDS: Readonly<Record<string, () => Promise<readonly CliCommand[]>>> = {
  onboard: async () => [(await import('./onboard/onboard.ts')).onboard],
  start: async () => [(await import('./gateway/start.ts')).start],
  stop: async () => [(await import('./gateway/stop.ts')).stop],
  restart: async () => [(await import('./gateway/stop.ts')).restart],
  chat: async () => [(await import('./chat/chat.ts')).chat],
  agent: async () => [(await import('./chat/agent.ts')).agent],
  status: async () => [(await import('./gateway/status.ts')).status],
  doctor: async () => [(await import('./gateway/doctor.ts')).doctor],
  logs: async () => [(await import('./logs.ts')).logs],
  nodes: async () => (await import('./nodes.ts')).NODE_COMMANDS,
  sessions: async () => (await import('./sessions.ts')).SESSION_COMMANDS,
  run: async () => [...(await import('./run.ts')).RUN_COMMANDS, (await import('./replay/run-replay.ts')).runReplay],
  runs: async () => [(await import('./replay/runs-replay.ts')).runsReplay],
  subagents: async () => (await import('./subagents.ts')).SUBAGENT_COMMANDS,
  usage: async () => [(await import('./usage.ts')).usage],
  receipts: async () => [(await import('./receipts.ts')).receipts],
  cache: async () => (await import('./cache.ts')).CACHE_COMMANDS,
  debug: async () => (await import('./debug.ts')).DEBUG_COMMANDS,
  'export-trajectory': async () => (await import('./trajectory.ts')).TRAJECTORY_COMMANDS,
  trajectory: async () => (await import('./trajectory.ts')).TRAJECTORY_COMMANDS,
  prune: async () => [(await import('./prune.ts')).prune],
  store: async () => (await import('./store/store.ts')).STORE_COMMANDS,
  channels: async () => [
    ...(await import('./channels.ts')).CHANNEL_COMMANDS,
    (await import('./channels-try.ts')).channelsTry,
  ],
  approvals: async () => (await import('./approvals.ts')).APPROVAL_COMMANDS,
  pairing: async () => (await import('./pairing.ts')).PAIRING_COMMANDS,
  deadletters: async () => (await import('./deadletters.ts')).DEAD_LETTER_COMMANDS,
  cron: async () => (await import('./cron.ts')).CRON_COMMANDS,
  context: async () => [
    (await import('./context/preview.ts')).contextPreview,
    (await import('./context/report.ts')).contextReport,
    (await import('./context/explain.ts')).contextExplain,
    (await import('./context/diff.ts')).contextDiff,
    (await import('./context/check.ts')).contextCheck,
    ...(await import('./context/files.ts')).CONTEXT_FILE_COMMANDS,
  ],
  hooks: async () => {
    const [list, status, info, check, switching, own] = await Promise.all([
      import('./hooks/list.ts'),
      import('./hooks/status.ts'),
      import('./hooks/info.ts'),
      import('./hooks/check.ts'),
      import('./hooks/switch-hook.ts'),
      import('./hooks/own-packs.ts'),
    ]);
    return [
      ...[list.hooksList, status.hooksStatus, status.hooksRearm, info.hooksInfo, check.hooksCheck],
      ...[switching.hooksEnable, switching.hooksDisable, own.hooksNew, own.hooksTest],
    ];
  },
  agents: async () => {
    const [{ agentsAdd }, agents] = await Promise.all([import('./agents/add.ts'), import('./agents/agents.ts')]);
    return [agentsAdd, agents.agentsList, agents.agentsInit, agents.agentsValidate];
  },
  config: async () => (await import('./config/config.ts')).CONFIG_COMMANDS,
  models: async () => (await import('./models.ts')).MODEL_COMMANDS,
  import: async () => [(await import('./import.ts')).importOpenClawCommand],
  route: async () => (await import('./route.ts')).ROUTE_COMMANDS,
  tools: async () => (await import('./tools.ts')).TOOL_COMMANDS,
  mcp: async () => (await import('./mcp.ts')).MCP_COMMANDS,
  plugins: async () => (await import('./plugins/plugins.ts')).PLUGIN_COMMANDS,
  skills: async () => (await import('./skills.ts')).SKILL_COMMANDS,
  tour: async () => [(await import('./tour.ts')).tour],
  service: async () => (await import('./service/service.ts')).SERVICE_COMMANDS,
  docs: async () => [(await import('./docs.ts')).docs],
  update: async () => [(await import('./update.ts')).update],
  completion: async () => (await import('./completion/completion.ts')).COMPLETION_COMMANDS,
};

/** Every first word, in the order above. */
export const COMMAND_WORDS: readonly string[] = Object.keys(WORDS);
