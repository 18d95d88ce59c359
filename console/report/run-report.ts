// What a run was given, as far as the gateway has kept it.

import type { CalledHook, ContextReport, GatewayClient, RunCall, ToldRun } from '../client/gateway-client.ts';

export interface RunReport {
  readonly run: ToldRun;
  readonly calls: readonly RunCall[];
  /** Undefined when nothing was composed. */
  readonly report: ContextReport | undefined;
  readonly failedHooks: readonly CalledHook[];
}

export async function loadRunReport(client: GatewayClient, runId: string): Promise<RunReport> {
  const [{ run, calls }, failedHooks] = await Promise.all([client.run(runId), client.failedHooks(runId)]);
  return { run, calls, report: calls.length === 0 ? undefined : await client.report(runId), failedHooks };
}
