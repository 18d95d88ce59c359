// Decides which of all tools an agent is offered. A run, a preview and an explanation all ask here, so that they always
// agree.

import type { ToolScope } from '../agent/run-parts.ts';
import { listToolRefusals } from '../config/missing-protection.ts';
import type { Config } from '../config/schema.ts';
import { listPluginIds, listToolPlaces, toolPolicyOf } from '../config/tool-policy.ts';
import { isOwnersRun } from '../sessions/session-visibility.ts';
import { type PolicyTool, type ToolVerdict, toolDecider } from '../tools/policy/decide-tool.ts';
import { listPolicyOddities } from '../tools/policy/list-policy-oddities.ts';
import type { PolicyStep } from '../tools/policy/policy-step.ts';
import { resolveToolPolicy } from '../tools/policy/resolve-tool-policy.ts';
import { refusedTool } from '../tools/refused-tool.ts';
import type { Tool } from '../tools/tool.ts';
import { normalizeToolName } from '../tools/tool-name.ts';

export interface ToolOfferOptions {
  readonly config: Config;
  /** Every tool that exists for the agent, allowed or not. */
  readonly tools: (scope: ToolScope) => Promise<readonly Tool[]>;
}

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
    const decide = toolDecider(this.#stepsOf(scope, this.#isOwners(scope)));
    const reasonOf = this.#refusals(scope);
    return tools
      .filter((tool) => decide(tool).isOffered)
      .map((tool) => {
        const reason = reasonOf(tool);
        return reason === undefined ? tool : refusedTool(tool, reason);
      });
  }

  async decided(scope: ToolScope): Promise<DecidedTools> {
    const tools = await this.#options.tools(scope);
    const isOwner = this.#isOwners(scope);
    const steps = this.#stepsOf(scope, isOwner);
    const decide = toolDecider(steps);
    const reasonOf = this.#refusals(scope);
    return {
      isOwner,
      steps,
      tools: tools.map((tool) => {
        const verdict = decide(tool);
        const reason = verdict.isOffered ? reasonOf(tool) : undefined;
        return { tool, verdict: reason === undefined ? verdict : { ...verdict, rule: `refuses: ${reason}` } };
      }),
      warnings: toolWarnings(this.#options.config, tools),
    };
  }

  #isOwners({ sessionKey, requester }: ToolScope): boolean {
    return isOwnersRun({ sessionKey, requester, isMainShared: this.#options.config.session?.dmScope === 'main' });
  }

  /** Why a tool that is offered refuses every call; undefined when it does not. */
  #refusals(scope: ToolScope): (tool: Tool) => string | undefined {
    const refusals = listToolRefusals(this.#options.config, scope);
    return ({ name }) => refusals.find(({ tools }) => tools.includes(normalizeToolName(name)))?.reason;
  }

  #stepsOf(scope: ToolScope, isOwner: boolean): readonly PolicyStep[] {
    return resolveToolPolicy({ ...toolPolicyOf(this.#options.config, scope), isOwner });
  }
}

/** Mistakes in the lists, if these are all the tools. */
export function toolWarnings(config: Config, tools: readonly PolicyTool[]): readonly string[] {
  return listPolicyOddities(listToolPlaces(config), { tools, owners: listPluginIds(config) });
}
