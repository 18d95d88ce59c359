// `atrium context report`: what composition did. Sizes, authors, cuts, handlers, and everything that was left out.

import type { LoadedConfig } from '../../config/load-config.ts';
import type { Composition } from '../../context/compose.ts';
import type { FileChange } from '../../context/composition.ts';
import type { ContextReport, FileReport, HandlerReport } from '../../context/report/build-report.ts';
import { countTokens } from '../../context/report/count-tokens.ts';
import { type Section, sectionsOf } from '../../context/report/sections-of.ts';
import { countOf } from '../../protocol/count-of.ts';
import type { AddCommand } from '../commands.ts';
import { contextGroup } from '../context-group.ts';
import { formatTable, oneLine, outputWidth, type TableColumn, wrapText } from '../output/format-table.ts';
import { describeLines, describePath, type KnownPlaces } from './describe-origin.ts';
import { describeSituation } from './describe-situation.ts';
import { addSituationOptions, openContext, type SituationFlags } from './situation-options.ts';

export const addContextReport: AddCommand = (program, io) => {
  const command = contextGroup(program)
    .command('report')
    .description('show sizes, files, cuts, handlers and what was left out')
    .addHelpText(
      'after',
      `
Examples:
  $ atrium context report                                   the default agent, now
  $ atrium context report --session agent:main:subagent:x   what is kept from a subagent, and why
  $ atrium context report --json | jq '.absences'           every reason code
  $ atrium context report --json | jq -j '.spans[].text'    the same bytes that preview prints`,
    );
  addSituationOptions(command).action(async (flags: SituationFlags) => {
    const { engine, request, loaded } = await openContext(flags, io);
    const composition = await engine.compose(request);
    if (flags.json) {
      const { files, merged, warnings } = loaded;
      io.out(`${JSON.stringify({ ...composition.report, config: { files, merged, warnings } }, null, 2)}\n`);
      return;
    }
    const { workspaceDir } = composition.report.situation;
    const places = { workspaceDir, home: io.environment.home };
    io.out(formatReport(composition, loaded, places, outputWidth(io)));
  });
};

function formatReport(composition: Composition, loaded: LoadedConfig, places: KnownPlaces, width: number): string {
  const { report } = composition;
  const table = <Row>(caption: string, rows: readonly Row[], columns: readonly TableColumn<Row>[]) =>
    `${caption}\n${rows.length === 0 ? 'none\n' : formatTable(rows, columns, width)}`;
  return [
    formatPairs(overview(report), width),
    table('Layers', sectionsOf(composition), [
      { title: 'layer', cell: (section) => section.title },
      { title: 'stability', cell: (section) => section.stability },
      { title: 'chars', cell: (section) => section.text.length },
      { title: 'tokens', cell: (section) => countTokens(section.rope) },
      { title: 'from char', cell: (section) => section.start },
      { title: 'cache', cell: (section) => cacheSide(section, report) },
    ]),
    table('Files', report.files, [
      { title: 'file', cell: (file) => describePath(file.path, places) },
      { title: 'on disk', cell: (file) => file.diskChars ?? '-', align: 'right' },
      { title: 'raw', cell: (file) => file.rawChars },
      { title: 'injected', cell: (file) => file.injectedChars },
      { title: 'tokens', cell: (file) => file.injectedTokens },
      { title: 'status', cell: (file) => fileStatus(file) },
    ]),
    table('Cuts', report.cuts, [
      { title: 'file', cell: (cut) => cut.file },
      { title: 'lines', cell: (cut) => describeLines(cut.lines) },
      { title: 'chars', cell: (cut) => cut.chars },
      { title: 'tokens', cell: (cut) => cut.tokens },
      { title: 'cause', cell: (cut) => cut.cause },
    ]),
    table('Handlers, in calling order', report.handlers, [
      { title: 'handler', cell: (handler) => handler.id },
      { title: 'priority', cell: (handler) => handler.priority },
      { title: 'stability', cell: (handler) => handler.stability ?? '-' },
      { title: 'ms', cell: (handler) => handler.ms.toFixed(1), align: 'right' },
      { title: 'outcome', cell: (handler) => handler.outcome },
      { title: 'changed', cell: (handler) => describeChanges(handler) },
    ]),
    table('Absent', report.absences, [
      { title: 'what', cell: (absence) => describeWhat(absence.what, places) },
      { title: 'reason', cell: (absence) => absence.reason },
      { title: 'why', cell: (absence) => absence.detail },
    ]),
    configuration(loaded, places, width),
    warnings(loaded, report, width),
  ]
    .filter((part) => part !== '')
    .join('\n');
}

function formatPairs(pairs: readonly (readonly [string, string])[], width: number): string {
  const keyWidth = Math.max(...pairs.map(([key]) => key.length)) + 2;
  return pairs
    .flatMap(([key, value]) =>
      wrapText(oneLine(value), width - keyWidth).map((line, index) => (index === 0 ? key : '').padEnd(keyWidth) + line),
    )
    .map((line) => `${line}\n`)
    .join('');
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

function configuration({ files, merged }: LoadedConfig, places: KnownPlaces, width: number): string {
  const lines =
    files.length === 0
      ? ['none; every setting has its default']
      : files.map(({ path, format }) => `${describePath(path, places)} (${format})`);
  const note = merged ? wrapText(oneLine(merged.explanation), width) : [];
  return ['Configuration', ...lines, ...note].map((line) => `${line}\n`).join('');
}

function warnings(loaded: LoadedConfig, report: ContextReport, width: number): string {
  const all = [...loaded.warnings.map(({ file, line, message }) => `${file}:${line}: ${message}`), ...report.warnings];
  if (all.length === 0) return '';
  return ['Warnings', ...all.flatMap((warning) => wrapText(oneLine(warning), width))]
    .map((line) => `${line}\n`)
    .join('');
}
