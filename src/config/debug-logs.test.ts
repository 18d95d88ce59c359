import { describe, expect, it } from 'vitest';
import { debugLogSettingsOf, trajectoryPlaceOf } from './debug-logs.ts';

const environment = (variables: Record<string, string>) => ({
  variables,
  stateDir: '/state',
  home: '/home/ana',
  cwd: '/work-dir',
});

describe('the settings of debug logs', () => {
  it('are all off by default, and for words that are neither yes nor no', () => {
    const off = { payloadLog: undefined, rawStream: undefined, cacheTrace: undefined };
    expect(debugLogSettingsOf(environment({}))).toEqual(off);
    expect(debugLogSettingsOf(environment({ OPENCLAW_RAW_STREAM: 'maybe', OPENCLAW_CACHE_TRACE: '0' }))).toEqual(off);
  });

  it('name the files under the state directory unless told otherwise', () => {
    const switches = { OPENCLAW_ANTHROPIC_PAYLOAD_LOG: '1', OPENCLAW_RAW_STREAM: 'yes', OPENCLAW_CACHE_TRACE: ' ON ' };
    expect(debugLogSettingsOf(environment(switches))).toEqual({
      payloadLog: { file: '/state/logs/anthropic-payload.jsonl' },
      rawStream: { file: '/state/logs/raw-stream.jsonl' },
      cacheTrace: { file: '/state/logs/cache-trace.jsonl', messages: true, prompt: true, system: true },
    });
    const moved = debugLogSettingsOf(
      environment({
        ...switches,
        OPENCLAW_ANTHROPIC_PAYLOAD_LOG_FILE: '/logs/payload.jsonl',
        OPENCLAW_RAW_STREAM_PATH: '~/raw.jsonl',
        OPENCLAW_CACHE_TRACE_FILE: 'trace.jsonl',
        OPENCLAW_CACHE_TRACE_MESSAGES: 'no',
      }),
    );
    expect(moved.payloadLog?.file).toBe('/logs/payload.jsonl');
    expect(moved.rawStream?.file).toBe('/home/ana/raw.jsonl');
    expect(moved.cacheTrace).toEqual({ file: '/work-dir/trace.jsonl', messages: false, prompt: true, system: true });
  });
});

it('takes the cache trace from the configuration too, and the environment has the last word', () => {
  const config = { diagnostics: { cacheTrace: { enabled: true, filePath: '~/trace.jsonl', includeSystem: false } } };
  expect(debugLogSettingsOf(environment({}), config).cacheTrace).toEqual({
    file: '/home/ana/trace.jsonl',
    messages: true,
    prompt: true,
    system: false,
  });
  expect(debugLogSettingsOf(environment({ OPENCLAW_CACHE_TRACE: 'off' }), config).cacheTrace).toBeUndefined();
  expect(debugLogSettingsOf(environment({}), { diagnostics: 'nonsense' }).cacheTrace).toBeUndefined();
});

describe('the place of trajectories', () => {
  it('is under the state directory, and they are on', () => {
    expect(trajectoryPlaceOf(environment({}))).toEqual({
      enabled: true,
      dir: '/state/logs/trajectory',
      maxBytes: undefined,
    });
  });

  it('is what the configuration says, and the environment has the last word', () => {
    const config = { recorder: { trajectory: { enabled: false, dir: '~/traces', maxBytes: 5_000 } } };
    expect(trajectoryPlaceOf(environment({}), config)).toEqual({
      enabled: false,
      dir: '/home/ana/traces',
      maxBytes: 5_000,
    });
    const said = environment({ OPENCLAW_TRAJECTORY: 'true', OPENCLAW_TRAJECTORY_DIR: '/elsewhere' });
    expect(trajectoryPlaceOf(said, config)).toMatchObject({ enabled: true, dir: '/elsewhere' });
    expect(trajectoryPlaceOf(environment({ OPENCLAW_TRAJECTORY: '0' })).enabled).toBe(false);
  });
});
