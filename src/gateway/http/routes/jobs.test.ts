import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hang } from '../../../testkit/model-server.ts';
import { TestApi } from '../fixtures/test-api.ts';

let api: TestApi;
beforeEach(async () => {
  api = await TestApi.open();
});
afterEach(() => api.close());

// biome-ignore lint/suspicious/noExplicitAny: the answers are held to their schemas already.
const ask = async (method: string, path: string, body?: object): Promise<{ status: number; json: any }> =>
  api.call(method, path, body);

const job = { name: 'tea', message: 'Remind of the tea.', schedule: { every: '1h' } };

describe('jobs over the API', () => {
  it('are added, changed, run and removed', async () => {
    const { status, json } = await ask('POST', '/api/cron/jobs', { ...job, deliver: 'web:tab-1' });
    expect(status).toBe(201);
    const { id } = json.job;
    expect(json.job).toMatchObject({
      agentId: 'main',
      createdBy: 'api',
      deliverTo: { channel: 'web', peer: { id: 'tab-1' } },
    });
    const path = `/api/cron/jobs/${id}`;
    expect((await ask('GET', '/api/cron/jobs')).json.jobs).toHaveLength(1);
    expect((await ask('GET', path)).json.job.id).toBe(id);
    expect((await ask('GET', '/api/cron/jobs?agent=coder')).json.jobs).toEqual([]);
    expect((await ask('POST', path, { name: 'coffee', deliver: null })).json.job).toMatchObject({
      name: 'coffee',
      message: job.message,
      deliverTo: null,
    });
    api.model.script([hang()]);
    expect(await ask('POST', `${path}/run`, {})).toMatchObject({ status: 202, json: { isNew: true } });
    expect((await ask('GET', `${path}/history`)).json).toMatchObject({
      jobId: id,
      entries: [{ how: 'by-hand', status: expect.stringMatching(/queued|running/), delivery: 'none' }],
      next: null,
    });
    expect((await ask('DELETE', path)).json.job).toMatchObject({ id });
    expect((await ask('GET', path)).status).toBe(404);
    // The history of a removed job can still be read.
    expect((await ask('GET', `${path}/history`)).json.entries).toHaveLength(1);
  });

  it('are refused with the reason', async () => {
    const refused = async (body: object) => (await ask('POST', '/api/cron/jobs', body)).json.error;
    expect(await refused({ ...job, schedule: { every: '1s' } })).toMatchObject({ code: 'ATRIUM_SCHEDULE_INVALID' });
    expect(await refused({ ...job, deliver: 'nowhere' })).toMatchObject({ code: 'ATRIUM_JOB_INVALID' });
    expect(await refused({ ...job, colour: 'red' })).toMatchObject({ code: 'ATRIUM_HTTP_REQUEST_INVALID' });
    expect((await ask('POST', '/api/cron/jobs', { ...job, schedule: {} })).status).toBe(400);
    expect((await ask('POST', '/api/cron/jobs/job_x/run', {})).status).toBe(404);
    expect((await ask('GET', '/api/cron/jobs/job_x/history')).status).toBe(404);
  });
});
