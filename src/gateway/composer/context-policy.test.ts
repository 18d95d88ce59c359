import { describe, expect, it } from 'vitest';
import { readEnvironment } from '../../config/environment.ts';
import type { Config } from '../../config/schema.ts';
import { DEFAULT_POLICY } from '../../context/default-policy.ts';
import { OPENBOA_TAXONOMY, OPENCLAW_TAXONOMY } from '../../context/taxonomy.ts';
import { contextPolicyOf } from './context-policy.ts';

const environment = readEnvironment({ HOME: '/home/ana', TZ: 'UTC' }, () => '/home/ana', '/srv');
const policyOf = (config: Config = {}, agentId = 'main', taxonomy = OPENCLAW_TAXONOMY) =>
  contextPolicyOf(config, agentId, taxonomy, environment);

describe('the policy', () => {
  it('is the default one where the configuration says nothing', () => {
    expect(policyOf()).toEqual({ ...DEFAULT_POLICY, maxTokens: undefined });
  });

  it('takes limits from the agent before the defaults', () => {
    const config: Config = {
      agents: {
        defaults: { bootstrapMaxChars: 100, bootstrapTotalMaxChars: 1_000, bootstrapMaxTokens: 50 },
        list: [{ id: 'main' }, { id: 'ana', bootstrapMaxChars: 200, bootstrapMaxTokens: 70 }],
      },
    };
    expect(policyOf(config)).toMatchObject({ maxChars: 100, totalMaxChars: 1_000, maxTokens: 50 });
    expect(policyOf(config, 'ana')).toMatchObject({ maxChars: 200, totalMaxChars: 1_000, maxTokens: 70 });
  });

  it('takes contents from the bootstrap section, and paths as people write them', () => {
    const bootstrap = {
      priority: ['SOUL.md'],
      keep: ['AGENTS.md#Safety'],
      subagentFiles: ['AGENTS.md'],
      sharedSurfaces: { withhold: ['USER.md'] },
      allowedRoots: ['~/shared', 'here', '/there'],
      missingMarkers: 'all',
      policyDigest: false,
    } as const;
    expect(policyOf({ bootstrap: structuredClone(bootstrap) as never })).toMatchObject({
      priority: ['SOUL.md'],
      keep: ['AGENTS.md#Safety'],
      subagentFiles: ['AGENTS.md'],
      withholdOnSharedSurfaces: ['USER.md'],
      allowedRoots: ['/home/ana/shared', '/srv/here', '/there'],
      missingMarkers: 'all',
      policyDigest: false,
    });
  });

  it('lets empty lists mean what they say', () => {
    const policy = policyOf({ bootstrap: { subagentFiles: [], sharedSurfaces: { withhold: [] } } });
    expect(policy).toMatchObject({ subagentFiles: [], withholdOnSharedSurfaces: [] });
  });

  it('follows the taxonomy where the configuration is silent', () => {
    expect(policyOf({}, 'main', OPENBOA_TAXONOMY)).toMatchObject({ subagentFiles: OPENBOA_TAXONOMY.subagentFiles });
  });

  it('knows when injection is off, and when only heartbeats are', () => {
    expect(policyOf({ agents: { defaults: { contextInjection: 'never' } } }).contextMode).toBe('none');
    expect(policyOf({ agents: { defaults: { contextInjection: 'continuation-skip' } } }).contextMode).toBe('full');
    expect(policyOf({ agents: { defaults: { heartbeat: { every: '0m' } } } }).heartbeatGuidance).toBe(false);
    const others: Config = {
      agents: { list: [{ id: 'main' }, { id: 'ana' }], defaults: { heartbeat: { every: '0m' } } },
    };
    expect(policyOf(others, 'ana').heartbeatGuidance).toBe(true);
  });
});
