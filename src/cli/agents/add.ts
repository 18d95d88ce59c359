// `atrium agents add`: writes a new agent into the configuration and creates its workspace. Existing agents keep their
// workspaces, and the default agent stays the default one unless the command says otherwise.

import { resolveAgentWorkspaceDir } from '../../config/agent-workspace.ts';
import {
  type AgentConfig,
  agentIdOf,
  agentPathOf,
  listAgentConfigs,
  listAgentIds,
  resolveAgentConfig,
  resolveAgentDefaults,
  withAgents,
} from '../../config/agents.ts';
import { type ConfigPath, formatConfigPath } from '../../config/config-path.ts';
import { loadConfigSource } from '../../config/config-source.ts';
import { appendConfigValue, resolveConfigFileToEdit, setConfigValue } from '../../config/edit-config.ts';
import type { Environment } from '../../config/environment.ts';
import { ConfigEditError } from '../../config/errors.ts';
import { loadConfig } from '../../config/load-config.ts';
import { isPlainObject } from '../../config/plain-object.ts';
import type { Config } from '../../config/schema.ts';
import { resolveUserPath } from '../../config/user-path.ts';
import { TAXONOMIES, type TaxonomyId } from '../../context/taxonomy.ts';
import { BadFlagError } from '../../gateway/errors.ts';
import { DEFAULT_AGENT_ID, isValidAgentId, normalizeAgentId } from '../../protocol/agent-id.ts';
import { command, type FlagsOf } from '../command.ts';
import { tellFollowing } from '../config/tell-following.ts';
import { AgentExistsError, InvalidAgentIdError } from '../errors.ts';
import { formatOutcome, initWorkspace } from './agents.ts';
import { resolveAgent } from './resolve-agent.ts';

/** Newer homes of OpenClaw have their agents by name; a new one goes where the others are. */
function sectionFor({ agents }: Config): ConfigPath {
  const isByName = (agents?.list ?? []).length === 0 && Object.keys(agents?.entries ?? {}).length > 0;
  return ['agents', isByName ? 'entries' : 'list'];
}

const OPTIONS = {
  '--workspace <dir>': 'where its files live (default: a folder of its own in the state directory)',
  '--taxonomy <set>': {
    text: 'its set of bootstrap files (default: openclaw)',
    choices: Object.keys(TAXONOMIES) as readonly TaxonomyId[],
  },
  '--default': 'make it the default agent',
  '--no-init': 'do not create the workspace',
  '--config <file>': 'write into this configuration file',
} as const;

export const agentsAdd = command({
  path: 'agents add',
  summary: 'add an agent to the configuration and create its workspace; comments in the file survive',
  args: { '<id>': 'the id of the new agent: letters, digits, dashes and underscores' },
  options: OPTIONS,
  examples: [
    'agents add ops',
    'agents add writer --workspace ~/writing --taxonomy openboa',
    'agents add ops --default --no-init',
  ],
  async run({ id, ...flags }, { io, say }) {
    const { environment } = io;
    const location = { environment, configPath: flags.config };
    const { config } = await loadConfig(location);
    const section = sectionFor(config);
    const file = await resolveConfigFileToEdit(location, section);
    const agentId = newAgentId(id, config, file);
    const plan = planAddition(agentId, flags, config, environment);
    const changes = await locateChanges(plan, file);

    for (const { id: added, ...entry } of plan.added) {
      if (section[1] === 'list') await appendConfigValue(file, section, { id: added, ...entry });
      else await setConfigValue(file, [...section, added], entry);
    }
    for (const { path, value } of changes) await setConfigValue(file, path, value);

    const { config: written } = await loadConfig(location);
    const agent = resolveAgent(written, environment, agentId);
    say(`Added the agent "${agentId}" to ${file}.`);
    if (plan.added.length > 1) {
      const effect = flags.default ? 'keeps its workspace' : 'stays the default agent';
      say(`The list of agents was empty, so "${DEFAULT_AGENT_ID}" was added too and ${effect}.`);
    }
    for (const { path, value } of changes) say(`Wrote ${formatConfigPath(path)} = ${JSON.stringify(value)}.`);
    if (flags.default) say(`"${agentId}" is the default agent now.`);
    for (const other of sharers(agentId, written, environment)) {
      say(`Mind that the agent "${other}" has the same workspace, so that both read the same files.`);
    }
    const isSkipped = resolveAgentDefaults(written).skipBootstrap === true;
    const init = flags.init ? await initWorkspace(agent, isSkipped, io.now()) : undefined;
    const { workspaceDir: workspace, taxonomy, isDefault } = agent;
    for (const sentence of await tellFollowing(io, file, section)) say(sentence);
    const changed = changes.map(({ path, value }) => ({ path: formatConfigPath(path), value }));
    return {
      json: {
        agent: agentId,
        file,
        workspace,
        taxonomy: taxonomy.id,
        default: isDefault,
        added: plan.added,
        changed,
        init,
      },
      text: init
        ? formatOutcome(agent, init)
        : `Its workspace is ${workspace}; create it with "atrium agents init ${agentId}".\n`,
    };
  },
});

function newAgentId(id: string, config: Config, file: string): string {
  const agentId = normalizeAgentId(id);
  if (!isValidAgentId(id)) {
    throw new InvalidAgentIdError({ agentId: id, suggestion: agentId === DEFAULT_AGENT_ID ? undefined : agentId });
  }
  if (resolveAgentConfig(config, agentId) !== undefined) throw new AgentExistsError({ agentId, file });
  return agentId;
}

interface Addition {
  /** In the order in which they are appended; the agent that was asked for is the last one. */
  readonly added: readonly AgentConfig[];
  /** The changes to entries that exist already. */
  readonly changed: readonly {
    readonly agentId: string;
    readonly key: 'default' | 'workspace';
    readonly value: unknown;
  }[];
}

function planAddition(
  agentId: string,
  flags: FlagsOf<typeof OPTIONS>,
  config: Config,
  environment: Environment,
): Addition {
  const existing = listAgentConfigs(config);
  // A list that names another agent first would make that one the default and leave `main` out altogether.
  const main: AgentConfig[] = existing.length === 0 && agentId !== DEFAULT_AGENT_ID ? [{ id: DEFAULT_AGENT_ID }] : [];
  const own: AgentConfig = {
    id: agentId,
    ...(flags.workspace !== undefined && { workspace: workspaceFlag(flags.workspace, environment) }),
    ...(flags.taxonomy !== undefined && { taxonomy: flags.taxonomy }),
  };
  if (!flags.default) return { added: [...main, own], changed: [] };

  // The default agent uses the shared workspace, so an agent that becomes or ceases to be the default would move.
  const directory = (id: string, list: readonly AgentConfig[]) =>
    resolveAgentWorkspaceDir(withAgents(config, list), id, environment.variables);
  const before = [...existing, ...main, own];
  const after = before.map((entry) => ({ ...entry, default: entry === own }));
  const pinned = (entry: AgentConfig): AgentConfig => {
    const id = agentIdOf(entry);
    const dir = directory(id, before);
    return dir === directory(id, after) ? entry : { ...entry, workspace: dir };
  };
  return {
    added: [...main.map(pinned), { ...pinned(own), default: true }],
    changed: existing.flatMap((entry) => {
      const id = agentIdOf(entry);
      const { workspace } = pinned(entry);
      return [
        ...(workspace === entry.workspace ? [] : [{ agentId: id, key: 'workspace' as const, value: workspace }]),
        ...(entry.default ? [{ agentId: id, key: 'default' as const, value: false }] : []),
      ];
    }),
  };
}

function workspaceFlag(dir: string, environment: Environment): string {
  if (dir.trim() === '') throw new BadFlagError({ flag: '--workspace', value: dir, expected: 'a folder' });
  return resolveUserPath(dir, environment.home, environment.cwd);
}

/**
 * Runs before anything is written: entries are found by their id, because the file may hold only a part of the list.
 */
async function locateChanges(
  { changed }: Addition,
  file: string,
): Promise<readonly { readonly path: ConfigPath; readonly value: unknown }[]> {
  const written = (await loadConfigSource(file))?.value;
  return changed.map(({ agentId, key, value }) => {
    const path = isPlainObject(written) ? agentPathOf(written as Config, agentId) : undefined;
    if (path) return { path: [...path, key], value };
    throw new ConfigEditError({
      file,
      path: `${key} of the agent "${agentId}"`,
      detail: 'the agent stands in another file',
    });
  });
}

function sharers(agentId: string, config: Config, environment: Environment): string[] {
  const { workspaceDir } = resolveAgent(config, environment, agentId);
  return listAgentIds(config).filter(
    (other) => other !== agentId && resolveAgent(config, environment, other).workspaceDir === workspaceDir,
  );
}
