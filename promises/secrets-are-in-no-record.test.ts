import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { MODEL_PROTOCOLS } from '../src/protocol/model-protocol.ts';
import { gatewayForTest } from '../src/testkit/gateway-for-test.ts';
import { reply, thought, toolCall } from '../src/testkit/model-server.ts';

/** Each stands in another place and has another shape. None of them may be in a log or in a bundle. */
const SECRETS = {
  message: `sk-ant-${'m3ss4ge'.repeat(5)}`,
  answer: `ghp_${'4nsw3r'.repeat(6)}`,
  params: `glpat-${'p4r4ms'.repeat(4)}`,
  output: `AKIA${'0UTPUT'.repeat(3)}`,
  field: 'correct-horse-battery',
  /** Looks like ordinary words; a pattern of the operator says what it is. */
  own: 'Kundin Nummer Siebenundvierzig',
} as const;

/** What the provider is told in headers. These are not even in a bundle from which nothing was removed. */
const PROVIDER = { apiKey: 'provider-key-5up3r-53cr3t', headers: { 'x-team-token': 'team-token-n0t-f0r-y0u' } };

const ALL_LOGS = {
  OPENCLAW_RAW_STREAM: '1',
  OPENCLAW_CACHE_TRACE: '1',
  OPENCLAW_ANTHROPIC_PAYLOAD_LOG: '1',
  OPENCLAW_DEBUG_MODEL_PAYLOAD: 'full-redacted',
};

it.each(
  MODEL_PROTOCOLS,
)('secrets in keys, headers, messages, answers, parameters and tool output are in no log and in no bundle: %s', async (protocol) => {
  const scratch = await gatewayForTest({
    protocol,
    provider: PROVIDER,
    variables: ALL_LOGS,
    config: { logging: { redactPatterns: ['kundin nummer \\w+'] } },
    files: { 'workspace/notes.md': `aws_key ${SECRETS.output}\npassword: ${SECRETS.field}\nfor ${SECRETS.own}\n` },
  });
  scratch.model.script([
    toolCall('read', { path: 'notes.md', apiKey: SECRETS.params, note: `with ${SECRETS.params} of ${SECRETS.own}` }),
    toolCall('read', { path: 'notes.md' }),
    reply(`It says ${SECRETS.answer}, that is all about ${SECRETS.own}.`),
  ]);
  const { runId } = await scratch.channel.says(
    {},
    `My key is ${SECRETS.message}. Please read notes.md for ${SECRETS.own}.`,
  );
  const { status, sessionKey } = await scratch.services.runs.wait(runId);
  expect(status).toBe('done');
  expect(scratch.model.requests.at(-1)?.body).toMatch(SECRETS.output);
  expect(JSON.stringify(scratch.model.requests.at(-1)?.headers)).toContain(PROVIDER.headers['x-team-token']);
  const { dir } = await scratch.services.records.exportSession({ sessionKey, isRedacted: true });
  const whole = await scratch.services.records.exportSession({ sessionKey, isRedacted: false });
  await scratch.stop();

  const logs = await textsIn(scratch.home.path('logs'));
  for (const name of ['raw-stream', 'cache-trace', 'anthropic-payload', 'trajectory/']) {
    expect([...logs.keys()].join('\n')).toContain(name);
  }
  const bundle = await textsIn(dir);
  expect([...bundle.keys()].join('\n')).toMatch(/runs\/.*\/requests\/3\.json/);
  for (const texts of [logs, bundle, new Map([['the log of the gateway', scratch.warnings.join('\n')]])]) {
    for (const [name, text] of texts) {
      for (const [place, secret] of Object.entries({
        ...SECRETS,
        key: PROVIDER.apiKey,
        header: PROVIDER.headers['x-team-token'],
      })) {
        expect(text.includes(secret), `${place} in ${name}`).toBe(false);
      }
    }
  }
  expect(scratch.warnings.join('\n')).toContain('Model request');
  // A person who asks for everything gets it, and the key of the provider is in neither.
  const everything = [...(await textsIn(whole.dir)).values()].join('\n');
  for (const secret of Object.values(SECRETS)) expect(everything).toContain(secret);
  expect(everything).not.toContain(PROVIDER.apiKey);
  expect(everything).not.toContain(PROVIDER.headers['x-team-token']);
});

/** None of these has a form by which a key is known. They are secrets because of where they are configured. */
const HELD = {
  key: PROVIDER.apiKey,
  header: PROVIDER.headers['x-team-token'],
  variable: 'Zebra7Crossing',
  gateway: 'open-sesame-for-the-gateway',
  database: 'p4ss/w"rd',
  laterKey: 'Tuesday-Umbrella-9',
} as const;

it('the keys of this installation are in no log and in no bundle, wherever they turn up', async () => {
  const scratch = await gatewayForTest({
    provider: PROVIDER,
    variables: { ...ALL_LOGS, DEPLOY_TOKEN: HELD.variable },
    config: {
      gateway: { auth: { token: HELD.gateway } },
      plugins: { entries: { none: { config: { url: `postgres://me:${encodeURIComponent(HELD.database)}@db/x` } } } },
    },
    files: { 'workspace/copy.md': Object.values(HELD).join('\n') },
  });
  const settings = JSON.parse(await readFile(scratch.home.path('openclaw.json'), 'utf8'));
  settings.models.providers.fake.apiKey = HELD.laterKey;
  await writeFile(scratch.home.path('openclaw.json'), JSON.stringify(settings));
  await scratch.services.configuration.state();

  const all = Object.values(HELD).join(' and ');
  scratch.model.script([
    toolCall('read', { path: 'copy.md', note: all }),
    thought(`They say ${all}`, `It says ${all}, and ${HELD.gateway}.`),
  ]);
  const { runId } = await scratch.channel.says({}, `Is it ${all}?`);
  const { status, sessionKey } = await scratch.services.runs.wait(runId);
  expect(status).toBe('done');
  expect(scratch.model.requests.at(-1)?.body).toContain(HELD.laterKey);
  const { dir } = await scratch.services.records.exportSession({ sessionKey, isRedacted: true });
  await scratch.stop();

  const texts = [...(await textsIn(scratch.home.path('logs'))), ...(await textsIn(dir))];
  texts.push(['the log of the gateway', scratch.warnings.join('\n')]);
  const said = new RegExp(
    Object.values(HELD)
      .map(() => '\\[redacted\\]')
      .join(' and '),
  );
  expect(texts.filter(([, text]) => said.test(text)).length).toBeGreaterThan(5);
  for (const [name, text] of texts) {
    for (const [place, secret] of Object.entries(HELD)) {
      for (const form of [secret, JSON.stringify(secret).slice(1, -1)])
        expect(text.includes(form), `${place} in ${name}`).toBe(false);
    }
  }
});

async function textsIn(dir: string): Promise<ReadonlyMap<string, string>> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  return new Map(await Promise.all(files.map(async (file) => [file, await readFile(file, 'utf8')] as const)));
}
