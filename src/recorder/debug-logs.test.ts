import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { DebugLogName } from '../protocol/debug-log.ts';
import type { RecordedModelCall } from '../protocol/recorded-fact.ts';
import { folderForTest } from '../testkit/folder-for-test.ts';
import { AppendedFiles } from './appended-files.ts';
import { type DebugLogSettings, DebugLogs } from './debug-logs.ts';

let dir: string;
let said: string[];
beforeEach(async () => {
  dir = await folderForTest();
  said = [];
});

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
const KEY = `sk-${'abcd'.repeat(9)}`;
const TEXTS = { messages: true, prompt: true, system: true };
const USAGE = { input: 100, output: 5, cacheRead: 80, cacheWrite: 15 };

/** Logs in one file, of which these are on. */
function open(on: readonly DebugLogName[], settings: Partial<DebugLogSettings> = {}): DebugLogs {
  const isOn = (log: DebugLogName) => on.includes(log);
  const place = { file: file() };
  return new DebugLogs({
    settings: {
      payloadLog: place,
      rawStream: place,
      cacheTrace: { ...place, ...TEXTS },
      modelPayload: { level: 'summary' },
      ...settings,
    },
    switches: { isOn, isOnSomewhere: isOn },
    files: new AppendedFiles({ warn: () => {} }),
    say: (line) => said.push(line),
  });
}

const file = () => path.join(dir, 'logs', 'log.jsonl');
const digest = (text: string) => createHash('sha256').update(text).digest('hex');

function request(body: object, messages: readonly { role: string; content: unknown }[] = []) {
  return { call: 1, body: JSON.stringify(body), cacheTrace: () => ({ system: 'Be kind.', prompt: 'hello', messages }) };
}

function answer(more: Partial<RecordedModelCall> = {}): RecordedModelCall {
  return { call: 1, stop: 'stop', usage: USAGE, ms: 7, text: 'hi', ...more };
}

async function recordsOf(logs: DebugLogs) {
  await logs.drain();
  return (await readFile(file(), 'utf8'))
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

describe('the debug logs', () => {
  it('write nothing unless switched on', async () => {
    const logs = open([]);
    logs.modelRequest(CONTEXT, request({}), AT);
    logs.streamDelta(CONTEXT, 'text', 'a', AT);
    logs.modelAnswer(CONTEXT, answer(), AT);
    await logs.drain();
    expect(await readdir(dir)).toEqual([]);
    expect(said).toEqual([]);
  });

  it.each([
    'anthropic-messages',
    'openai-completions',
    'mirror',
  ])('keep requests, answers and usage of %s', async (api) => {
    const logs = open(['payload']);
    const body = { model: 'claude', messages: [] };
    const context = { ...CONTEXT, modelApi: api };
    const calls = [{ id: 't1', name: 'read', params: { path: 'AGENTS.md' } }];
    logs.modelRequest(context, request(body), AT);
    logs.modelAnswer(context, answer({ thinking: 'hm', toolCalls: calls, error: 'overloaded' }), AT);
    const who = { ...context, ts: WHEN, call: 1 };
    expect(await recordsOf(logs)).toEqual([
      { ...who, stage: 'request', payload: body, payloadDigest: digest(JSON.stringify(body)) },
      {
        ...who,
        stage: 'response',
        ms: 7,
        response: { stop: 'stop', text: 'hi', thinking: 'hm', toolCalls: calls },
        error: 'overloaded',
      },
      { ...who, stage: 'usage', usage: USAGE, error: 'overloaded' },
    ]);
  });

  it('keep what the model was told and what it wrote, as it wrote it, with its tool calls', async () => {
    const logs = open(['raw-stream']);
    const messages = [
      { role: 'assistant', content: 'earlier' },
      { role: 'user', content: 'read it' },
    ];
    logs.modelRequest(CONTEXT, request({}, messages), AT);
    logs.streamDelta(CONTEXT, 'thinking', 'hm', AT);
    logs.streamDelta(CONTEXT, 'text', 'hel', AT);
    logs.streamDelta(CONTEXT, 'text', 'lo', AT);
    const calls = [{ id: 't1', name: 'read', params: { path: 'AGENTS.md' } }];
    logs.modelAnswer(CONTEXT, answer({ text: 'hello', thinking: 'hm', toolCalls: calls, stop: 'tool-calls' }), AT);
    const who = { ts: AT, runId: 'run_1', sessionId: 'ses_1' };
    const piece = { ...who, content: '' };
    expect(await recordsOf(logs)).toEqual([
      { ...who, event: 'model_request', call: 1, provider: 'anthropic', modelId: 'claude', messages: [messages[1]] },
      { ...piece, event: 'assistant_thinking_stream', evtType: 'thinking_delta', delta: 'hm' },
      { ...piece, event: 'assistant_text_stream', evtType: 'text_delta', delta: 'hel' },
      { ...piece, event: 'assistant_text_stream', evtType: 'text_delta', delta: 'lo' },
      { ...who, event: 'assistant_tool_call', call: 1, toolCallId: 't1', name: 'read', params: { path: 'AGENTS.md' } },
      {
        ...who,
        event: 'assistant_message_end',
        rawText: 'hello',
        rawThinking: 'hm',
        call: 1,
        stop: 'tool-calls',
        usage: USAGE,
      },
    ]);
  });

  it('show what a prompt cache would see, with as much text as is wanted', async () => {
    const messages = [{ role: 'user', content: 'hello' }];
    const whole = open(['cache-trace']);
    whole.modelRequest(CONTEXT, request({}, messages), AT);
    await whole.drain();
    const cacheTrace = { file: file(), messages: false, prompt: false, system: false };
    const digests = open(['cache-trace'], { cacheTrace });
    digests.modelRequest(CONTEXT, request({}, messages), AT);
    const fingerprint = digest('{"role":"user","content":"hello"}');
    const seen = {
      ...CONTEXT,
      ts: WHEN,
      seq: 1,
      stage: 'request',
      call: 1,
      systemDigest: digest('Be kind.'),
      messageCount: 1,
      messageRoles: ['user'],
      messageFingerprints: [fingerprint],
      messagesDigest: digest(fingerprint),
      breakpoints: [],
      reuse: null,
    };
    expect(await recordsOf(digests)).toEqual([{ ...seen, prompt: 'hello', system: 'Be kind.', messages }, seen]);
  });

  it('name the breakpoints of the cache, what changed since the request before, and what the provider has reused', async () => {
    const logs = open(['cache-trace']);
    const mark = { type: 'ephemeral' };
    const user = (text: string, isMarked: boolean) => ({
      role: 'user',
      content: [{ type: 'text', text, ...(isMarked && { cache_control: mark }) }],
    });
    const system = [{ type: 'text', text: 'Be kind.', cache_control: mark }];
    const assistant = { role: 'assistant', content: [{ type: 'text', text: 'hi' }] };
    logs.modelRequest(CONTEXT, request({ system, messages: [user('one', true)] }), AT);
    logs.modelAnswer(CONTEXT, answer(), AT);
    logs.modelRequest(CONTEXT, request({ system, messages: [user('one', false), assistant, user('two', true)] }), AT);
    logs.modelRequest(CONTEXT, request({ system, messages: [user('ONE', false), assistant, user('two', true)] }), AT);
    const [first, use, grown, changed] = await recordsOf(logs);
    expect(first.breakpoints.map(({ at }: { at: string }) => at)).toEqual(['system[0]', 'messages[0].content[0]']);
    expect(first.breakpoints[0]).toMatchObject({ mark, prefixBytes: expect.any(Number) });
    expect(use).toMatchObject({
      stage: 'usage',
      usage: { cacheRead: 80, cacheWrite: 15, uncached: 5 },
      readShare: 0.8,
    });
    // The mark has moved on; what it marks has not changed.
    expect(grown.reuse).toMatchObject({
      since: { runId: 'run_1', call: 1 },
      sharedPieces: 2,
      pieces: 4,
      firstChange: null,
      readableTo: 'messages[0].content[0]',
    });
    expect(changed.reuse).toMatchObject({
      sharedPieces: 1,
      firstChange: 'messages[0].content[0]',
      readableTo: 'system[0]',
    });
  });

  it.each([
    ['summary', /2 tools$/],
    ['tools', /2 tools: read \(\d+ bytes\), write \(\d+ bytes\)$/],
    ['full-redacted', /2 tools; payload \{.*"text":"sk-\[redacted\]"/],
  ] as const)('say a line for each model call: %s', (level, line) => {
    const logs = open(['model-payload'], { modelPayload: { level } });
    const tools = [{ name: 'read' }, { type: 'function', function: { name: 'write' } }];
    const messages = [{ role: 'user', content: [{ type: 'text', text: KEY }] }];
    logs.modelRequest(CONTEXT, request({ system: 'Be kind.', tools, messages }), AT);
    logs.modelAnswer(CONTEXT, answer({ text: KEY }), AT);
    expect(said).toEqual([
      expect.stringMatching(/^Model request run_1 call 1: anthropic\/claude, \d+ bytes, system 10 bytes, 1 messages/),
      expect.stringMatching(
        /^Model answer run_1 call 1: stop, 7 ms, 100 tokens in \(80 read from the cache, 15 written/,
      ),
    ]);
    expect(said[0]).toMatch(line);
    expect(said.join('\n')).not.toContain(KEY);
  });

  it('hold no secrets, wherever they stand and however they are cut', async () => {
    const logs = open(['payload', 'raw-stream', 'cache-trace']);
    const body = { metadata: { token: 'plain-words' }, [KEY]: 1, messages: [{ role: 'user', content: KEY }] };
    logs.modelRequest(CONTEXT, request(body, [{ role: 'user', content: `the key ${KEY}` }]), AT);
    for (const delta of ['the key is ', ...KEY.split(/(?<=^(?:.{5})+)/), ' and more'])
      logs.streamDelta(CONTEXT, 'text', delta, AT);
    const toolCalls = [{ id: 't', name: 'exec', params: { command: `curl -H 'x: ${KEY}'`, password: 'plain-words' } }];
    logs.modelAnswer(CONTEXT, answer({ text: KEY, thinking: KEY, toolCalls, error: `bad ${KEY}` }), AT);
    const records = await recordsOf(logs);
    expect(JSON.stringify(records)).not.toMatch(/plain-words|abcd/);
    expect(records.filter(({ evtType }) => evtType === 'text_delta').map(({ delta }) => delta)).toEqual([
      'the key is ',
      'sk-[redacted]',
      ' and more',
    ]);
  });
});
