// Runs: how they went, what the model was sent, and where the answer went.

import { callOfSummary, FRAME_CALL, type RequestFrame } from '../../../agent/request-frame.ts';
import { AttachmentUnknownError } from '../../../attachments/errors.ts';
import { fillImages } from '../../../models/wire-images.ts';
import { timeLimit } from '../../../protocol/time-limit.ts';
import { STEP_KINDS } from '../../../protocol/timeline-step.ts';
import { readCapture } from '../../../recorder/capture.ts';
import { UnknownCaptureError, UnknownReportError } from '../../errors.ts';
import { readRequestMeasure, readRequestSpans } from '../../services/read-request-spans.ts';
import { readHookRecords, readRun, shownRun } from '../../services/read-run.ts';
import { findRun, isOver } from '../../services/runs.ts';
import { type Route, route, type Zod } from '../route.ts';
import {
  agentId,
  at,
  cursor,
  id,
  limit,
  next,
  nothing,
  pageOf,
  report,
  requestMeasure,
  sessionKey,
  span,
  surface,
  wholeNumber,
} from './pieces.ts';

const run = (z: Zod) =>
  z.object({
    runId: id(z),
    sessionKey: sessionKey(z),
    agentId: agentId(z),
    sessionId: id(z).nullable(),
    status: z.enum(['queued', 'running', 'suspended', 'done', 'failed', 'stopped', 'blocked']),
    claim: wholeNumber(z),
    startedAt: at(z),
    endedAt: at(z).nullable(),
    outcome: z.record(z.string(), z.unknown()).nullable().describe('Reply or error, model, usage.'),
    observed: z.boolean().describe('Whether the plugins that observe the end of runs were told of it.'),
    node: z
      .string()
      .nullable()
      .describe('The member of the cluster that has or had the run; null where the store is a file.'),
  });
const asked = (z: Zod) => ({ at: at(z), provider: z.string(), model: z.string(), size: wholeNumber(z) });

export const RUN_ROUTES: readonly Route[] = [
  route({
    method: 'get',
    path: '/api/runs',
    summary: 'Runs, the latest first.',
    access: 'token',
    query: (z) =>
      z.strictObject({
        limit: limit(z),
        before: cursor(z, 'run').optional().describe('A run id: only runs that began before it.'),
        session: sessionKey(z).optional(),
      }),
    answer: (z) => z.object({ runs: z.array(run(z)), next: next(z) }),
    handle: async ({ services, query }) => {
      const rows = await services.store.select('runs', {
        where: {
          ...(query.session !== undefined && { sessionKey: query.session }),
          ...(query.before !== undefined && { runId: { lt: query.before } }),
        },
        orderBy: [['runId', 'desc']],
        limit: query.limit + 1,
      });
      const { page, ...rest } = pageOf(rows, query.limit, ({ runId }) => runId);
      return { runs: page.map(shownRun), ...rest };
    },
  }),
  route({
    method: 'get',
    path: '/api/runs/{run}',
    summary: 'One run: outcome, usage, model calls, deliveries.',
    access: 'token',
    answer: (z) =>
      z.object({
        run: run(z),
        calls: z.array(z.object({ call: wholeNumber(z), ...asked(z) })),
        summaries: z
          .array(z.object({ summary: wholeNumber(z), ...asked(z) }))
          .describe('Requests for a summary of the conversation.'),
        deliveries: z.array(
          z.object({
            seq: wholeNumber(z),
            part: wholeNumber(z),
            surface: surface(z),
            status: z.string(),
            attempts: wholeNumber(z),
            receipt: z.unknown(),
            error: z.string().nullable(),
          }),
        ),
      }),
    handle: ({ services: { store }, params: { run: runId } }) => readRun(store, runId),
  }),
  route({
    method: 'get',
    path: '/api/runs/{run}/wait',
    summary: 'The same when the run is over; `over: false` when the time is.',
    access: 'token',
    query: (z) => z.strictObject({ timeoutMs: z.coerce.number().int().min(0).max(600_000).default(30_000) }),
    answer: (z) => z.object({ over: z.boolean(), run: run(z) }),
    handle: async ({ services: { store, runs }, params: { run: runId }, query: { timeoutMs }, signal }) => {
      const found = await findRun(store, runId);
      if (isOver(found)) return { over: true, run: shownRun(found) };
      const patience = timeLimit(timeoutMs, () => new Error(`Waited ${timeoutMs} ms.`), signal);
      try {
        return { over: true, run: shownRun(await runs.wait(runId, patience.signal)) };
      } catch (error) {
        if (!patience.signal.aborted) throw error;
        return { over: false, run: shownRun(await findRun(store, runId)) };
      } finally {
        patience.clear();
      }
    },
  }),
  route({
    method: 'post',
    path: '/api/runs/{run}/stop',
    summary: 'Stops a run.',
    access: 'token',
    body: nothing,
    answer: (z) => z.object({ runId: id(z), stopped: z.boolean() }),
    handle: async ({ services: { store, runs }, params: { run: runId } }) => {
      await findRun(store, runId);
      return { runId, stopped: await runs.stop(runId, 'an API client asked for it') };
    },
  }),
  route({
    method: 'post',
    path: '/api/runs/{run}/replay',
    summary: 'Asks another model what it would have answered in a recorded run.',
    detail:
      'Really calls the model, and counts what it costs in the usage and under the limits on spending. Tool calls are answered from ' +
      'the record or refused. `without`, `files` and `config` change the request as `atrium run replay` does.',
    access: 'token',
    bodyLimit: 16 * 1_048_576,
    body: (z) =>
      z.strictObject({
        model: z.string().min(1).max(200),
        without: z.array(z.string().max(1_000)).max(100).default([]),
        files: z.record(z.string().max(1_000), z.string()).default({}).describe('New texts by the name of a file.'),
        config: z
          .string()
          .max(4_096)
          .optional()
          .describe('The path of a configuration file on the machine of the gateway.'),
      }),
    answer: (z) =>
      z.object({
        provider: z.string(),
        model: z.string(),
        text: z.string(),
        toolCalls: z.array(
          z.object({ name: z.string(), params: z.unknown(), answered: z.enum(['record', 'refused']) }),
        ),
        usage: z.record(z.string(), z.number()),
        cost: z.number().optional().describe('Missing where no price is known.'),
        error: z.string().optional(),
      }),
    handle: async ({ services: { store, replays }, params: { run: runId }, body: { files, ...asked }, signal }) => {
      await findRun(store, runId);
      return replays.ask({ ...asked, runId, files: new Map(Object.entries(files)) }, signal);
    },
  }),
  route({
    method: 'get',
    path: '/api/runs/{run}/report',
    summary: 'What was composed for a run, and why: layers, files, cuts, handlers, absences.',
    detail:
      '`requestSpans` names the author of every piece of the first request; `request` has the sizes of the last one: ' +
      'system, tools, history, message and steps, and the room that is left.',
    access: 'token',
    answer: (z) => report(z).extend({ request: requestMeasure(z).optional() }),
    handle: async ({ services: { store }, params: { run: runId } }) => {
      const frame = await readCapture(store, runId, FRAME_CALL);
      if (frame?.body === undefined) {
        await findRun(store, runId);
        throw new UnknownReportError({ runId });
      }
      const { report: told, spans } = JSON.parse(frame.body) as RequestFrame;
      return { ...told, requestSpans: spans, request: await readRequestMeasure(store, runId) };
    },
  }),
  route({
    method: 'get',
    path: '/api/runs/{run}/requests/{call}',
    patterns: { call: '[0-9]{1,6}|last|summary-[0-9]{1,6}' },
    summary: 'A request to the model, byte for byte; "last", its number, or "summary-1".',
    detail: 'Images are named by their hashes, unless `images=inline` asks for the whole body as it was sent.',
    query: (z) => z.strictObject({ images: z.enum(['named', 'inline']).default('named') }),
    access: 'token',
    answer: (z) => z.unknown().describe('The body of the request, byte for byte as it was sent.'),
    handle: async ({ services: { store, attachments }, params: { run: runId, call }, query: { images } }) => {
      const [, summary] = /^summary-(\d+)$/.exec(call) ?? [];
      const number = summary ? callOfSummary(Number(summary)) : call === 'last' ? undefined : Number(call);
      const capture = await readCapture(store, runId, number);
      if (capture?.body === undefined || capture.call === FRAME_CALL) {
        await findRun(store, runId);
        throw new UnknownCaptureError({ runId, call });
      }
      const wire = { body: capture.body, images: capture.images };
      const whole = images === 'inline' ? await fillImages(wire, attachments.source) : wire;
      if ('gone' in whole) throw new AttachmentUnknownError({ hash: whole.gone });
      return new Response(whole.body, {
        headers: {
          'content-type': 'application/json; charset=utf-8',
          'x-atrium-request-url': encodeURI(capture.url),
          'x-atrium-call': nameOfCall(capture.call),
        },
      });
    },
  }),
  route({
    method: 'get',
    path: '/api/runs/{run}/spans/{call}',
    patterns: { call: '[0-9]{1,6}|last' },
    summary: 'Who wrote each piece of a request, with its words; "last" or its number.',
    access: 'token',
    answer: (z) => z.object({ runId: id(z), call: wholeNumber(z), spans: z.array(span(z)) }),
    handle: async ({ services: { store }, params: { run: runId, call } }) => {
      const answer = await readRequestSpans(store, runId, call === 'last' ? undefined : Number(call));
      if (answer) return answer;
      await findRun(store, runId);
      throw new UnknownCaptureError({ runId, call });
    },
  }),
  route({
    method: 'get',
    path: '/api/runs/{run}/timeline',
    summary:
      'What happened in a run, in order: inbox, composition, handlers, model calls, tools, approvals, subagents, delivery.',
    detail:
      'Some times are known only while the trajectory of the session is kept. Of several nodes, each is asked for what it has recorded.',
    access: 'token',
    answer: (z) =>
      z.object({
        steps: z.array(
          z.object({
            kind: z.enum(STEP_KINDS),
            label: z.string(),
            detail: z.string(),
            at: at(z),
            ms: z.number().nullable().describe('Null while it goes on, and when its end is not known.'),
            isFault: z.boolean(),
            firstByteMs: z.number().optional().describe('Until the model began to answer.'),
            call: wholeNumber(z).optional().describe('The number of the model call.'),
            changed: z.array(z.string()).optional().describe('What a handler decided.'),
            diff: z.unknown().describe('From and to which values.'),
            sessionKey: sessionKey(z).optional().describe('The session of a subagent.'),
          }),
        ),
        missing: z.array(z.string()).describe('One sentence for each node whose trajectory could not be asked.'),
      }),
    handle: ({ services, params: { run: runId } }) => services.records.timeline(runId),
  }),
  route({
    method: 'get',
    path: '/api/runs/{run}/hooks',
    summary: 'Every hook handler that was called.',
    access: 'token',
    answer: (z) =>
      z.object({
        records: z.array(
          z.object({
            seq: wholeNumber(z),
            hook: z.string(),
            handler: z.string(),
            owner: z.string(),
            at: at(z),
            ms: z.number(),
            outcome: z.string(),
            error: z.string().nullable(),
            changed: z.array(z.string()),
            diff: z.unknown().describe('What it changed them from and to; null outside of runs whose gate has passed.'),
          }),
        ),
      }),
    handle: async ({ services: { store }, params: { run: runId } }) => {
      await findRun(store, runId);
      return { records: await readHookRecords(store, runId) };
    },
  }),
];

/** The name of a call in the path: `2`, or `summary-1`. */
function nameOfCall(call: number): string {
  return call < FRAME_CALL ? `summary-${callOfSummary(call)}` : String(call);
}
