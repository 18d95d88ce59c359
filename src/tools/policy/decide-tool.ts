// Whether a tool is offered, and the rule that decided. Every step must let it pass; the first that does not decides.
// Deciding is pure, so that an explanation cannot differ from what happens.

import { normalizeToolName } from '../tool-name.ts';
import type { PolicyEntry, PolicyList, PolicyStep } from './policy-step.ts';
import { COMPANIONS, expandToolGroups, KNOWN_TOOL_NAMES, PLUGIN_GROUP } from './tool-groups.ts';

/** As much of a tool as a policy looks at. */
export interface PolicyTool {
  readonly name: string;
  readonly owner?: string | undefined;
  /** A list has to name it, its owner or all plugins; that nothing forbids it is not enough. */
  readonly isOptional?: boolean | undefined;
}

export interface ToolVerdict {
  readonly isOffered: boolean;
  /** Names the rule in an operator's words: `tools.deny "exec"`, `not in tools.profile "minimal"`. */
  readonly rule: string;
  /** Undefined when no step concerns the tool. */
  readonly step: PolicyStep | undefined;
}

const NO_RULE = 'no rule forbids it';
const OPTIONAL_RULE = 'optional, and neither it nor its plugin is named in tools.alsoAllow';

export function decideTool(tool: PolicyTool, steps: readonly PolicyStep[]): ToolVerdict {
  return toolDecider(steps)(tool);
}

/** Decides about many tools; the lists are read once. */
export function toolDecider(steps: readonly PolicyStep[]): (tool: PolicyTool) => ToolVerdict {
  const readSteps = steps.map((step) => ({
    step,
    denies: step.deny && readList(step.deny),
    allows: step.allow?.entries.length ? readList(step.allow) : undefined,
  }));
  return (tool) => {
    const passed: { readonly entry: PolicyEntry; readonly step: PolicyStep }[] = [];
    for (const { step, denies, allows } of readSteps) {
      const denied = denies && findDenial(denies, tool);
      if (denied) return { isOffered: false, rule: denied.rule ?? step.source, step };
      if (!allows) continue;
      const entry = (tool.isOptional ? findNaming(allows, tool) : undefined) ?? findPermission(allows, tool);
      if (!entry) return { isOffered: false, rule: `not in ${step.allow?.name ?? step.source}`, step };
      passed.push({ entry, step });
    }
    if (tool.isOptional && !passed.some(({ entry }) => !entry.pattern.includes('*'))) {
      return { isOffered: false, rule: OPTIONAL_RULE, step: undefined };
    }
    // A list that names the tool says more than one that lets everything pass.
    const named = passed.filter(({ entry }) => entry.rule !== undefined);
    const told = named.find(({ entry }) => entry.pattern.trim() !== '*') ?? named[0];
    return { isOffered: true, rule: told?.entry.rule ?? NO_RULE, step: told?.step };
  };
}

/** The entry of a name, groups written out, and the entries that take several names. */
interface ReadList {
  readonly byName: ReadonlyMap<string, PolicyEntry>;
  readonly globs: readonly { readonly pattern: string; readonly entry: PolicyEntry }[];
}

function readList({ entries }: PolicyList): ReadList {
  const byName = new Map<string, PolicyEntry>();
  const globs: { pattern: string; entry: PolicyEntry }[] = [];
  for (const entry of entries) {
    for (const name of expandToolGroups([entry.pattern])) {
      if (name.includes('*')) globs.push({ pattern: name, entry });
      else if (!byName.has(name)) byName.set(name, entry);
    }
  }
  return { byName, globs };
}

function findDenial(list: ReadList, { name, owner }: PolicyTool): PolicyEntry | undefined {
  const plain = normalizeToolName(name);
  return findByName(list, plain) ?? findCompanion(list, COMPANIONS.get(plain)) ?? findByOwner(list, owner);
}

function findPermission(list: ReadList, { name, owner }: PolicyTool): PolicyEntry | undefined {
  const plain = normalizeToolName(name);
  return findByName(list, plain) ?? findCompanion(list, ALLOWED_WITH.get(plain)) ?? findOwnersPermission(list, owner);
}

/** A permission to write files is one to patch them. */
const ALLOWED_WITH: ReadonlyMap<string, string> = new Map([...COMPANIONS, ['apply_patch', 'write']]);

function findCompanion(list: ReadList, companion: string | undefined): PolicyEntry | undefined {
  return companion === undefined ? undefined : findByName(list, companion);
}

/** An entry that names the tool or its owner; an entry that lets everything pass names none. */
function findNaming(list: ReadList, { name, owner }: PolicyTool): PolicyEntry | undefined {
  return list.byName.get(normalizeToolName(name)) ?? findOwnersPermission(list, owner);
}

/** A plugin with the name of a product's tool must not be allowed by that tool's name. */
function findOwnersPermission(list: ReadList, owner: string | undefined): PolicyEntry | undefined {
  const isDisguised = owner !== undefined && KNOWN_TOOL_NAMES.includes(normalizeToolName(owner));
  return isDisguised ? list.byName.get(PLUGIN_GROUP) : findByOwner(list, owner);
}

function findByName({ byName, globs }: ReadList, name: string): PolicyEntry | undefined {
  return byName.get(name) ?? globs.find(({ pattern }) => matchesGlob(pattern, name))?.entry;
}

function findByOwner({ byName }: ReadList, owner: string | undefined): PolicyEntry | undefined {
  return owner === undefined ? undefined : (byName.get(normalizeToolName(owner)) ?? byName.get(PLUGIN_GROUP));
}

/** `*` stands for any characters, or none. It is not made into a regular expression, because that could be slow. */
export function matchesGlob(pattern: string, name: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop();
  if (last === undefined) return name === pattern;
  if (!name.startsWith(first)) return false;
  let from = first.length;
  for (const part of rest) {
    const at = name.indexOf(part, from);
    if (at === -1) return false;
    from = at + part.length;
  }
  return name.length - last.length >= from && name.endsWith(last);
}
