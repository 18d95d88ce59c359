// `atrium context explain`: says which author wrote a line, or why the line is not in the prompt.

import type { Command } from 'commander';
import type { Composition } from '../../context/compose.ts';
import { explainFile, explainLines, type FileExplanation } from '../../context/report/explain-file.ts';
import { explainText, isExplained, type NearHelp, type TextExplanation } from '../../context/report/explain-text.ts';
import type { PromptPlace } from '../../context/report/prompt-place.ts';
import { BadFlagError } from '../../gateway/errors.ts';
import { countOf } from '../../protocol/count-of.ts';
import { nearMatch } from '../../protocol/near-match.ts';
import { clip } from '../../protocol/one-line.ts';
import type { CliIo } from '../cli-io.ts';
import { type Answer, command } from '../command.ts';
import { NoSuchLineError } from '../errors.ts';
import { formatTable, outputWidth } from '../output/format-table.ts';
import { oneLine, visibleLine, wrapText } from '../output/text.ts';
import { type AskedFile, findAskedFile, unknownFileNote } from './asked-file.ts';
import { describeLines, describeOrigin, describePath, type KnownPlaces } from './describe-origin.ts';
import { formatAbsent } from './format-absent.ts';
import { type FoundPlace, findInSpans, formatFoundTable } from './format-spans.ts';
import { isComplete, type Look, lookAtContext, noteMissing } from './look-at-context.ts';
import { LOOK_OPTIONS } from './situation-options.ts';

const OPTIONS = {
  '--text': 'look for the argument as text, even if it is the name of a file',
  ...LOOK_OPTIONS,
} as const;

export const contextExplain = command({
  path: 'context explain',
  summary: 'say whose words these are in the request, or why they are not in the prompt',
  args: { '<text|FILE[:LINE]...>': 'text to look for, a file, or a line of a file such as AGENTS.md:12' },
  options: OPTIONS,
  about: `A bare file name means the file in the workspace; a path may be relative, absolute, or begin with ~.
Text is looked for in the whole request: the prompt, what plugins add, tools, history and message.
Exits with 1 when the text is neither there nor among what was left out.`,
  examples: [
    'context explain "- Never delete"         whose words are these',
    'context explain AGENTS.md:12             what became of this line',
    'context explain ~/.openclaw/AGENTS.md:3  a line of a global file',
    'context explain MEMORY.md --session agent:main:discord:channel:42',
  ],
  // Many searched texts are list items, which begin with a dash; flags are recognised below.
  adapt: (added) => added.usage('[options] <text|FILE[:LINE]>').allowUnknownOption(),
  async run({ 'text|FILE[:LINE]': words, ...flags }, { io, command: added }) {
    const flag = words.length > 1 ? words.find(isFlag) : undefined;
    if (flag !== undefined) refuseFlag(added, flag);
    const question = words.join(' ');
    if (question.trim() === '')
      throw new BadFlagError({ flag: 'explain', value: question, expected: 'text to look for' });
    const look = await lookAtContext(flags, io);
    const { composition } = look;
    const isStrictlyWrong = flags.strict === true && !isComplete(look);
    const places = { workspaceDir: composition.report.situation.workspaceDir, home: io.environment.home };
    const view: View = { places, width: outputWidth(io), composition };
    const asked = flags.text ? undefined : await findAskedFile(question, composition, io.environment);
    const warnings = noteMissing(look);
    if (asked) {
      return { ...answerFile(explain(composition, asked), asked, view, io), warnings, ok: !isStrictlyWrong };
    }
    const replacedBy = replacerOf(look);
    const explanation = explainText(composition, question);
    const elsewhere = findElsewhere(look, question);
    const isKnown = isExplained(explanation) || elsewhere.length > 0;
    if (isFlag(question) && !isKnown) refuseFlag(added, question);
    return {
      json: { kind: 'text', ...explanation, elsewhere, ...(replacedBy ? { replacedBy } : {}) },
      text: () => formatAnswer(explanation, elsewhere, replacedBy, view),
      warnings,
      ok: isKnown && !isStrictlyWrong,
    };
  },
});

function refuseFlag(command: Command, flag: string): never {
  const known = ['--help', ...command.options.flatMap(({ long }) => (long ? [long] : []))];
  const suggestion = nearMatch(flag, known);
  return command.error(
    `error: unknown option '${oneLine(flag)}'${suggestion ? `\n(Did you mean ${suggestion}?)` : ''}`,
  );
}

/** A flag is one word behind a dash; a dash and a blank begin a list item. */
function isFlag(argument: string): boolean {
  return /^--?[a-z][\w-]*(?:=.*)?$/i.test(argument);
}

interface View {
  readonly places: KnownPlaces;
  readonly width: number;
  readonly composition: Composition;
}

function explain(composition: Composition, { path, lines, source, lineCount }: AskedFile): FileExplanation {
  if (!lines) return explainFile(composition, path, source);
  const explanation = explainLines(composition, path, lines, source);
  if (!explanation) throw new NoSuchLineError({ file: path, line: lines[1], lineCount: lineCount ?? 0 });
  return explanation;
}

function answerFile(explanation: FileExplanation, asked: AskedFile, view: View, io: CliIo): Answer {
  const isUnknown = explanation.presence === 'none' && explanation.absent.length === 0;
  const note = isUnknown ? unknownFileNote(asked, explanation.text, view.composition, io.environment) : undefined;
  return {
    json: { kind: asked.lines ? 'lines' : 'file', ...explanation, ...(note ? { note } : {}) },
    text: () => formatFile(explanation, note, view),
  };
}

function formatAnswer(
  explanation: TextExplanation,
  elsewhere: readonly FoundPlace[],
  replacedBy: string | undefined,
  view: View,
): string {
  const isNowhere = elsewhere.length > 0 && !isExplained(explanation);
  const times = elsewhere.length === 1 ? 'once' : `${elsewhere.length} times`;
  const where = isNowhere
    ? `${quote(explanation.text)} is in the request, ${times}.`
    : `\nIn the rest of the request it is there ${times}:`;
  const parts = [
    isNowhere ? '' : formatText(explanation, view),
    replacedBy === undefined
      ? ''
      : `\n${wrapText(`The model does not read this prompt: ${oneLine(replacedBy)} put another one in its place.`, view.width).join('\n')}\n`,
    elsewhere.length === 0 ? '' : `${where}\n\n${formatFoundTable(elsewhere, view.width)}`,
  ];
  return parts.join('');
}

/** The places in the rest of the request: what plugins added, tools, history, the message. */
function findElsewhere({ request, composition }: Look, text: string): readonly FoundPlace[] {
  if (!request) return [];
  const own = new Set(composition.report.spans.map(({ text: words }) => words));
  const isOfPrompt = ({ spans }: FoundPlace) =>
    spans.every((span) => span.where === 'system' && own.has(span.text ?? ''));
  return findInSpans(request.spans, text).filter((place) => !isOfPrompt(place));
}

/** The plugin that replaced the whole prompt, if one did. */
function replacerOf({ request, composition }: Look): string | undefined {
  const system = request?.spans.filter(({ where }) => where === 'system') ?? [];
  const text = system.map((span) => span.text ?? '').join('');
  return request === null || text.includes(composition.prompt.text) ? undefined : system[0]?.origin;
}

function formatText(explanation: TextExplanation, view: View): string {
  const { text, places, absent, spacingDiffers, lines, help } = explanation;
  const quoted = quote(text);
  if (lines) {
    const heading = `${quoted} stands nowhere as a whole. Line by line:\n`;
    return heading + lines.map((line) => `\n${formatText(line, view)}`).join('');
  }
  if (help) return `${quoted} is not in the prompt, and not among what was left out.\n${formatHelp(help, view)}`;
  const spacing = spacingDiffers ? ', with other spacing' : '';
  if (places.length === 0) return `${quoted} is not in the prompt${spacing}.\n\n${formatAbsent(absent, view)}`;
  const times = places.length === 1 ? 'once' : `${places.length} times`;
  const also = absent.length === 0 ? '' : `\nIt also stands in what was left out:\n${formatAbsent(absent, view)}`;
  return `${quoted} is in the prompt, ${times}${spacing}.\n\n${formatPlaces(places, view)}${also}`;
}

function formatFile(explanation: FileExplanation, note: string | undefined, view: View): string {
  const { path, lines, text, presence, places, absent, file } = explanation;
  const name = describePath(path, view.places);
  const blank = lines && text !== undefined && text.trim() === '' ? ' (blank)' : '';
  const subject = lines ? `${name}:${describeLines(lines)}${blank}` : name;
  const verdict = {
    whole: 'is in the prompt',
    part: 'is in the prompt in part',
    none: 'is not in the prompt',
  }[presence];
  const sizes =
    lines || !file || file.status === 'absent'
      ? ''
      : ` (${[
          ...(file.diskChars === undefined ? [] : [`${countOf(file.diskChars, 'character')} on disk`]),
          `${file.rawChars.toLocaleString('en-US')} with what handlers made of it`,
          `${file.injectedChars.toLocaleString('en-US')} injected`,
        ].join(', ')})`;
  const parts = [
    `${subject} ${verdict}${sizes}.\n`,
    lines && text !== undefined && text.trim() !== '' ? `\n${formatQuote(text, view)}` : '',
    places.length === 0 ? '' : `\n${formatPlaces(places, view)}`,
    absent.length === 0 ? '' : `\n${formatAbsent(absent, view)}`,
    note === undefined ? '' : `\n${wrapText(note, view.width).join('\n')}\n`,
    lines ? '' : formatContributors(path, view),
  ];
  return parts.join('');
}

/** The other authors under the heading of this file. */
function formatContributors(path: string, { composition, places, width }: View): string {
  const name = composition.report.files.find((file) => file.path === path)?.name;
  const rows = composition.report.handlers.flatMap(({ id, changes }) =>
    changes.filter(({ file }) => file === name).map((change) => ({ id, ...change })),
  );
  if (name === undefined || rows.length === 0) return '';
  const table = formatTable(
    rows,
    {
      handler: (row) => row.id,
      change: (row) => row.change,
      added: (row) => row.addedText.length,
      removed: (row) => row.removedText.length,
    },
    width,
  );
  return `\nHandlers that changed ${describePath(path, places)}:\n${table}`;
}

/** More than this many places are counted, not listed. */
const MAX_PLACES = 10;
const MAX_PARTS = 8;

function formatPlaces(places: readonly PromptPlace[], view: View): string {
  const shown = places.slice(0, MAX_PLACES).map((place) => formatPlace(place, view));
  const more = places.length > MAX_PLACES ? `... and ${places.length - MAX_PLACES} more places\n` : '';
  return shown.join('') + more;
}

function formatPlace(place: PromptPlace, { places, width }: View): string {
  const line = place.lines[0] === place.lines[1] ? 'line' : 'lines';
  const sections = place.sections.length > 0 ? `, in ${place.sections.map(oneLine).join(', ')}` : '';
  const where = `prompt ${line} ${describeLines(place.lines)}, characters ${place.start}-${place.end}${sections}, ${SIDES[place.side]}`;
  const parts = place.parts.slice(0, MAX_PARTS).map(({ origin, text }) => ({
    author: describeOrigin(origin, places),
    text: firstLine(text),
  }));
  const authorWidth = Math.max(...parts.map((part) => part.author.length), 0);
  const lines = [
    clip(where, width),
    ...parts.map(({ author, text }) => clip(`  ${author.padEnd(authorWidth)}  ${text}`.trimEnd(), width)),
    ...(place.parts.length > MAX_PARTS ? [`  ... and ${place.parts.length - MAX_PARTS} more parts`] : []),
  ];
  return lines.map((each) => `${each}\n`).join('');
}

const SIDES = {
  'before-boundary': 'before the cache boundary',
  'behind-boundary': 'behind the cache boundary',
  'across-boundary': 'on both sides of the cache boundary',
} as const;

function formatHelp(help: NearHelp, view: View): string {
  const { otherCase, absentInOtherCase, closest, silent, unheard } = help;
  const parts: string[] = [];
  if (otherCase) parts.push(`In other letters it is there:\n${formatPlace(otherCase, view)}`);
  if (absentInOtherCase.length > 0)
    parts.push(`In other letters it was left out:\n${formatAbsent(absentInOtherCase, view)}`);
  if (closest) parts.push(`The closest line is:\n${formatPlace(closest, view)}`);
  if (silent.length > 0) {
    const sentence = `These handlers ran and wrote nothing in this situation; it may be theirs in another: ${silent.join(', ')}.`;
    parts.push(`${wrapText(oneLine(sentence), view.width).join('\n')}\n`);
  }
  if (unheard.length > 0) {
    const rows = unheard.map(({ what, reason, detail }) => ({ what, reason, detail }));
    parts.push(`What these would have said is not known:\n${formatAbsent(rows, view)}`);
  }
  return parts.map((part) => `\n${part}`).join('');
}

function formatQuote(text: string, { width }: View): string {
  const lines = text.split('\n');
  const shown = lines.slice(0, MAX_PARTS).map((line) => `${clip(`  > ${visibleLine(line)}`.trimEnd(), width)}\n`);
  return shown.join('') + (lines.length > MAX_PARTS ? '  > ...\n' : '');
}

function firstLine(text: string): string {
  const [first = '', ...rest] = text.split('\n').filter((line) => line.trim() !== '');
  return oneLine(first) + (rest.length > 0 ? ' ...' : '');
}

function quote(text: string): string {
  return `"${clip(firstLine(text), 60)}"`;
}
