// `process`: looks after the commands of a session that go on in the background, and reads what a command printed.

import { open } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { JsonObject } from '../../protocol/json.ts';
import { clip } from '../../protocol/one-line.ts';
import type { ProcessRow } from '../../store/tables.ts';
import { ToolInputError, UnknownProcessError } from '../errors.ts';
import { formatRows } from '../format-rows.ts';
import type { SessionSight } from '../session-tools.ts';
import type { Tool, ToolContext, ToolOutput } from '../tool.ts';
import type { BackgroundProcesses } from './background-processes.ts';
import { readableOutput, wholeCharacters, withoutLastLineEnds } from './readable-output.ts';

export interface ProcessToolOptions {
  readonly processes: BackgroundProcesses;
  readonly now: () => number;
  /** Whose processes the asking session sees: its own, or those of its whole agent. */
  readonly sight: Pick<SessionSight, 'scopeOf'>;
}

const ACTIONS = ['list', 'poll', 'log', 'kill'] as const;

interface ProcessParams {
  readonly action: (typeof ACTIONS)[number];
  readonly id?: string;
  readonly offset?: number;
  readonly limit?: number;
  readonly waitSeconds?: number;
}

const MOST_LISTED = 50;
const MOST_BYTES = 40_000;
const DEFAULT_BYTES = 20_000;
const LONGEST_WAIT_SECONDS = 30;
const LOOK_EVERY_MS = 100;
const SHOWN_COMMAND_CHARS = 200;

export function createProcessTool(options: ProcessToolOptions): Tool {
  return {
    name: 'process',
    description:
      'Look after commands that exec started in the background: list them, poll one for new output, read its log, or kill it. log also reads the whole output of a command whose result was cut.',
    parameters: {
      type: 'object',
      properties: {
        action: { type: 'string', enum: [...ACTIONS] },
        id: { type: 'string', minLength: 1, maxLength: 100, description: 'Which one; not for list.' },
        offset: {
          type: 'integer',
          minimum: 0,
          description: 'For poll and log: read from this byte on, which the last answer named. 0 by default.',
        },
        limit: {
          type: 'integer',
          minimum: 1,
          maximum: MOST_BYTES,
          description: `For poll and log: at most so many bytes; ${DEFAULT_BYTES} by default.`,
        },
        waitSeconds: {
          type: 'integer',
          minimum: 0,
          maximum: LONGEST_WAIT_SECONDS,
          description: 'For poll: wait so long for new output or the end. 0 by default.',
        },
      },
      required: ['action'],
      additionalProperties: false,
    },
    idempotent: true,
    async run(params, context) {
      const asked = params as unknown as ProcessParams;
      if (asked.action === 'list') return list(options, context);
      if (asked.id === undefined)
        throw new ToolInputError({ tool: 'process', problems: [`id is required for ${asked.action}.`] });
      const row = await find(options, context, asked.id);
      const elsewhere = options.processes.elsewhere(row);
      if (asked.action === 'kill') {
        const killed = await options.processes.kill(row);
        return killed.status === 'running' && elsewhere !== undefined
          ? sayEndedElsewhere(killed, elsewhere)
          : outcomeOf(killed);
      }
      if (elsewhere !== undefined && (await sizeOf(row)) === 0) return sayElsewhere(row, elsewhere);
      if (asked.action === 'log') return read(row, asked);
      return poll(options, context, row, asked);
    },
  };
}

/** Runs of a session may be on different nodes, and the output of a command is a file of the node that started it. */
function sayElsewhere(row: ProcessRow, node: string): ToolOutput {
  return {
    content: `[${stateOf(row)} It was started on the node "${node}", and its output is there: ${row.outputFile}. It cannot be read here.]`,
    details: { ...factsOf(row), node },
  };
}

function sayEndedElsewhere(row: ProcessRow, node: string): ToolOutput {
  return {
    content: `${row.id}: It runs on the node "${node}", which was asked to end it. Look again with poll.`,
    details: { ...factsOf(row), node },
  };
}

async function find(options: ProcessToolOptions, context: ToolContext, id: string): Promise<ProcessRow> {
  const row = await options.processes.find(id, options.sight.scopeOf(context));
  if (!row) throw new UnknownProcessError({ processId: id });
  return row;
}

async function list(options: ProcessToolOptions, context: ToolContext): Promise<ToolOutput> {
  const rows = await options.processes.list(options.sight.scopeOf(context), MOST_LISTED);
  const shown = rows.map(({ command, ...row }) => ({
    ...factsOf(row),
    seconds: Math.round(((row.endedAt ?? options.now()) - row.startedAt) / 1_000),
    cwd: row.cwd,
    command: clip(command, SHOWN_COMMAND_CHARS),
  }));
  return { content: formatRows({ count: rows.length }, 'processes', shown), details: { count: rows.length } };
}

/** Waits for the first of: something new, the end, the time that was given. */
async function poll(
  options: ProcessToolOptions,
  context: ToolContext,
  row: ProcessRow,
  asked: ProcessParams,
): Promise<ToolOutput> {
  const { offset = 0, waitSeconds = 0 } = asked;
  let latest = row;
  for (let left = waitSeconds * 1_000; left > 0 && latest.status === 'running'; left -= LOOK_EVERY_MS) {
    if ((await sizeOf(latest)) > offset) break;
    await sleep(LOOK_EVERY_MS, undefined, { signal: context.signal });
    latest = await find(options, context, row.id);
  }
  return read(latest, asked);
}

async function read(row: ProcessRow, { offset = 0, limit = DEFAULT_BYTES }: ProcessParams): Promise<ToolOutput> {
  const { text, next, size } = await readPart(row, offset, limit);
  const where =
    next < size
      ? `These are bytes ${offset} to ${next} of ${size}; read on with offset ${next}.`
      : `Nothing more so far; next offset ${next}.`;
  return {
    content: `${text === '' ? '[No new output.]' : withoutLastLineEnds(text)}\n\n[${stateOf(row)} ${where}]`,
    details: { ...factsOf(row), offset, nextOffset: next, bytes: size },
  };
}

interface OutputPart {
  readonly text: string;
  readonly next: number;
  readonly size: number;
}

/** Never ends inside of a character, unless nothing else is left of one that has no end. */
async function readPart({ outputFile, status }: ProcessRow, offset: number, limit: number): Promise<OutputPart> {
  const handle = await open(outputFile, 'r').catch(() => undefined);
  if (!handle) return { text: '', next: offset, size: offset };
  try {
    const { size } = await handle.stat();
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(limit), 0, limit, offset);
    const bytes = buffer.subarray(0, bytesRead);
    const isAtEnd = status !== 'running' && offset + bytesRead >= size;
    const whole = isAtEnd ? bytesRead : wholeCharacters(bytes) || bytesRead;
    return { text: readableOutput(bytes.subarray(0, whole)), next: offset + whole, size };
  } finally {
    await handle.close();
  }
}

async function sizeOf({ outputFile }: ProcessRow): Promise<number> {
  const handle = await open(outputFile, 'r').catch(() => undefined);
  if (!handle) return 0;
  try {
    return (await handle.stat()).size;
  } finally {
    await handle.close();
  }
}

function outcomeOf(row: ProcessRow): ToolOutput {
  return { content: `${row.id}: ${stateOf(row)}`, details: factsOf(row) };
}

function factsOf({ id, status, exitCode, signal }: Omit<ProcessRow, 'command'>): JsonObject {
  return { id, status, exitCode, signal };
}

function stateOf({ status, exitCode, signal }: ProcessRow): string {
  const how = exitCode !== null ? ` with exit code ${exitCode}` : signal !== null ? ` by ${signal}` : '';
  switch (status) {
    case 'running':
      return 'Running.';
    case 'ended':
      return `Ended${how}.`;
    case 'killed':
      return `Killed${signal === null ? '' : ` by ${signal}`}.`;
    case 'lost':
      return 'Lost: the gateway stopped while it ran, and it is not there any more; how it ended is not known.';
  }
}
