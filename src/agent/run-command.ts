// A command that a plugin brings, such as `/dice 2d6`. It takes its turn in the lane like a message, and the plugin's
// handler answers in the agent's place. That it begins is written down first: a handler that was cut short is not called
// again, and the person is told so. Neither the command nor its answer is told to a model, now or later, unless the
// handler lets the message go on to the agent.

import { newId } from '../protocol/new-id.ts';
import type { NewRow, Write } from '../store/store.ts';
import { answerOf } from './end-finished.ts';
import { stepsOf } from './journal.ts';
import type { Turn } from './open-turn.ts';
import type { RunAnswer } from './run-answer.ts';
import type { RunParts } from './run-parts.ts';

export interface CommandPort {
  /** Undefined when what was typed is no command of a plugin. */
  find(typed: TypedCommand): FoundCommand | undefined;
}

export type TypedCommand = Pick<Turn, 'agentId' | 'sessionKey' | 'inbound'> & { readonly sessionId: string };

export interface FoundCommand {
  readonly name: string;
  /** The plugin. */
  readonly owner: string;
  /** A sentence for whoever may not use it. */
  readonly refusal?: string | undefined;
  /** What people are told when the handler fails: why, as far as they may know. */
  describeFailure(error: unknown): string;
  run(): Promise<CommandAnswer | undefined>;
}

export interface CommandAnswer {
  readonly text?: string | undefined;
  readonly continueAgent?: boolean | undefined;
}

/** Undefined when the agent shall answer: it is no command, or its handler lets the message go on. */
export async function runCommand(parts: RunParts, turn: Turn): Promise<RunAnswer | undefined> {
  const steps = stepsOf(turn.journal);
  const started = steps.find((step) => step.kind === 'command-start');
  if (started) {
    const isOver = steps.some((step) => step.kind === 'command-end');
    return isOver ? undefined : answer(interrupted(started.name));
  }
  // An attempt before this one took it for a message, and so it stays one.
  if (steps.length > 0 || !isTyped(turn)) return undefined;
  const { agentId, sessionKey, inbound, ledger } = turn;
  const command = parts.commands?.find({ agentId, sessionKey, inbound, sessionId: turn.session.sessionId });
  if (!command) return undefined;
  if (command.refusal !== undefined) return answer(command.refusal);

  const { name, owner } = command;
  await ledger.commit('tool-start', [ledger.step('command-start', { name, owner })]);
  const given = await call(parts, turn, command);
  if (!given.continueAgent) return answer(given.text ?? '');
  const rows = await saidBefore(parts, turn, given.text ?? '');
  await ledger.commit('tool-result', [
    ledger.step('command-end', {}),
    ...rows.map((row): Write => ({ insert: 'outbox', row })),
  ]);
  parts.delivery.wake();
  return undefined;
}

/** What the handler wants said comes before the agent's answer, as a message of its own. */
async function saidBefore(parts: RunParts, turn: Turn, text: string): Promise<readonly NewRow<'outbox'>[]> {
  if (text.trim() === '') return [];
  return parts.delivery.plan({ ...answerOf(turn, text), runId: newId('note', parts.now()) });
}

/** Only what a person or a client wrote can be a command, and only from its first word. */
function isTyped({ kind, inbound, text }: Turn): boolean {
  return (kind === 'message' || kind === 'api') && !inbound.fromAgent && text === inbound.text;
}

async function call(parts: RunParts, turn: Turn, command: FoundCommand): Promise<CommandAnswer> {
  try {
    return (await untilAborted(turn.signal, command.run())) ?? {};
  } catch (error) {
    turn.signal.throwIfAborted();
    parts.warn(`The command /${command.name} of the plugin "${command.owner}" failed: ${(error as Error)?.message}`);
    return { text: command.describeFailure(error) };
  }
}

/** A handler that does not look at any signal must not keep a stopped run going. */
function untilAborted<Value>(signal: AbortSignal, work: Promise<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) return abort();
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

function answer(reply: string): RunAnswer {
  return { kind: 'answer', reply };
}

function interrupted(name: string): string {
  return `The command /${name} was interrupted because the gateway stopped while it ran. It was not run again, and whether it took effect is unknown. Look before you repeat it.`;
}
