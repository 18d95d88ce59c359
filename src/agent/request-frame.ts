// The part of a request that stays the same throughout a run: system blocks, tools, what is known about them, and what they
// were made from. It is stored as call 0 of the run, so that recovery and people read the same bytes.

import type { Composition } from '../context/compose.ts';
import type { ModelRequest } from '../models/model.ts';
import type { Write } from '../store/store.ts';
import { type RequestLimits, requestLimits } from './measure-request.ts';
import type { OpenRun } from './open-run.ts';
import type { RequestDraft, RequestSpan } from './request-draft.ts';
import { type RequestInputs, recordInputs } from './request-inputs.ts';
import { parametersText } from './request-text.ts';
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
  /** What the first request was made from; undefined in frames of older versions. */
  readonly inputs?: RequestInputs | undefined;
  /** The texts that `inputs` names by number. They stand in a list of their own, so that runs share them. */
  readonly texts?: readonly string[] | undefined;
}

export function captureFrame(
  parts: RunParts,
  { runId, agentId }: Pick<OpenRun, 'runId' | 'agentId'>,
  draft: RequestDraft,
  pastTo: number,
): readonly Write[] {
  const { request, spans, composition, model, user } = draft;
  const frame: RequestFrame = {
    system: request.system,
    tools: request.tools,
    spans,
    ...(user.blocked ? { unkept: request.messages.length - 1 } : {}),
    report: withoutTexts(composition.report),
    limits: requestLimits(model, parts.compaction(agentId)),
    ...recordInputs(draft, pastTo),
  };
  return parts.capture({
    runId,
    call: FRAME_CALL,
    at: parts.now(),
    provider: model.provider,
    model: model.model,
    wire: { url: 'atrium:frame', headers: {}, ...formatFrame(frame) },
  });
}

export async function readFrame(
  parts: Pick<RunParts, 'readCapture'>,
  runId: string,
): Promise<RequestFrame | undefined> {
  const kept = await parts.readCapture(runId, FRAME_CALL);
  return kept && (JSON.parse(kept.wire.body) as RequestFrame);
}

/**
 * The body has the same value as `JSON.stringify` would write, put together from texts that are known already, because most of it is the
 * same in every run: tools, the spans of earlier messages, the texts of files.
 */
function formatFrame({ system, tools, spans, texts, ...rest }: RequestFrame): {
  readonly body: string;
  readonly listsEnd: number;
} {
  const lists = [
    '{"system":[',
    system.map(blockText).join(),
    '],"tools":',
    toolsText(tools),
    ',"spans":[',
    spans.map(spanText).join(),
    ']',
    ...(texts ? [',"texts":[', texts.map(quoteText).join(), ']'] : []),
  ];
  // The other values are no lists themselves.
  const listsEnd = lists.reduce((length, { length: more }) => length + more, 0);
  // Joined once, because each joining copies all of it.
  return { body: [...lists, ',', JSON.stringify(rest).slice(1)].join(''), listsEnd };
}

function blockText({ text, ...block }: RequestFrame['system'][number]): string {
  const more = JSON.stringify(block);
  return `{"text":${quoteText(text)}${more === '{}' ? '}' : `,${more.slice(1)}`}`;
}

/** Runs are offered the same lists of tools. */
function toolsText(tools: RequestFrame['tools']): string {
  const known = TOOL_TEXTS.get(tools);
  if (known !== undefined) return known;
  const texts = tools.map(
    ({ name, description, parameters, strict }) =>
      `{"name":${JSON.stringify(name)},"description":${JSON.stringify(description)},"parameters":${parametersText(parameters)}${strict ? ',"strict":true' : ''}}`,
  );
  const text = `[${texts.join()}]`;
  TOOL_TEXTS.set(tools, text);
  return text;
}

const TOOL_TEXTS = new WeakMap<RequestFrame['tools'], string>();

/** A long text as JSON. Writing one down takes longer than finding it, and runs have the same few. */
function quoteText(text: string): string {
  if (text.length < LONG_TEXT) return JSON.stringify(text);
  const known = QUOTED.get(text);
  if (known !== undefined) return known;
  const quoted = JSON.stringify(text);
  QUOTED.set(text, quoted);
  const [oldest] = QUOTED.keys();
  if (QUOTED.size > MOST_QUOTED && oldest !== undefined) QUOTED.delete(oldest);
  return quoted;
}

const LONG_TEXT = 512;
const MOST_QUOTED = 32;
const QUOTED = new Map<string, string>();

/** The spans of earlier messages are the same objects in every request. */
function spanText(span: RequestSpan): string {
  const known = SPAN_TEXTS.get(span);
  if (known !== undefined) return known;
  const text = JSON.stringify(span);
  SPAN_TEXTS.set(span, text);
  return text;
}

const SPAN_TEXTS = new WeakMap<RequestSpan, string>();

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
