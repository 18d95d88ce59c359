// Reads the description of a run in a bundle. A bundle is untrusted, so that everything that is shown is checked first.

import type { UsageReport } from '../gateway/services/usage.ts';
import type { CalledHook, RunAnswer } from './run.ts';

export interface BundledRunText extends RunAnswer {
  readonly spent: Pick<UsageReport, 'total' | 'totalWithSubagents'>;
  readonly hooks: readonly CalledHook[];
}

/** Returns undefined for text that describes no run. */
export async function parseBundledRun(text: string): Promise<BundledRunText | undefined> {
  const { z } = await import('zod');
  const number = z.number();
  const at = number.min(-8.64e15).max(8.64e15);
  const asked = { at, provider: z.string(), model: z.string(), size: number };
  const sum = z.object({
    calls: number,
    input: number,
    output: number,
    cacheRead: number,
    cacheWrite: number,
    cost: number.nullable(),
    unpriced: number,
  });
  const usage = sum.pick({ input: true, output: true, cacheRead: true, cacheWrite: true });
  const schema = z.object({
    run: z.object({
      runId: z.string(),
      sessionKey: z.string(),
      agentId: z.string(),
      sessionId: z.string().nullable(),
      status: z.string(),
      claim: number,
      startedAt: at,
      endedAt: at.nullable(),
      outcome: z
        .object({
          reply: z.string().optional(),
          error: z.string().optional(),
          errorCode: z.string().optional(),
          provider: z.string().optional(),
          model: z.string().optional(),
          usage: usage.optional(),
          modelCalls: number.optional(),
          toolCalls: number.optional(),
          stop: z.string().optional(),
          notes: z.array(z.string()).optional(),
        })
        .nullable(),
    }),
    calls: z.array(z.object({ call: number, ...asked })),
    summaries: z.array(z.object({ summary: number, ...asked })),
    deliveries: z.array(
      z.object({
        seq: number,
        part: number,
        surface: z.object({
          channel: z.string(),
          accountId: z.string(),
          peer: z.object({ kind: z.enum(['direct', 'group', 'channel']), id: z.string() }),
          threadId: z.string().optional(),
        }),
        status: z.enum(['queued', 'sent', 'failed', 'dead', 'suppressed']),
        attempts: number,
        error: z.string().nullable(),
      }),
    ),
    spent: z.object({ total: sum, totalWithSubagents: sum.nullable() }),
    hooks: z.array(
      z.object({
        hook: z.string(),
        handler: z.string(),
        owner: z.string(),
        outcome: z.string(),
        error: z.string().nullable(),
      }),
    ),
  });
  try {
    return schema.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}
