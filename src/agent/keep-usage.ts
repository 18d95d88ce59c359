// Records what a call to a model has cost, for every call that cost something, including failed ones. The row is
// written with the next commit of the run.

import { costOf } from '../models/cost-of.ts';
import type { Model } from '../models/model.ts';
import type { Usage } from '../protocol/usage.ts';
import type { UsageRow } from '../store/tables.ts';
import type { OpenRun } from './open-run.ts';
import type { RunParts } from './run-parts.ts';

export type CountedRun = Pick<OpenRun, 'runId' | 'sessionKey' | 'agentId'> & {
  readonly session: Pick<OpenRun['session'], 'sessionId'>;
  readonly ledger: Pick<OpenRun['ledger'], 'attach'>;
};

export function keepUsage(
  parts: Pick<RunParts, 'now'>,
  run: CountedRun,
  model: Model,
  usage: Usage,
  purpose: UsageRow['purpose'],
): void {
  const { input, output, cacheRead, cacheWrite } = usage;
  if (input + output + cacheRead + cacheWrite === 0) return;
  const { runId, sessionKey, agentId, session } = run;
  run.ledger.attach({
    insert: 'usage',
    row: {
      runId,
      sessionKey,
      sessionId: session.sessionId,
      agentId,
      at: parts.now(),
      purpose,
      provider: model.provider,
      model: model.model,
      input,
      output,
      cacheRead,
      cacheWrite,
      cost: costOf(usage, model.prices) ?? null,
    },
  });
}
