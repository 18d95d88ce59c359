import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { folderForTest } from '../testkit/folder-for-test.ts';
import { AppendedFiles } from './appended-files.ts';
import { type DebugLogSettings, DebugLogs } from './debug-logs.ts';

let dir: string;
beforeEach(async () => {
  dir = await folderForTest();
});

const OFF: DebugLogSettings = { payloadLog: undefined, rawStream: undefined, cacheTrace: undefined };
const CONTEXT = {
  runId: 'run_1',
  sessionId: 'ses_1',
  sessionKey: 'agent:main:main',
  provider: 'anthropic',
  modelId: 'claude',
  modelApi: 'anthropic-messages',
  workspaceDir: '/home/ana/workspace',
};
const AT = Date.UTC(2026, 0, 2);
const WHEN = '2026-01-02T00:00:00.000Z';

const open = (settings: Partial<DebugLogSettings>) =>
  new DebugLogs({ ...OFF, ...settings }, new AppendedFiles({ warn: () => {} }));
const file = () => path.join(dir, 'logs', 'log.jsonl');
const digest = (text: string) => createHash('sha256').update(text).digest('hex');

async function recordsOf(logs: DebugLogs) {
  await logs.drain();
  return (await readFile(file(), 'utf8'))
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

describe('the debug logs', () => {
  it('write nothing unless switched on', async () => {
    const logs = open({});
    logs.modelRequest(CONTEXT, '{}', AT);
    logs.modelUsage(CONTEXT, {}, undefined, AT);
    logs.streamDelta(CONTEXT, 'text', 'a', AT);
    logs.streamEnd(CONTEXT, 'a', '', AT);
    logs.cacheTrace(CONTEXT, { stage: 'stream:context' }, AT);
    await logs.drain();
    expect(await readdir(dir)).toEqual([]);
  });

  it("keep requests and usage of Anthropic's protocol", async () => {
    const logs = open({ payloadLog: { file: file() } });
    const body = '{"model":"claude","messages":[]}';
    logs.modelRequest(CONTEXT, body, AT);
    logs.modelRequest({ ...CONTEXT, modelApi: 'openai-completions' }, body, AT);
    logs.modelUsage(CONTEXT, { input: 3 }, 'overloaded', AT);
    expect(await recordsOf(logs)).toEqual([
      {
        ...CONTEXT,
        ts: WHEN,
        stage: 'request',
        payload: { model: 'claude', messages: [] },
        payloadDigest: digest(body),
      },
      { ...CONTEXT, ts: WHEN, stage: 'usage', usage: { input: 3 }, error: 'overloaded' },
    ]);
  });

  it('keep what the model wrote as it wrote it', async () => {
    const logs = open({ rawStream: { file: file() } });
    logs.streamDelta(CONTEXT, 'thinking', 'hm', AT);
    logs.streamDelta(CONTEXT, 'text', 'hel', AT);
    logs.streamEnd(CONTEXT, 'hello', 'hm', AT);
    const who = { ts: AT, runId: 'run_1', sessionId: 'ses_1' };
    expect(await recordsOf(logs)).toEqual([
      { ...who, event: 'assistant_thinking_stream', evtType: 'thinking_delta', delta: 'hm', content: '' },
      { ...who, event: 'assistant_text_stream', evtType: 'text_delta', delta: 'hel', content: '' },
      { ...who, event: 'assistant_message_end', rawText: 'hello', rawThinking: 'hm' },
    ]);
  });

  it('show what a prompt cache would see, with as much text as is wanted', async () => {
    const request = {
      stage: 'stream:context',
      prompt: 'hello',
      system: 'Be kind.',
      messages: [{ role: 'user', content: 'hello' }],
    };
    const whole = open({ cacheTrace: { file: file(), messages: true, prompt: true, system: true } });
    whole.cacheTrace(CONTEXT, request, AT);
    whole.cacheTrace(CONTEXT, request, AT);
    await whole.drain();
    const digests = open({ cacheTrace: { file: file(), messages: false, prompt: false, system: false } });
    digests.cacheTrace(CONTEXT, request, AT);
    const fingerprint = digest('{"role":"user","content":"hello"}');
    const seen = {
      ...CONTEXT,
      ts: WHEN,
      seq: 1,
      stage: 'stream:context',
      systemDigest: digest('Be kind.'),
      messageCount: 1,
      messageRoles: ['user'],
      messageFingerprints: [fingerprint],
      messagesDigest: digest(fingerprint),
    };
    const { stage: _, ...texts } = request;
    expect(await recordsOf(digests)).toEqual([{ ...seen, ...texts }, { ...seen, ...texts, seq: 2 }, seen]);
  });

  it('hold no secrets', async () => {
    const logs = open({ payloadLog: { file: file() } });
    logs.modelRequest(CONTEXT, JSON.stringify({ metadata: { token: 'plain' }, text: `sk-${'abcd'.repeat(9)}` }), AT);
    expect(JSON.stringify(await recordsOf(logs))).not.toMatch(/plain|abcd/);
  });
});
