// `/status`: the model, the state of the session, how its last run went and what waits. The function is pure: it turns
// facts into text.

import { chatLine, describeDuration, linesOf, sizeOf } from '../../commands/chat-text.ts';
import type { ContextReport } from '../../context/report/build-report.ts';
import { countOf } from '../../protocol/count-of.ts';
import type { RunStatus } from '../../protocol/live-event.ts';
import { formatCost, type Usage, type UsageSum } from '../../protocol/usage.ts';
import type { CompactionFacts } from '../compaction/compaction-facts.ts';
import { describeCompaction } from '../compaction/describe-compaction.ts';
import type { RequestMeasure } from '../measure-request.ts';
import { describeRequest } from './describe-request.ts';

export interface StatusFacts {
  readonly version: string;
  readonly now: number;
  readonly agentId: string;
  /** `provider/model`; undefined when none is configured. */
  readonly model?: string | undefined;
  /** The models that are tried when that one fails, in order. */
  readonly fallbacks?: readonly string[] | undefined;
  readonly sessionKey: string;
  /** Undefined when there was no message under this key yet. */
  readonly session?: { readonly startedAt: number; readonly messages: number } | undefined;
  readonly lastRun?: LastRunFacts | undefined;
  /** The report of the last composition for this session. */
  readonly report?: Pick<ContextReport, 'prompt' | 'cuts'> | undefined;
  /** What the last request of this session was made of. */
  readonly request?: RequestMeasure | undefined;
  readonly running?: { readonly runId: string; readonly startedAt: number } | undefined;
  /** Messages of this session that wait for the one that is running. */
  readonly waiting: number;
  /** Tool calls of this session that wait for a person. */
  readonly approvals?: readonly WaitingApproval[] | undefined;
  /** What was spent in this session, and by the agent since the start of its day. */
  readonly spent?: {
    readonly session?: UsageSum | undefined;
    /** The session with all its subagents; undefined where it has none. */
    readonly withSubagents?: UsageSum | undefined;
    readonly today: UsageSum;
  };
  /** The limits on spending that concern this conversation, one line each. */
  readonly limits?: readonly string[] | undefined;
  /** How the session was compacted last. */
  readonly compaction?: (CompactionFacts & { readonly at: number }) | undefined;
  /** What the surface promises about delivery, in one sentence. */
  readonly delivery?: string | undefined;
}

export interface WaitingApproval {
  readonly id: string;
  readonly title: string;
  readonly expiresAt: number;
}

export interface LastRunFacts {
  readonly status: RunStatus;
  readonly endedAt: number | null;
  readonly model?: string | undefined;
  readonly usage?: Usage | undefined;
  readonly modelCalls?: number | undefined;
  readonly toolCalls?: number | undefined;
  readonly error?: string | undefined;
}

export function formatStatus(facts: StatusFacts): string {
  const { version, agentId, model, fallbacks = [], lastRun, report, delivery } = facts;
  const others = fallbacks.length === 0 ? '' : `; then ${fallbacks.join(', ')}`;
  return [
    `Atrium ${version}`,
    `Agent: ${agentId}`,
    `Model: ${model === undefined ? 'none is configured' : `${model}${others}`}`,
    `Session: ${describeSession(facts)}`,
    `Running: ${describeRunning(facts)}`,
    ...describeApprovals(facts),
    `Last run: ${lastRun ? describeRun(lastRun, facts) : 'none yet'}`,
    ...describeSpent(facts),
    ...(facts.limits ?? []).map((limit) => `Limit: ${limit}`),
    ...describeShortening(facts),
    ...(report ? [`Context: ${describeContext(report)}`, `Cuts: ${describeCuts(report)}`] : []),
    ...(facts.request ? describeRequest(facts.request, false) : []),
    ...(delivery === undefined ? [] : [`Delivery: ${delivery}`]),
  ]
    .map((line) => chatLine(line, LONGEST_LINE))
    .join('\n');
}

const LONGEST_LINE = 500;
const MOST_CUTS = 3;

function describeSession({ sessionKey, session, now }: StatusFacts): string {
  if (!session) return `${sessionKey}, nothing said yet`;
  return `${sessionKey}, ${describeDuration(now - session.startedAt)} old, ${countOf(session.messages, 'message')}`;
}

function describeRunning({ running, waiting, now }: StatusFacts): string {
  const what = running ? `${running.runId}, for ${describeDuration(now - running.startedAt)}` : 'nothing';
  return waiting === 0 ? what : `${what}; ${countOf(waiting, 'message')} waiting`;
}

function describeApprovals({ approvals = [], now }: StatusFacts): readonly string[] {
  return approvals.map(
    ({ id, title, expiresAt }) =>
      `Waiting for you: ${id}, ${title}; ${describeDuration(Math.max(0, expiresAt - now))} left, see /approve`,
  );
}

function describeRun(run: LastRunFacts, { now, model: current }: StatusFacts): string {
  const { status, endedAt, model, usage, modelCalls = 0, toolCalls = 0, error } = run;
  const steps = [
    ...(modelCalls > 0 ? [countOf(modelCalls, 'model call')] : []),
    ...(toolCalls > 0 ? [countOf(toolCalls, 'tool call')] : []),
  ];
  return [
    endedAt === null ? status : `${status} ${describeDuration(now - endedAt)} ago`,
    ...(model === undefined || model === current ? [] : [`by ${model}`]),
    ...steps,
    ...(usage ? [describeUsage(usage)] : []),
    ...(error === undefined ? [] : [error]),
  ].join('; ');
}

function describeSpent({ spent, agentId }: StatusFacts): readonly string[] {
  if (!spent) return [];
  const { session, withSubagents, today } = spent;
  const told = (sum: UsageSum) => (sum.calls === 0 ? 'nothing' : `${describeUsage(sum)}, cost ${formatCost(sum)}`);
  const sums = [
    ...(session ? [`this session ${told(session)}`] : []),
    ...(withSubagents ? [`with its subagents ${told(withSubagents)}`] : []),
    `${agentId} today ${told(today)}`,
  ];
  return [`Usage: ${sums.join('; ')}`];
}

function describeShortening({ compaction, now }: StatusFacts): readonly string[] {
  if (!compaction) return [];
  return [`Shortened: ${describeDuration(now - compaction.at)} ago. ${describeCompaction(compaction)}`];
}

function describeUsage({ input, output, cacheRead, cacheWrite }: Usage): string {
  const number = (count: number) => count.toLocaleString('en-US');
  const cached = [
    ...(cacheRead > 0 ? [`${number(cacheRead)} from the cache`] : []),
    ...(cacheWrite > 0 ? [`${number(cacheWrite)} into it`] : []),
  ];
  return `${countOf(input, 'token')} in${cached.length === 0 ? '' : ` (${cached.join(', ')})`}, ${number(output)} out`;
}

function describeContext({ prompt }: Pick<ContextReport, 'prompt'>): string {
  return `${sizeOf(prompt)}; the first ${prompt.stable.chars.toLocaleString('en-US')} can be cached`;
}

function describeCuts({ cuts }: Pick<ContextReport, 'cuts'>): string {
  if (cuts.length === 0) return 'none';
  const named = cuts.slice(0, MOST_CUTS).map(({ file, lines }) => `${chatLine(file, 60)} ${linesOf(lines)}`);
  const rest = cuts.length - named.length;
  return `${named.join(', ')}${rest > 0 ? ` and ${rest} more` : ''} did not fit; see /context detail`;
}
