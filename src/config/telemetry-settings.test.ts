import { describe, expect, it } from 'vitest';
import { telemetrySettingsOf } from './telemetry-settings.ts';

const settingsOf = (diagnostics: Record<string, unknown>, variables: Record<string, string> = {}) =>
  telemetrySettingsOf({ variables }, { diagnostics });

describe('traces and metrics', () => {
  it('are sent nowhere unless the operator asks for it', () => {
    const off = { otel: undefined, isPrometheusOn: false, problems: [] };
    expect(telemetrySettingsOf({ variables: { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://x' } })).toEqual(off);
    expect(settingsOf({ otel: { endpoint: 'http://x' } })).toEqual(off);
    expect(settingsOf({ enabled: false, otel: { enabled: true, endpoint: 'http://x' } })).toEqual(off);
  });

  it('go to the paths of OTLP below one address, or to addresses of their own', () => {
    const { otel } = settingsOf({ otel: { enabled: true, endpoint: 'http://127.0.0.1:4318/' } });
    expect(otel).toMatchObject({
      tracesUrl: 'http://127.0.0.1:4318/v1/traces',
      metricsUrl: 'http://127.0.0.1:4318/v1/metrics',
      serviceName: 'atrium',
      sampleRate: 1,
    });
    const own = settingsOf({ otel: { enabled: true, tracesEndpoint: 'https://a/t', metrics: false } }).otel;
    expect([own?.tracesUrl, own?.metricsUrl]).toEqual(['https://a/t', undefined]);
  });

  it('take address and name from the environment where the configuration has none', () => {
    const variables = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://env:4318', OTEL_SERVICE_NAME: 'house' };
    expect(settingsOf({ otel: { enabled: true } }, variables).otel).toMatchObject({
      tracesUrl: 'http://env:4318/v1/traces',
      serviceName: 'house',
    });
  });

  it('say what is missing when they cannot be sent', () => {
    expect(settingsOf({ otel: { enabled: true } }).problems).toEqual([expect.stringContaining('there is no address')]);
    expect(settingsOf({ otel: { enabled: true, endpoint: 'x', protocol: 'grpc' } }).problems).toEqual([
      expect.stringContaining('not over gRPC'),
    ]);
    expect(settingsOf({ otel: { enabled: true, endpoint: 'collector:4317' } }).problems).toEqual([
      expect.stringContaining('begins with http'),
    ]);
  });

  it('have no words of people and models unless they are asked for, and then all but those left out', () => {
    const contentOf = (captureContent: unknown) =>
      settingsOf({ otel: { enabled: true, endpoint: 'http://x', captureContent } }).otel?.content;
    const none = {
      inputMessages: false,
      outputMessages: false,
      systemPrompt: false,
      toolInputs: false,
      toolOutputs: false,
    };
    const all = { inputMessages: true, outputMessages: true, systemPrompt: true, toolInputs: true, toolOutputs: true };
    expect(contentOf(undefined)).toEqual(none);
    expect(contentOf({ inputMessages: true })).toEqual(none);
    expect(contentOf(true)).toEqual(all);
    expect(contentOf({ enabled: true, systemPrompt: false })).toEqual({ ...all, systemPrompt: false });
  });
});
