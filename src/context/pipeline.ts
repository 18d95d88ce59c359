// Composition is this list. Reading it downward is reading how a workspace becomes a prompt; a new stage is a new
// line. Two stages appear twice on purpose: what a session must not see is judged before the handlers, so that they
// never get it, and again after them, so that they cannot bring it back. The last three are pure: given the same files
// they need not run again.

import type { Stage } from './composition.ts';
import { applyHandlers } from './stages/apply-handlers.ts';
import { filterFiles } from './stages/filter-files.ts';
import { fitFiles } from './stages/fit-files.ts';
import { liftLayers } from './stages/lift-layers.ts';
import { loadFiles } from './stages/load-files.ts';
import { renderPrompt } from './stages/render-prompt.ts';
import { selectFiles } from './stages/select-files.ts';
import { settleFiles } from './stages/settle-files.ts';

export const PIPELINE: readonly Stage[] = [
  loadFiles, //     what is on disk
  selectFiles, //   what this kind of run has a use for
  filterFiles, //   what this session may see
  applyHandlers, // what handlers, rules and plugins make of it
  settleFiles, //   one definite path each
  selectFiles,
  filterFiles,
  liftLayers, //    what is stable, what changes by session, what by run
  fitFiles, //      what fits, and what gives way
  renderPrompt, //  the bytes that the model will read
];
