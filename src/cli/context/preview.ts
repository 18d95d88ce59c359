// `atrium context preview`: what a model would be sent, as a page for people: the system prompt as text, the tools and the
// history as tables, the totals. With `--body` it prints the bytes themselves and nothing else. A running gateway is
// asked; without one, or with a configuration of its own, the command composes the request itself and changes nothing.

import type { LookedRequest } from '../../gateway/services/preview-message.ts';
import { command } from '../command.ts';
import { FlagCombinationError } from '../errors.ts';
import { formatFacts, formatTable } from '../output/format-table.ts';
import { firstSentence, visibleText } from '../output/text.ts';
import { formatConfigWarning } from '../output/warnings.ts';
import { readGivenFile } from '../read-given-file.ts';
import { formatMeasure } from './format-measure.ts';
import { formatSpans } from './format-spans.ts';
import { isComplete, type Look, lookAtContext, noteMissing } from './look-at-context.ts';
import { LOOK_OPTIONS, type SituationFlags } from './situation-options.ts';

export const contextPreview = command({
  path: 'context preview',
  summary: 'show what the agent would read: the prompt and the whole request for a message, or its exact bytes',
  options: {
    '--file <path>': { text: 'a file or image that comes with the message; may be given several times', isList: true },
    '--body': 'print the exact bytes and nothing else: of the request with --message, else of the prompt',
    ...LOOK_OPTIONS,
  },
  about: `Without --session it is about the session of "atrium chat" or "atrium agent", whichever was used last.`,
  examples: [
    'context preview                                  the default agent, now',
    'context preview --at 23:30 --tz Europe/Berlin    the same at night',
    'context preview --session agent:main:subagent:x  what a subagent would read',
    'context preview --message "hello" --body | jq .  the request, byte for byte',
    'context preview --message "look" --file a.png    the request with an image, which is named by its hash',
  ],
  async run(flags, { io }) {
    const files = await Promise.all((flags.file ?? []).map(readGivenFile));
    const message = flags.message ?? (files.length > 0 ? '' : undefined);
    if (message !== undefined) refuseSituation(flags);
    const look = await lookAtContext({ ...flags, message, files }, io);
    const { composition, request } = look;
    const bytes = message === undefined ? systemText(look) : (request?.wire.body ?? '');
    // A file or a program gets every byte as it is; a terminal does not get control codes from untrusted text.
    const exact = io.isTerminal ? `${visibleText(bytes)}\n` : bytes;
    const { report } = composition;
    const { warnings, merged } = look.configuration;
    return {
      json: toJson(look, message),
      text: flags.body ? exact : (width) => formatPage(look, message, width),
      warnings: [
        ...(merged ? [`note: ${merged.explanation}`] : []),
        ...warnings.map(formatConfigWarning),
        ...report.warnings.map((warning) => `warning: ${warning}`),
        ...noteMissing(look),
      ],
      ok: !flags.strict || isComplete(look),
    };
  },
});

/** A request is what the gateway would send, so flags for other situations are refused. */
function refuseSituation(flags: SituationFlags): void {
  for (const [name, value] of Object.entries({ workspace: flags.workspace, type: flags.type, tz: flags.tz })) {
    if (value !== undefined) throw new FlagCombinationError({ problem: `--${name} and --message exclude each other.` });
  }
}

/** The system prompt as it would be sent, with what plugins add to it. */
function systemText({ request, composition }: Look): string {
  if (!request) return composition.prompt.text;
  return spansOf(request, 'system')
    .map(({ text }) => text ?? '')
    .join('');
}

function toJson(look: Look, message: string | undefined): unknown {
  const { composition, request, problem, placeholders, sessionKey, agentId } = look;
  const { report, prompt } = composition;
  const common = { sessionKey, agentId, placeholders, problem };
  const { provider, model, wire, spans, measure } = request ?? {};
  if (message !== undefined) return { ...common, provider, model, wire, report, spans, request: measure };
  const { text, blocks, cacheBoundary } = prompt;
  const system = systemText(look);
  return {
    ...common,
    text,
    blocks,
    cacheBoundary,
    hash: report.prompt.hash,
    system,
    provider,
    model,
    request: measure,
  };
}

function formatPage(look: Look, message: string | undefined, width: number): string {
  const { request, sessionKey, agentId } = look;
  const system = `System prompt\n\n${visibleText(systemText(look)).trimEnd()}\n`;
  if (!request) return `${formatFacts([['agent', agentId]])}\n${system}`;
  const { provider, model, wire, measure } = request;
  const facts = formatFacts([
    ['to', `${provider}/${model} at ${wire.url}`],
    ['session', sessionKey ?? 'none'],
    ['agent', agentId],
    ['bytes', message === undefined ? undefined : Buffer.byteLength(wire.body).toLocaleString('en-US')],
  ]);
  const messages = spansOf(request, 'messages').filter(({ chars }) => chars > 0);
  return [
    facts,
    system,
    `Tools\n\n${formatTools(request, width)}`,
    messages.length === 0 ? '' : `Messages\n\n${formatSpans(messages, width)}`,
    message === undefined ? '' : `Authors of the system prompt\n\n${formatSpans(spansOf(request, 'system'), width)}`,
    `The whole request\n\n${formatMeasure(measure, width)}`,
  ]
    .filter((part) => part !== '')
    .join('\n');
}

function formatTools(request: LookedRequest, width: number): string {
  const spans = spansOf(request, 'tools');
  // The first pieces of a tool are its name and its description.
  const tools = [...new Set(spans.map(({ index }) => index))].map((index) => {
    const pieces = spans.filter((span) => span.index === index);
    const [name, description] = pieces.map(({ text }) => text ?? '');
    const [, owner] = / of (.+)$/.exec(pieces[0]?.origin ?? '') ?? [];
    const chars = pieces.reduce((sum, piece) => sum + piece.chars, 0);
    return { name: name ?? '', description: description ?? '', owner, chars };
  });
  if (tools.length === 0) return 'none\n';
  return formatTable(
    tools,
    {
      tool: ({ name }) => name,
      from: ({ owner }) => owner ?? 'atrium',
      chars: ({ chars }) => chars,
      does: ({ description }) => firstSentence(description),
    },
    width,
  );
}

function spansOf({ spans }: LookedRequest, where: LookedRequest['spans'][number]['where']): LookedRequest['spans'] {
  return spans.filter((span) => span.where === where);
}
