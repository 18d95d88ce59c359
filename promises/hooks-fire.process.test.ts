// Drives every path that a message, a job, a command or the gateway itself can take, with a canary on every hook and a
// hook pack that listens to every event, and compares the calls with the table of hook-paths.ts.

import { describe, expect, it, onTestFinished } from 'vitest';
import { FACT_CATALOG, type FactRow } from '../src/facts/catalog.ts';
import type { FactName } from '../src/facts/facts.ts';
import { HOOK_PATHS, type HookPath, type HookPathName } from '../src/gateway/doctor/hook-paths.ts';
import { HOOK_CATALOG } from '../src/hooks/catalog.ts';
import { cutAfter, fail, hang, reply, thought, toolCall, toolCalls } from '../src/testkit/model-server.ts';
import { pluginFiles } from '../src/testkit/plugin-files.ts';
import { ODD } from '../src/tools/mcp/fixtures/scratch-servers.ts';
import { CanaryGateway, type CanarySettings, type ToldFact } from './fixtures/canary-gateway.ts';

interface Drive {
  readonly settings?: CanarySettings | undefined;
  /** What has to happen first; each step is a path too, and its calls are counted as that path. */
  readonly after?: readonly Preparation[] | undefined;
  readonly act: (canary: CanaryGateway) => Promise<void>;
}

interface Preparation {
  readonly path: HookPathName;
  readonly act: (canary: CanaryGateway) => Promise<void>;
}

const says = async (canary: CanaryGateway, text: string, answer: string | RegExp) => {
  await canary.channel.says({ sender: 'ann' }, text);
  await canary.channel.expectDelivered(answer, { sender: 'ann' });
};

const greeted = async (canary: CanaryGateway) => {
  canary.model.script([thought('They greet me.', 'Hello.')]);
  await says(canary, 'Hi', 'Hello.');
};

const WORDS = 'word '.repeat(300);
/** The model that writes the summary can read the whole conversation at once. */
const SMALL_WINDOW: CanarySettings = {
  provider: {
    models: [
      { id: 'small', contextWindow: 2_000 },
      { id: 'large', contextWindow: 100_000 },
    ],
  },
  config: {
    agents: { defaults: { model: 'fake/small', skipBootstrap: true, compaction: { model: 'fake/large' } } },
    tools: { allow: ['nothing'] },
  },
};
const SUMMARY = 'Ann counts messages and wants nothing else of anybody.';
const noted = async (canary: CanaryGateway) => {
  const isSummary = (body: string) => body.includes('You keep the memory of a conversation');
  canary.model.script(({ body }) => reply(isSummary(body) ? SUMMARY : 'Noted.', { usage: { input: 0 } }));
  await says(canary, `Note this: ${WORDS}`, 'Noted.');
};
const LONG_TALK: readonly Preparation[] = [
  { path: 'message', act: noted },
  { path: 'next message', act: noted },
  { path: 'next message', act: noted },
  { path: 'next message', act: noted },
];
const STARTED: Preparation = { path: 'start', act: async () => {} };
const GREETED: readonly Preparation[] = [{ path: 'message', act: greeted }];
const KEY = 'agent:main:test:direct:ann';
const encoded = encodeURIComponent(KEY);

const asking = { before_tool_call: () => ({ requireApproval: { title: 'Read it', description: 'Really?' } }) };
const waiting = async (canary: CanaryGateway) => {
  canary.model.script([toolCall('read', { path: 'notes.md' }), reply('Then not.')]);
  await says(canary, 'Read it', /^Approval needed/);
};
const approvalOf = async ({ services }: CanaryGateway) => {
  const [row] = await services.store.select('approvals', { where: { status: 'waiting' } });
  return row?.id ?? '';
};
/** A run whose process has ended; the calls so far do not count. */
const cutShort = async (canary: CanaryGateway) => {
  canary.model.script([hang('So far')]);
  await canary.channel.says({ sender: 'ann' }, 'Hi');
  await canary.model.waitForRequests(1);
  await canary.stop(0);
  await canary.forget();
};
const NOTES = { 'workspace/notes.md': 'Nothing new.' };
const PLUGIN: CanarySettings = {
  files: pluginFiles(
    'polite',
    `api.registerCommand({ name: 'greet', description: 'greets', requireAuth: false, handler: () => ({ text: 'Good day.' }) });
     api.registerSessionExtension({ namespace: 'mood', description: 'a mood' });
     api.on('gateway_stop', () => {});`,
  ),
  config: { plugins: { entries: { polite: { isolation: 'inline' } } } },
};

const JOB = {
  name: 'report',
  message: 'Write the report.',
  schedule: { every: '10m' },
  createdBy: 'test',
  deliver: 'test:ann',
};
const addJob = async ({ services }: CanaryGateway) => void (await services.jobs.add(JOB));

const DRIVES: Record<HookPathName, Drive> = {
  start: { act: async (canary) => canary.listen() },
  message: { act: greeted },
  'next message': { after: GREETED, act: greeted },
  web: {
    act: async (canary) => {
      canary.model.script([reply('Hello.')]);
      expect(await canary.talk('web', 'Hi')).toBe('Hello.');
    },
  },
  cli: {
    act: async (canary) => {
      canary.model.script([reply('Hello.')]);
      expect(await canary.talk('cli', 'Hi')).toBe('Hello.');
    },
  },
  api: {
    act: async (canary) => {
      canary.model.script([reply('Hello.')]);
      const messages = [{ role: 'user', content: 'Hi' }];
      expect(await canary.fetch('/v1/chat/completions', { model: 'atrium', messages })).toMatchObject({
        choices: [{ message: { content: 'Hello.' } }],
      });
    },
  },
  duplicate: {
    after: [
      {
        path: 'message',
        act: async (canary) => {
          canary.model.script([reply('Hello.')]);
          await canary.channel.asks({ sender: 'ann' }, 'Hi', 'Hello.', { eventId: 'e1' });
        },
      },
    ],
    act: async (canary) => void (await canary.channel.says({ sender: 'ann' }, 'Hi', { eventId: 'e1' })),
  },
  subagent: {
    act: async (canary) => {
      canary.model.script(({ body }) => {
        if (body.includes('[Internal task completion event]')) return reply('It is done.');
        if (body.includes('[Subagent Task]')) return reply('Done.');
        if (body.includes('"accepted')) return reply('On it.');
        return toolCall('sessions_spawn', { task: 'Do it.' });
      });
      await says(canary, 'Have it done', 'On it.');
      await canary.channel.expectDelivered('It is done.', { sender: 'ann' });
    },
  },
  'subagent awaited': {
    act: async (canary) => {
      canary.model.script(({ body }) => {
        if (body.includes('[Subagent Task]')) return reply('Done.');
        if (body.includes('They have ended.')) return reply('It is done.');
        return toolCalls([{ name: 'sessions_spawn', params: { task: 'Do it.' } }, { name: 'sessions_wait' }]);
      });
      await says(canary, 'Have it done', 'It is done.');
    },
  },
  'tool call': {
    settings: { files: NOTES },
    act: async (canary) => {
      canary.model.script([toolCall('read', { path: 'notes.md' }), reply('Nothing new.')]);
      await says(canary, 'Anything new?', 'Nothing new.');
    },
  },
  'MCP tool call': {
    settings: {
      variables: { PATH: process.env.PATH ?? '' },
      config: { mcp: { servers: { odd: { command: process.execPath, args: [ODD, 'good'] } } } },
    },
    act: async (canary) => {
      canary.model.script([toolCall('odd__act'), reply('Done.')]);
      await says(canary, 'Act', 'Done.');
    },
  },
  'blocked tool call': {
    settings: { files: NOTES, answers: { before_tool_call: () => ({ block: true, blockReason: 'No.' }) } },
    act: async (canary) => {
      canary.model.script([toolCall('read', { path: 'notes.md' }), reply('I may not.')]);
      await says(canary, 'Anything new?', 'I may not.');
    },
  },
  'approval asked for': { settings: { files: NOTES, answers: asking }, act: waiting },
  'approval denied': {
    settings: { files: NOTES, answers: asking },
    after: [{ path: 'approval asked for', act: waiting }],
    act: async (canary) => {
      await says(canary, `/approve ${await approvalOf(canary)} deny`, /denied\.$/);
      await canary.channel.expectDelivered('Then not.', { sender: 'ann' });
    },
  },
  'approval given': {
    settings: { files: NOTES, answers: asking },
    after: [{ path: 'approval asked for', act: waiting }],
    act: async (canary) => {
      await canary.services.approvals.answer(await approvalOf(canary), 'allow-once', { by: 'test' });
      await canary.channel.expectDelivered(/allowed once/, { sender: 'ann' });
      await canary.channel.expectDelivered('Then not.', { sender: 'ann' });
    },
  },
  'one more pass': {
    settings: {
      answers: {
        before_agent_finalize: (() => {
          let asked = 0;
          return () => (++asked === 1 ? { action: 'revise', reason: 'Shorter.' } : undefined);
        })(),
      },
    },
    act: async (canary) => {
      canary.model.script([reply('A long answer.'), reply('Short.')]);
      await says(canary, 'Hi', 'Short.');
    },
  },
  'claimed inbound': {
    settings: { answers: { inbound_claim: () => ({ handled: true, reply: { text: 'Mine.' } }) } },
    act: (canary) => says(canary, 'Hi', 'Mine.'),
  },
  'claimed reply': {
    settings: { answers: { before_agent_reply: () => ({ handled: true, reply: { text: 'Mine.' } }) } },
    act: (canary) => says(canary, 'Hi', 'Mine.'),
  },
  'blocked run': {
    settings: { answers: { before_agent_run: () => ({ outcome: 'block', reason: 'No.', message: 'Not here.' }) } },
    act: (canary) => says(canary, 'Hi', /Not here\./),
  },
  'failed model': {
    act: async (canary) => {
      canary.model.script(() => fail(400));
      await says(canary, 'Hi', /could not be answered/);
    },
  },
  'broken answer': {
    act: async (canary) => {
      canary.model.script([cutAfter(4), reply('Hello.')]);
      await says(canary, 'Hi', 'Hello.');
    },
  },
  'stopped run': {
    act: async (canary) => {
      canary.model.script([hang('So far')]);
      await canary.channel.says({ sender: 'ann' }, 'Hi');
      await canary.model.waitForRequests(1);
      await canary.channel.says({ sender: 'ann' }, '/stop');
      await canary.channel.expectDelivered(/^Stopp/, { sender: 'ann' });
      await canary.channel.expectDelivered('Stopped.', { sender: 'ann' });
    },
  },
  'reply taken over': {
    settings: { answers: { reply_dispatch: () => ({ handled: true }) } },
    act: async (canary) => {
      canary.model.script([reply('Hello.')]);
      await canary.channel.says({ sender: 'ann' }, 'Hi');
    },
  },
  'cancelled delivery': {
    settings: { answers: { message_sending: () => ({ cancel: true }) } },
    act: async (canary) => {
      canary.model.script([reply('Hello.')]);
      await canary.channel.says({ sender: 'ann' }, 'Hi');
    },
  },
  'failed delivery': {
    act: async (canary) => {
      canary.model.script([reply('Hello.')]);
      canary.channel.script({ fail: 'nobody lives here' });
      await canary.channel.says({ sender: 'ann' }, 'Hi');
    },
  },
  '/status': { after: GREETED, act: (canary) => says(canary, '/status', /main/) },
  'plugin command': { settings: PLUGIN, act: (canary) => says(canary, '/greet', 'Good day.') },
  '/new': { after: GREETED, act: (canary) => says(canary, '/new', 'A new session has begun.') },
  '/reset and a message': {
    after: GREETED,
    act: async (canary) => {
      canary.model.script([reply('Hello again.')]);
      await says(canary, '/reset Hi again', 'Hello again.');
    },
  },
  'session idle too long': {
    settings: {
      config: {
        session: { reset: { mode: 'idle', idleMinutes: 5 } },
        limits: { spend: [{ per: 'day', tokens: 1_000_000_000, warnAt: 0.000_000_001 }] },
      },
    },
    after: GREETED,
    act: async (canary) => {
      canary.passes(10);
      await greeted(canary);
    },
  },
  'reset over the API': {
    after: GREETED,
    act: async (canary) => void (await canary.fetch(`/api/sessions/${encoded}/reset`, {})),
  },
  'session deleted': {
    after: GREETED,
    act: async (canary) => void (await canary.fetch(`/api/sessions/${encoded}`, undefined, 'DELETE')),
  },
  'session patched': {
    settings: PLUGIN,
    after: GREETED,
    act: async (canary) => {
      const params = { key: KEY, pluginId: 'polite', namespace: 'mood', value: 'good' };
      await canary.fetch('/api/methods/sessions.pluginPatch', { params });
    },
  },
  '/compact': { settings: SMALL_WINDOW, after: LONG_TALK, act: (canary) => says(canary, '/compact', /./) },
  'automatic compaction': { settings: SMALL_WINDOW, after: LONG_TALK, act: noted },
  'job added': { act: addJob },
  cron: {
    after: [{ path: 'job added', act: addJob }],
    act: async (canary) => {
      canary.model.script([reply('Good morning.')]);
      canary.passes(10);
      await canary.scratch.opened.schedule.schedule.look();
      await canary.channel.expectDelivered('Good morning.', { sender: 'ann' });
    },
  },
  'job changed': {
    after: [{ path: 'job added', act: addJob }],
    act: async ({ services }) => {
      const [job] = await services.store.select('jobs');
      await services.jobs.edit(job?.id ?? '', { message: 'Another one.' });
    },
  },
  'job removed': {
    after: [{ path: 'job added', act: addJob }],
    act: async ({ services }) => {
      const [job] = await services.store.select('jobs');
      await services.jobs.remove(job?.id ?? '');
    },
  },
  heartbeat: {
    settings: {
      config: { session: { dmScope: 'main' } },
      files: { 'workspace/HEARTBEAT.md': '# Heartbeat\n- [ ] look at the mail\n' },
    },
    after: GREETED,
    act: async (canary) => {
      canary.model.script([reply('Ben waits for your answer.')]);
      canary.passes(30);
      await canary.scratch.opened.schedule.heartbeats.look();
      await canary.channel.expectDelivered('Ben waits for your answer.', { sender: 'ann' });
    },
  },
  preview: { act: async ({ services }) => void (await services.context.preview({ message: 'Hi' })) },
  'plugin loaded again': {
    settings: PLUGIN,
    act: async ({ services }) => void (await services.plugins.reload('polite')),
  },
  install: {
    act: async ({ services }) => {
      const target = { targetType: 'plugin', requestKind: 'plugin-npm' } as const;
      const event = { ...target, targetName: 'x', sourcePath: '/x', sourcePathKind: 'directory' } as const;
      await services.installs.check(event, target);
    },
  },
  'crash in a model call': {
    act: async (canary) => {
      await cutShort(canary);
      canary.model.script([reply('Hello.')]);
      await canary.start();
      await canary.channel.expectDelivered('Hello.', { sender: 'ann' });
    },
  },
  'crash before observers were told': {
    act: async (canary) => {
      await greeted(canary);
      await canary.stop();
      await canary.edit({ update: 'runs', where: {}, set: { observed: false } });
      await canary.forget();
      await canary.start();
    },
  },
  'crash again and again': {
    act: async (canary) => {
      await cutShort(canary);
      await canary.edit({ update: 'runs', where: {}, set: { claim: 3, progressClaim: 0 } });
      await canary.start();
      await canary.channel.expectDelivered(/could not be answered/, { sender: 'ann' });
    },
  },
  restart: { after: [STARTED, ...GREETED], act: (canary) => canary.stop(5_000, 'restart') },
  shutdown: { after: [STARTED, ...GREETED], act: (canary) => canary.stop() },
};

/** Paths of the gateway itself. */
const OF_GATEWAY: ReadonlySet<string> = new Set(['start', 'restart', 'shutdown']);

describe('every hook and every event of hook packs is called as often as the table says', () => {
  for (const [name, { what, hooks, events }] of Object.entries<HookPath>(HOOK_PATHS)) {
    it(`${name}: ${what}`, async () => {
      const { settings, after = [], act } = DRIVES[name as HookPathName];
      const canary = await CanaryGateway.open(settings);
      onTestFinished(() => canary.close());
      const fired = () => canary.fired(OF_GATEWAY.has(name) ? 'everything' : 'messages');
      if (name === 'start') {
        await act(canary);
        return expect.poll(fired).toEqual({ hooks, events });
      }
      await canary.listen();
      for (const each of after) await each.act(canary);
      await act(canary);
      await canary.settle();
      await canary.stop();
      const paths = [...after.map(({ path }): HookPath => HOOK_PATHS[path]), HOOK_PATHS[name as HookPathName]];
      expect(await fired()).toEqual({
        hooks: sumOf(paths.map((path) => path.hooks)),
        events: sumOf(paths.map((path) => path.events)),
      });
      for (const fact of canary.facts.flat()) told.add(fact.name);
      expect(canary.facts.flatMap(misplaced)).toEqual([]);
    });
  }

  it('and every fact is told on some path or other', () => {
    expect(Object.keys(FACT_CATALOG).filter((fact) => !told.has(fact))).toEqual([]);
  });

  it('on some path or other', () => {
    const paths = Object.values<HookPath>(HOOK_PATHS);
    const fires = (name: string) => paths.some(({ hooks, events }) => name in hooks || name in events);
    expect(Object.keys(HOOK_CATALOG).filter((hook) => !fires(hook))).toEqual([]);
  });
});

it('message_received has the client’s name for the message and its metadata, on every surface', async () => {
  const received: unknown[] = [];
  const canary = await CanaryGateway.open({
    answers: {
      message_received: ({ messageId, metadata }: { messageId?: string; metadata?: object }) =>
        received.push([messageId, metadata]),
    },
  });
  onTestFinished(() => canary.close());
  await canary.listen();
  canary.model.script(() => reply('Hello.'));
  const metadata = { ticket: 'A-7' };
  await canary.channel.says({ sender: 'ann' }, 'Hi', { messageId: 'm1', metadata });
  await canary.talk('web', 'Hi', { id: 'm2', metadata });
  await canary.talk('cli', 'Hi', { id: 'm3', metadata });
  await canary.fetch('/api/messages', { text: 'Hi', id: 'm4', metadata });
  const messages = [{ role: 'user', content: 'Hi' }];
  const chat = { model: 'atrium', messages, metadata };
  await canary.fetch('/v1/chat/completions', chat, 'POST', { 'idempotency-key': 'm5' });
  await canary.settle();
  await canary.stop();
  expect(received).toEqual([
    ['m1', metadata],
    ['m2', { ...metadata, clientId: expect.any(String) }],
    ['m3', { ...metadata, clientId: expect.any(String) }],
    ['m4', metadata],
    ['m5', metadata],
  ]);
});

/** The facts that were told on at least one path. */
const told = new Set<string>();

/**
 * Facts of one process that were told before a commit that they follow, or after one that they precede. Each telling is
 * compared with the commits of its own sites: as many commits as tellings must be over, or as many must still come.
 */
function misplaced(facts: readonly ToldFact[]): readonly string[] {
  const counts = new Map<string, number>();
  return facts.flatMap(({ name, commits }) => {
    const { after, before }: FactRow<never>['when'] = FACT_CATALOG[name].when;
    const tellings = (counts.get(name) ?? 0) + 1;
    counts.set(name, tellings);
    const over = (sites: readonly string[]) => sites.reduce((sum, site) => sum + (commits[site] ?? 0), 0);
    // Facts that precede the same commits share them.
    const together = (sites: readonly string[]) =>
      [...counts].reduce((sum, [fact, times]) => {
        const others = FACT_CATALOG[fact as FactName].when.before ?? [];
        return others.some((site) => sites.includes(site)) ? sum + times : sum;
      }, 0);
    return [
      ...(after && over(after) < tellings ? [`${name} was told before ${after.join(' or ')}`] : []),
      ...(before && over(before) >= together(before) ? [`${name} was told after ${before.join(' or ')}`] : []),
    ];
  });
}

function sumOf(counts: readonly Readonly<Partial<Record<string, number>>>[]): Record<string, number> {
  const sum: Record<string, number> = {};
  for (const [name, times = 0] of counts.flatMap((each) => Object.entries(each))) sum[name] = (sum[name] ?? 0) + times;
  return sum;
}
