import { expect, it } from 'vitest';
import { compactionSettingsOf } from './compaction-settings.ts';

it('compaction is on unless the configuration says otherwise', () => {
  expect(compactionSettingsOf({}, 'main')).toEqual({
    enabled: true,
    threshold: 0.8,
    keepRecentTokens: undefined,
    model: undefined,
    timeoutMs: 120_000,
    contextTokens: 128_000,
    isContextTokensSet: false,
    pins: [],
  });
});

it("an agent's own words about it go before those of all agents, one by one", () => {
  const config = {
    agents: {
      defaults: { contextTokens: 9_000, compaction: { threshold: 0.5, model: 'fake/small', timeoutSeconds: 7 } },
      list: [{ id: 'ops', compaction: { enabled: false, threshold: 0.9 } }],
    },
    session: { pins: [' The door code is 4711. ', '', 'AGENTS.md#Safety'] },
  };
  expect(compactionSettingsOf(config, 'ops')).toEqual({
    enabled: false,
    threshold: 0.9,
    keepRecentTokens: undefined,
    model: { provider: 'fake', model: 'small' },
    timeoutMs: 7_000,
    contextTokens: 9_000,
    isContextTokensSet: true,
    pins: ['The door code is 4711.', 'AGENTS.md#Safety'],
  });
});
