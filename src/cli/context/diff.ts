// `atrium context diff`: compares two situations: which sections differ, the authors of the lines, and what that means
// for a provider's prompt cache.

import type { Composition } from '../../context/compose.ts';
import {
  type CompositionComparison,
  compareCompositions,
  type Pair,
  type SectionComparison,
} from '../../context/report/compare-compositions.ts';
import type { AbsentText } from '../../context/report/find-absent-text.ts';
import { type ContextChange, findChange } from '../../context/report/find-change.ts';
import { renameFolders } from '../../context/report/rename-folders.ts';
import { BadFlagError } from '../../gateway/errors.ts';
import { countOf } from '../../protocol/count-of.ts';
import { SESSION_TYPES, type SessionType } from '../../protocol/session-type.ts';
import type { CliIo } from '../cli-io.ts';
import { command, type Options } from '../command.ts';
import { NothingToCompareError } from '../errors.ts';
import { formatTable } from '../output/format-table.ts';
import { oneLine, wrapText } from '../output/text.ts';
import { formatConfigWarning } from '../output/warnings.ts';
import { compareRest, type RestComparison } from './compare-rest.ts';
import { describeOrigin, describeOrigins, describeSituation, type KnownPlaces } from './describe-origin.ts';
import { type AuthoredLine, formatComparedLines } from './format-compared-lines.ts';
import { isComplete, type Look, lookAtContext, noteMissing, withContext } from './look-at-context.ts';
import { lookOfRun } from './look-of-run.ts';
import { SITUATION_OPTIONS, type SituationFlags } from './situation-options.ts';
import { withWorkspaceAt } from './workspace-at-revision.ts';

/** The flags of a situation; each may be given twice. */
const SIDED_FLAGS = Object.entries({
  ...SITUATION_OPTIONS,
  '--type <type>': `the kind of session: ${SESSION_TYPES.join(', ')}`,
});

const OPTIONS: Options = Object.fromEntries([
  ...SIDED_FLAGS.map(([flag, text]) => [flag, { text, isList: true }]),
  ...SIDED_FLAGS.map(([flag]) => [flag.replace('--', '--vs-'), { text: 'the same for the right side', isList: true }]),
  ['--vs-run <run>', 'compare with what a run was sent; "last" is the last one'],
  ['--vs-git <revision>', 'compare with the workspace as it was at a revision of its git repository'],
  ['--json', 'print JSON for programs'],
  ['--exit-code', 'exit with 1 when the prompts differ'],
  ['--strict', 'exit with 1 when something that a run would have could not be shown'],
]);

export const contextDiff = command({
  path: 'context diff',
  summary: 'compare the prompts of two situations',
  options: OPTIONS,
  about: `The left side is what the flags say. The right side is the same, except where a flag is given a second time or as
--vs-<flag>.`,
  examples: [
    'context diff --at 10:00 --at 23:30                day against night',
    'context diff --vs-session agent:main:subagent:x   the main session against a subagent',
    'context diff --config a.yaml --config b.yaml      two configurations',
    'context diff --vs-workspace ../other --exit-code  fail when the prompts differ',
    'context diff --vs-run last                        what changed since the last run',
    'context diff --vs-git HEAD~3                      what three commits changed',
  ],
  async run(flags, { io }) {
    const [leftFlags, rightFlags] = twoSides(flags as DiffFlags);
    // Both sides are composed for the same time, even when the first takes long.
    const now = io.now();
    const frozen: CliIo = { ...io, environment: io.environment, now: () => now };
    const isOneConfig = leftFlags.config === rightFlags.config;
    const [left, right] = await lookAtBoth(leftFlags, rightFlags, flags as DiffFlags, frozen);
    const before = named(left.composition, right.composition);
    const after = withChange(named(right.composition, left.composition), before);
    const rest = compareRest(left, right);
    const prompts = compareCompositions(before, after);
    const comparison = { ...prompts, same: prompts.same && rest.length === 0 };
    const configs = isOneConfig ? [] : [left, right].map(({ configuration }) => describeConfig(configuration));
    const looks = isOneConfig ? [left] : [left, right];
    return {
      json: { ...toJson(before, after, comparison), rest },
      text: (width) => formatDiff(before, after, { ...comparison, rest }, configs, io.environment.home, width),
      warnings: [
        ...looks.flatMap(({ configuration }) => configuration.warnings.map(formatConfigWarning)),
        ...new Set([left, right].flatMap(noteMissing)),
      ],
      ok: (!flags.exitCode || comparison.same) && (!flags.strict || [left, right].every(isComplete)),
    };
  },
});

/** Both sides. The right one may be a run that was, or the workspace as it was. */
async function lookAtBoth(
  leftFlags: SituationFlags,
  rightFlags: SituationFlags,
  { vsRun, vsGit }: DiffFlags,
  io: CliIo,
): Promise<readonly [Look, Look]> {
  if (vsRun !== undefined && vsGit !== undefined) {
    throw new BadFlagError({ flag: '--vs-git', value: vsGit, expected: 'left out together with --vs-run' });
  }
  if (leftFlags.config !== rightFlags.config && vsGit === undefined && vsRun === undefined) {
    return [await lookAtContext(leftFlags, io), await lookAtContext(rightFlags, io)];
  }
  return withContext(leftFlags.config, io, async (eye) => {
    const left = await eye.look(leftFlags);
    if (vsRun !== undefined) return [left, await lookOfRun(vsRun, left, io)] as const;
    if (vsGit === undefined) return [left, await eye.look(rightFlags)] as const;
    const { workspaceDir } = left.composition.report.situation;
    const { variables } = io.environment;
    return withWorkspaceAt(workspaceDir, vsGit, variables, async (dir) => {
      const right = await eye.look({ ...rightFlags, workspace: dir });
      return [left, right] as const;
    });
  });
}

/** Two workspaces at different places are compared by what they say, not by where they lie. */
function named(composition: Composition, other: Composition): Composition {
  const { workspaceDir } = composition.report.situation;
  if (workspaceDir === other.report.situation.workspaceDir) return composition;
  return renameFolders(composition, [{ path: workspaceDir, name: '<workspace>' }]);
}

function withChange(composition: Composition, previous: Composition): Composition {
  const { report, prompt } = composition;
  const change = findChange(prompt, report.prompt.hash, previous, report.handlers);
  return { ...composition, report: { ...report, change } };
}

type SidedFlag = keyof SituationFlags;

type DiffFlags = { readonly [flag in SidedFlag | `vs${Capitalize<SidedFlag>}`]?: readonly string[] } & {
  readonly exitCode?: boolean;
  readonly strict?: boolean;
  readonly vsRun?: string;
  readonly vsGit?: string;
};

/** The right side is the left one with the flags that were given a second time. */
function twoSides(flags: DiffFlags): readonly [SituationFlags, SituationFlags] {
  const left: Partial<Record<SidedFlag, string>> = {};
  const right: Partial<Record<SidedFlag, string>> = {};
  let differs = false;
  for (const [typed] of SIDED_FLAGS) {
    const flag = typed.slice(2, typed.indexOf(' ')) as SidedFlag;
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
  if (!differs && flags.vsRun === undefined && flags.vsGit === undefined) throw new NothingToCompareError();
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

function toJson(left: Composition, right: Composition, comparison: CompositionComparison): object {
  const side = ({ report }: Composition) => ({ situation: report.situation, prompt: report.prompt });
  const { change } = right.report;
  return { left: side(left), right: side(right), ...comparison, change };
}

function formatDiff(
  left: Composition,
  right: Composition,
  comparison: CompositionComparison & { readonly rest: readonly RestComparison[] },
  configs: readonly string[],
  home: string,
  width: number,
): string {
  const placesOf = ({ report }: Composition): KnownPlaces => ({
    workspaceDir: report.situation.workspaceDir,
    home,
  });
  const side = (name: string, text: string) =>
    `${name.padEnd(7)}${wrapText(text, width - 7).join(`\n${' '.repeat(7)}`)}\n`;
  const sides =
    side('left', describeSide(left, right, configs[0])) + side('right', describeSide(right, left, configs[1]));
  if (comparison.same) return `${sides}\nThe two prompts are the same, byte for byte.\n`;

  const changed = comparison.sections.filter((section) => section.change !== 'same');
  const rows = [
    ...changed.map((section) => ({ ...section, change: section.change as string })),
    ...comparison.rest.map((rest) => ({ ...rest, stability: '' })),
    { title: 'whole prompt', change: '', stability: '', chars: comparison.chars, tokens: comparison.tokens },
  ];
  const table = formatTable(
    rows,
    {
      section: (row) => row.title,
      change: (row) => row.change,
      left: (row) => row.chars.left,
      right: (row) => row.chars.right,
      chars: { right: (row) => signed(row.chars) },
      tokens: { right: (row) => signed(row.tokens) },
      stability: (row) => row.stability,
    },
    width,
  );
  const places = placesOf(right);
  const details = changed
    .filter((section) => section.lines.length > 0)
    .map(
      (section) =>
        `\n${describeSection(section)}\n${formatComparedLines(authored(section, placesOf(left), places), width)}`,
    );
  const others = comparison.rest.map(
    ({ title, change, lines }) => `\n${oneLine(title)}: ${change}\n${formatComparedLines(lines, width)}`,
  );
  return `${sides}\n${table}${details.join('')}${others.join('')}\n${describeCache(comparison, right, placesOf(left), places, width)}`;
}

/** `taken out by ci-mode`, or the reason why it is not on the right side. */
function describeRemoval({ by, reason }: AbsentText): string {
  return by === undefined ? reason : `taken out by ${by}`;
}

/** A removed line is named in the way in which the left side names its files. */
function authored({ lines }: SectionComparison, left: KnownPlaces, right: KnownPlaces): AuthoredLine[] {
  return lines.map(({ kind, text, origins, why }) => ({
    kind,
    text,
    author: `${describeOrigins(origins, kind === 'removed' ? left : right)}${why ? ` (${describeRemoval(why)})` : ''}`,
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

function describeConfig({ files }: Look['configuration']): string {
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
  const whose = author ? describeOrigin(author, isGone ? left : right) : 'an unknown author';
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
