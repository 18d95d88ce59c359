// Runs over the API: how they went, what the model was sent, where the answer went.

import { callOfSummary, FRAME_CALL, type RequestFrame } from '../../agent/request-frame.ts';
import { timeLimit } from '../../protocol/time-limit.ts';
import { readCapture } from '../../recorder/capture.ts';
import type { CaptureRow } from '../../store/tables.ts';
import { UnknownCaptureError, UnknownReportError } from '../errors.ts';
import { readRequestSpans } from '../read-request-spans.ts';
import { findRun, isOver } from '../services/runs.ts';
import { type ApiParts, BODY_LIMIT, type HttpApp } from './api-parts.ts';
import { parseRequest } from './parse-request.ts';
import { readJsonBody } from './read-json-body.ts';

export function addRunRoutes(app: HttpApp, { services }: ApiParts): void {
  const { store } = services;

  app.get('/api/runs', async (c) => {
    const query = await parseRequest(c.req.query(), (schemas) => schemas.runsQuery);
    const rows = await store.select('runs', {
      where: {
        ...(query.session !== undefined && { sessionKey: query.session }),
        ...(query.before !== undefined && { runId: { lt: query.before } }),
      },
      orderBy: [['runId', 'desc']],
      limit: query.limit + 1,
    });
    const runs = rows.slice(0, query.limit);
    const next = rows.length > query.limit ? (runs.at(-1)?.runId ?? null) : null;
    return c.json({ runs, next });
  });

  app.get('/api/runs/:run', async (c) => {
    const runId = c.req.param('run');
    const run = await findRun(store, runId);
    const captures = await store.select('captures', {
      where: { runId, call: { not: FRAME_CALL } },
      orderBy: [['call', 'asc']],
      limit: MAX_ROWS,
    });
    const outbox = await store.select('outbox', { where: { runId }, orderBy: [['seq', 'asc']], limit: MAX_ROWS });
    return c.json({
      run,
      calls: captures.filter(({ call }) => call > FRAME_CALL).map(toldCall),
      summaries: captures
        .filter(({ call }) => call < FRAME_CALL)
        .map(toldSummary)
        .reverse(),
      deliveries: outbox.map(({ seq, part, surface, status, attempts, receipt, error }) => ({
        seq,
        part,
        surface,
        status,
        attempts,
        receipt,
        error,
      })),
    });
  });

  app.get('/api/runs/:run/report', async (c) => {
    const runId = c.req.param('run');
    const frame = await readCapture(store, runId, FRAME_CALL);
    if (frame?.body === undefined) {
      await findRun(store, runId);
      throw new UnknownReportError({ runId });
    }
    const { report, spans } = JSON.parse(frame.body) as RequestFrame;
    return Response.json({ ...report, requestSpans: spans });
  });

  app.get('/api/runs/:run/requests/:call{[0-9]{1,6}|last|summary-[0-9]{1,6}}', async (c) => {
    const runId = c.req.param('run');
    const asked = c.req.param('call');
    const [, summary] = /^summary-(\d+)$/.exec(asked) ?? [];
    const call = summary ? callOfSummary(Number(summary)) : asked === 'last' ? undefined : Number(asked);
    const capture = await readCapture(store, runId, call);
    if (capture?.body === undefined || capture.call === FRAME_CALL) {
      await findRun(store, runId);
      throw new UnknownCaptureError({ runId, call: asked });
    }
    return c.body(capture.body, 200, {
      'content-type': 'application/json; charset=utf-8',
      'x-atrium-request-url': encodeURI(capture.url),
      'x-atrium-call': nameOfCall(capture.call),
    });
  });

  app.get('/api/runs/:run/spans/:call{[0-9]{1,6}|last}', async (c) => {
    const runId = c.req.param('run');
    const call = c.req.param('call') === 'last' ? undefined : Number(c.req.param('call'));
    const answer = await readRequestSpans(store, runId, call);
    if (answer) return c.json(answer);
    await findRun(store, runId);
    throw new UnknownCaptureError({ runId, call: c.req.param('call') });
  });

  app.get('/api/runs/:run/hooks', async (c) => {
    const runId = c.req.param('run');
    await findRun(store, runId);
    const records = await store.select('hookRecords', { where: { runId }, orderBy: [['seq', 'asc']], limit: MAX_ROWS });
    return c.json({ records });
  });

  app.get('/api/runs/:run/wait', async (c) => {
    const { timeoutMs } = await parseRequest(c.req.query(), (schemas) => schemas.waitQuery);
    const runId = c.req.param('run');
    const run = await findRun(store, runId);
    if (isOver(run)) return c.json({ over: true, run });
    const patience = timeLimit(timeoutMs, () => new Error(`Waited ${timeoutMs} ms.`), c.req.raw.signal);
    try {
      return c.json({ over: true, run: await services.runs.wait(runId, patience.signal) });
    } catch (error) {
      if (!patience.signal.aborted) throw error;
      return c.json({ over: false, run: await findRun(store, runId) });
    } finally {
      patience.clear();
    }
  });

  app.post('/api/runs/:run/stop', async (c) => {
    await parseRequest(await readJsonBody(c.req.raw, BODY_LIMIT), (schemas) => schemas.emptyBody);
    const runId = c.req.param('run');
    await findRun(store, runId);
    return c.json({ runId, stopped: await services.runs.stop(runId, 'an API client asked for it') });
  });
}

/** As it is asked for: `2`, or `summary-1`. */
function nameOfCall(call: number): string {
  return call < FRAME_CALL ? `summary-${callOfSummary(call)}` : String(call);
}

function toldCall({ call, at, provider, model, size }: CaptureRow) {
  return { call, at, provider, model, size };
}

function toldSummary({ call, ...rest }: CaptureRow) {
  const { at, provider, model, size } = rest;
  return { summary: callOfSummary(call), at, provider, model, size };
}

const MAX_ROWS = 1_000;
