// What an agent's commands may do: `tools.exec`, where each setting may be replaced by the agent's own `tools.exec`.

import { resolveAgentConfig } from './agents.ts';
import type { Config } from './schema.ts';

export interface ExecSettings {
  readonly security: 'deny' | 'allowlist' | 'full';
  readonly ask: 'off' | 'on-miss' | 'always';
  /** Commands that need no approval. An agent's own list replaces the common one. */
  readonly allow: readonly string[];
  /** The names of variables that commands get besides the harmless ones. */
  readonly env: readonly string[];
  readonly timeoutSeconds: number;
  readonly maxOutputChars: number;
}

export function execSettingsOf(config: Config, agentId: string): ExecSettings {
  const common = config.tools?.exec;
  const own = resolveAgentConfig(config, agentId)?.tools?.exec;
  return {
    security: own?.security ?? common?.security ?? 'allowlist',
    ask: own?.ask ?? common?.ask ?? 'on-miss',
    allow: own?.allow ?? common?.allow ?? [],
    env: own?.env ?? common?.env ?? [],
    timeoutSeconds: timeLimitOf(own) ?? timeLimitOf(common) ?? 120,
    maxOutputChars: own?.maxOutputChars ?? common?.maxOutputChars ?? 20_000,
  };
}

type ExecSection = NonNullable<NonNullable<Config['tools']>['exec']>;

function timeLimitOf(section: ExecSection | undefined): number | undefined {
  return section?.timeoutSeconds ?? section?.timeoutSec;
}
