import { describe, expect, it } from 'vitest';
import { execSettingsOf } from './exec-settings.ts';

describe('the settings of exec', () => {
  it('ask for everything that no rule allows, when nothing is configured', () => {
    expect(execSettingsOf({}, 'main')).toEqual({
      security: 'allowlist',
      ask: 'on-miss',
      allow: [],
      env: [],
      timeoutSeconds: 120,
      maxOutputChars: 20_000,
    });
  });

  it('of an agent lie over the common ones, setting by setting', () => {
    const config = {
      tools: { exec: { allow: ['ls *'], timeoutSeconds: 30, env: ['CI'] } },
      agents: { list: [{ id: 'coder', tools: { exec: { security: 'full' as const, allow: [] } } }] },
    };
    expect(execSettingsOf(config, 'main')).toMatchObject({ security: 'allowlist', allow: ['ls *'] });
    expect(execSettingsOf(config, 'Coder')).toMatchObject({
      security: 'full',
      allow: [],
      timeoutSeconds: 30,
      env: ['CI'],
    });
  });
});
