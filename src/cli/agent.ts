// `atrium agent`: one message, one answer, for scripts. Goes through the running gateway, or runs one of its own for this
// message. The exit code says whether there was an answer.

import { randomUUID } from 'node:crypto';
import { GatewayRefusedError } from '../protocol/errors.ts';
import { isJsonObject, type JsonObject } from '../protocol/json.ts';
import type { CliIo } from './cli-io.ts';
import type { AddCommand } from './commands.ts';
import { EXIT, type ExitCode } from './exit-code.ts';
import { oneLine } from './format-table.ts';
import { type ReachedGateway, reachGateway } from './reach-gateway.ts';
import { terminalText } from './terminal-text.ts';

interface AgentFlags {
  readonly message: string;
  readonly agent?: string;
  readonly session?: string;
  readonly config?: string;
  readonly json?: boolean;
}

export const addAgent: AddCommand = (program, io, exit) => {
  program
    .command('agent')
    .description('send one message to an agent and print its answer')
    .requiredOption('--message <text>', 'what to say; "-" reads it from standard input')
    .option('--agent <id>', 'the agent to talk to (default: the configured default agent)')
    .option('--session <key>', 'the session to talk in, such as agent:main:main')
    .option('--config <file>', 'read this configuration file only')
    .option('--json', 'print the whole run as JSON')
    .action(async (flags: AgentFlags) => exit(await askAgent(flags, io)));
};

async function askAgent(flags: AgentFlags, io: CliIo): Promise<ExitCode> {
  const text = flags.message === '-' ? await readStandardInput() : flags.message;
  const reached = await reachGateway(io, flags.config);
  try {
    const { runId } = await call(reached, 'POST', '/api/messages', {
      text,
      id: randomUUID(),
      ...(flags.agent === undefined ? {} : { agent: flags.agent }),
      ...(flags.session === undefined ? {} : { sessionKey: flags.session }),
    });
    const run = await waitForRun(reached, String(runId));
    if (flags.json) io.out(`${JSON.stringify(run, null, 2)}\n`);
    const outcome = isJsonObject(run.outcome ?? null) ? (run.outcome as JsonObject) : {};
    if (run.status === 'done' || run.status === 'blocked') {
      if (!flags.json) io.out(`${terminalText(String(outcome.reply ?? ''))}\n`);
      return run.status === 'done' ? EXIT.ok : EXIT.finding;
    }
    if (!flags.json) io.err(`atrium: ${oneLine(String(outcome.error ?? `the run is ${run.status}`))}\n`);
    return EXIT.failure;
  } finally {
    await reached.close();
  }
}

async function waitForRun(reached: ReachedGateway, runId: string): Promise<JsonObject> {
  for (;;) {
    const answer = await call(reached, 'GET', `/api/runs/${encodeURIComponent(runId)}/wait`);
    if (answer.over === true && isJsonObject(answer.run ?? null)) return answer.run as JsonObject;
  }
}

async function call(
  { url, token }: ReachedGateway,
  method: string,
  path: string,
  body?: JsonObject,
): Promise<JsonObject> {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, ...(body ? { 'content-type': 'application/json' } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const answer: unknown = await response.json().catch(() => ({}));
  const fields = isJsonObject(answer) ? answer : {};
  if (!response.ok) {
    const error = isJsonObject(fields.error ?? null) ? (fields.error as JsonObject) : {};
    throw new GatewayRefusedError(
      response.status,
      String(error.code ?? ''),
      String(error.message ?? response.statusText),
    );
  }
  return fields;
}

async function readStandardInput(): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8').trim();
}
