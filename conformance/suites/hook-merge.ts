// Suite hook-merge: what the answers of several handlers become. Handlers are described by what they return, throw or
// wait for; each runs on our runner under its plugin's name.

import { setTimeout as sleep } from 'node:timers/promises';
import { blockNotice } from '../../src/agent/gate-run.ts';
import { HOOK_CATALOG, type HookName } from '../../src/hooks/catalog.ts';
import type { HookCallRecord } from '../../src/hooks/hook-call-record.ts';
import type { AskingHookName, ObserverHookName } from '../../src/hooks/hook-types.ts';
import { type HookAnswer, HookRunner } from '../../src/hooks/runner.ts';
import type { CaseAdapter, SuiteAdapter } from '../adapter.ts';
import { AskedFields } from '../asked-fields.ts';

/** Those of which anything was recorded. */
const HOOKS = [
  'before_model_resolve',
  'before_prompt_build',
  'agent_turn_prepare',
  'heartbeat_prompt_contribution',
  'before_agent_start',
  'before_agent_reply',
  'inbound_claim',
  'before_dispatch',
  'reply_dispatch',
  'before_agent_finalize',
  'before_agent_run',
  'message_sending',
  'before_tool_call',
  'tool_result_persist',
  'before_message_write',
  'subagent_spawning',
  'subagent_delivery_target',
  'before_install',
  'agent_end',
  'llm_input',
  'gateway_start',
  'session_end',
] as const satisfies readonly HookName[];

export const hookMerge: SuiteAdapter = {
  ...Object.fromEntries(
    HOOKS.map((hook): [string, CaseAdapter] => [hook, (input) => merge(hook, input as MergeInput)]),
  ),
  inbound_claim_for_plugin_outcome: (input) => claimOutcome(input as ClaimInput),
  resolveBlockMessage: (input) => {
    const { decision, params } = input as { decision: Fields; params: { readonly blockedBy?: string } };
    return blockNotice(decision.message, params.blockedBy);
  },
};

type Fields = Readonly<Record<string, unknown>>;

interface MergeInput {
  /** In the order of their registration. */
  readonly handlers: readonly DescribedHandler[];
  readonly event: Fields;
  readonly ctx: Fields;
  readonly runner?: { readonly modifyingHookTimeoutMsByHook?: Readonly<Record<string, number>> };
}

interface DescribedHandler {
  readonly plugin: string;
  readonly returns?: unknown;
  readonly throws?: string;
  readonly priority?: number;
  readonly timeoutMs?: number;
  readonly delayMs?: number;
  readonly async?: boolean;
  readonly mutateEvent?: Fields;
}

interface ClaimInput {
  readonly handlers: readonly DescribedHandler[];
  readonly plugins: readonly { readonly id: string; readonly status: string }[];
  readonly pluginId: string;
}

/** The reference asks one plugin alone and names how that went; ours can be read from the answer and its records. */
async function claimOutcome({ handlers, plugins, pluginId }: ClaimInput): Promise<unknown> {
  // Only what was loaded has handlers.
  if (!plugins.some(({ id, status }) => id === pluginId && status === 'loaded')) return { status: 'missing_plugin' };
  const runner = new HookRunner();
  for (const [at, described] of handlers.entries()) {
    if (described.plugin !== pluginId) continue;
    const handler = (event: Fields) => answerOf(described, event);
    const { priority, timeoutMs } = described;
    const id = `${pluginId}-${at}`;
    runner.register({ hook: 'inbound_claim', id, owner: pluginId, priority, timeoutMs, handler } as never);
  }
  if (!runner.has('inbound_claim')) return { status: 'no_handler' };
  const { result, calls } = await runner.run('inbound_claim', {} as never, {} as never);
  if (Object.keys(result).length > 0) return { status: 'handled', result };
  const failed = calls.find(({ outcome }) => outcome !== 'done');
  return failed ? { status: 'error', error: failed.error } : { status: 'declined' };
}

async function merge(hook: HookName, input: MergeInput): Promise<unknown> {
  const { handlers, ctx } = input;
  const event = withRunId(hook, input.event, ctx);
  const calls: string[] = [];
  const seen: Fields[] = [];
  const answers: unknown[] = [];
  const runner = new HookRunner();
  const limits = input.runner?.modifyingHookTimeoutMsByHook ?? {};
  for (const [at, described] of handlers.entries()) {
    const handler = (given: Fields) => {
      calls.push(described.plugin);
      seen.push(structuredClone(given));
      answers.push(described.throws === undefined ? described.returns : undefined);
      return answerOf(described, given);
    };
    runner.register({
      hook,
      id: `${described.plugin}-${at}`,
      owner: described.plugin,
      priority: described.priority,
      // What is no time at all is left out where plugins are loaded.
      timeoutMs: described.timeoutMs || limits[hook],
      handler,
    } as never);
  }
  const { records, ...outcome } =
    HOOK_CATALOG[hook].kind === 'observe'
      ? { result: undefined, records: await observe(runner, hook as ObserverHookName, event, ctx) }
      : await ask(runner, hook as AskingHookName, event, ctx, answers);
  const allSame = seen.every((each) => JSON.stringify(each) === JSON.stringify(seen[0]));
  const output = { ...outcome, calls, seen, logs: logsOf(records, outcome), allHandlersSawSameEvent: allSame };
  return new AskedFields(output, ['resultKeys', ...(TRAVELS_ON.has(hook) ? ['allHandlersSawSameEvent'] : [])]);
}

/** Here what a handler rewrote is what the next one sees, by design; what they saw is compared where it was recorded. */
const TRAVELS_ON: ReadonlySet<HookName> = new Set(['before_tool_call', 'message_sending']);

/** Our call sites put the run into these events themselves. */
function withRunId(hook: HookName, event: Fields, { runId }: Fields): Fields {
  const isTold = hook === 'before_agent_start' || hook === 'before_agent_finalize' || hook === 'agent_end';
  return isTold && runId !== undefined ? { runId, ...event } : event;
}

function answerOf(described: DescribedHandler, event: Fields): unknown {
  const { returns, throws, delayMs, async, mutateEvent } = described;
  if (mutateEvent) Object.assign(event, mutateEvent);
  if (throws !== undefined) throw new Error(throws);
  if (delayMs !== undefined) return sleep(delayMs, returns);
  return async ? Promise.resolve(returns) : returns;
}

async function observe(runner: HookRunner, hook: ObserverHookName, event: Fields, ctx: Fields) {
  return runner.observeAndWait(hook, event as never, ctx);
}

async function ask(runner: HookRunner, hook: AskingHookName, event: Fields, ctx: Fields, answers: readonly unknown[]) {
  const answer = await runner.run(hook, event as never, ctx as never);
  const records = answer.calls;
  const failed = answer.refusal?.cause === 'failure' ? records.at(-1) : undefined;
  if (failed && failed.outcome !== 'invalid') return { throws: describeFailure(failed), records };
  // The reference hides the further requests behind the result; one alone is no list there.
  const { retryCandidates } = answer.result as Fields;
  const hidden = Array.isArray(retryCandidates) && retryCandidates.length > 1 ? retryCandidates : undefined;
  return { result: resultOf(hook, event, answer, answers), retryCandidates: hidden, records };
}

function resultOf(
  hook: AskingHookName,
  event: Fields,
  { result, decidedBy, refusal, calls }: HookAnswer<AskingHookName>,
  answers: readonly unknown[],
): unknown {
  const fields: Fields = { ...result };
  // Handlers are called one after the other, so that calls and answers have the same order.
  const isCounted = (answer: unknown, at: number) =>
    typeof answer === 'object' && answer !== null && calls[at]?.outcome === 'done';
  const hasAnswer = answers.some(isCounted);
  if (hook === 'before_agent_run') {
    if (!decidedBy) return undefined;
    const decision = refusal?.cause === 'failure' ? { outcome: 'block', reason: INVALID_DECISION } : fields;
    return { decision, pluginId: decidedBy.owner };
  }
  if (hook === 'before_tool_call') return hasAnswer ? toolCallResult(event, fields) : undefined;
  if (hook === 'before_agent_finalize') {
    const { retryCandidates: _, ...told } = fields;
    return hasAnswer ? told : undefined;
  }
  if (hook === 'before_install') {
    const { findings, ...rest } = fields;
    return hasAnswer ? { ...rest, ...(Array.isArray(findings) && findings.length > 0 ? { findings } : {}) } : undefined;
  }
  // Without a rewrite the message stays as it was.
  if (hook === 'tool_result_persist') return calls.length > 0 ? { message: event.message, ...fields } : undefined;
  if (hook === 'before_message_write') return Object.keys(fields).length > 0 ? fields : undefined;
  const isClaim = Object.values(HOOK_CATALOG[hook].combine).every((combinator) => combinator === 'claim');
  if (isClaim || hook === 'before_dispatch') return Object.keys(fields).length > 0 ? fields : undefined;
  return hasAnswer ? fields : undefined;
}

/** An answer of another form has an internal reason in our words; the reference's words stand for the same. */
const INVALID_DECISION = 'before_agent_run returned an invalid decision';

/** The reference's result has what handlers wrote over the parameters, ours all of them; who else asked is ours only. */
function toolCallResult(event: Fields, { alsoAsked: _, params, ...rest }: Fields): Fields {
  const given = event.params as Fields;
  const written = Object.entries((params as Fields | undefined) ?? {}).filter(([key, value]) => given[key] !== value);
  return { ...rest, ...(params === undefined ? {} : { params: Object.fromEntries(written) }) };
}

/** What the reference logs of a failure; ours are records. One that ends a gate is thrown there and not logged. */
function logsOf(records: readonly HookCallRecord[], outcome: object): readonly string[] {
  const failed = records.filter(({ outcome: how }) => how !== 'done');
  return ('throws' in outcome ? failed.slice(0, -1) : failed).flatMap(describeLog);
}

function describeLog(record: HookCallRecord): readonly string[] {
  const { hook, owner, error = '' } = record;
  const isSync = hook === 'tool_result_persist' || hook === 'before_message_write';
  // An invalid decision of the gate is an outcome there.
  if (hook === 'before_agent_run' && record.outcome === 'invalid') return [];
  if (isSync && error.includes('promise')) {
    return [
      `warn: [hooks] ${hook} handler from ${owner} returned a Promise; this hook is synchronous and the result was ignored.`,
    ];
  }
  return [`error: ${describeFailure(isSync ? { ...record, error: `Error: ${error}` } : record)}`];
}

function describeFailure({ hook, owner, error = '' }: HookCallRecord): string {
  return `[hooks] ${hook} handler from ${owner} failed: ${error}`;
}
