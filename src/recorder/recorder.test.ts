import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RecordedCall, RecordedStart } from '../protocol/recorded-fact.ts';
import { NO_USAGE } from '../protocol/usage.ts';
import { folderForTest } from '../testkit/folder-for-test.ts';
import { ScratchStore } from '../testkit/scratch-store.ts';
import { AppendedFiles } from './appended-files.ts';
import { DebugLogs } from './debug-logs.ts';
import { HookRecordSink } from './hook-record-sink.ts';
import { Recorder } from './recorder.ts';
import { Trajectory } from './trajectory.ts';

let dir: string;
let scratch: ScratchStore;
let recorder: Recorder;
let now: number;
let failures: string[];
/** The lines in the log of the gateway. */
let said: string[];
beforeEach(async () => {
  dir = await folderForTest();
  scratch = await ScratchStore.create();
  const warn = (message: string) => expect.unreachable(message);
  const files = new AppendedFiles({ warn });
  const log = { file: path.join(dir, 'debug.jsonl') };
  const cacheTrace = { ...log, messages: true, prompt: true, system: true };
  now = 0;
  failures = [];
  said = [];
  recorder = new Recorder({
    trajectory: new Trajectory({ dir: path.join(dir, 'trajectory'), files }),
    debugLogs: new DebugLogs({
      settings: { payloadLog: log, rawStream: log, cacheTrace, modelPayload: { level: 'full-redacted' } },
      switches: { isOn: () => true, isOnSomewhere: () => true },
      files,
      say: (line) => said.push(line),
    }),
    hookRecords: new HookRecordSink({ store: scratch.store, warn }),
    hookStatistics: { count: () => {}, explain: ({ id }, error) => failures.push(`${id} ${error}`) },
    now: () => ++now,
  });
});
afterEach(async () => {
  await scratch.remove();
});

const RUN: RecordedStart = {
  runId: 'run_1',
  sessionId: 'ses_1',
  sessionKey: 'agent:main:main',
  agentId: 'main',
  attempt: 1,
  trigger: 'message',
};
const HOOK: RecordedCall = {
  hook: 'before_prompt_build',
  id: 'notes',
  owner: 'a-plugin',
  at: 5,
  ms: 2,
  outcome: 'threw',
  error: 'cannot read "my secret plan"',
  changed: ['prependContext'],
  diff: () => [
    { field: 'prependContext', at: 0, added: 'about my secret plan; the key is sk-abcdefghijklmnopqrstuvwxyz123456' },
  ],
  runId: 'run_1',
  sessionKey: 'agent:main:main',
};

/** A run up to its gate, with words in everything that has room for words. */
function untilTheGate(): void {
  start();
  recorder.record({ type: 'hook.called', call: HOOK });
  recorder.record({
    type: 'context.compiled',
    runId: 'run_1',
    facts: { layers: 3, characters: 900 },
    content: { prompt: 'my secret plan' },
  });
}

function afterTheGate(): void {
  const runId = 'run_1';
  submit('{"messages":["my secret plan"]}');
  recorder.record({ type: 'model.delta', runId, kind: 'text', delta: 'I see' });
  recorder.record({
    type: 'model.completed',
    runId,
    call: 1,
    stop: 'tool-calls',
    usage: NO_USAGE,
    ms: 7,
    text: 'I see',
  });
  const tool = { runId, toolCallId: 't1', name: 'read' };
  recorder.record({ type: 'tool.started', ...tool, params: { path: 'AGENTS.md' } });
  recorder.record({ type: 'tool.ended', ...tool, isError: false, ms: 3, content: 'text' });
}

function start(more: Partial<RecordedStart> = {}): void {
  recorder.record({ type: 'session.started', ...RUN, ...more });
}

function passGate(): void {
  recorder.record({ type: 'gate.passed', runId: 'run_1' });
}

function submit(body: string): void {
  const model = { provider: 'anthropic', model: 'claude', api: 'anthropic-messages' };
  const cacheTrace = () => ({ system: 'Be kind.', messages: [] });
  recorder.record({
    type: 'prompt.submitted',
    runId: 'run_1',
    ...model,
    call: 1,
    body,
    sentBytes: Buffer.byteLength(body),
    cacheTrace,
  });
}

async function records() {
  await recorder.drain();
  const text = await readFile(path.join(dir, 'trajectory', 'ses_1.jsonl'), 'utf8');
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

async function everythingWritten(): Promise<string> {
  await recorder.drain();
  const names = await readdir(dir, { recursive: true, withFileTypes: true });
  const files = names.filter((name) => name.isFile()).map((name) => path.join(name.parentPath, name.name));
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8')));
  return [...texts, ...said, JSON.stringify(await scratch.store.select('hookRecords'))].join('\n');
}

describe('the recorder', () => {
  it('tells a run from its start to its delivery, in order', async () => {
    untilTheGate();
    passGate();
    afterTheGate();
    recorder.record({ type: 'trace.artifacts', runId: 'run_1', status: 'done', reply: 'I see', usage: NO_USAGE });
    recorder.record({ type: 'delivery.ended', runId: 'run_1', facts: { part: 1, outcome: 'sent' } });
    recorder.record({ type: 'session.ended', sessionId: 'ses_1', sessionKey: 'agent:main:main', reason: 'idle' });
    const told = await records();
    expect(told.map(({ type }) => type)).toEqual([
      'session.started',
      'hook.called',
      'context.compiled',
      'prompt.submitted',
      'model.completed',
      'tool.started',
      'tool.ended',
      'trace.artifacts',
      'session.ended',
      'delivery.ended',
      'session.ended',
    ]);
    expect(told[2].data).toEqual({ layers: 3, characters: 900, prompt: 'my secret plan' });
    expect(told[4]).toMatchObject({
      runId: 'run_1',
      provider: 'anthropic',
      modelId: 'claude',
      data: { text: 'I see' },
    });
    expect(told[10].data).toEqual({ reason: 'idle' });
    expect(told.map(({ seq }) => seq)).toEqual(told.map((_, index) => index + 1));
  });

  it('writes nothing at all while the gate has not spoken', async () => {
    untilTheGate();
    await recorder.drain();
    expect(await readdir(dir)).toEqual([]);
    expect(await scratch.store.count('hookRecords')).toBe(0);
  });

  it('keeps no word of a blocked run, and says who blocked it', async () => {
    untilTheGate();
    recorder.record({
      type: 'prompt.skipped',
      runId: 'run_1',
      reason: 'blocked',
      by: 'a-policy',
    });
    recorder.record({ type: 'hook.called', call: { ...HOOK, hook: 'agent_end' } });
    recorder.record({
      type: 'trace.artifacts',
      runId: 'run_1',
      status: 'blocked',
      error: 'it was about my secret plan',
    });
    expect(await everythingWritten()).not.toContain('secret');
    const told = await records();
    expect(told.map(({ type }) => type)).toEqual([
      'session.started',
      'hook.called',
      'context.compiled',
      'prompt.skipped',
      'hook.called',
      'trace.artifacts',
      'session.ended',
    ]);
    expect(told[2].data.prompt).toMatch(/^sha256:[0-9a-f]{64} \(14 characters\)$/);
    expect(told[2].data.layers).toBe(3);
    expect(told[3].data).toMatchObject({ reason: 'blocked', by: 'a-policy' });
    const [record] = await scratch.store.select('hookRecords');
    expect(record).toMatchObject({ handler: 'notes', outcome: 'threw', error: expect.stringMatching(/^sha256:/) });
  });

  it('keeps no word of a run that failed before its gate', async () => {
    untilTheGate();
    recorder.record({
      type: 'trace.artifacts',
      runId: 'run_1',
      status: 'failed',
      errorCode: 'ATRIUM_X',
      error: 'my secret plan is too long',
    });
    expect(await everythingWritten()).not.toContain('secret');
    expect((await records()).find(({ type }) => type === 'trace.artifacts').data.errorCode).toBe('ATRIUM_X');
  });

  it('keeps what a handler changed of runs that passed their gate, without its secrets', async () => {
    untilTheGate();
    passGate();
    const diff = [
      { field: 'prependContext', at: 0, added: expect.stringMatching(/^about my secret plan; the key is /) },
    ];
    const [, called] = await records();
    expect(called.data).toMatchObject({ handler: 'notes', changed: ['prependContext'], diff });
    expect(await scratch.store.select('hookRecords')).toMatchObject([{ diff, error: HOOK.error }]);
    expect(await everythingWritten()).not.toContain('sk-abcdefghijklmnop');
  });

  it('keeps nothing of what a handler changed outside of a run, and no words of a run that was not announced', async () => {
    recorder.record({ type: 'hook.called', call: { ...HOOK, runId: undefined, error: 'no disk' } });
    recorder.record({ type: 'hook.called', call: { ...HOOK, runId: 'run_0' } });
    expect(await everythingWritten()).not.toContain('secret');
    const kept = await scratch.store.select('hookRecords', { orderBy: [['seq', 'asc']] });
    expect(kept).toMatchObject([
      { runId: null, error: 'no disk', diff: null, changed: ['prependContext'] },
      { runId: 'run_0', error: expect.stringMatching(/^sha256:/), diff: null },
    ]);
  });

  it('hands on how a handler failed in the words that may be shown', async () => {
    untilTheGate();
    expect(failures).toEqual([]);
    recorder.record({ type: 'prompt.skipped', runId: 'run_1', reason: 'blocked', by: 'a-policy' });
    recorder.record({ type: 'hook.called', call: { ...HOOK, runId: undefined, error: 'no disk' } });
    await recorder.drain();
    expect(failures).toEqual([expect.stringMatching(/^notes sha256:/), 'notes no disk']);
  });

  it('writes calls of hooks down a moment later, and in their place', async () => {
    start();
    passGate();
    recorder.record({ type: 'hook.called', call: HOOK });
    submit('{}');
    recorder.record({ type: 'hook.called', call: { ...HOOK, id: 'later' } });
    await expect.poll(() => scratch.store.count('hookRecords')).toBe(2);
    const told = (await records()).map(({ type, data }) => [type, data.handler]);
    expect(told.slice(1)).toEqual([
      ['hook.called', 'notes'],
      ['prompt.submitted', undefined],
      ['hook.called', 'later'],
    ]);
  });

  it('keeps what a tool was called with, although the tool changes it', async () => {
    start();
    passGate();
    const params = { path: 'a.md' };
    recorder.record({ type: 'tool.started', runId: 'run_1', toolCallId: 't', name: 'read', params });
    params.path = 'b.md';
    expect((await records()).at(-1).data.params).toEqual({ path: 'a.md' });
  });

  describe('what is told before the request', () => {
    const written = async () => {
      const folder = path.join(dir, 'trajectory');
      const names = await readdir(folder).catch(() => []);
      const texts = await Promise.all(names.map((name) => readFile(path.join(folder, name), 'utf8')));
      return texts
        .flatMap((text) => text.trimEnd().split('\n'))
        .map((line) => (JSON.parse(line) as { type: string }).type);
    };

    it('is written while the model works, although nothing more is told', async () => {
      untilTheGate();
      passGate();
      submit('{}');
      const types = ['session.started', 'hook.called', 'context.compiled', 'prompt.submitted'];
      await expect.poll(written, { timeout: 5_000 }).toEqual(types);
    });

    it('is written when no request comes', async () => {
      untilTheGate();
      passGate();
      await expect.poll(written, { timeout: 5_000 }).toEqual(['session.started', 'hook.called', 'context.compiled']);
    });

    it('does not name the model, which was chosen later', async () => {
      untilTheGate();
      passGate();
      submit('{}');
      await recorder.drain();
      const named = (await records()).map(({ type, ...line }) => [type, 'provider' in line]);
      expect(named).toEqual([
        ['session.started', false],
        ['hook.called', false],
        ['context.compiled', false],
        ['prompt.submitted', true],
      ]);
    });

    it('stands before everything else that is told of the run', async () => {
      untilTheGate();
      passGate();
      afterTheGate();
      const types = (await records()).map(({ type }) => type);
      expect(types).toEqual([
        ...['session.started', 'hook.called', 'context.compiled', 'prompt.submitted'],
        ...['model.completed', 'tool.started', 'tool.ended'],
      ]);
    });
  });

  it('does not wait for a gate that passed before a restart', async () => {
    start({ attempt: 2 });
    passGate();
    submit('{}');
    expect((await records()).map(({ data }) => data)).toMatchObject([{ attempt: 2 }, { call: 1, bytes: 2 }]);
  });

  it('writes the debug logs that are switched on, once the gate has passed', async () => {
    untilTheGate();
    passGate();
    afterTheGate();
    await recorder.drain();
    const lines = (await readFile(path.join(dir, 'debug.jsonl'), 'utf8')).trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line)).map(({ stage, event }) => stage ?? event)).toEqual([
      'request',
      'model_request',
      'request',
      'response',
      'usage',
      'assistant_text_stream',
      'assistant_message_end',
      'usage',
    ]);
    expect(said.map((line) => line.split(' run_1')[0])).toEqual(['Model request', 'Model answer']);
  });

  it('tells deliveries of runs of an earlier process, and ignores runs that were never started', async () => {
    recorder.record({ type: 'delivery.ended', runId: 'run_0', sessionId: 'ses_1', facts: { outcome: 'sent' } });
    recorder.record({
      type: 'tool.ended',
      runId: 'run_0',
      toolCallId: 't',
      name: 'read',
      isError: false,
      ms: 1,
      content: '',
    });
    recorder.record({ type: 'trace.artifacts', runId: 'run_0', status: 'done' });
    expect(await records()).toMatchObject([{ type: 'delivery.ended', runId: 'run_0', data: { outcome: 'sent' } }]);
  });

  it('holds a bounded number of records for a gate, and says how many it left out', async () => {
    start();
    for (let index = 0; index < 600; index++) recorder.record({ type: 'hook.called', call: HOOK });
    passGate();
    recorder.record({ type: 'trace.artifacts', runId: 'run_1', status: 'done' });
    const told = await records();
    expect(told).toHaveLength(502);
    expect(told.find(({ type }) => type === 'trace.artifacts').data.leftOut).toBe(101);
  });

  it('survives any value that a plugin made', async () => {
    start();
    passGate();
    const trap = new Proxy({}, { ownKeys: () => expect.unreachable('looked at') });
    recorder.record({ type: 'tool.started', runId: 'run_1', toolCallId: 't', name: 'read', params: trap });
    recorder.record({ type: 'trace.artifacts', runId: 'run_1', status: 'done' });
    expect((await records()).at(-1).type).toBe('session.ended');
  });
});
