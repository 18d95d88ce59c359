// What a person reads before something is installed: what it calls itself, what the scan found in its files, and what the
// plugins of the gateway say about it.

import type { BeforeInstallEvent, InstallFinding, InstallHookContext } from '../../hooks/lifecycle-hooks.ts';
import { dependencyNames } from '../../plugins/install/install-dependencies.ts';
import { installQuestion } from '../../plugins/install/install-event.ts';
import type { StagedInstall } from '../../plugins/install/install-package.ts';
import { SCAN_KINDS, type ScanKind } from '../../plugins/install/scan-rules.ts';
import { errorText } from '../../protocol/one-line.ts';
import type { InstallVerdict } from './check-install.ts';

/** What a person reads before the installation is decided. */
export interface ReviewedInstall {
  readonly kind: 'plugin' | 'hook-pack' | 'skill';
  readonly name: string;
  readonly packageName: string | null;
  readonly version: string | null;
  readonly description: string | null;
  readonly from: string;
  readonly to: string;
  /** Packages that come with it and were not looked through. */
  readonly needs: readonly string[];
  readonly replaces: string | null;
  readonly scannedFiles: number;
  /** What the scan knows, by the words in the files. */
  readonly findings: readonly ScannedKind[];
  /** What plugins found. */
  readonly pluginFindings: readonly InstallFinding[];
  /** Which plugin refused it, and why; null when it may be confirmed. */
  readonly refusal: { readonly by: string; readonly reason: string } | null;
}

export interface ScannedKind {
  readonly kind: ScanKind;
  readonly meaning: string;
  readonly severity: 'info' | 'warn' | 'critical';
  readonly places: readonly { readonly file: string; readonly line: number; readonly message: string }[];
  /** Places that are left out. */
  readonly more: number;
}

const MOST_PLACES = 20;

export async function reviewInstall(
  staged: StagedInstall,
  check: (event: BeforeInstallEvent, context: InstallHookContext) => Promise<InstallVerdict>,
): Promise<ReviewedInstall> {
  const { installable, source, target, replaces, scan } = staged;
  const { event, context } = installQuestion(staged);
  // Plugins that cannot be asked refuse, as they do for the command.
  const unasked = (error: unknown): InstallVerdict => ({
    refusal: { by: 'the gateway', reason: errorText(error) },
    findings: [],
    asked: 0,
  });
  const { refusal, findings } = await check(event, context).catch(unasked);
  return {
    kind: installable.kind,
    name: installable.id,
    packageName: installable.packageName ?? null,
    version: installable.version ?? null,
    description: installable.description ?? null,
    from: source.spec,
    to: target,
    needs: dependencyNames(installable.packageJson),
    replaces: replacedText(replaces),
    scannedFiles: scan.scannedFiles,
    findings: scannedKinds(scan.findings),
    pluginFindings: findings,
    refusal,
  };
}

const SEVERITIES = ['critical', 'warn', 'info'] as const;

function scannedKinds(findings: StagedInstall['scan']['findings']): readonly ScannedKind[] {
  return (Object.keys(SCAN_KINDS) as ScanKind[]).flatMap((kind) => {
    const ofKind = findings.filter((finding) => finding.kind === kind);
    if (ofKind.length === 0) return [];
    const severity = SEVERITIES.find((each) => ofKind.some((finding) => finding.severity === each)) ?? 'info';
    const places = ofKind.slice(0, MOST_PLACES).map(({ file, line, message }) => ({ file, line, message }));
    return [{ kind, meaning: SCAN_KINDS[kind], severity, places, more: ofKind.length - places.length }];
  });
}

function replacedText(replaces: StagedInstall['replaces']): string | null {
  if (replaces === undefined) return null;
  if (replaces === 'something else') return 'what is there now, which no command installed';
  return `${replaces.name ?? replaces.id}${replaces.version === null ? '' : ` ${replaces.version}`}`;
}
