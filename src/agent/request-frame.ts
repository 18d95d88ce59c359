// The part of a request that stays the same throughout a run: system blocks, tools, and what is known about them. It is
// stored as call 0 of the run, so that recovery and people read the same bytes.

import type { Composition } from '../context/compose.ts';
import type { ModelRequest } from '../models/model.ts';
import type { Write } from '../store/store.ts';
import { type RequestLimits, requestLimits } from './measure-request.ts';
import type { OpenRun } from './open-run.ts';
import type { RequestDraft, RequestSpan } from './request-draft.ts';
import type { RunParts } from './run-parts.ts';

export const FRAME_CALL = 0;

/** Requests for summaries are not steps of the run; they are numbered from 1 separately and stored below the frame. */
export function callOfSummary(summary: number): number {
  return FRAME_CALL - summary;
}

export interface RequestFrame {
  readonly system: ModelRequest['system'];
  readonly tools: ModelRequest['tools'];
  /** The author of each part of the first request. */
  readonly spans: readonly RequestSpan[];
  /** The index of a message that the transcript does not keep. */
  readonly unkept?: number | undefined;
  readonly report: Composition['report'];
  /** How large a request of this run could be; undefined in frames of older versions. */
  readonly limits?: RequestLimits | undefined;
}

export function captureFrame(
  parts: RunParts,
  { runId, agentId }: Pick<OpenRun, 'runId' | 'agentId'>,
  { request, spans, composition, model, user }: RequestDraft,
): readonly Write[] {
  const frame: RequestFrame = {
    system: request.system,
    tools: request.tools,
    spans,
    ...(user.blocked ? { unkept: request.messages.length - 1 } : {}),
    report: withoutTexts(composition.report),
    limits: requestLimits(model, parts.compaction(agentId)),
  };
  return parts.capture({
    runId,
    call: FRAME_CALL,
    at: parts.now(),
    provider: model.provider,
    model: model.model,
    wire: { url: 'atrium:frame', headers: {}, body: JSON.stringify(frame) },
  });
}

export async function readFrame(
  parts: Pick<RunParts, 'readCapture'>,
  runId: string,
): Promise<RequestFrame | undefined> {
  const kept = await parts.readCapture(runId, FRAME_CALL);
  return kept && (JSON.parse(kept.wire.body) as RequestFrame);
}

/** The texts are in the system blocks already, and what was cut or left out is named by its position. */
function withoutTexts(report: Composition['report']): Composition['report'] {
  return {
    ...report,
    spans: report.spans.map((span) => ({ ...span, text: '' })),
    cuts: report.cuts.map((cut) => ({ ...cut, text: '' })),
    absences: report.absences.map(({ text: _, ...absence }) => absence),
    handlers: report.handlers.map((handler) => ({
      ...handler,
      changes: handler.changes.map((change) => ({ ...change, addedText: '', removedText: '' })),
    })),
  };
}
