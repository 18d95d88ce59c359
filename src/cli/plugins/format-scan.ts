// What a scan found, for people: grouped by what it means for them, with the first places of each. It says what code
// mentions, and does not say that anything is safe.

import type { InstallFinding } from '../../hooks/lifecycle-hooks.ts';
import type { PluginScan, ScanFinding } from '../../plugins/install/scan-plugin.ts';
import { SCAN_KINDS, type ScanKind } from '../../plugins/install/scan-rules.ts';
import { countOf } from '../../protocol/count-of.ts';
import { oneLine } from '../output/format-table.ts';

const MOST_PLACES = 3;

export function formatScan({ scannedFiles, findings }: PluginScan): string {
  const looked = `${countOf(scannedFiles, 'file')} looked through`;
  if (findings.length === 0) {
    return `${looked}: nothing of what the scan knows is mentioned. That does not mean that it is safe.\n`;
  }
  const kinds = (Object.keys(SCAN_KINDS) as ScanKind[]).flatMap((kind) => {
    const ofKind = findings.filter((finding) => finding.kind === kind);
    return ofKind.length === 0 ? [] : [formatKind(SCAN_KINDS[kind], ofKind)];
  });
  return `${looked}. By the words in it, it\n${kinds.join('')}`;
}

/** What plugins found besides. */
export function formatPluginFindings(findings: readonly InstallFinding[]): string {
  if (findings.length === 0) return '';
  const lines = findings.map(
    ({ severity, message, file, line }) =>
      `  ${mark(severity)} ${oneLine(String(message))} (${placeOf({ file, line })})\n`,
  );
  return `Plugins add:\n${lines.join('')}`;
}

function formatKind(meaning: string, findings: readonly ScanFinding[]): string {
  const severity = SEVERITIES.find((each) => findings.some((finding) => finding.severity === each)) ?? 'info';
  const places = [...new Set(findings.map(placeOf))];
  const more = places.length - MOST_PLACES;
  const shown = places.slice(0, MOST_PLACES).join(', ');
  return `  ${mark(severity)} ${meaning}: ${shown}${more > 0 ? ` and ${more} more` : ''}\n`;
}

const SEVERITIES = ['critical', 'warn', 'info'] as const;

function mark(severity: string): string {
  return severity === 'critical' ? '!!' : severity === 'warn' ? ' !' : ' -';
}

function placeOf({ file, line }: Pick<InstallFinding, 'file' | 'line'>): string {
  return oneLine(`${file}:${line}`);
}
