import { expect, it, onTestFinished } from 'vitest';
import { parsePrometheus } from '../../../telemetry/fixtures/parse-prometheus.ts';
import { GatewayProcess } from '../../../testkit/gateway-process.ts';
import { reply } from '../../../testkit/model-server.ts';

async function gateway(config: Record<string, unknown>): Promise<GatewayProcess> {
  const process = await GatewayProcess.create({ config });
  onTestFinished(() => process.close());
  expect(await process.start()).toBe('ready');
  return process;
}

it('Prometheus reads what happened, with the token and not without it', async () => {
  const process = await gateway({ diagnostics: { prometheus: { enabled: true } }, ...TOKEN });
  process.model.script(() => reply('fine', { usage: { input: 100, output: 5 } }));
  const body = { model: 'atrium/main', messages: [{ role: 'user', content: 'hello' }] };
  expect((await process.fetch('/v1/chat/completions', { body })).status).toBe(200);
  const response = await process.fetch('/metrics');
  expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  const metrics = parsePrometheus(await response.text());
  const sampleOf = (name: string, labels: object = {}) =>
    metrics
      .get(name)
      ?.samples.find((sample) => Object.entries(labels).every(([key, value]) => sample.labels[key] === value))?.value;
  expect(sampleOf('atrium_messages_total', { channel: 'api' })).toBe(1);
  expect(sampleOf('atrium_runs_total', { agent: 'main', status: 'done' })).toBe(1);
  expect(sampleOf('atrium_unpriced_calls_total', { provider: 'fake', model: 'small' })).toBe(1);
  expect(metrics.get('gen_ai_client_token_usage')?.samples.filter(({ name }) => name.endsWith('_sum'))).toEqual([
    expect.objectContaining({ value: 100 }),
    expect.objectContaining({ value: 5 }),
  ]);
  expect(sampleOf('atrium_inbox_waiting')).toBe(0);
  expect(sampleOf('atrium_dead_letters', { direction: 'out' })).toBe(0);
  expect(sampleOf('atrium_records_size_bytes', { what: 'store' })).toBeGreaterThan(0);
  expect(sampleOf('process_memory_usage_bytes')).toBeGreaterThan(1_000_000);
  expect((await fetch(`${process.url}/metrics`)).status).toBe(401);
});

it('there is no such path unless the operator asks for it', async () => {
  const process = await gateway(TOKEN);
  expect((await process.fetch('/metrics')).status).toBe(404);
});

const TOKEN = { gateway: { auth: { token: 'a-token-for-tests-only' } } };
