// `atrium logs`: shows the log file of the gateway, its last lines or what is written from now on. It needs no gateway.

import { readConfig } from '../config/load-config.ts';
import { logSettingsOf } from '../config/log-settings.ts';
import { BadFlagError } from '../gateway/errors.ts';
import { isAtriumError } from '../protocol/errors.ts';
import { LOG_FIELDS, LOG_LEVELS } from '../protocol/log.ts';
import { followLog, type LogFilter, type ReadLine, readLog } from '../telemetry/read-log.ts';
import type { CliIo } from './cli-io.ts';
import { command } from './command.ts';
import { CONFIG_OPTION } from './common-options.ts';
import { GatewayRefusedError } from './errors.ts';
import { lazyClient, openReadingClient, path } from './gateway/gateway-client.ts';
import { LEVEL_WORDS } from './gateway/gateway-log.ts';
import { line, visibleLine } from './output/text.ts';
import { suggestId } from './suggest-id.ts';

const DEFAULT_LINES = '50';
const MOST_LINES = 100_000;

export const logs = command({
  path: 'logs',
  summary: "show the gateway's log file: what happened, to which run and session",
  options: {
    '--lines <number>': { text: 'how many of the last lines', default: DEFAULT_LINES, parse: parseLines },
    '--follow': 'go on with what is written from now on, until Ctrl-C',
    '--level <level>': { text: 'lines of this level and above', choices: LOG_LEVELS },
    '--session <key>': 'lines about this session',
    '--run <id>': 'lines about this run',
    '--json': 'print the lines as they stand in the file, one JSON object a line',
    ...CONFIG_OPTION,
  },
  examples: ['logs', 'logs --follow --level warn', 'logs --run run_01… --lines 500'],
  notes: `The file is <state>/logs/atrium.log unless logging.file says otherwise; it holds what logging.level keeps.
Exit code: 0 when there is a log, 1 when there is none yet, 2 when it could not be read or there is no such session or run.`,
  async run({ lines, follow, level, session, run, json, config }, { io }) {
    const filter: LogFilter = { level, sessionKey: session, runId: run };
    const file = await findFile(config, io);
    const show = (each: ReadLine) => io.out(json ? `${each.text}\n` : formatLine(each));
    const past = await readLog(file, lines, filter);
    for (const each of past) show(each);
    if (follow) {
      // It may be a session that begins later, so it is waited for all the same.
      if (past.length === 0)
        await checkNamed(session, run, io).catch((error: Error) =>
          io.err(line(`${error.message} Waiting for its lines.`)),
        );
      for await (const each of followLog(file, filter, untilInterrupted())) show(each);
      return {};
    }
    if (past.length > 0) return {};
    const isThere = (await readLog(file, 1, {})).length > 0;
    if (isThere) {
      await checkNamed(session, run, io);
      return { warnings: ['No line matches.'] };
    }
    return { warnings: [`There is no log yet: ${file}. "atrium start" writes it.`], ok: false };
  },
});

/** A typing mistake must not look like a quiet log. Where no store can be asked, it is not known which sessions and runs there are. */
async function checkNamed(session: string | undefined, run: string | undefined, io: CliIo): Promise<void> {
  const client = lazyClient(() => openReadingClient(io));
  try {
    if (session !== undefined) await client.get(path`/api/sessions/${session}`);
    if (run !== undefined) await client.get(path`/api/runs/${run}`);
  } catch (error) {
    const given = [session, run].filter((each) => each !== undefined);
    if (error instanceof GatewayRefusedError) throw await suggestId(error, given, client);
    if (!isAtriumError(error)) throw error;
  } finally {
    await client.close();
  }
}

/** A configuration that cannot be read is itself a reason to look into the log. */
async function findFile(configPath: string | undefined, { environment }: CliIo): Promise<string> {
  try {
    return logSettingsOf(environment, await readConfig({ environment, configPath })).file;
  } catch (error) {
    if (!isAtriumError(error) || configPath !== undefined) throw error;
    return logSettingsOf(environment).file;
  }
}

function formatLine({ line }: ReadLine): string {
  const ids = LOG_FIELDS.flatMap((name) => (line[name] === undefined ? [] : [`${name}=${line[name]}`]));
  const [first = '', ...rest] = line.msg.split(/\r?\n/).map((each) => visibleLine(each).trimEnd());
  const about = ids.length === 0 ? '' : ` [${visibleLine(ids.join(' '))}]`;
  const head = `${visibleLine(line.time)} ${LEVEL_WORDS[line.level]}: ${first}${about}`;
  return [head, ...rest.filter((each) => each !== '').map((each) => `    ${each.trim()}`), ''].join('\n');
}

function parseLines(text: string): number {
  const lines = Number(text);
  if (/^\d{1,6}$/.test(text) && lines >= 1 && lines <= MOST_LINES) return lines;
  throw new BadFlagError({ flag: '--lines', value: text, expected: `a number from 1 to ${MOST_LINES}` });
}

function untilInterrupted(): AbortSignal {
  const ended = new AbortController();
  process.once('SIGINT', () => ended.abort());
  process.once('SIGTERM', () => ended.abort());
  return ended.signal;
}
