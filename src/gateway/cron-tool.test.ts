import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../protocol/json.ts';
import { gatewayForTest } from '../testkit/gateway-for-test.ts';
import { toolContextForTest } from '../testkit/tool-context.ts';
import { createCronTool } from '../tools/cron.ts';
import { runTool } from '../tools/run-tool.ts';
import type { ToolContext } from '../tools/tool.ts';

/** The tool on a real schedule, on which nothing is due by itself. */
async function cronTool() {
  const agents = { defaults: { model: 'fake/small' }, list: [{ id: 'main' }, { id: 'coder' }] };
  const scratch = await gatewayForTest({ config: { agents, cron: { enabled: false } } });
  const { toolJobs, schedule } = scratch.opened.schedule;
  const tool = createCronTool({ jobs: () => toolJobs });
  const call = async (params: JsonObject, context: Partial<ToolContext> = {}) => {
    const { content, isError } = await runTool(tool, params, toolContextForTest({ workspaceDir: '/', ...context }));
    return isError ? content : JSON.parse(content);
  };
  return { scratch, schedule, call };
}

const job = { action: 'add', name: 'tea', message: 'Remind of the tea.', every: '1h' };

describe('the cron tool', () => {
  it('adds, lists, changes, runs and removes the jobs of its agent', async () => {
    const { call } = await cronTool();
    const { added } = await call(job);
    expect(added).toMatchObject({
      name: 'tea',
      session: 'own',
      deliver: 'cli:operator',
      schedule: { everyMs: 3_600_000 },
    });
    expect(await call({ action: 'list' })).toMatchObject({ count: 1, jobs: [{ id: added.id }] });
    expect(await call({ action: 'status' })).toMatchObject({ isEnabled: false, jobs: 1, next: { name: 'tea' } });
    const edit = { action: 'update', id: added.id, cron: '0 9 * * *', tz: 'Europe/Lisbon', deliver: 'none' };
    expect(await call(edit)).toMatchObject({
      updated: { name: 'tea', deliver: 'none', schedule: { expr: '0 9 * * *', tz: 'Europe/Lisbon' } },
    });
    const { runId } = await call({ action: 'run', id: added.id });
    expect(await call({ action: 'runs', id: added.id })).toMatchObject({ count: 1, runs: [{ how: 'by-hand', runId }] });
    expect(await call({ action: 'remove', id: added.id })).toMatchObject({ removed: { id: added.id } });
    expect(await call({ action: 'list' })).toEqual({ count: 0, jobs: [] });
  });

  it('says what it needs', async () => {
    const { call } = await cronTool();
    expect(await call({ action: 'add', name: 'tea' })).toContain('add needs a name, a message and one of at, every');
    expect(await call({ action: 'remove' })).toContain('remove needs the id of a job');
    expect(await call({ action: 'delete' })).toContain('action must be one of');
    expect(await call({ ...job, every: 'soon' })).toContain('no span such as');
    expect(await call({ ...job, colour: 'red' })).toContain('There is no parameter colour');
    expect(await call({ action: 'run', id: 'job_x' })).toContain('There is no job "job_x"');
  });

  it('takes no time that could not be shown afterwards', async () => {
    const { call } = await cronTool();
    const { every: _, ...once } = job;
    expect(await call({ ...once, at: 'in 99999999d' })).toContain('too far away');
    expect(await call({ action: 'list' })).toEqual({ count: 0, jobs: [] });
  });

  it('keeps its bounds when it is called many times at once', async () => {
    const { call, schedule } = await cronTool();
    await Promise.all(Array.from({ length: 60 }, () => call(job)));
    expect(await schedule.list('main')).toHaveLength(50);
  });

  it('does not see the jobs of another agent', async () => {
    const { call } = await cronTool();
    const { added } = await call(job, { agentId: 'coder', sessionKey: 'agent:coder:main' });
    expect(await call({ action: 'list' })).toEqual({ count: 0, jobs: [] });
    for (const action of ['update', 'remove', 'run', 'runs']) {
      expect(await call({ action, id: added.id, name: 'mine' })).toContain('There is no job');
    }
  });

  it('puts a job into the main session only from there', async () => {
    const { call } = await cronTool();
    expect(await call({ ...job, session: 'main' })).toMatchObject({ added: { session: 'main' } });
    const elsewhere = { sessionKey: 'agent:main:web:direct:tab-1' };
    expect(await call({ ...job, session: 'main' }, elsewhere)).toContain('from the main session only');
    const { added } = await call(job, elsewhere);
    expect(await call({ action: 'update', id: added.id, session: 'main' }, elsewhere)).toContain('main session only');
  });

  it('changes a job of the main session only from there', async () => {
    const { call, schedule } = await cronTool();
    const { added } = await call({ ...job, session: 'main' });
    const elsewhere = { sessionKey: 'agent:main:cron:job_1' };
    const changes: readonly JsonObject[] = [
      { message: 'Tell me what you know.' },
      { deliver: 'here' },
      { session: 'own' },
      { every: '1m' },
    ];
    for (const change of changes) {
      const refused = await call({ action: 'update', id: added.id, ...change }, elsewhere);
      expect(refused).toContain('from the main session only');
    }
    expect(await schedule.find(added.id)).toMatchObject({ message: job.message, session: 'main' });
    expect(await call({ action: 'update', id: added.id, name: 'coffee' })).toMatchObject({
      updated: { name: 'coffee' },
    });
  });

  it('lets a job add a few jobs, and those add none', async () => {
    const { call, schedule } = await cronTool();
    const { added: parent } = await call(job);
    const { runId } = await call({ action: 'run', id: parent.id });
    const children = [];
    for (let child = 0; child < 5; child++) children.push((await call(job, { runId })).added);
    expect(await call(job, { runId })).toContain('has added 5 jobs already');
    expect(await schedule.find(children[0].id)).toMatchObject({ createdBy: `job:${parent.id}` });
    const grandchild = await call({ action: 'run', id: children[0].id });
    expect(await call(job, { runId: grandchild.runId })).toContain('cannot add jobs');
    await call({ action: 'remove', id: parent.id });
    expect(await call(job, { runId })).toContain('cannot add jobs');
  });

  it('keeps answers in the session where no person could read them', async () => {
    const { call } = await cronTool();
    const surface = { channel: 'api', accountId: 'default', peer: { kind: 'direct', id: 'client' } } as const;
    expect(await call(job, { surface })).toMatchObject({ added: { deliver: 'none' } });
  });

  it('bounds how many an agent may have', async () => {
    const { call } = await cronTool();
    for (let count = 0; count < 50; count++) await call(job);
    expect(await call(job)).toContain('There are 50 jobs already');
  });
});
