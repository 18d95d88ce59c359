// Says that OpenClaw is still running on the home on which Atrium was started: both would answer on the same chat accounts.
// It is looked for behind the start, so that no start waits for it. Never rejects.

import type { Environment } from '../../config/environment.ts';
import type { Config } from '../../config/schema.ts';
import { isWrittenByOpenClaw } from '../../config/written-by-openclaw.ts';

export async function warnOfRunningOpenClaw(
  { config, environment }: { readonly config: Config; readonly environment: Environment },
  warn: (sentence: string) => void,
): Promise<void> {
  try {
    const { hasOpenClawState } = await import('../../gateway/import/has-openclaw-state.ts');
    const isHome =
      isWrittenByOpenClaw(config) || (await hasOpenClawState({ dir: environment.stateDir, environment, config }));
    if (!isHome) return;
    const { findRunningOpenClaw } = await import('../../gateway/import/find-running-openclaw.ts');
    const running = await findRunningOpenClaw(config, environment.variables);
    if (running === undefined) return;
    warn(
      `OpenClaw is running at ${running}. Stop it, or stop this gateway: both answer on the same chat accounts and run the same jobs.`,
    );
  } catch {
    // A home that cannot be looked at has other commands to say so.
  }
}
