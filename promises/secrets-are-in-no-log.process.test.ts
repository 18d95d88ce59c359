import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { runAtrium } from '../src/testkit/atrium-process.ts';
import { GatewayProcess } from '../src/testkit/gateway-process.ts';
import { fail, reply, toolCall } from '../src/testkit/model-server.ts';
import { OtlpCollector } from '../src/testkit/otlp-collector.ts';
import { pluginFiles } from '../src/testkit/plugin-files.ts';

/**
 * Each stands in another place. None may be in a log, on the terminal, in a record or bundle, at the collector, among the
 * metrics, or in what the reports about runs say.
 */
const SECRETS = {
  message: `sk-ant-${'m3ss4ge'.repeat(5)}`,
  output: `AKIA${'0UTPUT'.repeat(3)}`,
  answer: `ghp_${'4nsw3r'.repeat(6)}`,
  pluginLine: `glpat-${'p1ug1n'.repeat(4)}`,
  providerError: `sk-proj-${'3rr0r'.repeat(6)}`,
  setting: 'k3y-0f-th3-c0ll3ct0r',
  own: 'Kundin Nummer Siebenundvierzig',
} as const;

/** What other programs and pages read about runs, besides the conversation itself. */
const REPORTS = [
  '/metrics',
  '/api/status',
  '/api/usage?by=run',
  '/api/usage/limits',
  '/api/receipts?text=notes.md',
  '/api/cache',
  '/api/debug',
  '/api/hooks',
];

const PLUGIN = `api.logger.warn('my token is ${SECRETS.pluginLine} for ${SECRETS.own}');
api.on('message_received', () => { throw new Error('cannot use ${SECRETS.pluginLine}'); });`;

it('secrets of settings, messages, tools, plugins and providers are in no log, on no terminal and in no trace', async () => {
  const collector = await OtlpCollector.start();
  onTestFinished(() => collector.close());
  const gateway = await GatewayProcess.create({
    config: {
      gateway: { auth: { token: 'a-token-for-tests-only' } },
      logging: { level: 'debug', redactPatterns: ['/[Kk]undin Nummer \\w+/'] },
      diagnostics: {
        prometheus: { enabled: true },
        otel: {
          enabled: true,
          endpoint: collector.url,
          headers: { 'x-api-key': SECRETS.setting },
          captureContent: true,
          flushIntervalMs: 100,
        },
      },
      plugins: { entries: { chatty: { enabled: true } } },
    },
    files: {
      'workspace/notes.md': `aws_key ${SECRETS.output} ${SECRETS.own}\n`,
      ...pluginFiles('chatty', PLUGIN),
    },
  });
  onTestFinished(() => gateway.close());
  expect(await gateway.start()).toBe('ready');
  expect((await gateway.fetch('/api/debug/on', { body: {} })).status).toBe(200);
  gateway.model.script([
    toolCall('read', { path: 'notes.md' }),
    reply(`It says ${SECRETS.answer} about ${SECRETS.own}.`),
    fail(400, { message: `the key ${SECRETS.providerError} is not valid` }),
  ]);
  const say = (content: string) =>
    gateway.fetch('/v1/chat/completions', { body: { model: 'atrium/main', messages: [{ role: 'user', content }] } });
  expect((await say(`My key is ${SECRETS.message}. Read notes.md for ${SECRETS.own}.`)).status).toBe(200);
  expect((await say('And again?')).ok).toBe(false);
  const texts = new Map<string, string>();
  const { runs } = await gateway.json<{ runs: { runId: string; sessionKey: string }[] }>('/api/runs');
  for (const path of [...REPORTS, ...runs.map(({ runId }) => `/api/runs/${runId}/hooks`)]) {
    const answer = await gateway.fetch(path);
    expect([path, answer.status]).toEqual([path, 200]);
    texts.set(path, await answer.text());
  }
  for (const argv of [
    ['status'],
    ['doctor'],
    ['usage', '--by', 'run'],
    ['receipts', 'notes.md'],
    ['cache', 'report'],
    ['logs'],
  ])
    texts.set(argv.join(' '), printed(await runAtrium(argv, { home: gateway.home.home })));
  const exported = await gateway.json<{ dir: string }>(`/api/sessions/${runs[0]?.sessionKey}/export`, { body: {} });
  await gateway.stop();

  for (const [name, text] of await textsIn(exported.dir)) texts.set(name, text);
  expect(texts.get('/metrics')).toContain('atrium_runs');
  expect(texts.get('receipts notes.md')).toContain('in the prompt');
  expect(collector.requests[0]?.headers['x-api-key']).toBe(SECRETS.setting);
  for (const [name, text] of await textsIn(gateway.home.path('logs'))) texts.set(name, text);
  texts.set('the terminal', gateway.err + gateway.out);
  texts.set('the collector', collector.requests.map(({ body }) => body).join('\n'));
  const log = [...texts].find(([name]) => name.endsWith('atrium.log'))?.[1] ?? '';
  const names = [...texts.keys()].join('\n');
  for (const name of [
    'raw-stream.jsonl',
    'cache-trace.jsonl',
    'anthropic-payload.jsonl',
    'trajectory/',
    'manifest.json',
  ])
    expect(names).toContain(name);
  expect(log).toContain('Model request');
  // The lines are there, without their secrets.
  expect(log).toContain('plugin chatty: my token is');
  expect(log).toContain('[redacted]');
  expect(texts.get('the collector')).toContain('Read notes.md');
  for (const [name, text] of texts) {
    for (const [place, secret] of Object.entries(SECRETS))
      expect(text.includes(secret), `${place} in ${name}`).toBe(false);
  }
});

function printed({ out, err }: { readonly out: string; readonly err: string }): string {
  return out + err;
}

async function textsIn(dir: string): Promise<readonly (readonly [string, string])[]> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  return Promise.all(files.map(async (file) => [file, await readFile(file, 'utf8')] as const));
}
