// What a run was sent, from the running gateway or from its store, in the form in which a situation is looked at.
// Errors: RunPromptGoneError when it is not stored any more, or was replaced before it was sent.

import type { ContextReport } from '../../context/report/build-report.ts';
import { restoreComposition } from '../../context/report/restore-composition.ts';
import type { RequestSpans } from '../../gateway/services/read-request-spans.ts';
import type { CliIo } from '../cli-io.ts';
import { RunPromptGoneError } from '../errors.ts';
import { lazyClient, openReadingClient, path } from '../gateway/gateway-client.ts';
import { lastRunId } from '../last-run-id.ts';
import type { Look } from './look-at-context.ts';

/** What is not about the prompt and the request is that of `beside`. */
export async function lookOfRun(named: string, beside: Look, io: CliIo): Promise<Look> {
  const client = lazyClient(() => openReadingClient(io));
  try {
    const run = named === 'last' ? await lastRunId(client, undefined) : named;
    const at = path`/api/runs/${run}`;
    const report = await client.get<ContextReport>(`${at}/report`);
    const { spans } = await client.get<RequestSpans>(`${at}/spans/last`);
    const system = spans.filter(({ where }) => where === 'system').map(({ text }) => text ?? '');
    const composition = restoreComposition(report, system);
    if (!composition) throw new RunPromptGoneError({ run });
    return { ...beside, composition, request: beside.request && { ...beside.request, spans } };
  } finally {
    await client.close();
  }
}
