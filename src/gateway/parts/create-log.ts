// Builds the log of a gateway: what the operator's terminal shows, and the log file. Every sentence goes to both, without
// the secrets in it; facts of the product's life go to the file only, unless the terminal shall show details.

import type { Environment } from '../../config/environment.ts';
import { logSettingsOf } from '../../config/log-settings.ts';
import type { Config } from '../../config/schema.ts';
import { isAtLeast, type Log, type LogFields, type LogLevel, type Say } from '../../protocol/log.ts';
import { redactText } from '../../recorder/redact.ts';
import { LogFile } from '../../telemetry/log-file.ts';

/** Shows one line to the operator. */
export type ShowLine = (level: LogLevel, sentence: string, about?: LogFields) => void;

export interface LogOptions {
  readonly environment: Pick<Environment, 'stateDir' | 'home' | 'cwd'>;
  readonly config: Pick<Config, 'logging'>;
  readonly show: ShowLine;
  readonly now: () => number;
  /** Hides secrets in a text; by default those that Atrium knows. */
  readonly redact?: ((text: string) => string) | undefined;
}

export interface GatewayLog extends Log {
  /** Gets the lines about facts of the product's life. */
  readonly facts: Log;
  /** Writes only to the file, for errors that the terminal shows in another way. */
  readonly file: Log;
  close(): void;
}

export function createLog({ environment, config, show, now, redact = redactText }: LogOptions): GatewayLog {
  const settings = logSettingsOf(environment, config);
  const shown = (level: LogLevel): Say => {
    const isShown = isAtLeast(level, settings.consoleLevel);
    return (sentence, about) => isShown && show(level, redact(sentence), about);
  };
  const file = new LogFile({ ...settings, now, redact, warn: shown('warn') });
  const both = (level: keyof Log, terminal: Say): Say => {
    const write = file[level];
    return (sentence, about) => {
      terminal(sentence, about);
      write(sentence, about);
    };
  };
  const logOf = (terminal: (level: keyof Log) => Say): Log => ({
    debug: both('debug', terminal('debug')),
    info: both('info', terminal('info')),
    warn: both('warn', terminal('warn')),
    error: both('error', terminal('error')),
    fatal: both('fatal', terminal('fatal')),
  });
  const showsDetails = isAtLeast('debug', settings.consoleLevel);
  return {
    ...logOf(shown),
    facts: showsDetails ? logOf(shown) : file,
    file,
    close: () => file.close(),
  };
}
