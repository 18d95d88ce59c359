// What each fact of the product's life counts: a table from facts to metrics.

import type { FactName, Facts } from '../facts/facts.ts';
import type { FactListener } from '../facts/teller.ts';
import { parseAgentSessionKey } from '../protocol/session-key.ts';
import type { Metrics } from './metrics.ts';

type FactCounts = { readonly [Name in FactName]?: (fact: Facts[Name], metrics: Metrics) => void };

/** A listener that counts. */
export function countFacts(metrics: Metrics): FactListener {
  return (name, fact) =>
    (FACT_COUNTS[name] as ((fact: unknown, metrics: Metrics) => void) | undefined)?.(fact, metrics);
}

export const FACT_COUNTS: FactCounts = {
  'message-accepted': ({ inbound }, metrics) => metrics.add('atrium.messages', { channel: inbound.surface.channel }),
  'run-ended': ({ sessionKey, status, ms }, metrics) => {
    const labels = { agent: parseAgentSessionKey(sessionKey)?.agentId ?? 'main', status };
    metrics.add('atrium.runs', labels);
    if (ms !== undefined) metrics.observe('atrium.run.duration', labels, ms / 1_000);
  },
  'model-ended': ({ model: { provider, model }, completed, end }, metrics) => {
    const { usage, cost, ms } = completed;
    const call = { 'gen_ai.operation.name': 'chat', 'gen_ai.provider.name': provider, 'gen_ai.request.model': model };
    const errorType = end.stop === 'error' || end.stop === 'aborted' ? (end.error?.kind ?? end.stop) : '';
    metrics.observe('gen_ai.client.operation.duration', { ...call, 'error.type': errorType }, ms / 1_000);
    for (const type of ['input', 'output'] as const) {
      if (usage[type] > 0)
        metrics.observe('gen_ai.client.token.usage', { ...call, 'gen_ai.token.type': type }, usage[type]);
    }
    metrics.add('atrium.cached_tokens', { provider, model, direction: 'read' }, usage.cacheRead);
    metrics.add('atrium.cached_tokens', { provider, model, direction: 'write' }, usage.cacheWrite);
    if (cost === undefined) metrics.add('atrium.unpriced_calls', { provider, model });
    else metrics.add('atrium.cost', { provider, model }, cost);
  },
  'tool-ended': ({ call, isError, ms }, metrics) => {
    metrics.add('atrium.tool.calls', { tool: call.name, outcome: isError ? 'error' : 'ok' });
    metrics.observe('atrium.tool.duration', { tool: call.name }, ms / 1_000);
  },
  'approval-answered': ({ decision }, metrics) => metrics.add('atrium.approvals', { decision }),
  'child-ended': ({ child: { agentId, outcome } }, metrics) =>
    metrics.add('atrium.children', { agent: agentId, outcome: outcome ?? 'ok' }),
  'handler-called': ({ hook, owner, outcome }, metrics) => {
    if (outcome !== 'done' && outcome !== 'aborted') metrics.add('atrium.hook.failures', { hook, owner, outcome });
  },
  'delivery-ended': ({ surface, outcome }, metrics) =>
    metrics.add('atrium.deliveries', { channel: surface.channel, outcome }),
};
