// Everything that the context page shows about one request: of a run, as it was sent, or of now, as it would be sent.

import type { GatewayClient, LookQuery, RunCall } from '../client/gateway-client.ts';
import type { RequestSource } from './request-view.ts';
import { readSettings, type Situation } from './what-if.tsx';

export interface LoadedRequest extends RequestSource {
  /** Says in words which model was asked, and when. */
  readonly title: string;
  /** Undefined when it is not known. */
  readonly agentId: string | undefined;
  readonly calls: readonly RunCall[];
  readonly call: number | undefined;
  /** What a run would have and this does not show. */
  readonly placeholders: readonly string[];
  /** Why there would be no request. */
  readonly problem: string | null;
}

export async function loadSentRequest(client: GatewayClient, runId: string, call?: number): Promise<LoadedRequest> {
  const { run, calls } = await client.run(runId);
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
    agentId: run.agentId,
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

/** `texts` are bootstrap files that are being edited. Rejects with a sentence when the settings cannot be read. */
export async function loadNextRequest(
  client: GatewayClient,
  sessionKey: string | undefined,
  { message, agentId, sessionType, channel, at, settings }: Situation,
  texts: LookQuery['texts'],
): Promise<LoadedRequest> {
  const read = readSettings(settings);
  if ('problem' in read) throw new Error(read.problem);
  const look = await client.look({
    message: message || 'Hello',
    // Another agent has a session of its own.
    ...(agentId !== '' ? { agentId } : sessionKey !== undefined && { sessionKey }),
    ...(sessionType !== '' && { sessionType }),
    ...(channel !== '' && { channel }),
    ...(at !== '' && { at: new Date(at).toISOString() }),
    ...(read.value && { config: read.value }),
    ...(texts && { texts }),
  });
  const { composition, request, problem, placeholders } = look;
  return {
    title: request ? `${request.provider}/${request.model}, as it would be sent` : 'No request would be sent',
    agentId: look.agentId,
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
