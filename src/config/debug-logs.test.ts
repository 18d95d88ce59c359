import { describe, expect, it } from 'vitest';
import { debugLogSettingsOf, listSwitchOddities, trajectoryPlaceOf } from './debug-logs.ts';

const environment = (variables: Record<string, string>) => ({
  variables,
  stateDir: '/state',
  home: '/home/ana',
  cwd: '/work-dir',
});

const isOn = (variables: Record<string, string>) => {
  const { payloadLog, rawStream, cacheTrace, modelPayload } = debugLogSettingsOf(environment(variables));
  return [payloadLog.isOn, rawStream.isOn, cacheTrace.isOn, modelPayload.isOn];
};

describe('the settings of debug logs', () => {
  it('are all off by default, and for words that are neither yes nor no', () => {
    expect(isOn({})).toEqual([false, false, false, false]);
    const junk = { OPENCLAW_RAW_STREAM: 'maybe', OPENCLAW_CACHE_TRACE: '0', OPENCLAW_DEBUG_MODEL_PAYLOAD: '1' };
    expect(isOn(junk)).toEqual([false, false, false, false]);
  });

  it('are told where a variable means nothing', () => {
    const odd = (variables: Record<string, string>) => listSwitchOddities(environment(variables));
    expect(odd({ OPENCLAW_RAW_STREAM: 'maybe', OPENCLAW_CACHE_TRACE: ' off ', OPENCLAW_TRAJECTORY: '' })).toEqual([
      'OPENCLAW_RAW_STREAM is "maybe", which means neither on nor off, so it changes nothing. Set it to 1 or 0.',
    ]);
    expect(odd({ OPENCLAW_DEBUG_MODEL_PAYLOAD: '1' })).toEqual([
      'OPENCLAW_DEBUG_MODEL_PAYLOAD is "1", so nothing is logged by it. Set it to summary, tools, full-redacted.',
    ]);
    for (const level of ['0', 'off', ' Summary ', 'full-redacted'])
      expect(odd({ OPENCLAW_DEBUG_MODEL_PAYLOAD: level })).toEqual([]);
  });

  it('name the files under the state directory unless told otherwise', () => {
    const switches = { OPENCLAW_ANTHROPIC_PAYLOAD_LOG: '1', OPENCLAW_RAW_STREAM: 'yes', OPENCLAW_CACHE_TRACE: ' ON ' };
    expect(debugLogSettingsOf(environment(switches))).toEqual({
      payloadLog: { isOn: true, file: '/state/logs/anthropic-payload.jsonl' },
      rawStream: { isOn: true, file: '/state/logs/raw-stream.jsonl' },
      cacheTrace: { isOn: true, file: '/state/logs/cache-trace.jsonl', messages: true, prompt: true, system: true },
      modelPayload: { isOn: false, level: 'summary' },
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
    expect(moved.payloadLog.file).toBe('/logs/payload.jsonl');
    expect(moved.rawStream.file).toBe('/home/ana/raw.jsonl');
    expect(moved.cacheTrace).toMatchObject({ file: '/work-dir/trace.jsonl', messages: false, prompt: true });
  });

  it.each(['summary', 'tools', 'full-redacted'] as const)('describe model calls in the log with %s', (level) => {
    const settings = debugLogSettingsOf(environment({ OPENCLAW_DEBUG_MODEL_PAYLOAD: ` ${level.toUpperCase()} ` }));
    expect(settings.modelPayload).toEqual({ isOn: true, level });
  });
});

it('takes the cache trace from the configuration too, and the environment has the last word', () => {
  const config = { diagnostics: { cacheTrace: { enabled: true, filePath: '~/trace.jsonl', includeSystem: false } } };
  expect(debugLogSettingsOf(environment({}), config).cacheTrace).toEqual({
    isOn: true,
    file: '/home/ana/trace.jsonl',
    messages: true,
    prompt: true,
    system: false,
  });
  expect(debugLogSettingsOf(environment({ OPENCLAW_CACHE_TRACE: 'off' }), config).cacheTrace.isOn).toBe(false);
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
