// What a composition was made from, as plain data that can be stored: the files as they were read, what each handler did
// to its draft, the skills, the policy, the clock. With it the same prompt can be composed again without the disk and
// without the handlers. Making the record is pure and cheap: it names texts by number and copies none.

import type { Stability } from '../../protocol/handler.ts';
import type { Edit } from '../bootstrap-edits.ts';
import type { ComposeInput, CompositionState, ContextFile, ContextPolicy, HandlerEdits } from '../composition.ts';
import type { LeftFile } from '../provenance/adopt-draft.ts';
import type { SourceText } from '../provenance/rope.ts';
import type { Situation } from '../situation.ts';
import type { FileAbsent } from '../sources/file-source.ts';
import type { Skill } from '../sources/skills.ts';
import { TAXONOMIES, type TaxonomyId } from '../taxonomy.ts';
import type { TextList } from './text-list.ts';

/** What a composition knows of its own making. */
export interface CompositionInputs extends Pick<CompositionState, 'loaded' | 'edits' | 'skills' | 'firstRunComplete'> {
  readonly input: Pick<ComposeInput, 'workspaceDir' | 'home' | 'situation' | 'taxonomy' | 'policy'>;
  /** Paths that lead through links, with the places that they lead to. */
  readonly realPaths: ReadonlyMap<string, string>;
}

export interface CompositionRecord {
  readonly workspaceDir: string;
  readonly home: string;
  /** `at` in milliseconds. */
  readonly situation: Omit<Situation, 'at'> & { readonly at: number };
  readonly taxonomy: TaxonomyId;
  readonly policy: ContextPolicy;
  readonly firstRunComplete: boolean;
  readonly skills: readonly Skill[];
  readonly files: readonly RecordedFile[];
  readonly realPaths: Readonly<Record<string, string>>;
  readonly handlers: readonly RecordedHandler[];
}

/** A file as it was read. Numbers stand for texts. */
export interface RecordedFile {
  readonly name: string;
  readonly path: string;
  readonly realPath?: string | undefined;
  readonly text?: number | undefined;
  readonly absent?: Pick<FileAbsent, 'reason' | 'detail' | 'entryExists'> | undefined;
}

export interface RecordedHandler extends Omit<HandlerEdits, 'left' | 'stability'> {
  readonly stability?: Stability | undefined;
  readonly left?: readonly (number | RecordedChange)[] | undefined;
}

export interface RecordedChange {
  readonly from?: number | undefined;
  readonly name: string;
  readonly path: string;
  readonly missing: boolean;
  readonly content?: number | undefined;
  readonly edits?: readonly RecordedEdit[] | undefined;
}

export interface RecordedEdit extends Omit<Edit, 'parts'> {
  readonly parts: readonly RecordedPart[];
}

export interface RecordedPart {
  readonly text: number;
  readonly from?: {
    readonly path: string;
    readonly realPath?: string | undefined;
    readonly source: number;
    readonly start: number;
  };
}

/** Adds the texts to `texts` and returns the rest. Files come first, because they change least. */
export function recordComposition(inputs: CompositionInputs, texts: TextList): CompositionRecord {
  const { input, loaded, edits, skills, firstRunComplete, realPaths } = inputs;
  const { workspaceDir, home, situation, taxonomy, policy } = input;
  return {
    workspaceDir,
    home,
    situation: { ...situation, at: situation.at.getTime() },
    taxonomy: taxonomy.id,
    policy,
    firstRunComplete,
    skills,
    files: loaded.map((file) => recordFile(file, texts)),
    realPaths: Object.fromEntries(realPaths),
    handlers: edits.map(({ left, ...handler }) =>
      left ? { ...handler, left: left.map((file) => recordLeft(file, texts)) } : handler,
    ),
  };
}

function recordFile({ name, path, realPath, content, absence }: ContextFile, texts: TextList): RecordedFile {
  if (content !== undefined) return { name, path, realPath, text: texts.add(content) };
  const { reason, detail, isThere } = absence ?? { reason: 'missing', detail: 'no such file' };
  const entryExists = reason !== 'missing' || isThere === true;
  return { name, path, absent: { reason: reason as FileAbsent['reason'], detail, entryExists } };
}

function recordLeft(left: LeftFile, texts: TextList): number | RecordedChange {
  if (typeof left === 'number') return left;
  const { content, edits, ...named } = left;
  return {
    ...named,
    ...(content === undefined ? {} : { content: texts.add(content) }),
    ...(edits === undefined ? {} : { edits: edits.map((edit) => recordEdit(edit, texts)) }),
  };
}

function recordEdit({ parts, ...edit }: Edit, texts: TextList): RecordedEdit {
  return {
    ...edit,
    parts: parts.map(({ text, from }) => ({
      text: texts.add(text),
      ...(from && {
        from: {
          path: from.path,
          realPath: from.source.realPath,
          source: texts.add(from.source.text),
          start: from.start,
        },
      }),
    })),
  };
}

/** The record with its texts, as composition and its handlers use them. */
export interface RestoredInputs {
  readonly record: CompositionRecord;
  readonly handlers: readonly HandlerEdits[];
  readonly textOf: (number: number) => string;
}

/** Throws RangeError when a text is not in the list. */
export function restoreInputs(record: CompositionRecord, texts: readonly string[]): RestoredInputs {
  const textOf = (number: number) => {
    const text = texts[number];
    if (text === undefined) throw new RangeError(`The record names text ${number} of ${texts.length}.`);
    return text;
  };
  const sources = new Map<string, SourceText>();
  const sourceOf = (number: number, realPath: string | undefined) => {
    const key = `${number} ${realPath ?? ''}`;
    const source = sources.get(key) ?? { text: textOf(number), realPath };
    sources.set(key, source);
    return source;
  };
  const partOf = ({ text, from }: RecordedPart) => ({
    text: textOf(text),
    ...(from && { from: { path: from.path, source: sourceOf(from.source, from.realPath), start: from.start } }),
  });
  const leftOf = (left: number | RecordedChange): LeftFile => {
    if (typeof left === 'number') return left;
    const { content, edits, ...named } = left;
    return {
      ...named,
      ...(content === undefined ? {} : { content: textOf(content) }),
      ...(edits && { edits: edits.map(({ parts, ...edit }): Edit => ({ ...edit, parts: parts.map(partOf) })) }),
    };
  };
  return {
    record,
    textOf,
    handlers: record.handlers.map(({ left, ...handler }) => ({ ...handler, left: left?.map(leftOf) })),
  };
}

export function taxonomyOf({ taxonomy }: CompositionRecord) {
  return TAXONOMIES[taxonomy];
}
