// The policy of one agent in one session with one model, as the steps that a tool has to pass. Reading the array downward
// is reading the order: profiles first, then the lists from the general to the particular, then the product's own rules.
// It is pure; what a configuration looks like is not known here, only what it says.

import type { ToolSection } from '../../protocol/tool-section.ts';
import { normalizeToolName } from '../tool-name.ts';
import { matchesGlob } from './decide-tool.ts';
import { type PolicyStep, policyList } from './policy-step.ts';
import { expandToolGroups, MCP_OWNER, TOOL_GROUPS } from './tool-groups.ts';

export interface ToolPolicyFacts {
  readonly global?: ToolSection | undefined;
  readonly globalProvider?: ToolSection | undefined;
  readonly agent?: ToolSection | undefined;
  readonly agentProvider?: ToolSection | undefined;
  /** Set for the session of a subagent. */
  readonly subagent?: SubagentFacts | undefined;
  /** What is written about the tools of a session that should run in a sandbox. */
  readonly sandbox?: ToolSection | undefined;
  /** Tools that a setting of their own keeps away, and how it decided. */
  readonly switchedOff?: readonly SwitchedOff[] | undefined;
  /** Whether the run is the operator's own, who alone has the tools that change the installation. */
  readonly isOwner: boolean;
}

interface SwitchedOff {
  readonly name: string;
  readonly setting: string;
  readonly rule: string;
}

export const OWNER_ONLY_TOOLS: readonly string[] = ['cron', 'gateway', 'nodes'];

export function resolveToolPolicy(facts: ToolPolicyFacts): readonly PolicyStep[] {
  const { global, globalProvider, agent, agentProvider, sandbox, subagent, switchedOff = [], isOwner } = facts;
  const steps = [
    profileStep(chooseProfile(agent, global)),
    profileStep(chooseProfile(agentProvider, globalProvider)),
    ...[global, globalProvider, agent, agentProvider].map(listStep),
    sandbox && sandboxStep(sandbox),
    subagent && subagentStep(subagent),
    ...switchedOff.map(switchStep),
    isOwner ? undefined : OWNER_STEP,
  ];
  return steps.filter((step) => step !== undefined);
}

export interface ChosenProfile {
  readonly profile?: { readonly name: string; readonly place: string } | undefined;
  readonly alsoAllow?: { readonly list: readonly string[]; readonly place: string } | undefined;
}

/** The settings of the particular section replace those of the general one; they are not added. */
export function chooseProfile(own: ToolSection | undefined, shared: ToolSection | undefined): ChosenProfile {
  const named = own?.profile === undefined ? shared : own;
  const widening = own?.alsoAllow === undefined ? shared : own;
  return {
    ...(named?.profile !== undefined && { profile: { name: named.profile, place: named.place } }),
    ...(widening?.alsoAllow && { alsoAllow: { list: widening.alsoAllow, place: widening.place } }),
  };
}

function profileStep({ profile, alsoAllow }: ChosenProfile): PolicyStep | undefined {
  const base = resolveToolProfile(profile?.name);
  if (!profile || !base) return undefined;
  const source = `${profile.place}.profile "${profile.name}"`;
  const widened = withAlsoAllow(base, alsoAllow?.list);
  const isWidened = alsoAllow !== undefined && widened !== base;
  const name = isWidened ? `${source} and ${alsoAllow.place}.alsoAllow` : source;
  const ruleOf = (pattern: string) =>
    base.allow?.includes(pattern) ? source : `${alsoAllow?.place}.alsoAllow "${pattern}"`;
  return { source, allow: policyList(name, widened?.allow, ruleOf) };
}

function listStep(section: ToolSection | undefined): PolicyStep | undefined {
  const lists = pickToolLists(section);
  return section && lists && writtenStep(section, lists, () => undefined);
}

const SUBAGENT_RULE = 'subagents do not have it unless tools.subagents.tools.alsoAllow names it';

function subagentStep(facts: SubagentFacts): PolicyStep {
  const section = { ...facts.written, place: 'tools.subagents.tools' };
  const lists = subagentLists(facts);
  const step = writtenStep(section, lists, () => SUBAGENT_RULE);
  return { ...step, source: 'subagents' };
}

/** There is no sandbox, and the tools that reach out of one are kept away from the session all the same. */
function sandboxStep(written: ToolSection): PolicyStep {
  const { allow = SANDBOX_TOOLS, alsoAllow = [] } = written;
  const lifted = expandToolGroups([...(written.allow ?? []), ...alsoAllow]);
  const deny = written.deny ?? DENIED_IN_SANDBOX.filter((name) => !lifted.some((each) => matchesGlob(each, name)));
  const lists = { allow: allow.length === 0 ? [] : [...allow, ...alsoAllow], deny };
  return { ...writtenStep(written, lists, () => SANDBOX_RULE), source: 'sandbox' };
}

function switchStep({ name, setting, rule }: SwitchedOff): PolicyStep {
  return { source: setting, deny: policyList(setting, [name], () => rule) };
}

/** Entries that the configuration does not have are the product's own. */
function writtenStep(section: ToolSection, lists: ToolLists, ownRule: () => string | undefined): PolicyStep {
  const { place, allow, alsoAllow, deny } = section;
  const ruleFor = (pattern: string, key: 'allow' | 'alsoAllow' | 'deny', list: readonly string[] | undefined) =>
    list?.includes(pattern) ? `${place}.${key} "${pattern}"` : undefined;
  const allowName = alsoAllow?.length && allow?.length ? `${place}.allow and ${place}.alsoAllow` : `${place}.allow`;
  return {
    source: place,
    allow: policyList(
      allowName,
      lists.allow,
      (pattern) => ruleFor(pattern, 'allow', allow) ?? ruleFor(pattern, 'alsoAllow', alsoAllow) ?? ownRule(),
    ),
    deny: policyList(`${place}.deny`, lists.deny, (pattern) => ruleFor(pattern, 'deny', deny) ?? ownRule()),
  };
}

const OWNER_STEP: PolicyStep = {
  source: 'tools of the operator',
  deny: policyList('tools of the operator', OWNER_ONLY_TOOLS, () => 'only the operator has it, and jobs on a schedule'),
};

export interface ToolLists {
  readonly allow?: readonly string[] | undefined;
  readonly deny?: readonly string[] | undefined;
}

/** Adds to an existing list. Without a list everything is allowed already, and nothing is added. */
export function withAlsoAllow(
  lists: ToolLists | undefined,
  alsoAllow: readonly string[] | undefined = [],
): ToolLists | undefined {
  if (!lists?.allow || alsoAllow.length === 0) return lists;
  return { ...lists, allow: [...new Set([...lists.allow, ...alsoAllow])] };
}

/** Undefined when nothing is said. `alsoAllow` alone forbids nothing: it adds to everything. */
export function pickToolLists(
  written: Pick<ToolSection, 'allow' | 'alsoAllow' | 'deny'> | undefined,
): ToolLists | undefined {
  const { allow, alsoAllow = [], deny } = written ?? {};
  const base = allow === undefined || (allow.length === 0 && alsoAllow.length > 0) ? ['*'] : allow;
  const merged = allow === undefined && alsoAllow.length === 0 ? undefined : [...new Set([...base, ...alsoAllow])];
  if (!merged && !deny) return undefined;
  return { ...(merged && { allow: merged }), ...(deny && { deny }) };
}

export interface SubagentFacts {
  /** 1 for a subagent of a person's session, 2 for a subagent of that, and so on. */
  readonly depth: number;
  /** The largest depth; subagents of this depth cannot spawn others. */
  readonly maxSpawnDepth: number;
  /** What `tools.subagents.tools` says. */
  readonly written?: Pick<ToolSection, 'allow' | 'alsoAllow' | 'deny'> | undefined;
}

const DENIED_TO_ALL = ['gateway', 'agents_list', 'session_status', 'cron', 'sessions_send'];
const DENIED_TO_LEAVES = ['subagents', 'sessions_list', 'sessions_history', 'sessions_spawn'];

export function subagentLists({ depth, maxSpawnDepth, written = {} }: SubagentFacts): ToolLists {
  const { allow, alsoAllow = [], deny = [] } = written;
  const lifted = new Set([...(allow ?? []), ...alsoAllow].map(normalizeToolName));
  const own = depth >= maxSpawnDepth ? [...DENIED_TO_ALL, ...DENIED_TO_LEAVES] : DENIED_TO_ALL;
  return {
    ...(allow && { allow: [...new Set([...allow, ...alsoAllow])] }),
    deny: [...own.filter((name) => !lifted.has(name)), ...deny],
  };
}

const group = (name: string): readonly string[] => TOOL_GROUPS.get(`group:${name}`) ?? [];

const SANDBOX_TOOLS = [...group('fs'), ...['exec', 'process', 'image'], ...group('sessions')];
const DENIED_IN_SANDBOX = ['browser', 'canvas', 'nodes', 'cron', 'gateway'];
const SANDBOX_RULE = 'sessions in a sandbox do not have it unless tools.sandbox.tools.alsoAllow names it';

const PROFILES: ReadonlyMap<string, readonly string[]> = new Map([
  ['minimal', ['session_status']],
  [
    'coding',
    [
      ...['fs', 'runtime', 'web', 'memory', 'sessions'].flatMap(group),
      'cron',
      'update_plan',
      ...group('media').filter((name) => name !== 'tts'),
      MCP_OWNER,
    ],
  ],
  ['messaging', ['sessions_list', 'sessions_history', 'sessions_send', 'session_status', 'message', MCP_OWNER]],
  ['full', ['*']],
]);

export const PROFILE_NAMES: readonly string[] = [...PROFILES.keys()];

/** Names are taken as they are written, upper and lower case included. */
export function resolveToolProfile(name: string | undefined): ToolLists | undefined {
  const allow = name === undefined ? undefined : PROFILES.get(name);
  return allow && { allow };
}
