// `atrium start`: runs the gateway until it is told to stop. SIGTERM and Ctrl-C finish what is running within a budget; a
// second one stops at once. Neither loses anything: what was not finished is taken up by the next start. SIGUSR1 stops in
// the same way and starts again, with the configuration as it is then; while that one cannot be used, it goes on instead.

import { existsSync } from 'node:fs';
import { debugLogSettingsOf } from '../../config/debug-logs.ts';
import type { Environment } from '../../config/environment.ts';
import { loadConfig } from '../../config/load-config.ts';
import { isModelConfigured } from '../../config/model-choice.ts';
import { resolveUserPath } from '../../config/user-path.ts';
import { BadFlagError } from '../../gateway/errors.ts';
import type { StopReason } from '../../gateway/gateway-part.ts';
import { hasOpenClawState } from '../../gateway/import/has-openclaw-state.ts';
import { loadStartableConfig } from '../../gateway/settings/load-startable-config.ts';
import { describeForOperator } from '../../protocol/errors.ts';
import { OWN_MODULES } from '../../public/own-modules.ts';
import type { CliIo } from '../cli-io.ts';
import { command, type FlagsOf } from '../command.ts';
import { CONFIG_OPTION } from '../common-options.ts';
import { formatBanner } from './format-banner.ts';
import { gatewayLog } from './gateway-log.ts';
import { StopSignals } from './stop-signals.ts';
import { warnOfRunningOpenClaw } from './warn-of-running-openclaw.ts';
import { type EndWatch, watchEnd } from './watch-end.ts';

const OPTIONS = {
  '--port <number>': {
    text: 'the port to listen on (default: OPENCLAW_GATEWAY_PORT, else gateway.port, else 18790)',
    parse: portOf,
  },
  '--bind <where>': 'loopback, lan or an address (default: gateway.bind, else loopback)',
  ...CONFIG_OPTION,
  '--raw-stream': 'log what models write, piece by piece (the same as OPENCLAW_RAW_STREAM=1)',
  '--raw-stream-path <file>': 'where that log is written (default: <state>/logs/raw-stream.jsonl)',
} as const;

export const start = command({
  path: 'start',
  summary: 'run the gateway: agents answer on the web page, in terminals and over the API',
  options: OPTIONS,
  examples: ['start', 'start --port 8080', 'start --bind lan    other machines can connect, with the token'],
  notes: 'Stop it with Ctrl-C: running work is finished first. A second Ctrl-C stops at once; nothing is lost.',
  json: false,
  async run(flags, { io }) {
    let end: EndWatch | undefined;
    const exit = () => {
      end?.release();
      process.exit(1);
    };
    const signals = new StopSignals({ say: io.err, exit });
    const onWatch = (watch: EndWatch) => {
      end = watch;
    };
    try {
      while ((await runUntilStopped(flags, io, signals, onWatch)) === 'restart') io.err('Starting again.\n');
    } finally {
      signals.release();
    }
    return {};
  },
});

async function runUntilStopped(
  flags: FlagsOf<typeof OPTIONS>,
  io: CliIo,
  signals: StopSignals,
  onWatch: (watch: EndWatch) => void,
): Promise<StopReason> {
  const environment = withRawStream(io.environment, flags);
  const configPath =
    flags.config === undefined ? undefined : resolveUserPath(flags.config, environment.home, environment.cwd);
  const loaded = await loadConfig({ environment, configPath, runsCommands: true });
  // Every command loads this file, but only few need the gateway.
  const [{ startGateway }, { createLog }, { createRedactor }] = await Promise.all([
    import('../../gateway/start-gateway.ts'),
    import('../../gateway/parts/create-log.ts'),
    import('../../gateway/parts/create-redactor.ts'),
  ]);
  const { config } = loaded;
  const show = gatewayLog(io.err, io.now, config.logging?.consoleStyle);
  const redactor = await createRedactor(environment, loaded);
  const log = createLog({ environment, config, show, redact: redactor.text, now: () => io.now().getTime() });
  for (const { message } of loaded.warnings) log.warn(message);
  if (flags.rawStreamPath !== undefined && !debugLogSettingsOf(environment, config).rawStream.isOn)
    log.warn(
      '--raw-stream-path names a file, and the raw stream is off. Add --raw-stream to switch it on, or use "atrium debug on raw-stream" for a while.',
    );
  const end = watchEnd(log);
  onWatch(end);
  try {
    const started = await startGateway({
      environment,
      loaded,
      configPath,
      warn: log.warn,
      log: log.info,
      factLog: log.facts,
      redactor,
      port: flags.port,
      bind: flags.bind,
      modules: OWN_MODULES,
    });
    const canRestart = () =>
      loadStartableConfig({ environment, configPath }).then(
        () => true,
        (error) => {
          log.warn(
            `The gateway goes on and does not start again: its configuration cannot be used. ${describeForOperator(error)}`,
          );
          return false;
        },
      );
    const stop = (reason: StopReason) => started.stop(undefined, reason);
    const told = loaded.warnings.map(({ message }) => message);
    const hasState = () => hasOpenClawState({ dir: environment.stateDir, environment, config: loaded.config });
    const isConfigured = (agentId: string) => isModelConfigured(loaded.config, agentId);
    io.out(await formatBanner({ ...started, told, isModelConfigured: isConfigured, hasOpenClawState: hasState }));
    // A signal that came meanwhile was kept. The banner reads the store, which a gateway that stops closes.
    const stopped = signals.untilStopped({ stop, canRestart });
    let isOver = false;
    void warnOfRunningOpenClaw({ config, environment }, (sentence) => isOver || log.warn(sentence));
    return await stopped.finally(() => {
      isOver = true;
    });
  } catch (error) {
    // A home that was never used is left as it is.
    if (existsSync(environment.stateDir)) log.file.fatal(`The gateway ends: ${describeForOperator(error)}`);
    throw error;
  } finally {
    end.release();
    log.close();
  }
}

/** The flags mean the same as the variables, and win over them. A path alone switches nothing on, as with the variable. */
function withRawStream(environment: Environment, flags: FlagsOf<typeof OPTIONS>): Environment {
  const { rawStream, rawStreamPath } = flags;
  if (!rawStream && rawStreamPath === undefined) return environment;
  const variables = {
    ...environment.variables,
    ...(rawStream && { OPENCLAW_RAW_STREAM: '1' }),
    ...(rawStreamPath !== undefined && { OPENCLAW_RAW_STREAM_PATH: rawStreamPath }),
  };
  return { ...environment, variables };
}

function portOf(text: string): number {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port > 65_535)
    throw new BadFlagError({ flag: '--port', value: text, expected: 'a number from 0 to 65535' });
  return port;
}
