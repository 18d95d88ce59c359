// Suite tool-call-flow: what stands between a model's tool call and the tool. Policies and handlers are described by what
// they return or throw; a person's answer by what the approval's two calls replied.

import { settleAsk } from '../../src/agent/start-tool-calls.ts';
import { HookRunner } from '../../src/hooks/runner.ts';
import { APPROVAL_DECISIONS, type ApprovalResolution } from '../../src/protocol/approval-decision.ts';
import type { JsonValue } from '../../src/protocol/json.ts';
import { toolContextForTest } from '../../src/testkit/tool-context.ts';
import { createApplyPatchTool } from '../../src/tools/apply-patch/apply-patch.ts';
import { createEditTool } from '../../src/tools/edit.ts';
import { type GateAsk, type GateVeto, gateToolCall, vetoOutput } from '../../src/tools/gate-tool-call.ts';
import { OneAtATime } from '../../src/tools/one-at-a-time.ts';
import { createReadTool } from '../../src/tools/read.ts';
import type { Tool } from '../../src/tools/tool.ts';
import { normalizeToolName } from '../../src/tools/tool-name.ts';
import type { TrustedPolicy } from '../../src/tools/trusted-policy.ts';
import { createWriteTool } from '../../src/tools/write.ts';
import type { SuiteAdapter } from '../adapter.ts';
import { AskedFields } from '../asked-fields.ts';

export const toolCallFlow: SuiteAdapter = {
  runBeforeToolCallHook: (input) => callTool(input as FlowInput),
};

type Fields = Readonly<Record<string, unknown>>;

interface Described {
  readonly returns?: unknown;
  readonly throws?: string;
  readonly priority?: number;
}

interface FlowInput {
  readonly hooks: readonly Described[];
  readonly policies: readonly Described[];
  readonly args: {
    readonly toolName: string;
    readonly params: JsonValue;
    readonly toolCallId: string;
    readonly ctx?: Fields & { readonly cwd?: string };
  };
  readonly gateway?: {
    readonly 'plugin.approval.request'?: { readonly id?: string; readonly decision?: ApprovalResolution | null };
    readonly 'plugin.approval.waitDecision'?: { readonly decision?: ApprovalResolution | null };
  };
}

async function callTool({ hooks: described, policies, args, gateway }: FlowInput): Promise<unknown> {
  const { toolName, params, toolCallId, ctx: { cwd = '/ws', ...context } = {} } = args;
  const calls: Fields[] = [];
  const resolutions: ApprovalResolution[] = [];
  const hooks = new HookRunner();
  for (const [at, hook] of described.entries()) {
    const owner = `p${at + 1}`;
    hooks.register({
      hook: 'before_tool_call',
      id: owner,
      owner,
      priority: hook.priority,
      handler: (event, { signal: _, ...ctx }) => {
        calls.push({ who: owner, event: structuredClone(event), ctx });
        return answerOf(hook, resolutions);
      },
    });
  }
  const trusted = policies.map((policy, at): TrustedPolicy => {
    const id = `pol${at + 1}`;
    const evaluate: TrustedPolicy['evaluate'] = (event) => {
      calls.push({ who: `policy:${id}`, event: structuredClone(event) });
      return answerOf(policy, resolutions);
    };
    return { id, pluginId: id, evaluate };
  });
  const gate = await gateToolCall(
    { id: toolCallId, name: toolName, params },
    {
      tools: [toolNamed(toolName)],
      trustedPolicies: () => trusted,
      hooks,
      context,
      caller: { ...toolContextForTest({ workspaceDir: cwd }), toolCallId },
    },
  );
  const outcome =
    gate.kind === 'ask' ? await answered(gate, gateway) : gate.kind === 'veto' ? vetoed(gate) : passed(gate.params);
  // How a question reaches a person is a row in the store here, and a call to the gateway there.
  return new AskedFields({ outcome, calls, resolutions }, ['gatewayCalls']);
}

function answerOf({ returns, throws }: Described, resolutions: ApprovalResolution[]): never {
  if (throws !== undefined) throw new Error(throws);
  const answer = returns as { readonly requireApproval?: object } | undefined;
  if (!answer?.requireApproval) return answer as never;
  const onResolution = (resolution: ApprovalResolution) => void resolutions.push(resolution);
  return { ...answer, requireApproval: { ...answer.requireApproval, onResolution } } as never;
}

/** Real ones where their paths are looked at; of any other only its name counts. */
function toolNamed(name: string): Tool {
  const writes = new OneAtATime();
  const real = [
    createReadTool(),
    createWriteTool({ writes }),
    createEditTool({ writes }),
    createApplyPatchTool({ writes }),
  ].find((tool) => tool.name === normalizeToolName(name));
  const stub = { description: '', parameters: {}, idempotent: true, run: async () => ({ content: '' }) };
  return { ...stub, name: normalizeToolName(name), ...(real?.derivedPaths ? { derivedPaths: real.derivedPaths } : {}) };
}

async function answered(ask: GateAsk, gateway: FlowInput['gateway'] = {}): Promise<unknown> {
  const request = gateway['plugin.approval.request'];
  const given = request?.decision ?? gateway['plugin.approval.waitDecision']?.decision;
  // A row of the store has one of these; any other answer counts as none in the reference.
  const decision = APPROVAL_DECISIONS.find((each) => each === given) ?? 'timeout';
  const settled = settleAsk(ask, decision, ask.timeoutBehavior ?? 'deny');
  await ask.onResolution?.(decision);
  return settled.kind === 'run' ? passed(settled.params) : vetoed(settled);
}

function passed(params: JsonValue): Fields {
  return { blocked: false, params };
}

function vetoed(veto: GateVeto): Fields {
  const { details, isError } = vetoOutput(veto);
  const { deniedReason } = details as { readonly deniedReason: string };
  const kind = isError ? 'failure' : 'veto';
  return { blocked: true, kind, deniedReason, reason: veto.reason, params: veto.params };
}
