// Which skills an agent is told of: not those that the operator switched off or left out of the agent's list, nor those
// that need what this machine does not have. The reasons are those that reports and `atrium skills list` show.

import { agentPlaceOf, resolveAgentConfig, resolveAgentDefaults } from '../../config/agents.ts';
import type { Environment } from '../../config/environment.ts';
import type { Config } from '../../config/schema.ts';
import type { SkillPolicy } from '../../context/sources/skills.ts';
import { formatUnmetNeed, listUnmetNeeds } from '../../hooks/packs/hook-eligibility.ts';
import { findSection, parseJson5, readMachineNeeds } from '../../hooks/packs/hook-metadata.ts';

export function skillPolicyOf(config: Config, agentId: string, environment: Environment): SkillPolicy {
  const { names, setting } = skillNamesOf(config, agentId);
  const { variables } = environment;
  const machine = { platform: process.platform, env: variables, path: variables.PATH ?? '' };
  return async ({ name, metadata }) => {
    if (names && !names.includes(name)) return `${setting} does not name it`;
    const section = findSection(await metadataOf(metadata)) ?? {};
    const key = textOf(section.skillKey) ?? name;
    const entries = config.skills?.entries ?? {};
    const entry = Object.hasOwn(entries, key) ? entries[key] : undefined;
    if (entry?.enabled === false) return `skills.entries.${key}.enabled is false`;
    const main = textOf(section.primaryEnv);
    const given = { ...entry?.env, ...(main !== undefined && isFilled(entry?.apiKey) && { [main]: 'set' }) };
    const unmet = await listUnmetNeeds(readMachineNeeds(section), { config, variables: given }, machine);
    return unmet.length === 0 ? undefined : unmet.map(formatUnmetNeed).join(' ');
  };
}

/** The skills that the operator names for an agent, and the setting that does. Without names, it may have all. */
export function skillNamesOf(config: Config, agentId: string) {
  const own = resolveAgentConfig(config, agentId)?.skills;
  const names = own ?? resolveAgentDefaults(config).skills;
  const setting = own === undefined ? 'agents.defaults.skills' : `${agentPlaceOf(config, agentId)}.skills`;
  return { names: names?.map((each) => each.trim()), setting };
}

/** The front matter has it as a mapping, or as text in JSON5. What cannot be read asks for nothing. */
async function metadataOf(value: unknown): Promise<unknown> {
  if (typeof value !== 'string') return value;
  return parseJson5(value).catch(() => undefined);
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

/** A reference to a variable that is not set stays in the text, and is no key. */
function isFilled(value: unknown): boolean {
  return typeof value === 'string' ? value.trim() !== '' && !/^\$\{[^}]*\}$/.test(value.trim()) : Boolean(value);
}
