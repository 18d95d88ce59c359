// The flags by which a job is described, the same for adding and for changing one. What they may say is checked by the
// gateway, which knows its agents, its channels and its clock.

import type { Command } from 'commander';
import { BadFlagError } from '../gateway/errors.ts';
import { FlagCombinationError } from './errors.ts';

export interface CronFlags {
  readonly name?: string;
  readonly message?: string;
  readonly at?: string;
  readonly every?: string;
  readonly cron?: string;
  readonly tz?: string;
  readonly session?: string;
  readonly deliver?: string;
  readonly missed?: string;
  readonly removeAfterRun?: boolean;
  readonly json?: boolean;
}

export function addCronFlags(command: Command): Command {
  return command
    .option('--name <name>', 'a short name for people')
    .option('--message <text>', 'what the agent is told')
    .option('--at <time>', 'once: "in 20m", or a time such as "2026-05-06T09:00"')
    .option('--every <span>', 'at a steady pace: "30m", "1h30m", "1d"')
    .option('--cron <fields>', 'five or six cron fields, such as "0 9 * * 1-5"')
    .option('--tz <zone>', 'the time zone of --at and --cron, such as "Europe/Lisbon"')
    .option('--session <own|main>', 'a session of its own, or the main session of the agent')
    .option('--deliver <surface>', 'where answers go: "web:<name>", "cli:<name>" or "none"')
    .option('--missed <catch-up|skip>', 'what becomes of a time that passed while the gateway was down')
    .option('--remove-after-run', 'with --at: remove the job when its time has come')
    .option('--json', 'print JSON for programs');
}

/** The body of a request, with what was named. */
export function cronBodyOf(flags: CronFlags): Record<string, unknown> {
  const { name, message, at, every, cron, tz, deliver, removeAfterRun } = flags;
  const given = Object.entries({ at, every, cron }).filter(([, value]) => value !== undefined);
  if (given.length > 1) {
    const flagNames = given.map(([flag]) => `--${flag}`).join(' and ');
    throw new FlagCombinationError({
      problem: `${flagNames} were given; a job has exactly one of --at, --every and --cron.`,
    });
  }
  if (every !== undefined && tz !== undefined) {
    throw new FlagCombinationError({ problem: '--tz goes with --at and --cron; a steady pace has no time zone.' });
  }
  if (removeAfterRun && (every !== undefined || cron !== undefined)) {
    throw new FlagCombinationError({ problem: '--remove-after-run goes with --at; other jobs have no last time.' });
  }
  const schedule = given.length > 0 || tz !== undefined ? { at, every, cron, tz } : undefined;
  const session = oneOf('--session', flags.session, ['own', 'main']);
  const missed = oneOf('--missed', flags.missed, ['catch-up', 'skip']);
  return { name, message, schedule, session, deliver, missed, removeAfterRun };
}

function oneOf(flag: string, text: string | undefined, choices: readonly string[]): string | undefined {
  if (text === undefined || choices.includes(text)) return text;
  throw new BadFlagError({ flag, value: text, expected: choices.map((choice) => `"${choice}"`).join(' or ') });
}
