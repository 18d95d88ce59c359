// Runs `atrium` command lines in process, on the test's own home. Nothing of the machine is used: neither its
// variables, nor its clock, nor its time zone.

import type { ExitCode } from '../cli/exit-code.ts';
import { runCli } from '../cli/run-cli.ts';
import { readEnvironment } from '../config/environment.ts';

export interface CommandLineSettings {
  /** The home directory. The state directory is `.openclaw` in it unless the variables say otherwise. */
  readonly home: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** The default is the home. */
  readonly cwd?: string;
  /** The default is a Wednesday, 10:00 UTC. */
  readonly now?: Date;
  /** The width of the terminal. Without it the output goes to a pipe. */
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
