// Jobs over the API. Looking at them needs the store only, so that it works while nobody runs them; changing them is the
// gateway's.

import { readJobHistory } from '../../schedule/job-history.ts';
import { findJob, listJobs } from '../../schedule/schedule.ts';
import { type ApiParts, BODY_LIMIT, type HttpApp } from './api-parts.ts';
import { parseRequest } from './parse-request.ts';
import { readJsonBody } from './read-json-body.ts';

export function addCronRoutes(app: HttpApp, { services }: ApiParts): void {
  const { store } = services;

  app.get('/api/cron/jobs', async (c) => {
    const { agent } = await parseRequest(c.req.query(), (schemas) => schemas.jobsQuery);
    return c.json({ jobs: await listJobs(store, agent) });
  });

  app.post('/api/cron/jobs', async (c) => {
    const body = await parseRequest(await readJsonBody(c.req.raw, BODY_LIMIT), (schemas) => schemas.addJobBody);
    return c.json({ job: await services.jobs.add({ ...body, createdBy: 'api' }) }, 201);
  });

  app.get('/api/cron/jobs/:id', async (c) => c.json({ job: await findJob(store, c.req.param('id')) }));

  app.post('/api/cron/jobs/:id', async (c) => {
    const body = await parseRequest(await readJsonBody(c.req.raw, BODY_LIMIT), (schemas) => schemas.editJobBody);
    return c.json({ job: await services.jobs.edit(c.req.param('id'), body) });
  });

  app.delete('/api/cron/jobs/:id', async (c) => c.json({ job: await services.jobs.remove(c.req.param('id')) }));

  app.post('/api/cron/jobs/:id/run', async (c) => {
    await parseRequest(await readJsonBody(c.req.raw, BODY_LIMIT), (schemas) => schemas.emptyBody);
    return c.json(await services.jobs.run(c.req.param('id')), 202);
  });

  // A job that is gone may have left a history.
  app.get('/api/cron/jobs/:id/history', async (c) => {
    const id = c.req.param('id');
    const { limit, before } = await parseRequest(c.req.query(), (schemas) => schemas.jobHistoryQuery);
    const found = await readJobHistory(store, id, { limit: limit + 1, before });
    if (found.length === 0) await findJob(store, id);
    const entries = found.slice(0, limit);
    return c.json({ jobId: id, entries, next: found.length > limit ? (entries.at(-1)?.seq ?? null) : null });
  });
}
