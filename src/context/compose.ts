// Composes what an agent reads. There is one function and one path: the preview, the report and the run all get their
// bytes here.
//
// Errors: rejects with KeptSectionsOverBudgetError when kept sections do not fit, and with HandlerAbortError when a
// handler that is set to abort failed. Everything else that can go wrong is in the report.
// Rules: the same input gives the same bytes, independent of the handlers' timing; two compositions share nothing but
// caches.

import type { WorkspaceBootstrapFile } from '../protocol/bootstrap-file.ts';
import type { ComposeInput, CompositionState, PromptBlock } from './composition.ts';
import { PIPELINE } from './pipeline.ts';
import { joinRopes, type Rope, ropeText } from './provenance/rope.ts';
import type { CompositionInputs } from './replay/composition-record.ts';
import { buildReport, type ContextReport } from './report/build-report.ts';
import { RunFiles } from './sources/run-files.ts';

export interface Composition {
  /** The files as the handlers left them, before any trimming. */
  readonly files: WorkspaceBootstrapFile[];
  readonly prompt: Prompt;
  readonly report: ContextReport;
  /** What it was made from, to make it again; undefined for a composition that was not made here. */
  readonly inputs?: CompositionInputs | undefined;
}

export interface Prompt {
  readonly text: string;
  readonly blocks: readonly {
    readonly id: string;
    readonly stability: 'static' | 'session' | 'run';
    readonly text: string;
  }[];
  /** The offset in `text` after the last block that is the same for every session. */
  readonly cacheBoundary: number;
  readonly rope: Rope;
}

export async function compose(input: ComposeInput, previous?: Composition): Promise<Composition> {
  const files = new RunFiles(input.files, input.policy.allowedRoots);
  // The reads begin here and are awaited where they are needed, so that the disk works while the workspace is being
  // loaded.
  input.gather.ahead?.(files).catch(() => {});
  let state = emptyState({ ...input, files });
  for (const stage of PIPELINE) if (!stage.pure) state = await stage.run(state);
  state = input.memory?.recall(state) ?? (await runPureStages(state));
  const prompt = promptOf(state.blocks);
  const { loaded, edits, skills, firstRunComplete } = state;
  return {
    files: state.files.map(toBootstrapFile),
    prompt,
    report: buildReport(state, prompt, previous),
    inputs: { input, loaded, edits, skills, firstRunComplete, realPaths: files.realPaths },
  };
}

async function runPureStages(gathered: CompositionState): Promise<CompositionState> {
  let state = gathered;
  for (const stage of PIPELINE) if (stage.pure) state = await stage.run(state);
  gathered.input.memory?.keep(gathered, state);
  return state;
}

/** The state with which every composition starts. */
export function emptyState(input: ComposeInput): CompositionState {
  return {
    input,
    loaded: [],
    edits: [],
    skills: [],
    firstRunComplete: false,
    files: [],
    handlers: [],
    layers: [],
    cuts: [],
    absences: input.absences ?? [],
    warnings: [],
    blocks: [],
  };
}

/** Remembered blocks are the same objects, so their prompt is the same too. */
const prompts = new WeakMap<readonly PromptBlock[], Prompt>();

function promptOf(blocks: readonly PromptBlock[]): Prompt {
  let prompt = prompts.get(blocks);
  if (!prompt) {
    prompt = toPrompt(blocks);
    prompts.set(blocks, prompt);
  }
  return prompt;
}

function toPrompt(blocks: readonly PromptBlock[]): Prompt {
  const texts = blocks.map((block) => ({ id: block.id, stability: block.stability, text: ropeText(block.rope) }));
  let cacheBoundary = 0;
  for (const block of texts) if (block.stability === 'static') cacheBoundary += block.text.length;
  return {
    text: texts.map((block) => block.text).join(''),
    blocks: texts,
    cacheBoundary,
    rope: joinRopes(...blocks.map((block) => block.rope)),
  };
}

function toBootstrapFile({ name, path, content, missing }: CompositionState['files'][number]): WorkspaceBootstrapFile {
  return content === undefined ? { name, path, missing } : { name, path, content, missing };
}
