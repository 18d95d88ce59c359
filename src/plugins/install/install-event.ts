// What `before_install` handlers are told, in the contract's names.

import type { BeforeInstallEvent, InstallHookContext } from '../../hooks/lifecycle-hooks.ts';
import type { StagedInstall } from './install-package.ts';

export interface InstallQuestion {
  readonly event: BeforeInstallEvent;
  readonly context: InstallHookContext;
}

/** Findings beyond these are counted and not told one by one. */
const MOST_TOLD = 500;

export function installQuestion({ installable, source, scan, replaces }: StagedInstall): InstallQuestion {
  const { kind, id, dir, packageName, version, extensions } = installable;
  const targetType = kind === 'skill' ? 'skill' : 'plugin';
  const requestKind = kind === 'skill' ? 'skill-install' : REQUEST_KINDS[source.kind];
  const count = (severity: string) => scan.findings.filter((finding) => finding.severity === severity).length;
  const event: BeforeInstallEvent = {
    targetType,
    targetName: id,
    sourcePath: dir,
    sourcePathKind: 'directory',
    origin: source.kind,
    request: { kind: requestKind, mode: replaces ? 'update' : 'install', requestedSpecifier: source.spec },
    builtinScan: {
      status: 'ok',
      scannedFiles: scan.scannedFiles,
      critical: count('critical'),
      warn: count('warn'),
      info: count('info'),
      findings: scan.findings
        .slice(0, MOST_TOLD)
        .map(({ ruleId, severity, file, line, message }) => ({ ruleId, severity, file, line, message })),
    },
    ...(kind === 'skill'
      ? { skill: { installId: id } }
      : {
          plugin: {
            pluginId: id,
            contentType: 'package',
            ...(packageName !== undefined && { packageName }),
            ...(kind === 'plugin' && { manifestId: id }),
            ...(version !== undefined && { version }),
            extensions: [...extensions],
          },
        }),
  };
  return { event, context: { targetType, requestKind, origin: source.kind } };
}

const REQUEST_KINDS = { npm: 'plugin-npm', folder: 'plugin-dir', archive: 'plugin-archive' } as const;
