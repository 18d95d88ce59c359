// The named situations of a `context.lock` folder. A situation must state everything that could make a snapshot differ
// from day to day or from machine to machine.

import { parseLocalTime } from '../../protocol/parse-local-time.ts';
import { SESSION_TYPES, type SessionType } from '../../protocol/session-type.ts';
import { isTimezone } from '../../protocol/timezone.ts';
import { SituationsInvalidError } from '../errors.ts';

export interface LockedSituation {
  /** The name is also used for its files, so it consists of small letters, digits and dashes only. */
  readonly name: string;
  readonly agent?: string;
  readonly session?: string;
  readonly type?: SessionType;
  readonly channel?: string;
  /** It includes the date, because rules may depend on the day. */
  readonly at: string;
  readonly tz: string;
}

/** A working day, so that the first snapshots do not contain anything that holds only on weekends. */
export function defaultSituations(agentId: string): readonly LockedSituation[] {
  const day = { at: '2026-01-14T10:00', tz: 'UTC' };
  return [
    { name: 'interactive', type: 'interactive', ...day },
    { name: 'night', type: 'interactive', at: '2026-01-14T23:30', tz: 'UTC' },
    {
      name: 'group',
      session: `agent:${agentId}:discord:group:example`,
      type: 'interactive',
      channel: 'discord',
      ...day,
    },
    { name: 'subagent', session: `agent:${agentId}:subagent:example`, type: 'subagent', ...day },
  ];
}

export function formatSituations(situations: readonly LockedSituation[]): string {
  return `${JSON.stringify(situations, null, 2)}\n`;
}

export function parseSituations(text: string, file: string): readonly LockedSituation[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new SituationsInvalidError(
      { file, problem: `it is not JSON (${(error as Error).message})` },
      { cause: error },
    );
  }
  if (!Array.isArray(value) || value.length === 0) {
    throw new SituationsInvalidError({ file, problem: 'it must be a list with at least one situation' });
  }
  const situations = value.map((entry, index) => parseSituation(entry, `situation ${index + 1}`, file));
  const names = situations.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined)
    throw new SituationsInvalidError({ file, problem: `two situations have the name "${twice}"` });
  return situations;
}

const KNOWN_KEYS = ['name', 'agent', 'session', 'type', 'channel', 'at', 'tz'];
const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const MAX_NAME_CHARS = 64;

function parseSituation(entry: unknown, place: string, file: string): LockedSituation {
  const fail = (problem: string) => new SituationsInvalidError({ file, problem });
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) throw fail(`${place} is not an object`);
  const fields = entry as Readonly<Record<string, unknown>>;
  const { name } = fields;
  if (typeof name !== 'string' || !NAME.test(name) || name.length > MAX_NAME_CHARS) {
    throw fail(`${place} needs a "name" of small letters, digits and single dashes, ${MAX_NAME_CHARS} at most`);
  }
  const unknown = Object.keys(fields).find((key) => !KNOWN_KEYS.includes(key));
  if (unknown !== undefined) {
    throw fail(`"${name}" has ${JSON.stringify(unknown)}, which is none of ${KNOWN_KEYS.join(', ')}`);
  }
  const wrong = KNOWN_KEYS.find((key) => fields[key] !== undefined && typeof fields[key] !== 'string');
  if (wrong !== undefined) throw fail(`"${wrong}" of "${name}" must be text`);
  const { agent, session, type, channel, at = '', tz = '' } = fields as Partial<Record<string, string>>;
  if (!isTimezone(tz)) throw fail(`"${name}" needs a "tz" such as "Europe/Berlin" or "UTC"`);
  if (!/^\d{4}-\d{2}-\d{2}[T ]/.test(at) || !parseLocalTime(at, new Date(0), tz)) {
    throw fail(`"${name}" needs an "at" with date and time, such as "2026-01-14T10:00"`);
  }
  const sessionType = SESSION_TYPES.find((known) => known === type);
  if (type !== undefined && !sessionType) throw fail(`"type" of "${name}" is none of ${SESSION_TYPES.join(', ')}`);
  return {
    name,
    ...(agent === undefined ? {} : { agent }),
    ...(session === undefined ? {} : { session }),
    ...(sessionType ? { type: sessionType } : {}),
    ...(channel === undefined ? {} : { channel }),
    at,
    tz,
  };
}
