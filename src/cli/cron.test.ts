import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { JobRow } from '../store/tables.ts';
import { hang, ModelServer } from '../testkit/model-server.ts';
import { RunningGateway } from './fixtures/running-gateway.ts';

let running: RunningGateway;
beforeEach(async () => {
  running = await RunningGateway.create();
});
afterEach(() => running.remove());

const start = () => running.start(undefined, { now: () => Date.parse('2026-05-06T10:00:00Z') });
const cron = (...argv: readonly string[]) => running.home.run(['cron', ...argv]);
const add = async (...argv: readonly string[]): Promise<JobRow> => {
  const { out } = await cron('add', '--name', 'standup', '--message', 'Prepare it.', ...argv, '--json');
  return JSON.parse(out).job;
};

describe('atrium cron', () => {
  it('adds a job, lists it, changes it and removes it', async () => {
    await start();
    expect((await cron('list')).out).toContain('There are no jobs.');
    const added = await cron(
      ...['add', '--name', 'standup', '--message', 'Prepare it.', '--cron', '0 9 * * 1-5', '--tz', 'Europe/Berlin'],
      ...['--deliver', 'cli:local', '--agent', 'coder'],
    );
    expect(added.out).toContain('schedule  cron 0 9 * * 1-5 (Europe/Berlin)\nnext      2026-05-07 07:00:00\n');
    expect(added.out).toContain('answers   go to cli:local');
    const [job] = await running.store.select('jobs');
    const id = job?.id ?? '';
    expect((await cron('list')).out).toMatch(
      /^job_\w+ +2026-05-07 07:00:00 +cron 0 9 \* \* 1-5 \(Europe\/Berlin\) +coder +cli:local +standup$/m,
    );
    expect((await cron('list', '--agent', 'main')).out).toContain('There are no jobs.');
    expect((await cron('edit', id, '--every', '2h', '--deliver', 'none')).out).toContain('schedule  every 2h\n');
    expect((await cron('edit', id, '--disable')).out).toContain('next      resting');
    expect((await cron('rm', id)).out).toBe(`${id} (standup) is removed.\n`);
    expect((await cron('rm', id)).err).toContain(`no job "${id}"`);
  });

  it('takes the name of a job where one job has it, and else asks for an id', async () => {
    await start();
    const first = await add('--every', '2h');
    expect((await cron('run', 'standup')).out).toContain(' runs as run_');
    expect((await cron('history', 'standup')).out).toContain('run_');
    const second = await add('--every', '3h');
    const { code, err } = await cron('run', 'standup');
    expect([code, err]).toEqual([2, expect.stringContaining('is not the name of one job only')]);
    for (const { id } of [first, second]) expect(err).toContain(id);
    expect((await cron('run', 'nobody')).err).toContain('no job "nobody"');
  });

  it('runs a job now and shows what became of it', async () => {
    const model = await ModelServer.start();
    onTestFinished(() => model.close());
    model.script(() => hang());
    const fake = { baseUrl: model.baseUrl, apiKey: 'k', api: 'openai-completions', models: [{ id: 'small' }] };
    const config = { agents: { defaults: { model: 'fake/small' } }, models: { providers: { fake } } };
    await running.home.write('openclaw.json', JSON.stringify(config));
    await start();
    const { id } = await add('--every', '1h');
    const { out } = await cron('run', id);
    expect(out).toMatch(new RegExp(`^${id} runs as run_\\w+\\.\n$`));
    await model.waitForRequests(1);
    expect((await cron('run', id)).out).toContain(' runs as run_');
    expect((await cron('run', id)).out).toContain('was waiting for its turn already');
    await running.stop();
    expect((await cron('history', id)).out).toMatch(/^2026-05-06 10:00:00 +by-hand +run_\w+ +queued +none/m);
    expect(await running.home.runJson(['cron', 'history', id])).toMatchObject({ jobId: id, next: null });
    expect((await cron('history', 'job_x')).err).toContain('no job "job_x"');
  });

  it.each([
    [['--every', '1s'], 'the shortest pace is 10s'],
    [['--cron', '61 * * * *'], 'minute'],
    [['--at', 'yesterday'], 'it is no time'],
    [['--at', '2020-01-01'], 'over already'],
    [
      ['--every', '1h', '--at', 'in 1h'],
      '--at and --every were given; a job has exactly one of --at, --every and --cron.',
    ],
    [[], 'give exactly one of --at, --every and --cron.'],
    [['--every', '1h', '--tz', 'Europe/Lisbon'], '--tz goes with --at and --cron'],
    [['--every', '1h', '--remove-after-run'], '--remove-after-run goes with --at'],
    [['--cron', '0 9 * * *', '--remove-after-run'], '--remove-after-run goes with --at'],
    [['--every', '1h', '--deliver', 'pigeon:home'], '"web:<name>", "cli:<name>", "last" or "none"'],
    [['--every', '1h', '--deliver', 'api:x'], 'cannot go to'],
    [['--every', '1h', '--session', 'other'], '"own" or "main"'],
    [['--every', '1h', '--agent', 'nobody'], 'no agent "nobody"'],
  ])('refuses %j and says why', async (argv, problem) => {
    await start();
    const { code, err } = await cron('add', '--name', 'x', '--message', 'y', ...argv);
    expect(err).toContain(problem);
    expect(code).toBe(2);
    expect(await running.store.count('jobs')).toBe(0);
  });

  it('says what is missing, and changes nothing while the gateway is down', async () => {
    expect((await cron('add', '--message', 'y', '--every', '1h')).err).toBe('atrium: --name is missing.\n');
    expect((await cron('edit', 'job_x')).err).toContain('at least one flag');
    expect((await cron('edit', 'job_x', '--enable', '--disable')).err).toContain('exclude each other');
    expect((await cron('list')).out).toContain('There are no jobs.');
    for (const argv of [
      ['rm', 'job_x'],
      ['run', 'job_x'],
      ['edit', 'job_x', '--disable'],
    ]) {
      expect((await cron(...argv)).err).toContain('No gateway is running');
    }
  });
});
