// `atrium agent`: one message, one answer, for scripts. It uses the running gateway, or starts one for this message.
// The exit code says whether there was an answer. If the gateway stops meanwhile, the command finds it again or
// finishes the work itself: the message is accepted once, even when it is sent several times.

import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { BadFlagError } from '../../gateway/errors.ts';
import type { Upload } from '../../protocol/attachment.ts';
import type { CliIo } from '../cli-io.ts';
import { command, type FlagsOf } from '../command.ts';
import { CONFIG_OPTION } from '../common-options.ts';
import { FlagCombinationError, GatewayGoneError, GatewayRefusedError } from '../errors.ts';
import { exitCodeOfRun } from '../exit-code.ts';
import { clientAt, path } from '../gateway/gateway-client.ts';
import { type ReachedGateway, reachGateway } from '../gateway/reach-gateway.ts';
import { oneLine, terminalText } from '../output/text.ts';
import { type GivenFile, readGivenFile } from '../read-given-file.ts';
import type { ToldRun } from '../run.ts';
import { RunInterrupt } from './run-interrupt.ts';
import { describeForShell, waitingApprovals } from './waiting-approvals.ts';

const OPTIONS = {
  '--message <text>': { text: 'what to say, instead of the words behind the command', short: 'm' },
  '--file <path>': { text: 'a file or image to send along; may be given several times', isList: true },
  '--agent <id>': 'the agent to talk to (default: the configured default agent)',
  '--session <key>': 'the session to talk in, such as agent:main:main',
  ...CONFIG_OPTION,
  '--json': 'print the whole run as JSON',
} as const;

type AgentFlags = FlagsOf<typeof OPTIONS>;

/** What the command line says; "-" stands for standard input. */
function messageIn({ message, text, file }: AgentFlags & { readonly text: readonly string[] }): string {
  if (message !== undefined && text.length > 0) {
    const problem = `The message was given twice: with --message, and as ${JSON.stringify(text.join(' '))}. Leave out one of them.`;
    throw new FlagCombinationError({ problem });
  }
  if (message === undefined && text.length === 0 && !file?.length) {
    const problem =
      'There is no message. Write it behind the command, such as "atrium agent what is open today", or give it with -m; "-" reads it from standard input.';
    throw new FlagCombinationError({ problem });
  }
  return message ?? text.join(' ');
}

export const agent = command({
  path: 'agent',
  summary: 'send one message to an agent and print its answer',
  args: { '[text...]': 'what to say; "-" reads it from standard input' },
  options: OPTIONS,
  examples: [
    'agent what is open today',
    'agent -m "What is open today?" --session agent:main:main',
    'agent --file report.pdf summarise this',
    'agent - < question.txt',
  ],
  notes: `The words of the message come behind the flags, or behind "--" when a word begins with a dash.
Ctrl-C stops the run and waits for its end; a second one leaves at once.
Exit code: 0 with an answer, 1 when a gate blocked the message, 2 when there was no answer.`,
  async run(flags, { io }) {
    const given = messageIn(flags);
    const text = given === '-' ? await readStandardInput() : given;
    if (text.trim() === '' && !flags.file?.length) {
      if (given === '-') {
        const problem =
          'Standard input was empty, so there is no message. Pipe one in, such as "atrium agent - < question.txt".';
        throw new FlagCombinationError({ problem });
      }
      const expected = 'a message: there is no text in it';
      throw new BadFlagError({ flag: flags.message === undefined ? 'The text' : '--message', value: given, expected });
    }
    const files = await Promise.all((flags.file ?? []).map(readGivenFile));
    const message = { text, id: randomUUID(), agentId: flags.agent, sessionKey: flags.session };
    const interrupt = new RunInterrupt(io);
    const run = await answerOf(io, flags, message, files, interrupt).finally(() => interrupt.release());
    const { reply, suppressed, error = `The run is ${run.status}.` } = run.outcome ?? {};
    const exit = exitCodeOfRun(run.status);
    // An agent may choose not to reply. An empty line would look like an answer that was lost.
    if (reply === '' && !suppressed) return { json: run, warnings: ['atrium: The agent chose not to reply.'], exit };
    if (reply !== undefined && !suppressed) return { json: run, text: `${terminalText(reply)}\n`, exit };
    const why = suppressed
      ? `The answer was not sent: ${suppressed.by} stopped it on ${suppressed.hook} (${suppressed.cancelReason ?? suppressed.reason}).`
      : error;
    return { json: run, warnings: [`atrium: ${oneLine(why)}`], exit };
  },
});

/** So long a gateway may be away or refuse; one that waits for its database takes as long by itself. */
const PATIENCE_MS = 10_000;
const RETRY_MS = 500;

/** Gives the run when it is over. */
async function answerOf(
  io: CliIo,
  flags: AgentFlags,
  message: object,
  files: readonly GivenFile[],
  interrupt: RunInterrupt,
): Promise<ToldRun> {
  /** Since when the message is not accepted, or its answer cannot be waited for. */
  let since: number | undefined;
  for (;;) {
    const beganAt = Date.now();
    let isAccepted = false;
    const reached = await reachGateway(io, flags.config);
    try {
      const client = clientAt(reached);
      const attachments = [];
      for (const { name, data } of files) {
        const { id } = await client.post<Upload>('/api/attachments', { name, data });
        attachments.push({ id });
      }
      const said = attachments.length === 0 ? message : { ...message, attachments };
      const { runId } = await client.post<{ runId: string }>('/api/messages', said);
      isAccepted = true;
      interrupt.accepted(reached, runId);
      return await waitForRun(io, reached, runId);
    } catch (error) {
      if (isAccepted) since = Date.now();
      since ??= beganAt;
      if (!isPassing(error) || Date.now() - since >= PATIENCE_MS) throw error;
    } finally {
      await reached.close();
    }
    await sleep(RETRY_MS);
  }
}

/** The gateway has stopped, or is about to stop. */
function isPassing(error: unknown): boolean {
  return error instanceof GatewayGoneError || (error instanceof GatewayRefusedError && error.httpStatus === 503);
}

/** A question of the run is noticed at the latest after this time. */
const LOOK_EVERY_MS = 2_000;

async function waitForRun(io: CliIo, reached: ReachedGateway, runId: string): Promise<ToldRun> {
  const client = clientAt(reached);
  const told = new Set<string>();
  for (;;) {
    const query = { timeoutMs: LOOK_EVERY_MS };
    const { over, run } = await client.get<{ over: boolean; run: ToldRun | null }>(
      path`/api/runs/${runId}/wait`,
      query,
    );
    if (over && run) return run;
    if (run?.status !== 'suspended' && run?.status !== 'queued') continue;
    for (const each of await waitingApprovals(reached, run.sessionKey)) {
      if (told.has(each.id)) continue;
      told.add(each.id);
      io.err(`atrium: ${oneLine(describeForShell(each))}\n`);
    }
  }
}

/** The gateway takes a million characters, of which each has at most four bytes. */
const LONGEST_INPUT = 4_000_000;

async function readStandardInput(): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of process.stdin) {
    size += (chunk as Buffer).length;
    if (size > LONGEST_INPUT) {
      const expected =
        'a message that can be sent: standard input has more than 1,000,000 characters. Send it as a file';
      throw new BadFlagError({ flag: '--message', value: '-', expected });
    }
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString('utf8').trim();
}
