// What `atrium doctor` finds about the log, traces and metrics: whether the log file can be written, whether the collector
// answers, and whether the metrics are closed to callers without the token. Only what is configured is asked.

import { constants } from 'node:fs';
import { access, lstat } from 'node:fs/promises';
import path from 'node:path';
import type { LoadedConfig } from '../../config/load-config.ts';
import { logSettingsOf } from '../../config/log-settings.ts';
import { type OtelSettings, telemetrySettingsOf } from '../../config/telemetry-settings.ts';
import { METRICS_PATH } from '../../gateway/http/endpoint-paths.ts';
import type { GatewayStatus } from '../../gateway/services/gateway-status.ts';
import { formatBytes } from '../../protocol/attachment.ts';
import type { CliIo } from '../cli-io.ts';
import type { Section } from './doctor-section.ts';
import { askRunning } from './gateway-client.ts';
import { isWritableFolder } from './is-writable-folder.ts';

export async function examineTelemetry({ config }: LoadedConfig, io: CliIo): Promise<readonly Section[]> {
  const { otel, isPrometheusOn, problems } = telemetrySettingsOf(io.environment, config);
  return [
    await examineLog(config, io),
    ...(otel ? [await examineCollector(otel)] : []),
    ...(problems.length > 0 ? [{ name: 'collector', finding: 'nothing is sent', problems, remarks: [] }] : []),
    ...(isPrometheusOn ? [await examineMetrics(io)] : []),
  ];
}

async function examineLog(config: LoadedConfig['config'], io: CliIo): Promise<Section> {
  const { file, level } = logSettingsOf(io.environment, config);
  if (level === 'silent')
    return { name: 'log', finding: 'no file (logging.level is silent)', problems: [], remarks: [] };
  const found = await lstat(file).catch(() => undefined);
  const problem = await problemOf(file, found);
  const size = found?.isFile() ? ` (${formatBytes(found.size)})` : '';
  return {
    name: 'log',
    finding: `${file}${size}, level ${level}`,
    problems: problem === undefined ? [] : [problem],
    remarks: [],
  };
}

async function problemOf(
  file: string,
  found: { isFile(): boolean; isSymbolicLink(): boolean } | undefined,
): Promise<string | undefined> {
  const next = 'Make it writable, or name another in logging.file.';
  if (found?.isSymbolicLink())
    return `The log file ${file} is a link, which is not followed. Remove it, or name the target in logging.file.`;
  if (found && !found.isFile()) return `The log file ${file} is not a file. ${next}`;
  const isWritable = found
    ? await access(file, constants.W_OK).then(
        () => true,
        () => false,
      )
    : await isWritableFolder(path.dirname(file));
  return isWritable ? undefined : `The log file ${file} cannot be written. ${next}`;
}

/** The collector is sent a request without anything in it. */
async function examineCollector({ tracesUrl, metricsUrl, headers }: OtelSettings): Promise<Section> {
  const { OtlpEndpoint } = await import('../../telemetry/otlp/otlp-endpoint.ts');
  const problems: string[] = [];
  const ask = async (what: string, url: string | undefined, body: object) => {
    if (url === undefined) return;
    const warn = (sentence: string) =>
      problems.push(
        `${sentence.replace(' Runs go on; it is tried again.', '')} Start the collector, or correct diagnostics.otel.endpoint and headers.`,
      );
    await new OtlpEndpoint({ what, url, headers, warn }).send(body);
  };
  await ask('Traces', tracesUrl, { resourceSpans: [] });
  await ask('Metrics', metricsUrl, { resourceMetrics: [] });
  const place = new URL(tracesUrl ?? metricsUrl ?? '').origin;
  return { name: 'collector', finding: place, problems, remarks: [] };
}

/** A running gateway is asked without the token; the answer has to be that the token is missing. */
async function examineMetrics(io: CliIo): Promise<Section> {
  const running = await askRunning(io, (client) => client.get<GatewayStatus>('/api/status'));
  const section = { name: 'metrics', finding: `GET ${METRICS_PATH}`, problems: [], remarks: [] };
  if (!running) return { ...section, finding: `GET ${METRICS_PATH}, when a gateway runs` };
  const response = await fetch(`${running.url}${METRICS_PATH}`, { signal: AbortSignal.timeout(5_000) }).catch(
    () => undefined,
  );
  await response?.body?.cancel();
  const finding = `${running.url}${METRICS_PATH}, with the token`;
  if (response?.status === 401) return { ...section, finding };
  if (response?.ok) {
    const problem = `${running.url}${METRICS_PATH} answers without the token: a plugin or a proxy answers there. "atrium plugins list" names the plugins; take the path away from it.`;
    return { ...section, finding, problems: [problem] };
  }
  return {
    ...section,
    finding,
    remarks: [`GET ${METRICS_PATH} does not answer. Restart the gateway to switch it on.`],
  };
}
