// Calls the prompt hooks and gathers the pieces of the request: what stands around the composition, and the message with
// everything that stands before and after it.
// Order, before and after the message alike: queued injections, agent_turn_prepare, heartbeat, before_prompt_build,
// before_agent_start; then, next to the message, who wrote it. Pieces are separated by a blank line.

import type { Composition } from '../context/compose.ts';
import type { HookAnswer } from '../hooks/runner.ts';
import { type ArrangedPrompt, arrangePrompt, type PromptPieces } from './arrange-prompt.ts';
import { messageAuthor } from './describe-sender.ts';
import { askingIn, type DraftMode, type RunSubject } from './draft-request.ts';
import { type Contribution, contributionsOf, type PreparedMessage } from './prepare-message.ts';
import type { DraftParts } from './run-parts.ts';
import { toldHistory } from './told-history.ts';

export interface ShapedPrompt extends ArrangedPrompt {
  /** What it was arranged from. */
  readonly pieces: PromptPieces;
  readonly placeholders: readonly string[];
}

export async function shapePrompt(
  parts: DraftParts,
  run: RunSubject,
  given: {
    readonly mode: DraftMode;
    readonly composition: Composition;
    readonly prepared: PreparedMessage;
    /** What is said about the people around the message. */
    readonly described: readonly Contribution[];
    /** What is said about the files that came with the message. */
    readonly attached: readonly Contribution[];
    readonly legacy: HookAnswer<'before_agent_start'>;
  },
): Promise<ShapedPrompt> {
  const { composition, prepared, described, attached, legacy } = given;
  const built = await parts.hooks.run(
    'before_prompt_build',
    { prompt: run.text, messages: toldHistory(parts.hooks, 'before_prompt_build', run) },
    run.context,
    {
      signal: run.signal,
      ...askingIn(given.mode),
    },
  );
  const around = (field: 'prependContext' | 'appendContext' | 'prependSystemContext' | 'appendSystemContext') => [
    ...contributionsOf(built, 'before_prompt_build', field),
    ...contributionsOf(legacy, 'before_agent_start', field),
  ];
  const [override] = [
    ...contributionsOf(built, 'before_prompt_build', 'systemPrompt'),
    ...contributionsOf(legacy, 'before_agent_start', 'systemPrompt'),
  ];
  const pieces: PromptPieces = {
    override,
    before: around('prependSystemContext'),
    behind: around('appendSystemContext'),
    user: [
      ...prepared.prepend,
      ...around('prependContext'),
      ...described,
      { origin: messageAuthor(run.inbound), text: run.text },
      ...attached,
      ...prepared.append,
      ...around('appendContext'),
    ],
  };
  return { ...arrangePrompt(composition, pieces), pieces, placeholders: built.skipped };
}
