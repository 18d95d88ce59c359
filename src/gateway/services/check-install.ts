// Asks the plugins whether something may be installed. The hook is a gate: a handler that blocks, fails or takes too
// long refuses. This file decides nothing itself and installs nothing.

import type { BeforeInstallEvent, InstallFinding, InstallHookContext } from '../../hooks/lifecycle-hooks.ts';
import type { HookRunner } from '../../hooks/runner.ts';

export interface InstallVerdict {
  /** Which plugin refused and why; null when none did. */
  readonly refusal: { readonly by: string; readonly reason: string } | null;
  /** What plugins found besides. */
  readonly findings: readonly InstallFinding[];
  /** How many handlers were asked. */
  readonly asked: number;
}

/** More findings than this would not be readable for a person. */
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
