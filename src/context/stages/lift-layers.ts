// Turns files into layers and decides on which side of the cache boundary each belongs. Text that a handler of
// stability `session` or `run` appended or prepended whole is lifted out of its file; text that was woven into a file
// stays where it is, because lifting it would change what the file says.

import { join, relative } from 'node:path';
import type { Stability } from '../../protocol/handler.ts';
import { pairBoundaryBefore } from '../budget/pair-boundary.ts';
import type { CompositionState, ContextFile, Layer, Stage } from '../composition.ts';
import { type Contribution, type Rope, ropeLength, sliceRope } from '../provenance/rope.ts';
import { isInside } from '../sources/file-source.ts';
import type { Taxonomy } from '../taxonomy.ts';

export const liftLayers: Stage = {
  name: 'lift',
  pure: true,
  summary: 'order the files into layers and lift what changes by session or run',
  run(state: CompositionState): CompositionState {
    const { taxonomy, handlers, workspaceDir } = state.input;
    const declared = new Map(handlers.list().map((handler) => [handler.id, handler.stability]));
    const layers = orderFiles(state.files, taxonomy).flatMap((file) =>
      layersOf(file, taxonomy, declared, workspaceDir),
    );
    return { ...state, layers };
  },
};

/** Files are in the order of the taxonomy; files that only handlers know follow in the order in which they came. */
function orderFiles(files: readonly ContextFile[], taxonomy: Taxonomy): readonly ContextFile[] {
  const place = (file: ContextFile) => {
    const index = taxonomy.files.findIndex(
      (known) => known.name === file.name || known.alternates?.includes(file.name),
    );
    return index === -1 ? taxonomy.files.length : index;
  };
  return [...files].sort((a, b) => place(a) - place(b));
}

/** Returns the title of a file in the prompt, without the parts of its path that differ between machines. */
export function titleOf({ name, path }: ContextFile, workspaceDir: string): string {
  if (path === join(workspaceDir, name)) return headingText(name);
  const way = relative(workspaceDir, path);
  const isLabel = way.startsWith('<') && way.endsWith('>');
  return headingText(!isLabel && isInside(workspaceDir, path) ? way : name);
}

const MAX_TITLE_CHARS = 200;

/** A handler chooses names and paths, but a heading must be one short line. */
function headingText(title: string): string {
  const line = title.replace(/[\x00-\x1f\x7f-\x9f\u2028\u2029]+/g, ' ');
  return line.slice(0, pairBoundaryBefore(line, MAX_TITLE_CHARS));
}

function layersOf(
  file: ContextFile,
  taxonomy: Taxonomy,
  declared: ReadonlyMap<string, Stability | undefined>,
  workspaceDir: string,
): Layer[] {
  const title = titleOf(file, workspaceDir);
  const own: Layer = {
    id: `file:${title}`,
    title,
    stability: ownStability(file, taxonomy, declared),
    rope: file.rope,
    file,
  };
  if (own.stability !== 'static') return [own];

  let rope = file.rope;
  const isMissingFile = rope.some(({ contribution }) => contribution?.addsToMissing);
  const lifted: Layer[] = [];
  for (const contribution of contributionsOf(rope)) {
    const stability = declared.get(contribution.by);
    if (contribution.at === 'whole' || (stability !== 'session' && stability !== 'run')) continue;
    const range = rangeOf(rope, contribution);
    if (!range) continue;
    const text =
      contribution.at === 'end'
        ? sliceRope(rope, range.start + contribution.separator.length, range.end)
        : sliceRope(rope, range.start, range.end - contribution.separator.length);
    lifted.push({
      id: `file:${title}/${contribution.by}`,
      title: `${title} (${contribution.by})`,
      stability,
      rope: text,
      liftedFrom: { file: title, by: contribution.by },
    });
    rope = [...sliceRope(rope, 0, range.start), ...sliceRope(rope, range.end, ropeLength(rope))];
  }
  return [lifted.length === 0 ? own : { ...own, rope: isMissingFile ? withoutOuterSeparators(rope) : rope }, ...lifted];
}

/**
 * Where a file is missing, the first addition to it has no separator. When that addition is lifted, the next one must
 * not keep its separator either, or the stable text would depend on what was lifted.
 */
function withoutOuterSeparators(rope: Rope): Rope {
  const first = rope[0]?.contribution;
  const last = rope.at(-1)?.contribution;
  const isAddition = (each: Contribution | undefined) => each !== undefined && each.at !== 'whole';
  if (!rope.every(({ contribution }) => isAddition(contribution))) return rope;
  const start = first?.at === 'end' ? first.separator.length : 0;
  const end = last?.at === 'start' ? last.separator.length : 0;
  return start + end === 0 ? rope : sliceRope(rope, start, ropeLength(rope) - end);
}

/** A file that is wholly made of passing contributions is as stable as the one that changes most often. */
function ownStability(
  file: ContextFile,
  taxonomy: Taxonomy,
  declared: ReadonlyMap<string, Stability | undefined>,
): Stability {
  if (taxonomy.files.some((known) => known.name === file.name && known.dynamic)) return 'session';
  const stabilities = file.rope.map(({ contribution }) => contribution && declared.get(contribution.by));
  const isPassing = stabilities.every((stability) => stability === 'session' || stability === 'run');
  if (stabilities.length === 0 || !isPassing) return 'static';
  return stabilities.includes('run') ? 'run' : 'session';
}

function contributionsOf(rope: Rope): ReadonlySet<Contribution> {
  const contributions = new Set<Contribution>();
  for (const span of rope) if (span.contribution) contributions.add(span.contribution);
  return contributions;
}

/** Returns where the contribution stands, if it still stands in one piece. */
function rangeOf(rope: Rope, contribution: Contribution): { start: number; end: number } | undefined {
  let at = 0;
  let start: number | undefined;
  let end = 0;
  let chars = 0;
  for (const span of rope) {
    const next = at + span.text.length;
    if (span.contribution === contribution) {
      start ??= at;
      end = next;
      chars += span.text.length;
    }
    at = next;
  }
  if (start === undefined || chars !== contribution.chars || end - start !== chars) return undefined;
  return { start, end };
}
