// `atrium agent`: one message, one answer, for scripts. Goes through the running gateway, or runs one of its own for this
// message. The exit code says whether there was an answer. A gateway that goes away in between is found again, or its
// work is finished here: the message is accepted once, however often it is sent.

import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { BadFlagError } from '../../gateway/errors.ts';
import { isJsonObject, type JsonObject } from '../../protocol/json.ts';
import type { CliIo } from '../cli-io.ts';
import { command, type FlagsOf } from '../command.ts';
import { CONFIG_OPTION } from '../common-options.ts';
import { GatewayGoneError, GatewayRefusedError } from '../errors.ts';
import { exitCodeOfRun } from '../exit-code.ts';
import { callGateway } from '../gateway/call-gateway.ts';
import { path } from '../gateway/gateway-client.ts';
import { type ReachedGateway, reachGateway } from '../gateway/reach-gateway.ts';
import { oneLine, terminalText } from '../output/text.ts';
import { describeWaiting, waitingApprovals } from './waiting-approvals.ts';

const OPTIONS = {
  '--message <text>': { text: 'what to say; "-" reads it from standard input', isRequired: true },
  '--agent <id>': 'the agent to talk to (default: the configured default agent)',
  '--session <key>': 'the session to talk in, such as agent:main:main',
  ...CONFIG_OPTION,
  '--json': 'print the whole run as JSON',
} as const;

type AgentFlags = FlagsOf<typeof OPTIONS>;

export const agent = command({
  path: 'agent',
  summary: 'send one message to an agent and print its answer',
  options: OPTIONS,
  notes: `Exit code 0 with an answer, 1 when a gate blocked the message, 2 when there was no answer.
Example: git diff | atrium agent --message -`,
  async run(flags, { io }) {
    const text = flags.message === '-' ? await readStandardInput() : flags.message;
    if (text.trim() === '') {
      const expected = 'a message: there is no text in it';
      throw new BadFlagError({ flag: '--message', value: flags.message, expected });
    }
    const message = { text, id: randomUUID(), agentId: flags.agent, sessionKey: flags.session };
    const run = await answerOf(io, flags, message);
    const status = String(run.status);
    const outcome = isJsonObject(run.outcome ?? null) ? (run.outcome as JsonObject) : {};
    const exit = exitCodeOfRun(status);
    const { reply, suppressed } = outcome;
    if (isJsonObject(suppressed ?? null)) {
      return { json: run, warnings: [`atrium: ${describeSuppressed(suppressed as JsonObject)}`], exit };
    }
    if (reply !== undefined) return { json: run, text: `${terminalText(String(reply))}\n`, exit };
    return { json: run, warnings: [`atrium: ${oneLine(String(outcome.error ?? `The run is ${status}.`))}`], exit };
  },
});

function describeSuppressed({ hook, by, reason }: JsonObject): string {
  return oneLine(`The answer was not sent: ${by} stopped it on ${hook} (${reason}).`);
}

const RETRIES = 20;
const RETRY_MS = 500;

/** The run, when it is over. */
async function answerOf(io: CliIo, flags: AgentFlags, message: object): Promise<JsonObject> {
  let failure: unknown;
  for (let tries = 0; tries <= RETRIES; tries++) {
    const reached = await reachGateway(io, flags.config);
    try {
      const { runId } = await callGateway(reached, 'POST', '/api/messages', message);
      return await waitForRun(io, reached, String(runId));
    } catch (error) {
      if (!isPassing(error)) throw error;
      failure = error;
    } finally {
      await reached.close();
    }
    await sleep(RETRY_MS);
  }
  throw failure;
}

/** The gateway went away, or is about to. */
function isPassing(error: unknown): boolean {
  return error instanceof GatewayGoneError || (error instanceof GatewayRefusedError && error.httpStatus === 503);
}

/** How long a question of the run may go unnoticed. */
const LOOK_EVERY_MS = 2_000;

async function waitForRun(io: CliIo, reached: ReachedGateway, runId: string): Promise<JsonObject> {
  const wait = path`/api/runs/${runId}/wait?timeoutMs=${String(LOOK_EVERY_MS)}`;
  const told = new Set<string>();
  for (;;) {
    const { over, run } = await callGateway(reached, 'GET', wait);
    if (!isJsonObject(run ?? null)) continue;
    const { status, sessionKey } = run as JsonObject;
    if (over === true) return run as JsonObject;
    if (status !== 'suspended' && status !== 'queued') continue;
    for (const each of await waitingApprovals(reached, String(sessionKey))) {
      if (told.has(each.id)) continue;
      told.add(each.id);
      io.err(`atrium: ${oneLine(describeWaiting(each))}. Answer it with "atrium approvals answer".\n`);
    }
  }
}

async function readStandardInput(): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8').trim();
}
