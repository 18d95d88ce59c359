// The approvals file of OpenClaw, `~/.openclaw/exec-approvals.json`: a policy of this machine that may be stricter than
// the configuration. Atrium obeys it where it is stricter; what it allows is not used. It is read for every command, so
// that a change holds at once. A file that cannot be read denies, because what it would say is not known.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isPlainObject } from './plain-object.ts';
import type { ExecSettings } from './tool-settings.ts';

export function withExecApprovals(settings: ExecSettings, home: string, agentId: string): ExecSettings {
  const file = join(home, '.openclaw', 'exec-approvals.json');
  const approvals = read(file);
  if (approvals === undefined) return settings;
  const say = (key: string) => {
    const { agents, defaults } = approvals;
    const places = [at(agents, agentId), at(agents, '*'), defaults];
    return places.map((place) => at(place, key)).find((value) => value !== undefined);
  };
  const security = LEVELS.find((level) => level === settings.security || level === say('security')) ?? 'deny';
  return {
    ...settings,
    security,
    ask: say('ask') === 'always' ? 'always' : settings.ask,
    ...(security === 'deny' && settings.security !== 'deny' && { deniedBy: `${file} says so` }),
  };
}

/** The strictest is first. */
const LEVELS = ['deny', 'allowlist', 'full'] as const;

function read(file: string): Record<string, unknown> | undefined {
  const unreadable = { defaults: { security: 'deny' } };
  try {
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return isPlainObject(value) ? value : unreadable;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' || code === 'ENOTDIR' ? undefined : unreadable;
  }
}

function at(value: unknown, key: string): unknown {
  return isPlainObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}
