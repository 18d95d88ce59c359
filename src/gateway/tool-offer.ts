// Decides which of all tools an agent is offered. A run, a preview and an explanation all ask here, so that they always
// agree.

import type { ToolScope } from '../agent/run-parts.ts';
import { listToolRefusals } from '../config/missing-protection.ts';
import { ownershipOf } from '../config/owners.ts';
import type { Config } from '../config/schema.ts';
import { listPluginIds, listToolPlaces, toolPolicyOf } from '../config/tool-policy.ts';
import { isOwnersRun, isOwnersSession } from '../sessions/session-visibility.ts';
import type { ChildRow } from '../store/tables.ts';
import { type PolicyTool, type ToolVerdict, toolDecider } from '../tools/policy/decide-tool.ts';
import { listPolicyOddities } from '../tools/policy/list-policy-oddities.ts';
import { type PolicyStep, policyList } from '../tools/policy/policy-step.ts';
import { OWNER_ONLY_TOOLS, resolveToolPolicy } from '../tools/policy/resolve-tool-policy.ts';
import { refusedTool } from '../tools/refused-tool.ts';
import type { Tool } from '../tools/tool.ts';
import { normalizeToolName } from '../tools/tool-name.ts';

export interface ToolOfferOptions {
  readonly config: Config;
  /** Every tool that exists for the agent, allowed or not. */
  readonly tools: (scope: ToolScope) => Promise<readonly Tool[]>;
  /** The row of a session that another session spawned, and those of the children above it. */
  readonly lineageOf: (sessionKey: string) => Promise<readonly Lineal[]>;
}

type Lineal = Pick<ChildRow, 'depth' | 'tools' | 'parentAgentId' | 'parentKey'>;

export interface DecidedTools {
  readonly isOwner: boolean;
  readonly steps: readonly PolicyStep[];
  readonly tools: readonly { readonly tool: Tool; readonly verdict: ToolVerdict }[];
  /** Settings that are probably mistakes of the operator. */
  readonly warnings: readonly string[];
}

export class ToolOffer {
  readonly #options: ToolOfferOptions;

  constructor(options: ToolOfferOptions) {
    this.#options = options;
  }

  /** The offered tools, in the order of all tools. */
  async offered(scope: ToolScope): Promise<readonly Tool[]> {
    const tools = await this.#options.tools(scope);
    const decide = await this.#deciderOf(scope);
    const reasonOf = await this.#refusals(scope);
    return tools
      .filter((tool) => decide.verdictOf(tool).isOffered)
      .map((tool) => {
        const reason = reasonOf(tool);
        return reason === undefined ? tool : refusedTool(tool, reason);
      });
  }

  async decided(scope: ToolScope): Promise<DecidedTools> {
    const tools = await this.#options.tools(scope);
    const { isOwner, steps, verdictOf } = await this.#deciderOf(scope);
    const reasonOf = await this.#refusals(scope);
    return {
      isOwner,
      steps,
      tools: tools.map((tool) => {
        const verdict = verdictOf(tool);
        const reason = verdict.isOffered ? reasonOf(tool) : undefined;
        return { tool, verdict: reason === undefined ? verdict : { ...verdict, rule: `refuses: ${reason}` } };
      }),
      warnings: toolWarnings(this.#options.config, tools),
    };
  }

  /**
   * In the operator's own session, the operator's tools are shown also when an agent or a plugin wrote the message, and
   * refuse every call then. If they were left out, the list of tools would change back and forth, and with it everything
   * that a provider has cached of the session.
   */
  #ownership({ sessionKey, requester }: ToolScope): { readonly isOwner: boolean; readonly areShown: boolean } {
    const ownership = ownershipOf(this.#options.config);
    const isOwner = isOwnersRun({ sessionKey, requester, ...ownership });
    return { isOwner, areShown: isOwner || isOwnersSession({ sessionKey, ...ownership }) };
  }

  /** Why a tool that is offered refuses every call; undefined when it does not. What is refused above a child is refused to it. */
  async #refusals(scope: ToolScope): Promise<(tool: Tool) => string | undefined> {
    const lineage = await this.#options.lineageOf(scope.sessionKey);
    const above = lineage.map(({ parentAgentId, parentKey }) => ({ agentId: parentAgentId, sessionKey: parentKey }));
    const refusals = [scope, ...above].flatMap((each) => listToolRefusals(this.#options.config, each));
    const { isOwner } = this.#ownership(scope);
    return ({ name }) => {
      if (!isOwner && OWNER_ONLY_TOOLS.includes(normalizeToolName(name))) return NOT_THE_OPERATORS;
      return refusals.find(({ tools }) => tools.includes(normalizeToolName(name)))?.reason;
    };
  }

  /** A child is held to the tools of its parent, whatever its own agent may use. */
  async #deciderOf(scope: ToolScope): Promise<{
    readonly isOwner: boolean;
    readonly steps: readonly PolicyStep[];
    readonly verdictOf: (tool: Tool) => ToolVerdict;
  }> {
    const { isOwner, areShown } = this.#ownership(scope);
    const [child] = await this.#options.lineageOf(scope.sessionKey);
    const { subagent, ...written } = toolPolicyOf(this.#options.config, scope);
    const place = subagent && { ...subagent, depth: child?.depth ?? subagent.depth };
    const steps = resolveToolPolicy({ ...written, subagent: place, isOwner: areShown });
    const decide = toolDecider(steps);
    if (!child) return { isOwner, steps, verdictOf: decide };
    const inherited = new Set(child.tools);
    const step: PolicyStep = {
      source: 'the parent',
      allow: policyList('the tools of the parent', child.tools, () => undefined),
    };
    return {
      isOwner,
      steps: [...steps, step],
      verdictOf: (tool) => {
        const verdict = decide(tool);
        if (!verdict.isOffered || inherited.has(tool.name)) return verdict;
        return { isOffered: false, rule: 'the session that spawned this one does not have it', step };
      },
    };
  }
}

const NOT_THE_OPERATORS = 'only the operator has it, and this message is not the operator’s own word';

/** Mistakes in the lists, if these are all the tools. */
export function toolWarnings(config: Config, tools: readonly PolicyTool[]): readonly string[] {
  return listPolicyOddities(listToolPlaces(config), { tools, owners: listPluginIds(config) });
}
