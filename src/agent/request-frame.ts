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
    frame,
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
 * same in every run: tools, the spans of earlier messages, the texts of files. What the report and the inputs say in every run alike
 * is cut off from what is new in this one, which stands together between the two.
 */
function formatFrame({ system, tools, spans, texts, report, limits, inputs, unkept }: RequestFrame): {
  readonly body: string;
  readonly listsEnd: number;
  readonly cuts: readonly number[];
} {
  const lists = [
    '{"system":[',
    system.map(blockText).join(),
    '],"tools":',
    toolsText(tools),
    ',"spans":[',
    spansText(spans),
    ']',
    ...(texts ? [',"texts":[', texts.map(quoteText).join(), ']'] : []),
  ];
  // The other values are no lists themselves.
  const listsEnd = lists.reduce((length, { length: more }) => length + more, 0);
  const { version, situation, handlers, change, ...alike } = report;
  const shared = `,"report":{${reportMembers(alike)}`;
  const more = `${limits ? `,"limits":${JSON.stringify(limits)}` : ''}${unkept === undefined ? '' : `,"unkept":${unkept}`}`;
  const own = `,${members({ version, situation, handlers, change })}}${more}`;
  const firstCut = listsEnd + shared.length;
  // Joined once, because each joining copies all of it.
  if (!inputs) return { body: [...lists, shared, own, '}'].join(''), listsEnd, cuts: [firstCut] };
  const { composition, ...ownInputs } = inputs;
  const { situation: when, ...alikeComposition } = composition;
  const ownToo = `,"inputs":{${members(ownInputs)},"composition":{"situation":${JSON.stringify(when)}`;
  const sharedToo = `,${members(alikeComposition)}}}}`;
  const body = [...lists, shared, own, ownToo, sharedToo].join('');
  return { body, listsEnd, cuts: [firstCut, firstCut + own.length + ownToo.length] };
}

/** The members of an object as JSON, without its braces. */
function members(object: object): string {
  return JSON.stringify(object).slice(1, -1);
}

type Report = Composition['report'];

/** What a report says in every run alike. A prompt that is the same as that of an earlier run has the same lists. */
function reportMembers({ layers, spans, ...others }: Omit<Report, 'version' | 'situation' | 'handlers'>): string {
  return `${members(others)},"layers":${listText(layers)},"spans":${listText(spans)}`;
}

function listText(list: readonly object[]): string {
  const known = LIST_TEXTS.get(list);
  if (known !== undefined) return known;
  const text = JSON.stringify(list);
  LIST_TEXTS.set(list, text);
  return text;
}

const LIST_TEXTS = new WeakMap<readonly object[], string>();

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

/** The spans of all tools are the same objects in every run, and there are many of them. */
function spansText(spans: readonly RequestSpan[]): string {
  const from = spans.findIndex(({ where }) => where === 'tools');
  const first = spans[from];
  if (!first) return spans.map(spanText).join();
  const behind = spans.findIndex(({ where }, index) => index > from && where !== 'tools');
  const to = behind < 0 ? spans.length : behind;
  const known = TOOLS_SPANS.get(first);
  const isKnown = known?.spans.length === to - from && known.spans.every((span, index) => span === spans[from + index]);
  const ofTools = isKnown ? known : { spans: spans.slice(from, to), text: spans.slice(from, to).map(spanText).join() };
  TOOLS_SPANS.set(first, ofTools);
  return [...spans.slice(0, from).map(spanText), ofTools.text, ...spans.slice(to).map(spanText)].join();
}

const TOOLS_SPANS = new WeakMap<RequestSpan, { readonly spans: readonly RequestSpan[]; readonly text: string }>();

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
    spans: wordless(report.spans),
    cuts: report.cuts.map((cut) => ({ ...cut, text: '' })),
    absences: report.absences.map(({ text: _, ...absence }) => absence),
    handlers: report.handlers.map((handler) => ({
      ...handler,
      changes: handler.changes.map((change) => ({ ...change, addedText: '', removedText: '' })),
    })),
  };
}

/** A prompt that is the same as that of an earlier run has the same list of spans. */
function wordless(spans: Composition['report']['spans']): Composition['report']['spans'] {
  const known = WORDLESS.get(spans);
  if (known) return known;
  const made = spans.map((span) => ({ ...span, text: '' }));
  WORDLESS.set(spans, made);
  return made;
}

const WORDLESS = new WeakMap<Composition['report']['spans'], Composition['report']['spans']>();
