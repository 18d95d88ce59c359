// `atrium context report`: what composition did. Sizes, authors, cuts, handlers, and everything that was left out.

import type { FileChange } from '../../context/composition.ts';
import type { ContextReport, FileReport, HandlerReport } from '../../context/report/build-report.ts';
import { countTokens } from '../../context/report/count-tokens.ts';
import { type Section, sectionsOf } from '../../context/report/sections-of.ts';
import { countOf } from '../../protocol/count-of.ts';
import { command } from '../command.ts';
import { type Columns, formatFacts, formatTable } from '../output/format-table.ts';
import { oneLine, wrapText } from '../output/text.ts';
import { describeLines, describePath, describeSituation, type KnownPlaces } from './describe-origin.ts';
import { formatMeasure } from './format-measure.ts';
import { isComplete, type Look, lookAtContext, noteMissing } from './look-at-context.ts';
import { LOOK_OPTIONS } from './situation-options.ts';

export const contextReport = command({
  path: 'context report',
  summary: 'show the whole request by part, and of the prompt sizes, files, cuts, handlers and what was left out',
  options: LOOK_OPTIONS,
  examples: [
    'context report                                   the default agent, now',
    'context report --session agent:main:subagent:x   what is kept from a subagent, and why',
    "context report --json | jq '.absences'           every reason code",
    "context report --json | jq -j '.spans[].text'    the same bytes that preview prints",
  ],
  async run(flags, { io }) {
    const look = await lookAtContext(flags, io);
    const { composition, request, problem, placeholders } = look;
    const places = { workspaceDir: composition.report.situation.workspaceDir, home: io.environment.home };
    return {
      json: {
        ...composition.report,
        config: look.configuration,
        request: request && { provider: request.provider, model: request.model, ...request.measure },
        problem,
        placeholders,
      },
      text: (width) => formatReport(look, places, width),
      warnings: noteMissing(look),
      ok: !flags.strict || isComplete(look),
    };
  },
});

function formatReport(look: Look, places: KnownPlaces, width: number): string {
  const { composition, request, configuration: loaded } = look;
  const { report } = composition;
  const table = <Row>(caption: string, rows: readonly Row[], columns: Columns<Row>) =>
    `${caption}\n${rows.length === 0 ? 'none\n' : formatTable(rows, columns, width)}`;
  return [
    formatFacts(overview(report), { width }),
    request ? `The whole request\n${formatMeasure(request.measure, width)}` : '',
    table('Layers', sectionsOf(composition), {
      layer: (section) => section.title,
      stability: (section) => section.stability,
      chars: (section) => section.text.length,
      tokens: (section) => countTokens(section.rope),
      'from char': (section) => section.start,
      cache: (section) => cacheSide(section, report),
    }),
    table('Files', report.files, {
      file: (file) => describePath(file.path, places),
      'on disk': { right: (file) => file.diskChars ?? '-' },
      raw: (file) => file.rawChars,
      injected: (file) => file.injectedChars,
      tokens: (file) => file.injectedTokens,
      status: (file) => fileStatus(file),
    }),
    table('Cuts', report.cuts, {
      file: (cut) => cut.file,
      lines: (cut) => describeLines(cut.lines),
      chars: (cut) => cut.chars,
      tokens: (cut) => cut.tokens,
      cause: (cut) => cut.cause,
    }),
    table('Handlers, in calling order', report.handlers, {
      handler: (handler) => handler.id,
      priority: (handler) => handler.priority,
      stability: (handler) => handler.stability ?? '-',
      ms: { right: (handler) => handler.ms.toFixed(1) },
      outcome: (handler) => handler.outcome,
      changed: (handler) => describeChanges(handler),
    }),
    table('Absent', report.absences, {
      what: (absence) => describeWhat(absence.what, places),
      reason: (absence) => absence.reason,
      why: (absence) => absence.detail,
    }),
    configuration(loaded, places, width),
    warnings(loaded, report, width),
  ]
    .filter((part) => part !== '')
    .join('\n');
}

function overview(report: ContextReport): [string, string][] {
  const { situation, prompt, budget } = report;
  const size = (part: { chars: number; tokens: number }) =>
    `${countOf(part.chars, 'character')}, about ${countOf(part.tokens, 'token')}`;
  return [
    ['situation', describeSituation(report)],
    ['workspace', `${situation.workspaceDir} (${situation.taxonomy} files)`],
    ['prompt', `${size(prompt)}; sha256 ${prompt.hash.slice(0, 16)}`],
    ['cacheable', `the first ${size(prompt.stable)}; sha256 ${prompt.stable.hash.slice(0, 16)}`],
    [
      'budget',
      [
        `${budget.usedChars.toLocaleString('en-US')} of ${countOf(budget.totalMaxChars, 'character')} used`,
        `${budget.maxChars.toLocaleString('en-US')} a file`,
        ...(budget.maxTokens === undefined ? [] : [`at most ${countOf(budget.maxTokens, 'token')}`]),
      ].join(', '),
    ],
  ];
}

function cacheSide(section: Section, { prompt }: ContextReport): string {
  return section.start < prompt.stable.chars ? 'before the boundary' : 'behind the boundary';
}

function fileStatus({ status, reason }: FileReport): string {
  return reason ? `${status}: ${reason}` : status;
}

function describeChanges({ changes, outcome, error }: HandlerReport): string {
  if (outcome !== 'done') return `${error ?? 'failed'}; its change was dropped`;
  return changes.map(describeChange).join('; ') || '-';
}

function describeChange({ file, change, addedText, removedText }: FileChange): string {
  if (change === 'renamed') return `${removedText} renamed to ${addedText}`;
  const sizes = [
    ...(addedText === '' ? [] : [`+${addedText.length.toLocaleString('en-US')}`]),
    ...(removedText === '' ? [] : [`-${removedText.length.toLocaleString('en-US')}`]),
  ];
  return [file, change, ...sizes].join(' ');
}

/** An absence is named by what it is; some are paths. */
function describeWhat(what: string, places: KnownPlaces): string {
  return what.startsWith('/') ? describePath(what, places) : what;
}

function configuration({ files, merged }: Look['configuration'], places: KnownPlaces, width: number): string {
  const lines =
    files.length === 0
      ? ['none; every setting has its default']
      : files.map(({ path, format }) => `${describePath(path, places)} (${format})`);
  const note = merged ? wrapText(oneLine(merged.explanation), width) : [];
  return ['Configuration', ...lines, ...note].map((line) => `${line}\n`).join('');
}

function warnings(loaded: Look['configuration'], report: ContextReport, width: number): string {
  const all = [...loaded.warnings.map(({ file, line, message }) => `${file}:${line}: ${message}`), ...report.warnings];
  if (all.length === 0) return '';
  return ['Warnings', ...all.flatMap((warning) => wrapText(oneLine(warning), width))]
    .map((line) => `${line}\n`)
    .join('');
}
