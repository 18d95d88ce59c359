// Prepares an agent for a CI pipeline, where no person answers: files that only make sense with a person are removed,
// and a section says so. The caller that builds the handler decides whether this is a pipeline.

import { type InternalHookHandler, isAgentBootstrapEvent } from '../../../protocol/bootstrap-event.ts';
import { BootstrapFileHelper } from '../../bootstrap-file-helper.ts';

export interface CiModeSettings {
  /** True when the environment says so; a session of type `ci` counts by itself. */
  readonly ci?: boolean | undefined;
  /** Acts in every session, to try the handler out. */
  readonly force?: boolean | undefined;
  readonly text?: string | undefined;
}

export const CI_TEXT = `## CI Mode

This run belongs to an automated pipeline; nobody is there to answer.
- Never ask for input.
- Stop at the first error and say what failed; do not try again interactively.
- Log what you do, so that the run can be audited.
- End cleanly as soon as the task is done.`;

export function createCiModeHandler({
  ci = false,
  force = false,
  text = CI_TEXT,
}: CiModeSettings = {}): InternalHookHandler {
  return (event) => {
    if (!isAgentBootstrapEvent(event)) return;
    if (!force && !ci && event.context.sessionType !== 'ci') return;
    const helper = new BootstrapFileHelper(event.context);
    helper.removeFile('HEARTBEAT.md');
    helper.removeFile('USER.md');
    if (text !== '') helper.appendToFile('AGENTS.md', text);
  };
}
