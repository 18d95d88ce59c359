// What the trajectory of a session has about one run, as far as a timeline shows it. The lines are small, so that another node may
// be told them.
// Errors: none. A trajectory that is not there, or that cannot be read, has no lines.

import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { isJsonObject, type JsonObject, type JsonValue } from '../../protocol/json.ts';
import { trajectoryFileOf } from '../../recorder/trajectory.ts';

export interface TraceLine {
  readonly type: string;
  readonly at: number;
  readonly data: JsonObject;
}

export interface AskedTrace {
  readonly runId: string;
  readonly sessionId: string;
}

/** A run that goes on for ever must not fill the memory. */
const MOST_LINES = 5_000;
const LONGEST_ERROR = 500;

export async function readTrace(
  trajectoryDir: string,
  { runId, sessionId }: AskedTrace,
): Promise<readonly TraceLine[]> {
  const lines: TraceLine[] = [];
  try {
    const input = createReadStream(trajectoryFileOf(trajectoryDir, sessionId), 'utf8');
    for await (const line of createInterface({ input, crlfDelay: Infinity })) {
      // Most lines are of other runs, and need not be parsed.
      if (!line.includes(runId)) continue;
      const shown = parseLine(line, runId);
      if (shown && lines.length < MOST_LINES) lines.push(shown);
    }
  } catch {
    return [];
  }
  return lines;
}

/** Undefined for a line of another run, for one that no timeline shows, and for one that was cut short by a crash. */
function parseLine(line: string, wanted: string): TraceLine | undefined {
  try {
    const record = JSON.parse(line) as JsonValue;
    if (!isJsonObject(record) || typeof record.type !== 'string' || record.runId !== wanted) return undefined;
    const { type, ts, data } = record;
    const shown = SHOWN[type];
    return shown && { type, at: Date.parse(String(ts)), data: shown(isJsonObject(data) ? data : {}) };
  } catch {
    return undefined;
  }
}

/** What a timeline shows of each kind of record. */
const SHOWN: Readonly<Record<string, (data: JsonObject) => JsonObject>> = {
  'session.started': () => ({}),
  'context.compiled': ({ prompt, files, cuts, absences }) => ({
    chars: isJsonObject(prompt) ? Number(prompt.chars ?? 0) : 0,
    files: lengthOf(files),
    cuts: lengthOf(cuts),
    absences: lengthOf(absences),
  }),
  'model.completed': ({ error, ...data }) => ({
    ...picked(data, ['call', 'ms', 'stop', 'usage', 'firstByteMs']),
    ...(typeof error === 'string' && { error: error.slice(0, LONGEST_ERROR) }),
  }),
  'tool.ended': (data) => picked(data, ['toolCallId', 'ms']),
  'delivery.ended': (data) => picked(data, ['part']),
};

function lengthOf(value: JsonValue | undefined): number {
  return Array.isArray(value) ? value.length : 0;
}

function picked(data: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(data).filter(([name]) => names.includes(name)));
}
