// `/context`: what the agent reads in this session, as a chat answer. `list` names the files and what was left out,
// `detail` every layer with its authors, cuts and handlers, `map` draws the prompt. Everything comes from the numbers
// in the report, so a report that is stored without its texts shows the same.

import { chatLine, chatList, linesOf, sizeOf } from '../../commands/chat-text.ts';
import type { ContextReport, FileReport, HandlerReport } from '../../context/report/build-report.ts';
import { countOf } from '../../protocol/count-of.ts';
import type { RequestMeasure } from '../measure-request.ts';
import { describePath, originsIn } from './describe-origin.ts';
import { describeRequest } from './describe-request.ts';
import { drawMap } from './draw-map.ts';

const CONTEXT_VIEWS = ['list', 'detail', 'map'] as const;
export type ContextView = (typeof CONTEXT_VIEWS)[number];

/** Parses the text behind `/context`; undefined when it names no view. An empty text means `list`. */
export function parseContextView(text: string): ContextView | undefined {
  const word = text.trim().toLowerCase();
  return word === '' ? 'list' : CONTEXT_VIEWS.find((view) => view === word);
}

/** `request` is what the last request was made of, as far as it is stored. */
export function formatContextView(report: ContextReport, view: ContextView, request?: RequestMeasure): string {
  const body = { list: listLines, detail: detailLines, map: drawMap }[view](report);
  const whole = request ? describeRequest(request, view === 'detail') : [];
  return [...headLines(report), ...whole, ...body].join('\n');
}

export const CONTEXT_USAGE = 'Use /context list, /context detail or /context map.';

function headLines({ situation, prompt, budget }: ContextReport): readonly string[] {
  const { agentId = 'none', sessionKey, sessionType } = situation;
  return [
    chatLine(`Context of agent ${agentId}, ${sessionType}${sessionKey ? `, session ${sessionKey}` : ''}`),
    `${sizeOf(prompt)}; the first ${prompt.stable.chars.toLocaleString('en-US')} can be cached`,
    `Budget: ${budget.usedChars.toLocaleString('en-US')} of ${countOf(budget.totalMaxChars, 'character')} used, ${budget.maxChars.toLocaleString('en-US')} a file`,
  ];
}

function listLines(report: ContextReport): readonly string[] {
  const present = report.files.filter(({ status }) => status !== 'absent');
  return [
    ...chatList(
      'Files',
      present.map((file) => describeFile(file, report)),
    ),
    ...leftOutLines(report),
    ...warningLines(report),
  ];
}

function describeFile(file: FileReport, { situation }: ContextReport): string {
  const { path, status, reason, rawChars, injectedChars, injectedTokens } = file;
  const name = describePath(path, situation.workspaceDir);
  if (status !== 'trimmed') return `${name}: ${sizeOf({ chars: injectedChars, tokens: injectedTokens })}`;
  const shown = injectedChars.toLocaleString('en-US');
  return `${name}: ${shown} of ${countOf(rawChars, 'character')} (trimmed: ${reason})`;
}

function leftOutLines({ absences, files, situation }: ContextReport): readonly string[] {
  const explained = new Set(absences.map(({ path }) => path));
  const others = files
    .filter(({ status, path }) => status === 'absent' && !explained.has(path))
    .map(({ path, reason }) => `${describePath(path, situation.workspaceDir)}: ${reason ?? 'missing'}`);
  const named = absences.map(({ what, path, reason, detail }) => {
    const name = path === undefined ? chatLine(what, 80) : describePath(path, situation.workspaceDir);
    return chatLine(`${name}: ${reason} (${detail})`);
  });
  return chatList('Left out', [...named, ...others]);
}

function detailLines(report: ContextReport): readonly string[] {
  return [
    ...layerLines(report),
    ...chatList(
      'Cuts',
      report.cuts.map(({ file, lines, chars, tokens, cause }) =>
        chatLine(`${file} ${linesOf(lines)}: ${sizeOf({ chars, tokens })} (${cause})`),
      ),
    ),
    ...chatList('Handlers, in calling order', report.handlers.map(describeHandler)),
    ...leftOutLines(report),
    ...warningLines(report),
  ];
}

function layerLines(report: ContextReport): readonly string[] {
  const { layers, prompt, situation } = report;
  const described = layers.map((layer) => {
    const origins = originsIn(report.spans, layer.start, layer.end, situation.workspaceDir);
    const from = origins.length === 0 ? '' : `, from ${origins.join('; ')}`;
    return chatLine(`${layer.title} (${layer.stability}): ${sizeOf(layer)}${from}`, 300);
  });
  const before = layers.filter(({ start }) => start < prompt.stable.chars).length;
  return [
    ...chatList('Layers that can be cached', described.slice(0, before)),
    ...chatList('Layers behind the cache boundary', described.slice(before)),
  ];
}

function describeHandler({ id, priority, ms, outcome, error, changes }: HandlerReport): string {
  const what =
    outcome === 'done'
      ? changes.map(({ file, change }) => `${file} ${change}`).join(', ') || 'no change'
      : `${outcome}, its change was dropped${error === undefined ? '' : `: ${error}`}`;
  return chatLine(`${id} (priority ${priority}, ${ms.toFixed(1)} ms): ${what}`);
}

function warningLines({ warnings }: ContextReport): readonly string[] {
  return chatList(
    'Warnings',
    warnings.map((warning) => chatLine(warning)),
  );
}
