// `atrium context diff`: compares two situations: which sections differ, the authors of the lines, and what that means
// for a provider's prompt cache.

import type { Composition } from '../../context/compose.ts';
import { type CompositionComparison, compareCompositions } from '../../context/report/compare-compositions.ts';
import { renameFolders } from '../../context/report/rename-folders.ts';
import { BadFlagError } from '../../gateway/errors.ts';
import { SESSION_TYPES, type SessionType } from '../../protocol/session-type.ts';
import type { CliIo } from '../cli-io.ts';
import { command, type Options } from '../command.ts';
import { FlagCombinationError, NothingToCompareError } from '../errors.ts';
import { formatConfigWarning } from '../output/warnings.ts';
import { compareRest } from './compare-rest.ts';
import { formatComparison, withChange } from './format-comparison.ts';
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
      text: (width) => formatComparison(before, after, { comparison, rest, configs, home: io.environment.home, width }),
      warnings: [
        ...looks.flatMap(({ configuration }) => configuration.warnings.map(formatConfigWarning)),
        ...new Set([left, right].flatMap(noteMissing)),
      ],
      ok: (!flags.exitCode || comparison.same) && (!flags.strict || [left, right].every(isComplete)),
    };
  },
});

/** Composes both sides. The right one may be an earlier run, or the workspace as it was. */
async function lookAtBoth(
  leftFlags: SituationFlags,
  rightFlags: SituationFlags,
  { vsRun, vsGit }: DiffFlags,
  io: CliIo,
): Promise<readonly [Look, Look]> {
  if (vsRun !== undefined && vsGit !== undefined) {
    throw new FlagCombinationError({ problem: '--vs-git and --vs-run exclude each other.' });
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
      throw new FlagCombinationError({
        problem: `--${flag} ${JSON.stringify(surplus[0])} is one too many: there are two sides, and both have a value already.`,
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

function describeConfig({ files }: Look['configuration']): string {
  return files.map(({ path }) => path).join(' and ') || 'none';
}
