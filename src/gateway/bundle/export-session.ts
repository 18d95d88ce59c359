// Writes everything that is known about a session into a bundle: what was said, how each run went, the requests to the
// model with their authors, the reports, the calls of hooks, the tools, the system prompts, usage and approvals. It only
// reads the store and the trajectory, and works with a gateway or without one. What a gate blocked is in neither.
//
// Errors: rejects with UnknownSessionError and BundleNotWrittenError; then no bundle is left behind.

import { readFile } from 'node:fs/promises';
import { FRAME_CALL, type RequestFrame } from '../../agent/request-frame.ts';
import type { JsonValue } from '../../protocol/json.ts';
import { sha256Of } from '../../protocol/sha256-of.ts';
import { readCapture } from '../../recorder/capture.ts';
import { BUILT_IN_REDACTOR, type Redactor } from '../../recorder/redactor.ts';
import { fileNameOf, trajectoryFileOf } from '../../recorder/trajectory.ts';
import { expandPrompts } from '../../recorder/trajectory-prompts.ts';
import { UnknownSessionError } from '../../sessions/errors.ts';
import type { Store } from '../../store/store.ts';
import type { RunRow, SessionRow } from '../../store/tables.ts';
import { VERSIONS } from '../describe-installation.ts';
import { readRequestMeasure } from '../services/read-request-spans.ts';
import { readHookRecords, readRun } from '../services/read-run.ts';
import { sumUsage } from '../services/usage.ts';
import type { BundledRun } from './bundle-format.ts';
import { BundleWriter } from './bundle-writer.ts';

export interface ExportParts {
  readonly store: Store;
  readonly trajectoryDir: string;
  readonly now: () => number;
  /** The name of this node, where several share the store. */
  readonly node?: string | undefined;
  /** Hides secrets; by default those that Atrium knows. */
  readonly redactor?: Redactor | undefined;
}

export interface ExportRequest {
  readonly sessionKey: string;
  /** The folder in which the bundle is made. */
  readonly parent: string;
  readonly isRedacted: boolean;
}

export interface ExportedBundle {
  readonly dir: string;
  readonly runs: number;
  readonly isRedacted: boolean;
  readonly missing: readonly string[];
}

export async function exportSession(parts: ExportParts, request: ExportRequest): Promise<ExportedBundle> {
  const { store, now } = parts;
  const { sessionKey, parent, isRedacted } = request;
  const sessions = await store.select('sessions', { where: { sessionKey }, orderBy: [['startedAt', 'asc']] });
  if (sessions.length === 0) throw new UnknownSessionError({ session: sessionKey });
  const createdAt = new Date(now()).toISOString();
  const writer = await BundleWriter.create(parent, bundleName(sessionKey, createdAt));
  try {
    const work = new SessionExport(parts, writer, isRedacted);
    const runs = await work.write(sessionKey, sessions);
    const dir = await writer.finish({
      createdAt,
      sessionKey,
      sessionIds: sessions.map(({ sessionId }) => sessionId),
      isRedacted,
      versions: VERSIONS,
      runs,
      missing: work.missing,
    });
    return { dir, runs: runs.length, isRedacted, missing: work.missing };
  } catch (error) {
    await writer.abandon();
    throw error;
  }
}

function bundleName(sessionKey: string, createdAt: string): string {
  const time = createdAt.replace(/[-:]/g, '').replace('T', '-').slice(0, 15);
  return `trajectory-${fileNameOf(sessionKey)}-${time}`;
}

class SessionExport {
  readonly missing: string[] = [];
  readonly #parts: ExportParts;
  readonly #writer: BundleWriter;
  readonly #isRedacted: boolean;
  readonly #redactor: Redactor;
  /** The sessions that have a trajectory, with the runs that it tells about. */
  readonly #toldRuns = new Map<string, ReadonlySet<string>>();

  constructor(parts: ExportParts, writer: BundleWriter, isRedacted: boolean) {
    this.#parts = parts;
    this.#writer = writer;
    this.#isRedacted = isRedacted;
    this.#redactor = parts.redactor ?? BUILT_IN_REDACTOR;
  }

  async write(sessionKey: string, sessions: readonly SessionRow[]): Promise<readonly BundledRun[]> {
    const { store } = this.#parts;
    await this.#writer.add('README.md', README);
    await this.#lines('sessions.jsonl', sessions);
    for (const { sessionId } of sessions) await this.#session(sessionId);
    await this.#lines('usage.jsonl', await store.select('usage', { where: { sessionKey }, orderBy: [['seq', 'asc']] }));
    const approvals = await store.select('approvals', { where: { sessionKey }, orderBy: [['seq', 'asc']] });
    await this.#lines('approvals.jsonl', approvals);
    const children = await store.select('children', { where: { parentKey: sessionKey }, orderBy: [['seq', 'asc']] });
    await this.#lines('children.jsonl', children);
    const rows = await store.select('runs', { where: { sessionKey }, orderBy: [['startedAt', 'asc']] });
    const runs: BundledRun[] = [];
    for (const row of rows) runs.push(await this.#run(row));
    return runs;
  }

  async #session(sessionId: string): Promise<void> {
    const { store, trajectoryDir } = this.#parts;
    const name = fileNameOf(sessionId);
    const transcript = await store.select('transcript', { where: { sessionId }, orderBy: [['position', 'asc']] });
    await this.#lines(`transcript/${name}.jsonl`, transcript);
    // Secrets were removed from a trajectory when it was written. A line that is being written now is left out.
    const text = await readFile(trajectoryFileOf(trajectoryDir, sessionId), 'utf8').catch(() => undefined);
    if (text === undefined)
      this.missing.push(
        `Session ${sessionId} has no trajectory${this.#parts.node === undefined ? '' : ' at this node'}.`,
      );
    else {
      const whole = expandPrompts(text.slice(0, text.lastIndexOf('\n') + 1));
      this.#toldRuns.set(sessionId, new Set([...whole.matchAll(RUN_OF_LINE)].map(([, runId = '']) => runId)));
      await this.#writer.add(`trajectory/${name}.jsonl`, this.#redactor.text(whole));
    }
  }

  async #run({ runId, sessionId, status, startedAt, endedAt, outcome, node }: RunRow): Promise<BundledRun> {
    const { store } = this.#parts;
    const dir = `runs/${fileNameOf(runId)}`;
    const answer = await readRun(store, runId);
    const { total, totalWithSubagents } = await sumUsage(store, { by: 'model', timezone: 'UTC', runId });
    const hooks = await readHookRecords(store, runId);
    await this.#json(`${dir}/run.json`, { ...answer, spent: { total, totalWithSubagents }, hooks });
    await this.#frame(dir, runId);
    const calls = await store.select('captures', { where: { runId }, orderBy: [['call', 'asc']] });
    for (const { call } of calls) if (call !== FRAME_CALL) await this.#request(dir, runId, call);
    // A command asks no model, so there is neither a request to keep nor a trajectory.
    const hasAsked = (outcome?.modelCalls ?? 0) > 0;
    if (calls.length === 0 && hasAsked) this.missing.push(`Run ${runId}: its requests are not kept any more.`);
    // It was switched off or had reached its limit then, or somebody removed the file.
    const told = sessionId === null ? undefined : this.#toldRuns.get(sessionId);
    const elsewhere = this.#elsewhere(node);
    if (hasAsked && elsewhere !== undefined && !told?.has(runId))
      this.missing.push(
        `Run ${runId} was on the node "${elsewhere}", and its trajectory is there. Export the session at that node too.`,
      );
    else if (told && hasAsked && !told.has(runId))
      this.missing.push(`Run ${runId}: the trajectory tells nothing about it.`);
    return { runId, dir, status, startedAt, endedAt };
  }

  /** The name of the node that had the run, when it is another one. */
  #elsewhere(memberId: string | null): string | undefined {
    const { node } = this.#parts;
    const name = memberId?.slice(0, memberId.lastIndexOf('#'));
    return node === undefined || name === undefined || name === node ? undefined : name;
  }

  /** What was composed for the run: the report, the system prompt and the tools. */
  async #frame(dir: string, runId: string): Promise<void> {
    const { store } = this.#parts;
    const frame = await readCapture(store, runId, FRAME_CALL);
    if (frame?.body === undefined) {
      if (frame) this.missing.push(`Run ${runId}: its report is not kept whole any more.`);
      return;
    }
    const { system, tools, spans, report } = JSON.parse(frame.body) as RequestFrame;
    const request = await readRequestMeasure(store, runId);
    await this.#json(`${dir}/report.json`, { ...report, requestSpans: spans, request });
    await this.#json(`${dir}/tools.json`, tools);
    const prompt = system.map(({ text }) => text).join('\n\n');
    await this.#writer.add(`${dir}/system-prompt.md`, this.#isRedacted ? this.#redactor.text(prompt) : prompt);
  }

  async #request(dir: string, runId: string, call: number): Promise<void> {
    const capture = await readCapture(this.#parts.store, runId, call);
    if (capture?.body === undefined) {
      this.missing.push(`Run ${runId}: request ${call} is not kept whole any more.`);
      return;
    }
    const { body, missing: _, ...facts } = capture;
    const name = `${dir}/requests/${call < FRAME_CALL ? `summary-${FRAME_CALL - call}` : call}`;
    const sha256 = sha256Of(body);
    await this.#json(`${name}.facts.json`, { ...facts, sha256 });
    await this.#writer.add(`${name}.json`, this.#isRedacted ? redactBody(body, this.#redactor) : body);
  }

  #json(name: string, value: unknown): Promise<void> {
    return this.#writer.addJson(name, this.#clean(value));
  }

  #lines(name: string, rows: readonly unknown[]): Promise<void> {
    return this.#writer.addLines(
      name,
      rows.map((row) => this.#clean(row)),
    );
  }

  #clean(value: unknown): JsonValue {
    const plain = JSON.parse(JSON.stringify(value)) as JsonValue;
    return this.#isRedacted ? this.#redactor.value(plain) : plain;
  }
}

/** The field stands before the words of a record, so the first one of a line is meant. */
const RUN_OF_LINE = /^\{"traceSchema"[^\n]*?"runId":"([^"\n]+)"/gm;

/** A body in which nothing is removed stays as it was sent, byte for byte. */
function redactBody(body: string, redactor: Redactor): string {
  try {
    const value = JSON.parse(body) as JsonValue;
    const redacted = JSON.stringify(redactor.value(value));
    return redacted === JSON.stringify(value) ? body : redacted;
  } catch {
    return redactor.text(body);
  }
}

const README = `# A session, as Atrium recorded it

Read it with \`atrium trajectory open FOLDER\`, on any machine and without a gateway.

| file | holds |
| --- | --- |
| \`manifest.json\` | what this is, from which versions, every file with its size and SHA-256 |
| \`sessions.jsonl\`, \`transcript/\` | the sessions of the key, and what was said in each |
| \`trajectory/\` | how each run went, in the form of OpenClaw's trajectories |
| \`runs/RUN/run.json\` | outcome, usage, requests, deliveries and the calls of hooks |
| \`runs/RUN/report.json\`, \`system-prompt.md\`, \`tools.json\` | what was composed, and why |
| \`runs/RUN/requests/N.json\`, \`N.facts.json\` | the body of a request, and where it was sent, by whom each piece was written, and the SHA-256 of the body as it was sent |
| \`usage.jsonl\`, \`approvals.jsonl\`, \`children.jsonl\` | what it cost, what a person decided, what was handed to subagents |
`;
