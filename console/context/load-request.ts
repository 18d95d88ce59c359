// Everything that the context page shows about one request: of a run, as it was sent, or of now, as it would be sent.

import type { GatewayClient, RunCall } from '../client/gateway-client.ts';
import type { RequestSource } from './request-view.ts';
import type { Situation } from './what-if.tsx';

export interface LoadedRequest extends RequestSource {
  /** In words: which model, when. */
  readonly title: string;
  readonly calls: readonly RunCall[];
  readonly call: number | undefined;
  /** What a run would have and this does not show. */
  readonly placeholders: readonly string[];
  /** Why there would be no request. */
  readonly problem: string | null;
}

export async function loadSentRequest(client: GatewayClient, runId: string, call?: number): Promise<LoadedRequest> {
  const { calls } = await client.run(runId);
  const last = calls.at(-1);
  const chosen = calls.find((each) => each.call === call) ?? last;
  if (!chosen) throw new Error('This run sent no request to a model, or its requests are not kept any more.');
  const [body, spans, report, cache] = await Promise.all([
    client.request(runId, chosen.call),
    client.spans(runId, chosen.call),
    client.report(runId),
    client.cacheOf(runId).catch(() => []),
  ]);
  return {
    title: `${chosen.provider}/${chosen.model}, ${new Date(chosen.at).toLocaleString()}`,
    runId,
    body,
    spans,
    report,
    // The sizes of the report are those of the last request.
    measure: chosen === last ? report?.request : undefined,
    cache: cache.find((each) => each.call === chosen.call),
    calls,
    call: chosen.call,
    placeholders: [],
    problem: null,
  };
}

export async function loadNextRequest(
  client: GatewayClient,
  sessionKey: string | undefined,
  { message, agentId, sessionType, channel, at }: Situation,
): Promise<LoadedRequest> {
  const { composition, request, problem, placeholders } = await client.look({
    message: message || 'Hello',
    // Another agent has a session of its own.
    ...(agentId !== '' ? { agentId } : sessionKey !== undefined && { sessionKey }),
    ...(sessionType !== '' && { sessionType }),
    ...(channel !== '' && { channel }),
    ...(at !== '' && { at: new Date(at).toISOString() }),
  });
  return {
    title: request ? `${request.provider}/${request.model}, as it would be sent` : 'No request would be sent',
    runId: undefined,
    body: request?.wire.body ?? '',
    spans: request?.spans ?? [],
    report: composition.report,
    measure: request?.measure,
    cache: undefined,
    calls: [],
    call: undefined,
    placeholders,
    problem,
  };
}
