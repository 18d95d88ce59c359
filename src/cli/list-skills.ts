// The skills of an agent in the order in which they win: those of the workspace, then those of the state directory,
// then those of plugins, then those of the folders that the operator names. It says where each comes from, and reads names and descriptions only.

import { join } from 'node:path';
import { withConfigVariables } from '../config/config-variables.ts';
import { loadConfig } from '../config/load-config.ts';
import { extraSkillFolders } from '../config/skill-folders.ts';
import { CachedFileSource } from '../context/sources/file-source.ts';
import { SkillCatalogue, type SkillFolder } from '../context/sources/skills.ts';
import { contextPolicyOf } from '../gateway/composer/context-policy.ts';
import { skillNamesOf, skillPolicyOf } from '../gateway/composer/skill-policy.ts';
import { pluginsConfigurationOf } from '../gateway/settings/plugins-configuration.ts';
import { decideEnablement } from '../plugins/discovery/decide-enablement.ts';
import { discoverPlugins } from '../plugins/discovery/discover-plugins.ts';
import { listPluginSkillFolders } from '../plugins/discovery/plugin-skill-folders.ts';
import { readInstallRecords } from '../plugins/install/install-records.ts';
import { resolveAgent } from './agents/resolve-agent.ts';
import type { CliIo } from './cli-io.ts';

export interface SkillList {
  readonly skills: readonly ListedSkill[];
  /** Files and folders among them that are not skills, and skills that are not for this agent or this machine. */
  readonly problems: readonly { readonly path: string; readonly detail: string; readonly reason: string }[];
  /** Names in the list of the agent that no folder has. */
  readonly missing: readonly { readonly name: string; readonly setting: string }[];
}

export interface ListedSkill {
  readonly name: string;
  readonly description: string;
  readonly path: string;
  /** `workspace`, `state`, an installed package with its version, or `plugin <id>`. */
  readonly from: string;
}

export async function listSkills(
  flags: { readonly agent?: string; readonly config?: string },
  io: CliIo,
): Promise<SkillList> {
  const loaded = await loadConfig({ environment: io.environment, configPath: flags.config });
  const { config } = loaded;
  const environment = withConfigVariables(io.environment, loaded);
  const { agentId, taxonomy, workspaceDir } = resolveAgent(config, environment, flags.agent);
  const { allowedRoots } = contextPolicyOf(config, agentId, taxonomy, environment);
  const { stateDir } = environment;
  const configuration = pluginsConfigurationOf(config, environment);
  const { loadPaths } = configuration.settings;
  const [records, found] = await Promise.all([
    readInstallRecords(stateDir),
    discoverPlugins({ loadPaths, stateDir, workspaceDir: configuration.workspaceDir }),
  ]);
  const isOn = found.plugins
    .filter((plugin) => decideEnablement(plugin, configuration.settings).enabled)
    .map(({ id, rootDir, manifest }) => ({ id, rootDir, skills: manifest.skills }));
  const folders: readonly (SkillFolder & { readonly from: string })[] = [
    { dir: join(workspaceDir, 'skills'), roots: [workspaceDir, ...allowedRoots], from: 'workspace' },
    { dir: join(stateDir, 'skills'), roots: [stateDir, ...allowedRoots], from: 'state' },
    ...(await listPluginSkillFolders(isOn)).map(({ pluginId, dir, rootDir }) => {
      return { dir, roots: [rootDir], from: `plugin ${pluginId}` };
    }),
    ...extraSkillFolders(config, environment).map((folder) => ({ ...folder, from: 'skills.load.extraDirs' })),
  ];
  const { skills, refused } = await new SkillCatalogue().load(
    new CachedFileSource(),
    folders,
    skillPolicyOf(config, agentId, environment),
  );
  const fromOf = (path: string) => {
    const record = records.find((each) => each.kind === 'skill' && join(each.dir, 'SKILL.md') === path);
    if (record) return `${record.name ?? record.spec}${record.version === null ? '' : ` ${record.version}`}`;
    return folders.find(({ dir }) => path.startsWith(join(dir, '/')))?.from ?? '';
  };
  const { names = [], setting } = skillNamesOf(config, agentId);
  const known = new Set([...skills, ...refused].map(({ name }) => name));
  return {
    skills: skills.map((skill): ListedSkill => ({ ...skill, from: fromOf(skill.path) })),
    problems: refused.map(({ path, detail, reason }) => ({ path, detail, reason })),
    missing: names.filter((name) => !known.has(name)).map((name) => ({ name, setting })),
  };
}
