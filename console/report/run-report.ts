// What a run was given, as far as the gateway has kept it.

import type { ContextReport, GatewayClient, RunCall, ToldRun } from '../client/gateway-client.ts';

export interface RunReport {
  readonly run: ToldRun;
  readonly calls: readonly RunCall[];
  /** Undefined when nothing was composed. */
  readonly report: ContextReport | undefined;
}

export async function loadRunReport(client: GatewayClient, runId: string): Promise<RunReport> {
  const { run, calls } = await client.run(runId);
  return { run, calls, report: calls.length === 0 ? undefined : await client.report(runId) };
}
