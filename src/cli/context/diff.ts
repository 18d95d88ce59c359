// `atrium context diff`: two situations side by side. Which sections differ, whose lines they are, and what that does
// to a provider's prompt cache.

import { type Command, Option } from 'commander';
import type { LoadedConfig } from '../../config/load-config.ts';
import type { Composition } from '../../context/compose.ts';
import {
  type CompositionComparison,
  compareCompositions,
  type Pair,
  type SectionComparison,
} from '../../context/report/compare-compositions.ts';
import type { ContextChange } from '../../context/report/find-change.ts';
import { BadFlagError } from '../../gateway/errors.ts';
import { countOf } from '../../protocol/count-of.ts';
import { SESSION_TYPES, type SessionType } from '../../protocol/session-type.ts';
import type { CliIo } from '../cli-io.ts';
import type { AddCommand } from '../commands.ts';
import { contextGroup } from '../context-group.ts';
import { NothingToCompareError } from '../errors.ts';
import { EXIT } from '../exit-code.ts';
import { formatTable, oneLine, outputWidth, wrapText } from '../output/format-table.ts';
import { writeWarnings } from '../output/warnings.ts';
import { describeOrigin, describeOrigins, type KnownPlaces } from './describe-origin.ts';
import { describeSituation } from './describe-situation.ts';
import { type AuthoredLine, formatComparedLines } from './format-compared-lines.ts';
import { openContext, type SituationFlags } from './situation-options.ts';

export const addContextDiff: AddCommand = (program, io, exit) => {
  const command = contextGroup(program)
    .command('diff')
    .description('compare the prompts of two situations')
    .addHelpText(
      'after',
      `
The left side is what the flags say. The right side is the same, except where a flag is given a second time or as
--vs-<flag>.

Examples:
  $ atrium context diff --at 10:00 --at 23:30                day against night
  $ atrium context diff --vs-session agent:main:subagent:x   the main session against a subagent
  $ atrium context diff --config a.yaml --config b.yaml      two configurations
  $ atrium context diff --vs-workspace ../other --exit-code  fail when the prompts differ`,
    );
  addTwoSidedOptions(command).action(async (flags: DiffFlags) => {
    const [leftFlags, rightFlags] = twoSides(flags);
    // Both sides are composed for one moment, however long the first takes.
    const now = io.now();
    const frozen: CliIo = { ...io, environment: io.environment, now: () => now };
    const left = await openContext(leftFlags, frozen);
    const right = await openContext(rightFlags, frozen);
    const before = await left.engine.compose(left.request);
    const after = await right.engine.compose(right.request, before);
    const comparison = compareCompositions(before, after);
    if (flags.json) io.out(`${JSON.stringify(toJson(before, after, comparison), null, 2)}\n`);
    else {
      const configs = leftFlags.config === rightFlags.config ? [] : [left.loaded, right.loaded].map(describeConfig);
      io.out(formatDiff(before, after, comparison, configs, io));
      writeWarnings(left.loaded, { warnings: [] }, io);
      if (rightFlags.config !== leftFlags.config) writeWarnings(right.loaded, { warnings: [] }, io);
    }
    if (flags.exitCode && !comparison.same) exit(EXIT.finding);
  });
};

const SIDED_FLAGS = {
  agent: ['<id>', 'the agent to compose for (default: the configured default agent)'],
  workspace: ['<dir>', "compose for this folder instead of the agent's workspace"],
  session: ['<key>', 'the session key, such as agent:main:discord:channel:42'],
  type: ['<type>', `the kind of session: ${SESSION_TYPES.join(', ')}`],
  channel: ['<name[:id]>', 'the channel that the message comes from, such as slack or slack:C042'],
  at: ['<time>', 'the moment: 23:30, 2026-05-01T08:00, or a full ISO time (default: now)'],
  tz: ['<zone>', 'the time zone, such as Europe/Berlin'],
  config: ['<file>', 'read this configuration file only'],
} as const;

type SidedFlag = keyof typeof SIDED_FLAGS;

type DiffFlags = { readonly [flag in SidedFlag | `vs${Capitalize<SidedFlag>}`]?: readonly string[] } & {
  readonly json?: boolean;
  readonly exitCode?: boolean;
};

function addTwoSidedOptions(command: Command): Command {
  const collect = (value: string, values: readonly string[] = []) => [...values, value];
  const flags = Object.entries(SIDED_FLAGS);
  for (const [flag, [value, description]] of flags)
    command.addOption(new Option(`--${flag} ${value}`, description).argParser(collect));
  for (const [flag, [value]] of flags)
    command.addOption(new Option(`--vs-${flag} ${value}`, `the same for the right side`).argParser(collect));
  return command
    .option('--json', 'print JSON for programs')
    .option('--exit-code', 'exit with 1 when the prompts differ');
}

/** The right side is the left one with whatever was said a second time. */
function twoSides(flags: DiffFlags): readonly [SituationFlags, SituationFlags] {
  const left: Partial<Record<SidedFlag, string>> = {};
  const right: Partial<Record<SidedFlag, string>> = {};
  let differs = false;
  for (const flag of Object.keys(SIDED_FLAGS) as SidedFlag[]) {
    const given = flags[flag] ?? [];
    const versus = flags[`vs${capitalize(flag)}`] ?? [];
    const [first, second] = given.length > 1 || versus.length === 0 ? given : [given[0], versus[0]];
    const surplus = given.length > 1 ? [...given.slice(2), ...versus] : versus.slice(1);
    if (surplus[0] !== undefined) {
      throw new BadFlagError({
        flag: `--${flag}`,
        value: surplus[0],
        expected: 'allowed here: there are two sides, and both have a value already',
      });
    }
    if (first !== undefined) left[flag] = first;
    const other = second ?? first;
    if (other !== undefined) right[flag] = other;
    differs ||= second !== undefined;
  }
  if (!differs) throw new NothingToCompareError();
  return [withType(left), withType(right)];
}

function withType({ type, ...rest }: Partial<Record<SidedFlag, string>>): SituationFlags {
  if (type === undefined) return rest;
  if (!SESSION_TYPES.includes(type as SessionType)) {
    throw new BadFlagError({ flag: '--type', value: type, expected: `one of ${SESSION_TYPES.join(', ')}` });
  }
  return { ...rest, type: type as SessionType };
}

function capitalize<Text extends string>(text: Text): Capitalize<Text> {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}` as Capitalize<Text>;
}

function toJson(left: Composition, right: Composition, comparison: CompositionComparison): unknown {
  const side = ({ report }: Composition) => ({ situation: report.situation, prompt: report.prompt });
  const { change } = right.report;
  return { left: side(left), right: side(right), ...comparison, change };
}

function formatDiff(
  left: Composition,
  right: Composition,
  comparison: CompositionComparison,
  configs: readonly string[],
  io: CliIo,
): string {
  const width = outputWidth(io);
  const placesOf = ({ report }: Composition): KnownPlaces => ({
    workspaceDir: report.situation.workspaceDir,
    home: io.environment.home,
  });
  const side = (name: string, text: string) =>
    `${name.padEnd(7)}${wrapText(text, width - 7).join(`\n${' '.repeat(7)}`)}\n`;
  const sides =
    side('left', describeSide(left, right, configs[0])) + side('right', describeSide(right, left, configs[1]));
  if (comparison.same) return `${sides}\nThe two prompts are the same, byte for byte.\n`;

  const changed = comparison.sections.filter((section) => section.change !== 'same');
  const rows = [
    ...changed.map((section) => ({ ...section, change: section.change as string })),
    { title: 'whole prompt', change: '', stability: '', chars: comparison.chars, tokens: comparison.tokens },
  ];
  const table = formatTable(
    rows,
    [
      { title: 'section', cell: (row) => row.title },
      { title: 'change', cell: (row) => row.change },
      { title: 'left', cell: (row) => row.chars.left },
      { title: 'right', cell: (row) => row.chars.right },
      { title: 'chars', cell: (row) => signed(row.chars), align: 'right' },
      { title: 'tokens', cell: (row) => signed(row.tokens), align: 'right' },
      { title: 'stability', cell: (row) => row.stability },
    ],
    width,
  );
  const places = placesOf(right);
  const details = changed
    .filter((section) => section.lines.length > 0)
    .map(
      (section) =>
        `\n${describeSection(section)}\n${formatComparedLines(authored(section, placesOf(left), places), width)}`,
    );
  return `${sides}\n${table}${details.join('')}\n${describeCache(comparison, right, placesOf(left), places, width)}`;
}

/** A line that went is named as the left side names its files. */
function authored({ lines }: SectionComparison, left: KnownPlaces, right: KnownPlaces): AuthoredLine[] {
  return lines.map(({ kind, text, origins }) => ({
    kind,
    text,
    author: describeOrigins(origins, kind === 'removed' ? left : right),
  }));
}

/** The workspace and the configuration are part of a situation only where the two sides differ in them. */
function describeSide({ report }: Composition, other: Composition, config: string | undefined): string {
  const { workspaceDir } = report.situation;
  return [
    describeSituation(report),
    ...(workspaceDir === other.report.situation.workspaceDir ? [] : [`workspace ${oneLine(workspaceDir)}`]),
    ...(config === undefined ? [] : [`configuration ${oneLine(config)}`]),
  ].join(', ');
}

function describeConfig({ files }: LoadedConfig): string {
  return files.map(({ path }) => path).join(' and ') || 'none';
}

function describeSection({ title, change, stability }: SectionComparison): string {
  return `${title}: ${change} (${stability === 'static' ? 'before' : 'behind'} the cache boundary)`;
}

function describeCache(
  { stableChars }: CompositionComparison,
  { report }: Composition,
  left: KnownPlaces,
  right: KnownPlaces,
  width: number,
): string {
  const { change } = report;
  if (!change?.changed) return '';
  const at = change.firstChangedChar ?? 0;
  const cached = stableChars.left;
  const cache = change.breaksCache
    ? `The cached prefix is lost from there on: ${at.toLocaleString('en-US')} of its ${countOf(cached, 'character')} stay usable.`
    : `The cached prefix survives: the right side begins with the same ${countOf(cached, 'character')}.`;
  const broken = change.brokenPromises.map(
    (id) => `The handler ${id} declares itself static, and wrote something else.`,
  );
  const boundary = `Cache boundary: character ${stableChars.left.toLocaleString('en-US')} on the left, ${stableChars.right.toLocaleString('en-US')} on the right.`;
  return [describeFirstChange(change, left, right), boundary, cache, ...broken]
    .flatMap((sentence) => wrapText(sentence, width))
    .map((line) => `${line}\n`)
    .join('');
}

function describeFirstChange(change: ContextChange, left: KnownPlaces, right: KnownPlaces): string {
  const { firstChangedChar: at = 0, breaksCache, author, kind = 'text' } = change;
  const isGone = kind === 'text-gone' || kind === 'layer-gone';
  const whose = author ? describeOrigin(author, isGone ? left : right) : 'nobody';
  const place = {
    text: `in ${whose}`,
    heading: `in the heading before ${whose}`,
    'text-gone': `where the left side goes on with ${whose}`,
    'layer-gone': `where the right side ends and the left goes on with ${whose}`,
  }[kind];
  const side = breaksCache ? 'before the cache boundary' : 'behind the cache boundary';
  return `First change: character ${at.toLocaleString('en-US')}, ${side}, ${place}.`;
}

function signed({ left, right }: Pair): string {
  const change = right - left;
  return `${change > 0 ? '+' : ''}${change.toLocaleString('en-US')}`;
}
