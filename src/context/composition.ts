// The value that passes through the pipeline. Each stage takes one and returns a new one; nothing in it is shared with
// another composition, and a handler that answers late cannot change it.

import type { HandlerCall, HandlerInfo, HandlerOutcome } from '../protocol/handler.ts';
import type { BootstrapHandlers } from './bootstrap-handlers.ts';
import type { CompositionMemory } from './composition-memory.ts';
import type { LeftFile } from './provenance/adopt-draft.ts';
import type { Rope, SourceText } from './provenance/rope.ts';
import type { Situation } from './situation.ts';
import type { FileSource } from './sources/file-source.ts';
import type { LoadedSkills, Skill } from './sources/skills.ts';
import type { Taxonomy } from './taxonomy.ts';

/** Everything that composing needs, handed in. */
export interface ComposeInput {
  readonly workspaceDir: string;
  readonly home: string;
  readonly situation: Situation;
  readonly taxonomy: Taxonomy;
  readonly policy: ContextPolicy;
  readonly files: FileSource;
  readonly handlers: BootstrapHandlers;
  readonly gather: GatheredSources;
  /** Passed to handlers as `cfg`; composition itself never reads it. */
  readonly config?: Record<string, unknown> | undefined;
  /** Lets earlier compositions for the same agent be reused. Without it every stage runs. */
  readonly memory?: CompositionMemory | undefined;
  /** Things that were left out before composing began, such as a bundled handler that is switched off. */
  readonly absences?: readonly Absence[];
}

/** What else is read from outside, all of it in the first stage and at the same time. */
export interface GatheredSources {
  skills(files: FileSource): Promise<LoadedSkills>;
  /** Returns true when the agent's first run is over; then BOOTSTRAP.md is optional. */
  firstRunComplete(files: FileSource): Promise<boolean>;
  /** Begins reads that handlers will need, so that the reads run at the same time. */
  ahead?(files: FileSource): Promise<void>;
}

/** What the operator decided about contents and sizes. */
export interface ContextPolicy {
  readonly maxChars: number;
  readonly totalMaxChars: number;
  readonly maxTokens?: number | undefined;
  /**
   * Which files are cut last when the total is short: the first in the list is cut last; files that are not listed
   * follow in load order.
   */
  readonly priority: readonly string[];
  /** Selectors such as `AGENTS.md#Safety`. */
  readonly keep: readonly string[];
  readonly subagentFiles: readonly string[];
  readonly withholdOnSharedSurfaces: readonly string[];
  readonly allowedRoots: readonly string[];
  /** `all` also marks optional files that are missing, as OpenClaw does. */
  readonly missingMarkers: 'required' | 'all';
  /** Trims a long AGENTS.md around a digest of its rules instead of head and tail only. */
  readonly policyDigest: boolean;
  /** Whether the agent is told in the prompt which lines were cut. */
  readonly cutNotice: boolean;
  /** False when the operator switched heartbeats off, so that their checklist is left out. */
  readonly heartbeatGuidance: boolean;
  /** `lightweight` keeps only what a heartbeat needs; `none` injects no bootstrap files at all. */
  readonly contextMode: 'full' | 'lightweight' | 'none';
}

/** A bootstrap file on its way into the prompt. */
export interface ContextFile {
  readonly name: string;
  readonly path: string;
  readonly missing: boolean;
  /** The text with its authors. It is empty when the file is missing. */
  readonly rope: Rope;
  /** It equals the text of the rope, and is kept so that an unchanged file is recognised without joining spans. */
  readonly content: string | undefined;
  /** The real path of the file. The session filter checks it as well as the name. */
  readonly realPath?: string | undefined;
  /** Why there is nothing to read, for files that are missing. */
  readonly absence?: Pick<Absence, 'reason' | 'detail' | 'isThere'> | undefined;
  /** The text as it was read from disk, before any handler changed it. */
  readonly source?: SourceText | undefined;
}

export const ABSENCE_REASONS = [
  'missing',
  'empty',
  'unreadable',
  'outside-workspace',
  'too-large',
  'filtered-session',
  'removed-by-handler',
  'private-surface',
  'rule-condition-false',
  'handler-failed',
  'over-budget',
  'disabled',
] as const;

export type AbsenceReason = (typeof ABSENCE_REASONS)[number];

/** Something that is not in the prompt, and why. */
export interface Absence {
  readonly what: string;
  readonly path?: string | undefined;
  readonly reason: AbsenceReason;
  readonly detail: string;
  /** True when something stands in the place of the file: a folder, a pipe, a link that leads nowhere. */
  readonly isThere?: true | undefined;
  /** The handler or rule that is responsible, if one is. */
  readonly by?: string | undefined;
  /** The text that is absent, so that a person can ask for one of its lines. */
  readonly text?: string | undefined;
}

/** What one handler did to one file. */
export interface FileChange {
  readonly file: string;
  /** The texts of `renamed` are the new and the old name, or path when the name is the same. */
  readonly change: 'added' | 'removed' | 'renamed' | 'appended' | 'prepended' | 'replaced' | 'rewritten' | 'edited';
  readonly addedText: string;
  readonly removedText: string;
}

export interface HandlerRecord extends HandlerCall {
  readonly changes: readonly FileChange[];
}

/** A run of text with one place in the prompt. */
export interface Layer {
  readonly id: string;
  readonly title: string;
  readonly stability: 'static' | 'session' | 'run';
  readonly rope: Rope;
  /** The file that this layer is, for layers that are one. */
  readonly file?: ContextFile | undefined;
  /** The handler whose contribution was lifted out of a file into this layer. */
  readonly liftedFrom?: { readonly file: string; readonly by: string } | undefined;
}

export interface Cut {
  readonly file: string;
  /** The stability of the layer that was cut. The layer itself may be gone. */
  readonly stability: Layer['stability'];
  readonly path: string;
  /** The file whose lines are counted, where it is not `path`, because a handler brought the text from there. */
  readonly source?: string | undefined;
  /**
   * The first and last line that lost text. For text that stands in no file, lines are counted in the text that the
   * handlers left.
   */
  readonly lines: readonly [number, number];
  readonly chars: number;
  readonly tokens: number;
  readonly cause: 'per-file-limit' | 'total-limit' | 'token-limit';
  readonly text: string;
}

export interface PromptBlock {
  readonly id: string;
  readonly stability: 'static' | 'session' | 'run';
  readonly rope: Rope;
}

/** What one handler did to its draft, as data from which it can be done again without the handler. */
export interface HandlerEdits extends Pick<HandlerInfo, 'id' | 'owner' | 'priority' | 'stability' | 'authorship'> {
  readonly outcome: HandlerOutcome;
  /** Undefined when the handler changed nothing. */
  readonly left?: readonly LeftFile[] | undefined;
}

export interface CompositionState {
  readonly input: ComposeInput;
  /** The files as they were read, before any stage left one out. */
  readonly loaded: readonly ContextFile[];
  readonly edits: readonly HandlerEdits[];
  readonly skills: readonly Skill[];
  readonly firstRunComplete: boolean;
  readonly files: readonly ContextFile[];
  readonly handlers: readonly HandlerRecord[];
  readonly layers: readonly Layer[];
  readonly cuts: readonly Cut[];
  readonly absences: readonly Absence[];
  readonly warnings: readonly string[];
  readonly blocks: readonly PromptBlock[];
}

/** One step of composition, with a sentence that describes it. */
export interface Stage {
  readonly name: string;
  readonly summary: string;
  /** The stage depends only on the files, the skills and the policy. Pure stages stand together at the end. */
  readonly pure?: true;
  run(state: CompositionState): CompositionState | Promise<CompositionState>;
}
