// Runs `atrium` command lines in process, against a home of the test's own. Nothing of the machine leaks in: neither
// its variables, nor its clock, nor its time zone.

import type { ExitCode } from '../cli/exit-code.ts';
import { runCli } from '../cli/run-cli.ts';
import { readEnvironment } from '../config/environment.ts';

export interface CommandLineSettings {
  /** The home directory; the state directory is `.openclaw` in it unless the variables say otherwise. */
  readonly home: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Default: the home. */
  readonly cwd?: string;
  /** Default: Wednesday, 10:00 UTC. */
  readonly now?: Date;
  /** A terminal of this width; without one the output goes to a pipe. */
  readonly columns?: number;
}

export interface CommandResult {
  readonly code: ExitCode;
  readonly out: string;
  readonly err: string;
}

export interface CommandLine {
  run(argv: readonly string[]): Promise<CommandResult>;
}

export function commandLine(settings: CommandLineSettings): CommandLine {
  const { home, env = {}, cwd = home, now = new Date('2026-05-06T10:00:00Z'), columns } = settings;
  return {
    async run(argv) {
      let out = '';
      let err = '';
      const code = await runCli(argv, {
        environment: readEnvironment({ HOME: home, TZ: 'UTC', ...env }, () => home, cwd),
        out: (text) => {
          out += text;
        },
        err: (text) => {
          err += text;
        },
        now: () => new Date(now),
        linger: () => {},
        isTerminal: columns !== undefined,
        columns: columns ?? 100,
      });
      return { code, out, err };
    },
  };
}
