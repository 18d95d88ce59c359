// `atrium chat`: talks to an agent in the terminal. Answers are streamed, Ctrl-C stops the current answer and leaves
// the chat when there is none, the arrow keys bring back earlier messages. It uses the running gateway; without one it
// runs its own for as long as the chat lasts. In a pipe every line is a message, and only the answers are printed.

import { randomUUID } from 'node:crypto';
import { createInterface } from 'node:readline';
import type { ServerFrame } from '../../channels/server-frame.ts';
import { COMMAND_CATALOG } from '../../commands/catalog.ts';
import { LEAVE_CHAT } from '../../commands/commands-at.ts';
import { parseCommand } from '../../commands/parse-command.ts';
import { isAtriumError } from '../../protocol/errors.ts';
import type { CliIo } from '../cli-io.ts';
import { command, type FlagsOf } from '../command.ts';
import { CONFIG_OPTION } from '../common-options.ts';
import {
  GatewayDownError,
  GatewayFrozenError,
  GatewayGoneError,
  GatewayRefusedError,
  GatewayTokenChangedError,
} from '../errors.ts';
import { EXIT, type ExitCode, exitCodeOfRun } from '../exit-code.ts';
import { clientAt, path } from '../gateway/gateway-client.ts';
import { type ReachedGateway, reachGateway } from '../gateway/reach-gateway.ts';
import { checkAlive } from '../gateway/watch-liveness.ts';
import { type TerminalStyle, terminalStyle } from '../output/terminal-style.ts';
import type { RunAnswer } from '../run.ts';
import { ApprovalQuestions } from './approval-questions.ts';
import { ChatActivity } from './chat-activity.ts';
import { HISTORY_LINES, readChatHistory, saveChatHistory } from './chat-history.ts';
import type { KeyQuestion } from './chat-prompt.ts';
import { ChatSocket } from './chat-socket.ts';
import { ChatTerminal, type ChatTerminalSettings } from './chat-terminal.ts';
import { ChatTurns, type TurnState } from './chat-turns.ts';
import { ChatView } from './chat-view.ts';
import type { LineCompletion } from './complete-line.ts';
import { waitingApprovals } from './waiting-approvals.ts';
import { watchSilence } from './watch-silence.ts';

/** Where messages come from and answers go to. */
interface ChatSurface {
  next(): Promise<string | undefined>;
  write(text: string): void;
  close(): Promise<void>;
  /** Shows lines that will be replaced. */
  preview?(lines: readonly string[]): void;
  /** The most lines that it can replace. */
  readonly height?: number;
  /** Asks what one key answers. */
  ask?(question: KeyQuestion | undefined): void;
  /** Hands in a message as if it had been typed. */
  submit?(text: string): void;
}

const OPTIONS = {
  '--session <key>': 'talk in this session, such as agent:main:main',
  '--agent <id>': 'talk to this agent (default: the configured default agent)',
  ...CONFIG_OPTION,
} as const;

type ChatFlags = FlagsOf<typeof OPTIONS>;

export const chat = command({
  path: 'chat',
  summary: 'talk to an agent in this terminal',
  options: OPTIONS,
  examples: ['chat', 'chat --agent coder', 'chat --session agent:main:main'],
  notes: `Ctrl-C stops the answer that is coming. Without one it leaves, and so do Ctrl-D and /exit. /help lists the commands, and Tab
completes them. A line that ends with a backslash goes on in the next one. When a tool call waits for you, press y, a or n.
Colours: NO_COLOR switches them off, FORCE_COLOR on. TERM=dumb gives plain text.
In a pipe every line is a message: printf 'hello\\n/status\\n' | atrium chat
Exit code: 0 when everything was answered, 1 when a gate blocked a message, 2 when one got no answer.`,
  json: false,
  run: (flags, { io }) => talk(flags, io),
});

async function talk(flags: ChatFlags, io: CliIo): Promise<ExitCode> {
  const isInteractive = io.isTerminal && process.stdin.isTTY === true;
  let surface: ChatSurface | undefined;
  const write = (text: string) => (surface ? surface.write(text) : io.out(text));
  const warnings: CliIo = { ...io, err: isInteractive ? write : io.err };
  const style = terminalStyle({ isTerminal: isInteractive, variables: io.environment.variables });
  const reached = await reachGateway(warnings, flags.config);
  const activity = new ChatActivity(() => io.now().getTime());
  const markdown = style.isLive ? await loadMarkdown(style) : undefined;
  const view: ChatView = new ChatView({
    write,
    complain: (sentence) =>
      isInteractive ? write(`${style.paint(`  ! ${sentence}`, 'red')}\n`) : io.err(`atrium: ${sentence}\n`),
    isPlain: !io.isTerminal,
    isWaiting: () => turns.isWaiting,
    style,
    ...(markdown && {
      printer: new markdown.BlockDraft({
        frame: markdown.frame,
        write,
        preview: (lines) => surface?.preview?.(lines),
        height: () => surface?.height ?? 1,
      }),
      format: markdown.format,
    }),
  });
  const turns: ChatTurns = new ChatTurns({
    look: (runId) => lookAt(reached, runId),
    shown: () => view.last,
    leavesHeld: isInteractive,
  });
  const socket = new ChatSocket({
    find: async () => {
      const found = await reached.find();
      await checkAlive(found);
      return found;
    },
    hello: { session: flags.session, agent: flags.agent },
    after: () => view.last,
  });
  let failure: Error | undefined;
  let endWatch = () => {};
  const questions = new ApprovalQuestions({
    ask: (question) => surface?.ask?.(question),
    answer: (text) => surface?.submit?.(text),
  });
  const commands = new Set<string>();
  const say = (text: string) => {
    const id = randomUUID();
    if (!turns.isWaiting) activity.begin();
    if (isAnsweredAtOnce(text)) commands.add(id);
    return turns.until(socket.say(id, text));
  };
  const sendAtOnce = (text: string) => {
    if (!isAnsweredAtOnce(text)) return false;
    view.echo(text);
    void say(text);
    return true;
  };
  socket.onFrame((frame) => {
    activity.see(frame);
    view.show(frame);
    if (frame.type === 'accepted') view.claim(frame.runId, commands.delete(frame.id));
    if (isInteractive) questions.see(frame);
    turns.see(frame);
  });
  try {
    await socket.open();
    const held: string[] = [];
    const interrupt = interrupts(socket, turns, () => surface?.close());
    if (isInteractive) {
      io.out(greeting(socket.ready, flags, reached.url));
      const waiting = await waitingApprovals(reached, socket.ready.sessionKey);
      for (const each of waiting) view.noteApproval(each);
      surface = await terminalSurface(
        io,
        reached,
        { interrupt, sendAtOnce, style, activity: () => activity.line(turns.isWaiting) },
        { waitingIds: () => questions.ids, sessionKey: () => socket.ready.sessionKey },
      );
      for (const each of waiting) questions.add(each);
      held.push(...new Set(waiting.map(({ runId }) => runId)));
      questions.repeat();
    } else surface = pipedSurface(io);
    socket.onBroken((isBroken) => {
      activity.isCutOff = isBroken;
      view.note(isBroken ? 'the connection to the gateway is broken; trying again' : 'connected again');
    });
    const leave = (error: Error) => {
      failure = error;
      if (socket.hasUnanswered) view.complain('What you said last was not accepted.');
      turns.giveUp();
      void surface?.close();
    };
    socket.onLost(leave);
    endWatch = watchSilence({
      find: reached.find,
      isWaiting: () => turns.isWaiting,
      // A person decides how long to wait. A program gets its answer or an error.
      changed: (error) => {
        if (!isInteractive) return error && leave(error);
        if (error) view.complain(error.message);
        else view.note('the gateway answers again');
      },
    });
    const code = await converse(surface, say, held, async (runId) => {
      const status = await turns.answered(runId);
      if (!isGoingOn(status)) view.endTurn(runId);
      return status;
    });
    if (failure) throw isOwnReason(failure) ? failure : new GatewayGoneError({ detail: detailOf(failure) });
    // A person has read the error already.
    return isInteractive ? EXIT.ok : code;
  } finally {
    endWatch();
    await surface?.close();
    await socket.close();
    await reached.close();
  }
}

/**
 * One message at a time: the next one is asked for when the answer is there, or waits for a person. The runs that wait
 * are `held`; when one of them goes on after a message, which may be the answer that it waits for, the chat waits for it.
 */
async function converse(
  surface: ChatSurface,
  say: (text: string) => Promise<{ readonly runId: string } | undefined>,
  held: string[],
  answered: (runId: string) => Promise<string | undefined>,
): Promise<ExitCode> {
  let worst: ExitCode = EXIT.ok;
  for (;;) {
    const text = await surface.next();
    if (text === undefined || isLeaving(text)) return worst;
    if (text.trim() === '') continue;
    const accepted = await say(text);
    const status = accepted && (await answered(accepted.runId));
    worst = Math.max(worst, exitCodeOfRun(status)) as ExitCode;
    if (accepted && isGoingOn(status)) held.push(accepted.runId);
    while (held[0] !== undefined && !isGoingOn(await answered(held[0]))) held.shift();
  }
}

/** The chat understands these itself: they are not sent. */
const LEAVING = [LEAVE_CHAT.name, ...(LEAVE_CHAT.aliases ?? [])].map((name) => `/${name}`);

/** A person who writes more words behind it means to leave, too. */
function isLeaving(text: string): boolean {
  return LEAVING.includes(text.trim().split(/\s/, 1)[0]?.toLowerCase() ?? '');
}

const OWN_COMMANDS = LEAVING.map((each) => ({ name: each.slice(1), aliases: [], arguments: null }));

/** What shows Markdown; only a terminal needs it. */
async function loadMarkdown(style: TerminalStyle) {
  const [{ lexer }, { renderMarkdown }, { BlockDraft }] = await Promise.all([
    import('marked'),
    import('../output/render-markdown.ts'),
    import('./block-draft.ts'),
  ]);
  // The last column stays free, because terminals differ in what they do behind it.
  const frame = () => ({ lexer, style, width: (process.stdout.columns || 80) - 1 });
  return { BlockDraft, frame, format: (text: string) => renderMarkdown(text, frame()) };
}

/** The first Ctrl-C stops an answer. When there is none, or the stop had no effect, it leaves. */
function interrupts(socket: ChatSocket, turns: ChatTurns, leave: () => void): () => void {
  let hasStopped = false;
  socket.onFrame((frame) => {
    if (frame.type === 'run-end') hasStopped = false;
  });
  return () => {
    if (!turns.isWaiting || hasStopped || !socket.isConnected) {
      turns.giveUp();
      leave();
      return;
    }
    hasStopped = true;
    socket.send({ type: 'stop' });
  };
}

/** Commands of plugins wait for their turn, so the catalog knows every command that does not. */
function isAnsweredAtOnce(text: string): boolean {
  const parsed = parseCommand(text, 'person', () => COMMAND_CATALOG);
  return parsed.kind === 'command' && parsed.command.when === 'at-once';
}

async function terminalSurface(
  io: CliIo,
  reached: ReachedGateway,
  given: Pick<ChatTerminalSettings, 'interrupt' | 'sendAtOnce' | 'style' | 'activity'>,
  asked: Pick<LineCompletion, 'waitingIds' | 'sessionKey'>,
): Promise<ChatSurface> {
  const { stateDir } = io.environment;
  const terminal = new ChatTerminal({
    input: process.stdin,
    output: process.stdout,
    history: await readChatHistory(stateDir),
    historySize: HISTORY_LINES,
    ...given,
    complete: async (line) => {
      const { completeLine } = await import('./complete-line.ts');
      return completeLine(line, { ...asked, gateway: reached, environment: io.environment, own: OWN_COMMANDS });
    },
  });
  let closing: Promise<void> | undefined;
  return {
    next: () => terminal.next(),
    write: (text) => terminal.write(text),
    preview: (lines) => terminal.preview(lines),
    ask: (question) => terminal.ask(question),
    submit: (text) => terminal.submit(text),
    get height() {
      return terminal.height;
    },
    close: () => {
      closing ??= (async () => {
        terminal.close();
        io.out('\n');
        await saveChatHistory(stateDir, terminal.history);
      })();
      return closing;
    },
  };
}

function pipedSurface(io: CliIo): ChatSurface {
  const lines = createInterface({ input: process.stdin, terminal: false });
  const iterator = lines[Symbol.asyncIterator]();
  return {
    next: async () => {
      const { done, value } = await iterator.next();
      return done ? undefined : value;
    },
    write: io.out,
    close: async () => lines.close(),
  };
}

async function lookAt(reached: ReachedGateway, runId: string): Promise<TurnState | undefined> {
  try {
    const { run, deliveries } = await clientAt(await reached.find()).get<RunAnswer>(path`/api/runs/${runId}`);
    const { status, sessionKey } = run;
    const parts = deliveries.flatMap((part) => (part.status === 'queued' || part.status === 'sent' ? [part.seq] : []));
    const isQueued = status === 'queued' || status === 'suspended';
    const isHeld = isQueued && (await waitingApprovals(reached, sessionKey)).length > 0;
    return { isOver: !isGoingOn(status), status, lastPart: Math.max(0, ...parts), isHeld };
  } catch (error) {
    // The gateway has another store now, which does not know the run.
    if (error instanceof GatewayRefusedError && error.httpStatus === 404)
      return { isOver: true, status: '', lastPart: 0 };
    if (isAtriumError(error)) return undefined;
    throw error;
  }
}

function isGoingOn(status: string | undefined): boolean {
  return status === 'queued' || status === 'running' || status === 'suspended';
}

function greeting(ready: Extract<ServerFrame, { type: 'ready' }>, flags: ChatFlags, url: string): string {
  const whom = flags.session ?? flags.agent ?? ready.sessionKey ?? 'the default agent';
  return `Talking to ${whom} at ${url}.\n/help for help, /exit or Ctrl-D to leave.\n`;
}

/** These errors say themselves what is wrong with the gateway. */
function isOwnReason(error: Error): boolean {
  return [GatewayRefusedError, GatewayFrozenError, GatewayTokenChangedError].some((each) => error instanceof each);
}

function detailOf(error: Error): string {
  return error instanceof GatewayGoneError || error instanceof GatewayDownError ? error.detail : error.message;
}
