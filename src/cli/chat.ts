// `atrium chat`: talks to an agent in the terminal. Answers stream in, Ctrl-C stops the answer that is coming and leaves
// when there is none, the arrow keys bring back what was said before. Goes through the running gateway; without one it
// runs its own for as long as the chat lasts.

import { randomUUID } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { GatewayGoneError } from '../protocol/errors.ts';
import { ChatSocket } from './chat-socket.ts';
import { ChatTurns } from './chat-turns.ts';
import { ChatView } from './chat-view.ts';
import type { CliIo } from './cli-io.ts';
import type { AddCommand } from './commands.ts';
import { reachGateway } from './reach-gateway.ts';

interface ChatFlags {
  readonly session?: string;
  readonly agent?: string;
  readonly config?: string;
}

const HISTORY_LINES = 500;

export const addChat: AddCommand = (program, io) => {
  program
    .command('chat')
    .description('talk to an agent in this terminal')
    .option('--session <key>', 'talk in this session, such as agent:main:main')
    .option('--agent <id>', 'talk to this agent (default: the configured default agent)')
    .option('--config <file>', 'read this configuration file only')
    .addHelpText(
      'after',
      '\nCtrl-C stops the answer that is coming; with none it leaves, and so does Ctrl-D. /help lists what can be said besides.',
    )
    .action((flags: ChatFlags) => chat(flags, io));
};

async function chat(flags: ChatFlags, io: CliIo): Promise<void> {
  const reached = await reachGateway(io, flags.config);
  const view = new ChatView(io.out, { isPlain: !io.isTerminal, after: 0 });
  const socket = new ChatSocket({
    url: reached.url,
    token: reached.token,
    hello: { session: flags.session, agent: flags.agent },
    after: () => view.last,
  });
  try {
    await socket.open();
    if (io.isTerminal)
      io.out(
        `Talking to ${socket.ready.sessionKey ?? flags.agent ?? 'the default agent'} at ${reached.url}. /help for help, Ctrl-D to leave.\n`,
      );
    await converse(io, socket, view);
  } finally {
    await socket.close();
    await reached.close();
  }
}

/** One message at a time: the prompt comes back when the answer is there. */
async function converse(io: CliIo, socket: ChatSocket, view: ChatView): Promise<void> {
  const historyFile = join(io.environment.stateDir, 'atrium', 'chat-history');
  const lines = createInterface({
    input: process.stdin,
    output: io.isTerminal ? process.stdout : undefined,
    terminal: io.isTerminal,
    history: io.isTerminal ? await readHistory(historyFile) : [],
    historySize: HISTORY_LINES,
    prompt: '> ',
  } as Parameters<typeof createInterface>[0]);
  const turns = new ChatTurns();
  let failure: Error | undefined;
  socket.onFrame((frame) => {
    view.show(frame);
    turns.see(frame);
  });
  socket.onLost((error) => {
    failure = error;
    turns.giveUp();
    lines.close();
  });
  lines.on('SIGINT', () => {
    if (turns.isWaiting) socket.send({ type: 'stop' });
    else lines.close();
  });
  const say = async (text: string) => {
    const accepted = await turns.until(socket.say(randomUUID(), text));
    if (accepted) await turns.answered(accepted.runId);
  };

  prompt(lines, io);
  for await (const line of lines) {
    if (line.trim() !== '') await say(line);
    prompt(lines, io);
  }
  if (io.isTerminal) {
    io.out('\n');
    await saveHistory(historyFile, (lines as Interface & { history?: string[] }).history ?? []);
  }
  if (failure) throw new GatewayGoneError(failure.message);
}

function prompt(lines: Interface, io: CliIo): void {
  if (io.isTerminal) lines.prompt();
}

async function readHistory(file: string): Promise<string[]> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .slice(0, HISTORY_LINES);
}

/** What somebody said is theirs: the file is private, and not being able to write it is no reason to fail. */
async function saveHistory(file: string, history: readonly string[]): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 }).catch(() => {});
  await writeFile(file, `${history.slice(0, HISTORY_LINES).join('\n')}\n`, { mode: 0o600 }).catch(() => {});
}
