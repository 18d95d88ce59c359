import { describe, expect, it } from 'vitest';
import type { HookContext } from '../../hooks/hook-context.ts';
import type { CronChangedEvent } from '../../hooks/lifecycle-hooks.ts';
import type { Surface } from '../../protocol/inbound.ts';
import { gate } from '../../testkit/gate.ts';
import { gatewayForTest } from '../../testkit/gateway-for-test.ts';
import { after, fail, reply, toolCall } from '../../testkit/model-server.ts';
import { on } from '../../testkit/on.ts';
import type { ScratchGateway, ScratchGatewaySettings } from '../../testkit/scratch-gateway.ts';

const MINUTE = 60_000;

/** A gateway on a clock that the test sets, at ten in the morning. */
async function scheduled(settings: ScratchGatewaySettings = {}) {
  const clock = { now: Date.parse('2026-05-06T10:00:00Z') };
  const scratch = await gatewayForTest({ ...settings, now: () => clock.now });
  const { schedule, heartbeats, jobs } = scratch.opened.schedule;
  const passes = async (minutes: number) => {
    clock.now += minutes * MINUTE;
    await scratch.opened.schedule.schedule.look();
  };
  return { scratch, clock, schedule, heartbeats, jobs, passes };
}

const job = (changes: object = {}) => ({
  name: 'report',
  message: 'Write the report.',
  schedule: { every: '10m' },
  createdBy: 'test',
  ...changes,
});

/** The outcome of a job, once its latest run and its delivery are over. */
async function outcomeOf(scratch: ScratchGateway, jobId: string) {
  const { schedule } = scratch.opened.schedule;
  const isOver = (status: string) => ['done', 'failed', 'skipped'].includes(status);
  await expect
    .poll(
      async () => {
        const [latest] = await schedule.history(jobId, 1);
        return latest !== undefined && isOver(latest.status) && latest.delivery !== 'queued';
      },
      { timeout: 10_000 },
    )
    .toBe(true);
  return schedule.history(jobId, 10);
}

describe('a job', () => {
  it('is answered by its own model within its own time, and by that of the agent when it has none any more', async () => {
    const { scratch, jobs, passes } = await scheduled();
    scratch.model.script(() => reply('All is well.'));
    const { id } = await jobs.add(job({ model: 'fake/large', timeoutSeconds: 90 }));
    await passes(10);
    await outcomeOf(scratch, id);
    expect(scratch.model.requests.at(-1)?.json.model).toBe('large');
    const [first] = await scratch.store.select('inbox', { where: { kind: 'cron' } });
    expect(first?.payload?.inbound?.wishes).toEqual({ model: 'fake/large', timeoutMs: 90_000 });
    await jobs.edit(id, { model: null, timeoutSeconds: null });
    await passes(10);
    await outcomeOf(scratch, id);
    expect(scratch.model.requests.at(-1)?.json.model).toBe('small');
    await expect(jobs.edit(id, { model: 'fakee/large' })).rejects.toThrow('its model cannot be used. There is no');
    await expect(jobs.add(job({ timeoutSeconds: 0 }))).rejects.toThrow('its time limit is no whole number');
  });

  it('whose model fails is answered by fallbacks, its own before those of the agent, and never by the first choice', async () => {
    const { scratch, jobs, passes } = await scheduled({
      config: {
        agents: {
          defaults: { model: { primary: 'fake/small', fallbacks: ['fake/large'] } },
          // Models that the configuration uses are known.
          list: [
            { id: 'main', default: true },
            { id: 'others', model: { primary: 'fake/named', fallbacks: ['fake/other'] } },
          ],
        },
      },
    });
    scratch.model.script(({ json }) => (json.model === 'named' ? fail(401) : reply('All is well.')));
    const { id } = await jobs.add(job({ model: 'fake/named' }));
    const asked = async () => {
      const before = scratch.model.requests.length;
      await passes(10);
      const [{ status } = { status: 'none' }] = await outcomeOf(scratch, id);
      return [status, ...scratch.model.requests.slice(before).map(({ json }) => json.model)];
    };
    expect(await asked()).toEqual(['done', 'named', 'large']);
    await jobs.edit(id, { fallbacks: ['fake/other'] });
    expect(await asked()).toEqual(['done', 'named', 'other']);
    await jobs.edit(id, { fallbacks: [] });
    expect(await asked()).toEqual(['failed', 'named']);
    await jobs.edit(id, { model: null, fallbacks: ['fake/other'] });
    scratch.model.script(({ json }) => (json.model === 'small' ? fail(401) : reply('All is well.')));
    expect(await asked()).toEqual(['done', 'small', 'other']);
    await expect(jobs.edit(id, { fallbacks: ['fakee/x'] })).rejects.toThrow('its fallback "fakee/x" cannot be used.');
  });

  it('fails when its model is no longer among those that may be chosen', async () => {
    const { scratch, jobs, passes } = await scheduled({
      config: { agents: { defaults: { modelPolicy: { allow: ['fake/small'] } } } },
    });
    const { id } = await jobs.add(job());
    // The list has changed since the job was added.
    await scratch.store.commit([{ update: 'jobs', where: { id }, set: { model: 'fake/large' }, expect: 1 }], {
      site: 'job',
    });
    await passes(10);
    const [latest] = await outcomeOf(scratch, id);
    expect(latest).toMatchObject({ status: 'failed', error: expect.stringContaining('fake/large') });
    expect(scratch.model.requests).toEqual([]);
  });

  it('without a place for its answer keeps it in its own session, and nothing is dead', async () => {
    const { scratch, jobs, passes } = await scheduled();
    scratch.model.script([reply('All is well.')]);
    const { id } = await jobs.add(job());
    await passes(10);
    expect(await outcomeOf(scratch, id)).toMatchObject([
      { how: 'due', status: 'done', reply: 'All is well.', delivery: 'none' },
    ]);
    const [session] = await scratch.store.select('sessions');
    expect(session).toMatchObject({ sessionKey: `agent:main:cron:${id}`, surface: null });
    const said = await scratch.store.select('transcript', { orderBy: [['position', 'asc']] });
    expect(said.map(({ message }) => message.role)).toEqual(['user', 'assistant']);
    expect(await scratch.store.count('outbox')).toBe(0);
    expect(await scratch.store.count('deadLetters')).toBe(0);
  });

  it('says its answer where it was told to, and knows that it arrived', async () => {
    const { scratch, jobs, passes } = await scheduled();
    scratch.model.script([reply('Good morning.'), reply('NO_REPLY')]);
    const { id } = await jobs.add(job({ deliver: 'test:owner' }));
    await passes(10);
    await scratch.channel.expectDelivered('Good morning.');
    expect((await outcomeOf(scratch, id))[0]).toMatchObject({ delivery: 'sent' });
    await passes(10);
    expect((await outcomeOf(scratch, id))[0]).toMatchObject({ status: 'done', reply: '', delivery: 'none' });
    scratch.channel.expectNothingMore();
  });

  it('that failed and is sent again is still a job: no person typed its text, so it is not a command', async () => {
    const { scratch, jobs, passes } = await scheduled();
    scratch.model.script([fail(400), reply('Something new.')]);
    const { id } = await jobs.add(job({ message: '/new ideas, please' }));
    await passes(10);
    await outcomeOf(scratch, id);
    const [letter] = await scratch.store.select('deadLetters');
    const { runId } = await scratch.services.deadLetters.replay(letter?.id ?? '');
    expect(await scratch.services.runs.wait(runId)).toMatchObject({
      status: 'done',
      outcome: { reply: 'Something new.' },
    });
    expect(scratch.model.requests.at(-1)?.body).toContain('/new ideas, please');
    expect(await scratch.store.count('sessions')).toBe(1);
  });

  it('whose answer could not be sent says so', async () => {
    const { scratch, jobs, passes } = await scheduled();
    scratch.model.script([reply('Good morning.')]);
    scratch.channel.script({ fail: 'nobody lives here' });
    const { id } = await jobs.add(job({ deliver: 'test:owner' }));
    await passes(10);
    expect((await outcomeOf(scratch, id))[0]).toMatchObject({ status: 'done', delivery: 'dead' });
  });

  it('that fails is a failure in its history', async () => {
    const { scratch, jobs, passes } = await scheduled();
    scratch.model.script(() => fail(400));
    const { id } = await jobs.add(job());
    await passes(10);
    expect((await outcomeOf(scratch, id))[0]).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('400'),
    });
  });

  it('that is sent again from its dead letter is a job as before', async () => {
    const told: unknown[] = [];
    const { scratch, jobs, passes, schedule } = await scheduled({
      config: { session: { dmScope: 'main' }, agents: { defaults: { model: 'fake/small' } } },
      register: (hooks) => {
        const handler = (_: unknown, { trigger, jobId }: HookContext) => void told.push({ trigger, jobId });
        on(hooks, 'agent_end', 'ends', handler);
      },
    });
    scratch.model.script(({ number }) => (number === 2 ? fail(400) : reply('Done.')));
    await scratch.channel.asks({ sender: 'ann' }, 'Hi', 'Done.');
    const { id } = await jobs.add(job({ session: 'main', message: '/new Write the report.' }));
    await passes(10);
    await outcomeOf(scratch, id);
    const [letter] = await scratch.store.select('deadLetters');
    const { runId } = await scratch.services.deadLetters.replay(letter?.id ?? '');
    await scratch.services.runs.wait(runId);
    await scratch.hooks.drain(5_000);
    expect(told.slice(1)).toEqual([
      { trigger: 'cron', jobId: id },
      { trigger: 'cron', jobId: id },
    ]);
    expect(await schedule.jobOfRun(runId)).toBe(id);
    // No person has written, and no person has asked for a new session.
    expect(await scratch.store.select('sessions')).toMatchObject([{ surface: { channel: 'test' }, endedAt: null }]);
    scratch.channel.expectNothingMore();
  });

  it('in the main session leaves alone where that session was last spoken to', async () => {
    const { scratch, jobs, passes } = await scheduled({
      config: { session: { dmScope: 'main', mainKey: 'home' }, agents: { defaults: { model: 'fake/small' } } },
    });
    scratch.model.script([reply('Hello.'), reply('Done.')]);
    const { sessionKey } = await scratch.channel.asks({ sender: 'ann' }, 'Hi', 'Hello.');
    expect(sessionKey).toBe('agent:main:home');
    const { id } = await jobs.add(job({ session: 'main' }));
    await passes(10);
    await outcomeOf(scratch, id);
    const [session] = await scratch.store.select('sessions');
    expect(session).toMatchObject({ sessionKey, surface: { channel: 'test', peer: { id: 'ann' } } });
    expect(scratch.model.requests.at(-1)?.body).toContain('Hello.');
  });

  it('that was due while the gateway was down is made up for once', async () => {
    const { scratch, clock, jobs } = await scheduled();
    const { id } = await jobs.add(job());
    await scratch.stop();
    clock.now += 35 * MINUTE;
    scratch.model.script([reply('Better late.')]);
    await scratch.start();
    expect(await outcomeOf(scratch, id)).toMatchObject([
      { how: 'caught-up', status: 'done' },
      { how: 'skipped' },
      { how: 'skipped' },
    ]);
    expect(scratch.model.requests).toHaveLength(1);
  });

  it('that was due while the gateway was down is skipped where the operator says so', async () => {
    const config = { cron: { missed: 'skip' }, agents: { defaults: { model: 'fake/small' } } };
    const { scratch, clock, jobs } = await scheduled({ config });
    const { id } = await jobs.add(job());
    await scratch.stop();
    clock.now += 15 * MINUTE;
    await scratch.start();
    expect(await outcomeOf(scratch, id)).toMatchObject([{ how: 'skipped', runId: null }]);
    expect(scratch.model.requests).toEqual([]);
  });

  const watched = async () => {
    const events: CronChangedEvent[] = [];
    const handler = (event: CronChangedEvent) => void events.push(event);
    const stage = await scheduled({
      register: (hooks) => on(hooks, 'cron_changed', 'test', handler),
    });
    const expectTold = (actions: readonly string[]) =>
      expect.poll(() => events.map(({ action }) => action).sort()).toEqual(actions);
    return { ...stage, events, expectTold };
  };

  it('is told to cron_changed from its beginning to its end', async () => {
    const { scratch, jobs, passes, events, expectTold } = await watched();
    scratch.model.script([reply('Done.')]);
    const { id } = await jobs.add(job());
    await jobs.edit(id, { name: 'daily' });
    await passes(10);
    await outcomeOf(scratch, id);
    await jobs.remove(id);
    await expectTold(['added', 'finished', 'removed', 'scheduled', 'started', 'updated']);
    expect(events.find(({ action }) => action === 'finished')).toMatchObject({
      jobId: id,
      status: 'ok',
      summary: 'Done.',
      deliveryStatus: 'not-requested',
      job: { name: 'daily' },
    });
  });

  it('that an earlier gateway has begun is told to cron_changed when it ends', async () => {
    const { scratch, jobs, passes, events } = await watched();
    scratch.model.script([{ ...reply(''), ending: 'hang' }]);
    const { id } = await jobs.add(job());
    await passes(10);
    await scratch.model.waitForRequests(1);
    await scratch.stop(0);
    events.length = 0;
    const { opened: released, open: release } = gate();
    scratch.model.script(() => after(released, reply('Done at last.')));
    await scratch.start();
    release();
    await expect
      .poll(() => events.find(({ action }) => action === 'finished'))
      .toMatchObject({ jobId: id, summary: 'Done at last.', job: { name: 'report' } });
  });

  it('that waits for a person begins once, as cron_changed hears it', async () => {
    const { scratch, jobs, passes, expectTold } = await watched();
    scratch.model.script([toolCall('exec', { command: 'touch a; touch b' }), reply('Done.')]);
    const { id } = await jobs.add(job());
    await passes(10);
    await expect.poll(() => scratch.store.count('approvals', { status: 'waiting' })).toBe(1);
    const [approval] = await scratch.store.select('approvals');
    await scratch.services.approvals.answer(approval?.id ?? '', 'deny', { by: 'api' });
    await outcomeOf(scratch, id);
    await expectTold(['added', 'finished', 'scheduled', 'started']);
  });

  it('whose only time has come is told to rest, or to be gone', async () => {
    const { scratch, jobs, passes, expectTold } = await watched();
    scratch.model.script(() => reply('Done.'));
    const { id: kept } = await jobs.add(job({ schedule: { at: 'in 5m' } }));
    const { id: gone } = await jobs.add(job({ schedule: { at: 'in 5m' }, removeAfterRun: true }));
    await passes(5);
    await Promise.all([kept, gone].map((id) => outcomeOf(scratch, id)));
    await expectTold(['added', 'added', 'finished', 'finished', 'removed', 'started', 'started', 'updated']);
  });

  it('does not run where schedules are switched off, and is counted all the same', async () => {
    const { scratch, jobs, passes } = await scheduled({
      config: { cron: { enabled: false }, agents: { defaults: { model: 'fake/small' } } },
    });
    await jobs.add(job());
    await passes(60);
    expect(await scratch.store.count('jobSlots')).toBe(0);
    expect((await scratch.services.status()).schedule).toMatchObject({ isEnabled: false, jobs: 1 });
  });
});

describe('the cron tool', () => {
  it('adds a job in a chat that answers there', async () => {
    const { scratch, passes } = await scheduled();
    scratch.model.script([
      toolCall('cron', {
        action: 'add',
        name: 'tea',
        message: 'Remind of the tea.',
        at: 'in 5m',
        removeAfterRun: true,
      }),
      reply('I will.'),
      reply('Your tea is ready.'),
    ]);
    const surface = { channel: 'cli', accountId: 'default', peer: { kind: 'direct', id: 'local' } } as const;
    const text = 'Remind me of my tea in 5 minutes';
    await scratch.services.inbox.receive({ surface, sender: { id: 'local' }, text, at: 0 });
    const told = async () => (await scratch.store.select('outbox')).map((row) => [row.surface.peer.id, row.text]);
    await expect.poll(told).toEqual([['local', 'I will.']]);
    await passes(5);
    await expect.poll(async () => (await told()).at(-1)).toEqual(['local', 'Your tea is ready.']);
    expect(await scratch.store.count('jobs')).toBe(0);
  });
});

describe('a heartbeat', () => {
  const CHECKLIST = '# Heartbeat\n- [ ] look at the mail\n';
  const main = { session: { dmScope: 'main' }, agents: { defaults: { model: 'fake/small' } } };
  const files = { 'workspace/HEARTBEAT.md': CHECKLIST };

  const beats = async ({ scratch, clock }: Awaited<ReturnType<typeof scheduled>>, minutes = 30) => {
    clock.now += minutes * MINUTE;
    return (await scratch.opened.schedule.heartbeats.look()).get('main');
  };
  const idle = (scratch: ScratchGateway) =>
    expect.poll(() => scratch.store.count('inbox', { status: { in: ['queued', 'claimed'] } })).toBe(0);

  it('costs nothing while the checklist is the one that a workspace comes with, or empty, or missing', async () => {
    const stage = await scheduled();
    await expect.poll(() => stage.scratch.home.read('workspace/HEARTBEAT.md')).toContain('#');
    expect(await beats(stage)).toBe('nothing-to-do');
    await stage.scratch.home.write('workspace/HEARTBEAT.md', '# Heartbeat\n\n- [ ]\n<!-- later -->\n');
    expect(await beats(stage)).toBe('nothing-to-do');
    expect(await stage.scratch.store.count('inbox')).toBe(0);
    expect(stage.scratch.model.requests).toEqual([]);
  });

  it('that finds nothing is silent and leaves nothing in the conversation', async () => {
    const stage = await scheduled({ config: main, files });
    const { scratch } = stage;
    scratch.model.script([
      reply('Hello.'),
      reply('**HEARTBEAT_OK**'),
      reply('HEARTBEAT_OK. All quiet.'),
      reply('Bye.'),
    ]);
    await scratch.channel.asks({ sender: 'ann' }, 'Hi', 'Hello.');
    const before = await scratch.store.select('transcript');
    for (let beat = 0; beat < 2; beat++) {
      expect(await beats(stage)).toBe('queued');
      await idle(scratch);
    }
    expect(scratch.model.requests[1]?.body).toContain('HEARTBEAT.md');
    expect(await scratch.store.select('transcript')).toEqual(before);
    await scratch.channel.asks({ sender: 'ann' }, 'Thanks', 'Bye.');
    scratch.channel.expectNothingMore();
    expect(scratch.model.requests.at(-1)?.body).not.toContain('HEARTBEAT_OK and nothing else');
    expect(await scratch.store.count('deadLetters')).toBe(0);
  });

  it('is told what plugins add to it, which messages are not', async () => {
    const stage = await scheduled({
      config: main,
      files,
      register: (hooks) => {
        const handler = ({ agentId }: { agentId?: string | undefined }) => ({
          prependContext: `Mail of ${agentId}: 3 new.`,
          appendContext: 'That is all.',
        });
        on(hooks, 'heartbeat_prompt_contribution', 'mail', handler);
      },
    });
    const { scratch } = stage;
    scratch.model.script([reply('Hello.'), reply('HEARTBEAT_OK')]);
    await scratch.channel.asks({ sender: 'ann' }, 'Hi', 'Hello.');
    expect(await beats(stage)).toBe('queued');
    await idle(scratch);
    const [message = '', beat = ''] = scratch.model.requests.map(({ json }) => {
      const { messages } = json as { messages: { content: string }[] };
      return messages.at(-1)?.content;
    });
    expect(message).toBe('Hi');
    expect(beat).toMatch(/^Mail of main: 3 new\.\s+This is a heartbeat.*\s+That is all\.$/s);
    // The request contains the checklist itself, and not only its name.
    expect(scratch.model.requests[1]?.body).toContain('look at the mail');
  });

  it('that finds something says it where the session was last spoken to', async () => {
    const stage = await scheduled({ config: main, files });
    const { scratch } = stage;
    scratch.model.script([reply('Hello.'), reply('Ben waits for your answer.')]);
    await scratch.channel.asks({ sender: 'ann' }, 'Hi', 'Hello.');
    await beats(stage);
    await scratch.channel.expectDelivered('Ben waits for your answer.', { sender: 'ann' });
    const runs = await scratch.store.select('inbox', { where: { kind: 'heartbeat' } });
    expect(runs.map(({ dedupeKey }) => dedupeKey)).toEqual([JSON.stringify(['heartbeat', 'main', stage.clock.now])]);
  });

  it('is not sent where its target is none, and never to a stranger', async () => {
    const agents = { defaults: { model: 'fake/small', heartbeat: { target: 'none' } } };
    const quiet = await scheduled({ config: { ...main, agents }, files });
    const apart = await scheduled({ files });
    for (const stage of [quiet, apart]) {
      const { scratch } = stage;
      scratch.model.script([reply('Hello.'), reply('Your secret is out.')]);
      await scratch.channel.asks({ sender: 'ann' }, 'Hi', 'Hello.');
      expect(await beats(stage)).toBe('queued');
      await idle(scratch);
      expect(scratch.model.requests).toHaveLength(2);
      scratch.channel.expectNothingMore();
      expect(await scratch.store.count('deadLetters')).toBe(0);
    }
  });

  it('that fails is not told at any surface and leaves no dead letter', async () => {
    const stage = await scheduled({ config: main, files });
    const { scratch } = stage;
    scratch.model.script((request) => (request.number === 1 ? reply('Hello.') : fail(400)));
    await scratch.channel.asks({ sender: 'ann' }, 'Hi', 'Hello.');
    await beats(stage);
    await idle(scratch);
    scratch.channel.expectNothingMore();
    expect(await scratch.store.count('deadLetters')).toBe(0);
    const kept = await scratch.store.select('transcript', { where: { kind: 'message' } });
    expect(kept).toHaveLength(2);
  });

  it('that kills the gateway again and again is not told at any surface either', async () => {
    const stage = await scheduled({ config: main, files });
    const { scratch, clock } = stage;
    scratch.model.script([reply('Hello.')]);
    const { sessionKey } = await scratch.channel.asks({ sender: 'ann' }, 'Hi', 'Hello.');
    const [{ surface } = {}] = await scratch.store.select('sessions');
    const { store } = scratch;
    const inbound = { surface: surface as Surface, sender: { id: 'heartbeat' }, text: 'Look.', at: clock.now };
    const run = {
      runId: 'run_deadly',
      sessionKey,
      agentId: 'main',
      sessionId: null,
      outcome: null,
      observed: true,
      node: null,
      stopReason: null,
    };
    await store.commit(
      [
        {
          insert: 'runs',
          row: { ...run, status: 'running', claim: 3, progressClaim: 0, startedAt: clock.now, endedAt: null },
        },
        {
          insert: 'inbox',
          row: {
            runId: run.runId,
            sessionKey,
            kind: 'heartbeat',
            dedupeKey: null,
            fingerprint: null,
            payload: { inbound, agentId: 'main' },
            acceptedAt: clock.now,
            status: 'claimed',
          },
        },
      ],
      { site: 'accept' },
    );
    await scratch.stop();
    await scratch.start();
    await idle(scratch);
    expect(await scratch.store.select('runs', { where: { runId: run.runId } })).toMatchObject([{ status: 'failed' }]);
    scratch.channel.expectNothingMore();
    expect(await scratch.store.count('outbox', { runId: run.runId })).toBe(0);
    expect(await scratch.store.count('deadLetters')).toBe(0);
  });

  it('that a gate blocks is not told at any surface', async () => {
    const stage = await scheduled({
      config: main,
      files,
      register: (hooks) => {
        const handler = (_: unknown, { trigger }: { trigger?: string | undefined }) =>
          trigger === 'heartbeat' ? { outcome: 'block' as const, reason: 'not now' } : undefined;
        on(hooks, 'before_agent_run', 'guard', handler);
      },
    });
    const { scratch } = stage;
    scratch.model.script([reply('Hello.')]);
    await scratch.channel.asks({ sender: 'ann' }, 'Hi', 'Hello.');
    await beats(stage);
    await idle(scratch);
    scratch.channel.expectNothingMore();
    expect(await scratch.store.count('transcript', { kind: 'message' })).toBe(2);
    expect(scratch.model.requests).toHaveLength(1);
  });

  it('waits while the session is busy, beats once per slot, and makes up for nothing', async () => {
    const stage = await scheduled({ config: main, files });
    const { scratch, clock } = stage;
    const { opened: released, open: release } = gate();
    scratch.model.script([after(released, reply('Hello.')), reply('HEARTBEAT_OK')]);
    await scratch.channel.says({ sender: 'ann' }, 'Hi');
    await scratch.model.waitForRequests(1);
    expect(await beats(stage)).toBe('busy');
    release();
    await scratch.channel.expectDelivered('Hello.');
    await idle(scratch);
    expect(await beats(stage)).toBe('queued');
    expect(await beats(stage, 10)).toBeUndefined();
    clock.now -= 25 * MINUTE;
    expect(await beats(stage, 10)).toBeUndefined();
    await idle(scratch);
    await scratch.stop();
    clock.now += 100 * MINUTE;
    await scratch.start();
    expect(await beats(stage, 0)).toBeUndefined();
    expect(await beats(stage, 45)).toBe('late');
  });

  it('keeps to the hours of its zone, to the words and to the silence that the operator wants', async () => {
    // It is noon in Berlin when it is ten o'clock on the test's clock.
    const activeHours = { start: '12:00', end: '13:00', timezone: 'Europe/Berlin' };
    const heartbeat = { activeHours, prompt: 'Look around.', ackMaxChars: 4, target: 'test:ann' };
    const agents = { defaults: { model: 'fake/small', heartbeat } };
    const stage = await scheduled({ config: { agents }, files });
    const { scratch } = stage;
    scratch.model.script([reply('HEARTBEAT_OK Rain.'), reply('HEARTBEAT_OK Fine')]);
    expect(await beats(stage, 30)).toBe('queued');
    await scratch.channel.expectDelivered('Rain.');
    const { messages } = scratch.model.requests[0]?.json as { messages: { content: string }[] };
    expect(messages.at(-1)?.content).toBe('Look around.');
    expect(await beats(stage, 30)).toBe('inactive');
    expect(await beats(stage, 23 * 60)).toBe('queued');
    await idle(scratch);
    expect(scratch.model.requests).toHaveLength(2);
    scratch.channel.expectNothingMore();
  });

  it('goes on after a clock that was ahead is set back, and repeats nothing', async () => {
    const stage = await scheduled({ config: main, files });
    const { scratch, clock } = stage;
    scratch.model.script(() => reply('HEARTBEAT_OK'));
    expect(await beats(stage)).toBe('queued');
    await idle(scratch);
    clock.now += 400 * 24 * 60 * MINUTE;
    expect(await beats(stage)).toBe('queued');
    await idle(scratch);
    clock.now -= 400 * 24 * 60 * MINUTE + 60 * MINUTE;
    expect(await beats(stage, 0)).toBeUndefined();
    expect(await beats(stage)).toBe('taken');
    expect(await beats(stage)).toBe('queued');
    await idle(scratch);
  });

  it('keeps to its hours, and belongs to the agents that have one', async () => {
    const agents = {
      defaults: { model: 'fake/small' },
      list: [
        { id: 'main' },
        { id: 'night', heartbeat: { every: '1h', activeHours: { start: '22:00', end: '06:00', timezone: 'UTC' } } },
      ],
    };
    const { scratch, clock } = await scheduled({ config: { agents }, files });
    clock.now += 60 * MINUTE;
    expect([...(await scratch.opened.schedule.heartbeats.look())]).toEqual([['night', 'inactive']]);
  });
});
