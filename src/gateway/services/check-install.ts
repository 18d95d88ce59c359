// Asks the plugins whether something may be installed. Whoever blocks, fails or takes too long refuses: the hook is a
// gate. Decides nothing itself and installs nothing.

import type { BeforeInstallEvent, InstallFinding, InstallHookContext } from '../../hooks/lifecycle-hooks.ts';
import type { HookRunner } from '../../hooks/runner.ts';

export interface InstallVerdict {
  /** Who said no and why; null when nobody did. */
  readonly refusal: { readonly by: string; readonly reason: string } | null;
  /** What the plugins found besides. */
  readonly findings: readonly InstallFinding[];
  /** How many handlers were asked. */
  readonly asked: number;
}

/** A plugin that finds more finds nothing that a person could read. */
const MOST_FINDINGS = 500;

export async function checkInstall(
  hooks: Pick<HookRunner, 'run'>,
  event: BeforeInstallEvent,
  context: InstallHookContext,
): Promise<InstallVerdict> {
  const { result, refusal, calls, decidedBy } = await hooks.run('before_install', event, context);
  const { findings = [], block, blockReason } = result ?? {};
  const by = refusal?.owner ?? decidedBy?.owner ?? 'a plugin';
  const reason = refusal?.reason ?? blockReason ?? 'no reason was given';
  return {
    refusal: refusal || block === true ? { by, reason } : null,
    findings: findings.slice(0, MOST_FINDINGS),
    asked: calls.length,
  };
}
