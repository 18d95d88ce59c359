// The policy of one agent in one session with one model, as the steps that a tool has to pass. Reading the array downward
// is reading the order: profiles first, then the lists from the general to the particular, then the product's own rules.
// Pure; what a configuration looks like is not known here, only what it says.

import type { ToolSection } from '../../protocol/tool-section.ts';
import { type PolicyStep, policyList } from './policy-step.ts';
import { type SubagentFacts, subagentLists } from './subagent-lists.ts';
import { pickToolLists, type ToolLists, withAlsoAllow } from './tool-lists.ts';
import { resolveToolProfile } from './tool-profiles.ts';

export interface ToolPolicyFacts {
  readonly global?: ToolSection | undefined;
  readonly globalProvider?: ToolSection | undefined;
  readonly agent?: ToolSection | undefined;
  readonly agentProvider?: ToolSection | undefined;
  /** For the session of a subagent. */
  readonly subagent?: SubagentFacts | undefined;
  /** Whether the run is the operator's own, who alone has the tools that change the installation. */
  readonly isOwner: boolean;
}

export const OWNER_ONLY_TOOLS: readonly string[] = ['cron', 'gateway', 'nodes'];

export function resolveToolPolicy(facts: ToolPolicyFacts): readonly PolicyStep[] {
  const { global, globalProvider, agent, agentProvider, subagent, isOwner } = facts;
  const steps = [
    profileStep(chooseProfile(agent, global)),
    profileStep(chooseProfile(agentProvider, globalProvider)),
    ...[global, globalProvider, agent, agentProvider].map(listStep),
    subagent && subagentStep(subagent),
    isOwner ? undefined : OWNER_STEP,
  ];
  return steps.filter((step) => step !== undefined);
}

export interface ChosenProfile {
  readonly profile?: { readonly name: string; readonly place: string } | undefined;
  readonly alsoAllow?: { readonly list: readonly string[]; readonly place: string } | undefined;
}

/** The particular section's own words stand in for the general one's: they are not added to them. */
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

/** Entries that nobody has written are the product's own. */
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
