// A whole home of OpenClaw is brought along, in the form of both versions; twice, half-read, and into a home that has
// talked already. Real files, real databases, the real store.

import { createHash } from 'node:crypto';
import { readdir, readFile, rename, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readEnvironment } from '../../config/environment.ts';
import { resolveProvider } from '../../config/model-provider.ts';
import type { Config } from '../../config/schema.ts';
import { gatherVariables } from '../../config/secrets/gather-variables.ts';
import { toolCallsOf } from '../../protocol/message.ts';
import { planSessionDeletion } from '../../sessions/delete-session.ts';
import { sessionModelOf } from '../../sessions/session-model.ts';
import { openDatabase } from '../../store/sqlite/database.ts';
import { folderForTest } from '../../testkit/folder-for-test.ts';
import { ScratchStore } from '../../testkit/scratch-store.ts';
import { Conversation } from './conversation.ts';
import {
  assistant,
  call,
  chain,
  JOBS,
  OpenClawHomeFixture,
  result,
  STARTED_AT,
  talk,
  user,
} from './fixtures/openclaw-home.ts';
import { hasOpenClawState } from './has-openclaw-state.ts';
import { type ImportParts, type ImportReport, importOpenClaw } from './import-openclaw.ts';

const NOW = Date.UTC(2026, 8, 10);

describe.each([
  ['files', 'writeFiles', 2],
  ['databases', 'writeDatabases', 3],
] as const)('a home with %s', (_, write, sessions) => {
  it('is brought along: conversations, jobs and people, and a second time brings nothing', async () => {
    const { home, store, run } = await rig();
    await home[write]();
    const before = await snapshotOf(home.dir);
    const report = await run();
    expect(rowsOf(report)).toMatchObject({
      conversations: [sessions, 0, 0, 0],
      jobs: [2, 0, 0, 1],
      'approved people': [3, 0, 0, write === 'writeFiles' ? 1 : 0],
    });
    const [main] = await store.select('sessions', { where: { sessionId: 'main-1' } });
    expect(main).toMatchObject({ sessionKey: 'agent:main:main', agentId: 'main', endedAt: null });
    expect(main?.activeAt).toBe(STARTED_AT + 60_000);
    expect(await saidIn(store, 'main-1')).toEqual([
      ['user', 'My dog is called Rex.'],
      ['assistant', 'I note that.'],
      ['tool', 'ok'],
      ['assistant', 'Noted: Rex.'],
    ]);
    expect(await saidIn(store, 'group-1')).toEqual([
      ['user', 'Who is on call?'],
      ['assistant', 'Ana is.'],
    ]);
    expect(await store.select('jobs', { orderBy: [['id', 'asc']] })).toMatchObject([
      {
        id: 'morning-report',
        schedule: { kind: 'cron', expr: '0 7 * * *', tz: 'Europe/Lisbon' },
        session: 'own',
        enabled: true,
        deliverTo: { channel: 'telegram', peer: { kind: 'group', id: '-1001' }, threadId: '7' },
      },
      {
        id: 'pulse',
        schedule: { kind: 'every', everyMs: 3_600_000, anchorMs: STARTED_AT },
        session: 'main',
        enabled: false,
      },
    ]);
    const people = await store.select('pairings', { orderBy: [['senderId', 'asc']] });
    expect(people.map(({ channel, accountId, senderId, status }) => [channel, accountId, senderId, status])).toEqual([
      ['telegram', 'default', '42', 'approved'],
      ['telegram', 'default', '43', 'approved'],
      ['discord', 'work', '77', 'approved'],
    ]);
    expect(await snapshotOf(home.dir)).toEqual(before);

    const again = await run();
    expect(rowsOf(again)).toMatchObject({
      conversations: [0, 0, sessions, 0],
      jobs: [0, 0, 2, 1],
      'approved people': [0, 0, 3, expect.any(Number)],
    });
    expect(await store.count('transcript')).toBe(write === 'writeFiles' ? 6 : 8);
    expect(await snapshotOf(home.dir)).toEqual(before);
  });

  it('is only read by a dry run', async () => {
    const { home, store, run, stateDir } = await rig();
    await home[write]();
    const report = await run({ isDryRun: true });
    expect(rowsOf(report)).toMatchObject({ conversations: [sessions, 0, 0, 0], jobs: [2, 0, 0, 1] });
    expect([await store.count('sessions'), await store.count('jobs'), await store.count('pairings')]).toEqual([
      0, 0, 0,
    ]);
    expect(await readdir(join(stateDir, 'atrium')).catch(() => [])).toEqual([]);
  });
});

it('a job that is over, or that does something else here, is named', async () => {
  const { home, run } = await rig();
  await home.writeFiles();
  const { notes } = await run();
  const said = notes.map(({ sentence }) => sentence).join('\n');
  expect(said).toContain('The job "Once upon a time" was left');
  expect(said).not.toContain('of its payload has no effect.');
  expect(said).toContain('there is no channel whatsapp');
});

it('a job has its older form, and every part of it that is not brought is named', async () => {
  const { home, store, run } = await rig();
  const jobs = [
    { jobId: 'old', schedule: { cron: '0 9 * * *' }, message: 'Good morning.' },
    { jobId: 'oldest', name: 'Oldest', schedule: '0 8 * * *', text: 'Wake up.' },
    {
      id: 'named',
      name: 'Named',
      description: 'What it is for.',
      schedule: { kind: 'cron', expr: '0 7 * * *', staggerMs: 5_000 },
      sessionTarget: 'session:standup',
      wakeMode: 'next-heartbeat',
      payload: { kind: 'agentTurn', message: 'Stand up.', model: 'x/y', fallbacks: [' x/z '], lightContext: true },
      delivery: { mode: 'none', bestEffort: true },
      failureAlert: { after: 2 },
    },
    { name: 'Nobody', schedule: { cron: '0 9 * * *' }, message: 'x' },
    { jobId: 'silent', schedule: { cron: '0 9 * * *' } },
  ];
  await home.write('cron/jobs.json', JSON.stringify({ jobs }));
  const report = await run();
  expect(rowsOf(report).jobs).toEqual([3, 0, 0, 2]);
  expect(await store.select('jobs', { orderBy: [['id', 'asc']] })).toMatchObject([
    { id: 'named', session: 'own', model: 'x/y', fallbacks: ['x/z'] },
    { id: 'old', name: 'old', message: 'Good morning.', schedule: { kind: 'cron', expr: '0 9 * * *' } },
    { id: 'oldest', name: 'Oldest', message: 'Wake up.', schedule: { expr: '0 8 * * *' } },
  ]);
  expect(report.notes.map(({ sentence }) => sentence)).toEqual([
    'The job "Named": it ran in the session "session:standup", and runs in a session of its own here.',
    'The job "Named": its wakeMode "next-heartbeat" has no effect; it runs at its time.',
    'The job "Named": lightContext of its payload has no effect.',
    'The job "Named": staggerMs of its schedule has no effect.',
    'The job "Named": bestEffort of its delivery has no effect.',
    'The job "Named": description, failureAlert have no effect.',
    'The job "Nobody" was left: it has no id.',
    expect.stringContaining('The job "silent" was left: '),
  ]);
});

it('a job whose model may not be chosen is brought, and that is named', async () => {
  const { home, store, run } = await rig();
  const job = (id: string, payload: object) => ({ id, name: id, schedule: { cron: '0 9 * * *' }, payload });
  const jobs = [
    job('first', { message: 'x', model: 'x/y', fallbacks: ['x/listed'] }),
    job('later', { message: 'x', model: 'x/listed', fallbacks: ['x/z'] }),
    job('fine', { message: 'x', model: 'x/listed' }),
  ];
  await home.write('cron/jobs.json', JSON.stringify({ jobs }));
  const report = await run({ config: { agents: { defaults: { modelPolicy: { allow: ['x/listed'] } } } } });
  expect(await store.count('jobs')).toBe(3);
  expect(report.notes.map(({ sentence }) => sentence)).toEqual([
    expect.stringMatching(
      /^The job "first": x\/y is not among the models .*modelPolicy\.allow\), so its runs fail until/,
    ),
    expect.stringMatching(/^The job "later": x\/z is not among the models .*, so it is passed over until/),
  ]);
});

it('a job of the newest version has its agent by name, answers where it did, and is no housekeeping of OpenClaw', async () => {
  const { home, store, run } = await rig();
  const config = { agents: { entries: { clawd: {}, helper: {} } } };
  const job = (id: string, more: object) => ({
    id,
    name: id,
    agentId: 'clawd',
    schedule: { kind: 'cron', expr: '0 7 * * *' },
    sessionTarget: 'isolated',
    wakeMode: 'now',
    payload: { kind: 'agentTurn', message: 'Good morning.', toolsAllow: ['*'] },
    delivery: { mode: 'announce', channel: 'last' },
    scheduledToolPolicy: { version: 1, mode: 'trusted' },
    ...more,
  });
  const jobs = [
    job('morning', { displayName: 'Morning', declarationKey: 'mine' }),
    job('confined', { payload: { kind: 'agentTurn', message: 'Look.', toolsAllow: ['read'] } }),
    job('beat', { declarationKey: 'heartbeat:clawd', payload: { kind: 'heartbeat' } }),
    job('dream', { description: '[managed-by=memory-core.short-term-promotion] It promotes.' }),
    job('review', { agentId: 'helper', declarationKey: 'skill-collection-review:helper' }),
  ];
  await home.write('cron/jobs.json', JSON.stringify({ version: 1, jobs }));
  const report = await run({ config });
  expect(rowsOf(report).jobs).toEqual([2, 0, 0, 0]);
  expect(await store.select('jobs', { orderBy: [['id', 'asc']] })).toMatchObject([
    { id: 'confined', enabled: false, agentId: 'clawd' },
    { id: 'morning', enabled: true, agentId: 'clawd', deliverTo: { channel: 'last' } },
  ]);
  expect(report.notes.map(({ sentence }) => sentence)).toEqual([
    'The job "confined": it had some tools only, and would have all of them here, so it was brought switched off.',
    'The job "beat" stays there: OpenClaw made it for its own housekeeping.',
    'The job "dream" stays there: OpenClaw made it for its own housekeeping.',
    'The job "review" stays there: OpenClaw made it for its own housekeeping.',
  ]);
});

it('people who wait to be approved are counted', async () => {
  const { home, run } = await rig();
  const requests = [{ id: '5', code: 'SECRETCODE' }, { id: '6' }];
  const place = await home.write('credentials/telegram-pairing.json', JSON.stringify({ version: 1, requests }));
  const { notes } = await run();
  expect(notes).toEqual([{ place, sentence: expect.stringContaining('2 people wait to be approved') }]);
  expect(JSON.stringify(notes)).not.toContain('SECRETCODE');
});

it('keys in a database are kept in a private file, and sign-ins are left', async () => {
  const { home, run, stateDir } = await rig();
  await home.writeDatabases();
  expect(rowsOf(await run())).toMatchObject({ 'auth profiles in databases': [2, 0, 0, 1] });
  const file = join(stateDir, 'atrium', 'auth-profiles.json');
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(JSON.parse(await readFile(file, 'utf8')).profiles).toEqual({
    'openai:default': { type: 'api_key', provider: 'openai', key: 'key-of-the-database' },
    'groq:default': { type: 'api_key', provider: 'groq', key: 'key-of-the-machine' },
  });
  expect(rowsOf(await run())).toMatchObject({ 'auth profiles in databases': [0, 0, 2, 1] });
  expect(await readdir(join(stateDir, 'atrium'))).toEqual(['auth-profiles.json']);
});

it('keys that another agent has in its database are kept for that agent alone', async () => {
  const { home, run, stateDir, environment } = await rig();
  await home.write('agents/helper/agent/openclaw-agent.sqlite', '');
  const database = await openDatabase(join(home.dir, 'agents/helper/agent/openclaw-agent.sqlite'), { busyMs: 100 });
  database.exec('CREATE TABLE auth_profile_store (store_key TEXT PRIMARY KEY, store_json TEXT, updated_at INTEGER)');
  const profiles = {
    'openai:helper': { type: 'api_key', provider: 'openai', key: 'key-of-the-helper' },
    'anthropic:helper': { type: 'oauth', provider: 'anthropic', access: 'a', refresh: 'r' },
  };
  database.prepare('INSERT INTO auth_profile_store VALUES (?, ?, 0)').run('primary', JSON.stringify({ profiles }));
  database.close();
  const config = { agents: { list: [{ id: 'main' }, { id: 'helper' }] } };
  const report = await run({ config });
  expect(rowsOf(report)).toMatchObject({ 'auth profiles in databases': [1, 0, 0, 1] });
  expect(report.notes).toContainEqual({
    place: expect.stringContaining('helper'),
    sentence: 'The profile anthropic:helper was left: it has no API key and no token.',
  });
  const file = join(stateDir, 'atrium', 'agents', 'helper', 'auth-profiles.json');
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const { variables } = await gatherVariables(config, environment, false);
  expect(resolveProvider(config, 'openai', variables, 'helper').apiKey).toBe('key-of-the-helper');
  expect(() => resolveProvider(config, 'openai', variables, 'main')).toThrow('OPENAI_API_KEY');
  expect(rowsOf(await run({ config }))).toMatchObject({ 'auth profiles in databases': [0, 0, 1, 1] });
});

it('the title and the model of a conversation in a database come along, and what stays there is named', async () => {
  const { home, store, run } = await rig();
  await home.writeDatabases();
  const { notes } = await run();
  const [main] = await store.select('sessions', { where: { sessionId: 'main-1' } });
  expect(main).toMatchObject({ title: 'The dog' });
  const sentences = notes.map(({ sentence }) => sentence);
  expect(sentences).toContain('OpenClaw has put what was said in agent:main:old into an archive, which is not read.');
  expect(sentences).toContain(
    'Not brought along: 1 row of channel_pairing_requests (people who wait to be approved; a new message asks again here).',
  );
  expect(sentences.join('\n')).toContain('1 row of secret_store_entries');
  expect(JSON.stringify(notes)).not.toContain('kept-in-the-store');
});

describe('a conversation', () => {
  it('that has grown is continued, once', async () => {
    const { home, store, run } = await rig();
    await home.writeFiles();
    await run();
    const file = join(home.dir, 'agents/main/sessions/main-1.jsonl');
    await home.append(file, { type: 'message', id: 'e5', parentId: 'e4', message: user('And a cat, Mia.') });
    expect(rowsOf(await run()).conversations).toEqual([0, 1, 1, 0]);
    expect(rowsOf(await run()).conversations).toEqual([0, 0, 2, 0]);
    expect((await saidIn(store, 'main-1')).at(-1)).toEqual(['user', 'And a cat, Mia.']);
    expect(await store.count('transcript', { sessionId: 'main-1' })).toBe(5);
  });

  it('that has gone on here is not mixed with what OpenClaw has added, and that is named', async () => {
    const { home, store, run } = await rig();
    await home.writeFiles();
    await run();
    await store.commit([{ insert: 'transcript', row: { ...OWN_ENTRY, sessionId: 'main-1', position: 5 } }], {
      site: 'result',
    });
    const file = join(home.dir, 'agents/main/sessions/main-1.jsonl');
    await home.append(file, { type: 'message', id: 'e5', parentId: 'e4', message: user('Elsewhere.') });
    const report = await run();
    expect(rowsOf(report).conversations).toEqual([0, 0, 1, 1]);
    expect(report.notes.map(({ sentence }) => sentence).join()).toContain('1 newer entries of OpenClaw were not added');
    expect((await saidIn(store, 'main-1')).map(([, text]) => text)).not.toContain('Elsewhere.');
  });

  it('whose key is in use here comes as an ended session', async () => {
    const { home, store, run } = await rig();
    await home.writeFiles();
    const row = { ...OWN_SESSION, sessionKey: 'agent:main:main', sessionId: 'ses_own' };
    await store.commit([{ insert: 'sessions', row }], { site: 'request' });
    const report = await run();
    expect(report.notes.map(({ sentence }) => sentence).join()).toContain('agent:main:main has gone on here already');
    const open = await store.select('sessions', { where: { sessionKey: 'agent:main:main', endedAt: null } });
    expect(open.map(({ sessionId }) => sessionId)).toEqual(['ses_own']);
    expect(await store.count('sessions', { sessionId: 'main-1' })).toBe(1);
  });

  it('has the title and the model that it had, and what else was chosen for it is named', async () => {
    const { home, store, run } = await rig();
    await home.transcript('chosen', talk(user('Hello.')));
    const choices = { providerOverride: 'openai', modelOverride: 'gpt-5', thinkingLevel: 'high', fastMode: false };
    const displayName = `The\nkitchen ${'x'.repeat(300)}`;
    await home.sessions({ 'agent:main:web:direct:a': { sessionId: 'chosen', displayName, ...choices } });
    const { notes } = await run();
    const [row] = await store.select('sessions', { where: { sessionId: 'chosen' } });
    expect(row && sessionModelOf(row)).toBe('openai/gpt-5');
    expect(row?.title).toMatch(/^The kitchen x{100}/);
    expect(row?.title?.length).toBeLessThanOrEqual(200);
    expect(notes.map(({ sentence }) => sentence)).toEqual([
      'agent:main:web:direct:a: thinkingLevel of the session has no effect.',
    ]);
    expect(rowsOf(await run()).conversations).toEqual([0, 0, 1, 0]);
  });

  it('has no model of its own where OpenClaw had noted a fallback by itself', async () => {
    const { home, store, run } = await rig();
    await home.transcript('fallen', talk(user('Hello.')));
    const model = { providerOverride: 'openai', modelOverride: 'gpt-5', modelOverrideSource: 'auto' };
    await home.sessions({ 'agent:main:web:direct:a': { sessionId: 'fallen', ...model } });
    await run();
    const [row] = await store.select('sessions', { where: { sessionId: 'fallen' } });
    expect(row && sessionModelOf(row)).toBeUndefined();
  });

  it('whose transcript is gone, a folder or a link out of the home is left and named once', async () => {
    const { home, run } = await rig();
    await home.transcript('here', talk(user('Hello.')));
    await home.write('agents/main/sessions/folder.jsonl/x', '');
    const outside = await new OpenClawHomeFixture(await folderForTest()).write('outside.jsonl', '');
    await symlink(outside, join(home.dir, 'agents/main/sessions/link.jsonl'));
    const ids = ['here', 'gone', 'folder', 'link'];
    await home.sessions(
      Object.fromEntries(ids.map((sessionId) => [`agent:main:web:direct:${sessionId}`, { sessionId }])),
    );
    const report = await run();
    expect(rowsOf(report).conversations).toEqual([1, 0, 0, 3]);
    expect(report.found[0]).toMatchObject({ what: 'conversations', found: 4 });
    expect(report.notes.map(({ sentence }) => sentence)).toEqual([
      'The transcript of agent:main:web:direct:gone is not there.',
      'The transcript of agent:main:web:direct:folder is no file.',
      'The transcript of agent:main:web:direct:link is a link to a file outside of this home, and is not read.',
    ]);
  });

  it('that is longer than the memory allows is left and named, and the others are brought', async () => {
    const { home, store, run } = await rig();
    const images = { role: 'user', content: [{ type: 'image', data: 'x'.repeat(5_000) }] };
    await home.transcript('pictures', talk(images, assistant('Nice.')));
    await home.transcript('long', talk(user('x'.repeat(600)), assistant('y'.repeat(600))));
    await home.sessions({
      'agent:main:web:direct:a': { sessionId: 'long' },
      'agent:main:web:direct:b': { sessionId: 'pictures' },
    });
    const report = await run({ mostChars: 1_000 });
    expect(rowsOf(report).conversations).toEqual([1, 0, 0, 1]);
    expect(report.notes[0]?.sentence).toMatch(/^agent:main:web:direct:a is longer than the memory/);
    expect(await store.count('sessions', { sessionId: 'pictures' })).toBe(1);
    expect(rowsOf(await run()).conversations).toEqual([1, 0, 1, 0]);
  });

  it('that no readable list names stays, and the file that cannot be read is counted', async () => {
    const { home, run } = await rig();
    await home.transcript('one', talk(user('Hello.')));
    await home.write('agents/main/sessions/sessions.json', '{ "agent:main:main": ');
    const { unread, notes } = await run();
    expect(unread).toBe(1);
    expect(notes.map(({ sentence }) => sentence)).toEqual([
      expect.stringMatching(/^It cannot be read: /),
      'One transcript stays where it is: the list that says whose they are cannot be read.',
    ]);
  });

  it('of the main session is told how to go on, where each person has a session of their own', async () => {
    const { home, run } = await rig();
    await home.writeFiles();
    const { notes } = await run({ config: { session: { dmScope: 'per-channel-peer' } } });
    expect(notes.map(({ sentence }) => sentence)).toContainEqual(
      expect.stringContaining('atrium chat --session agent:main:main'),
    );
  });

  it('that was deleted here stays deleted, and that is said', async () => {
    const { home, store, run } = await rig();
    await home.writeFiles();
    await run();
    const key = 'agent:main:main';
    await store.commit([{ update: 'sessions', where: { sessionKey: key }, set: { endedAt: NOW } }], {
      site: 'request',
    });
    const deleted = await store.select('sessions', { where: { sessionKey: key } });
    await store.commit(planSessionDeletion(key, deleted, []), { site: 'request' });
    const report = await run();
    expect(rowsOf(report).conversations).toEqual([0, 0, 1, 1]);
    expect(report.notes.map(({ sentence }) => sentence)).toContain(
      'agent:main:main was brought before and deleted here. It stays deleted, and is not brought again.',
    );
    expect(await saidIn(store, 'main-1')).toEqual([]);
  });

  it('that was begun anew in OpenClaw replaces the one that was brought before', async () => {
    const { home, store, run } = await rig();
    await home.writeFiles();
    await run();
    await home.transcript('main-2', talk(user('A new day.'), assistant('Good morning.')));
    await home.sessions({ 'agent:main:main': { sessionId: 'main-2', sessionStartedAt: NOW - 5_000, updatedAt: NOW } });
    await run();
    const sessions = await store.select('sessions', {
      where: { sessionKey: 'agent:main:main' },
      orderBy: [['startedAt', 'asc']],
    });
    expect(sessions.map(({ sessionId, endedAt, resumedFrom }) => [sessionId, endedAt, resumedFrom])).toEqual([
      ['main-1', NOW, null],
      ['main-2', null, 'main-1'],
    ]);
  });

  it('is read as far as it can be, and each bad line is named with its number', async () => {
    const { home, store, run } = await rig();
    await home.writeFiles();
    const file = join(home.dir, 'agents/main/sessions/main-1.jsonl');
    const text = await readFile(file, 'utf8');
    await writeFile(
      file,
      `${text.replace('\n{"id":"e4"', '\nnot json\n[1]\n{"id":"e4"')}{"type":"message","id":"e9","mes`,
    );
    const report = await run();
    const said = report.notes.filter(({ place }) => place === file).map(({ sentence }) => sentence);
    expect(said).toEqual([
      'Line 5 was left out: it is not JSON.',
      'Line 6 was left out: it is no entry.',
      'Line 8 was left out: it is not JSON.',
    ]);
    expect(await store.count('transcript', { sessionId: 'main-1' })).toBe(4);
  });

  it.each([
    ['that is not there', (home: OpenClawHomeFixture) => home.sessions({ 'agent:main:main': { sessionId: 'gone' } })],
    [
      'outside of the home',
      (home: OpenClawHomeFixture) =>
        home.sessions({ 'agent:main:main': { sessionId: 'x', sessionFile: '/etc/hostname' } }),
    ],
    [
      'behind a link that leads out of the home',
      async (home: OpenClawHomeFixture) => {
        await home.sessions({ 'agent:main:main': { sessionId: 'linked' } });
        const outside = join(dirname(home.dir), 'outside.jsonl');
        await writeFile(
          outside,
          talk(user('Words of another file.'))
            .map((each) => JSON.stringify(each))
            .join('\n'),
        );
        await symlink(outside, join(home.dir, 'agents/main/sessions/linked.jsonl'));
      },
    ],
    ['in a folder that is none', (home: OpenClawHomeFixture) => home.write('agents/main/sessions', 'This is a file.')],
    [
      'with a path for an id',
      (home: OpenClawHomeFixture) => home.sessions({ 'agent:main:main': { sessionId: '../../x' } }),
    ],
    [
      'of which the list is broken',
      (home: OpenClawHomeFixture) => home.write('agents/main/sessions/sessions.json', '{"a":'),
    ],
    [
      'in a database that is none',
      (home: OpenClawHomeFixture) =>
        home.write(
          'agents/main/agent/openclaw-agent.sqlite',
          'not a database, but long enough to look like one'.repeat(99),
        ),
    ],
    [
      'in a database with other tables',
      async (home: OpenClawHomeFixture) => {
        await home.write('agents/main/agent/openclaw-agent.sqlite', '');
        const database = await openDatabase(join(home.dir, 'agents/main/agent/openclaw-agent.sqlite'), { busyMs: 100 });
        database.exec('CREATE TABLE session_windows (session_id TEXT)');
        database.close();
      },
    ],
  ])('%s is named', async (_, write) => {
    const { home, run } = await rig();
    await write(home);
    const report = await run();
    expect(report.notes.length).toBeGreaterThan(0);
    expect(rowsOf(report).conversations?.[0]).toBe(0);
  });

  it('that two keys name is kept by the first, and a dry run says the same', async () => {
    const { home, store, run } = await rig();
    await home.writeFiles();
    await home.sessions({
      'agent:main:telegram:direct:ada': { sessionId: 'main-1' },
      'agent:main:telegram:direct:bob': { sessionId: 'main-1' },
    });
    const dry = await run({ isDryRun: true });
    const report = await run();
    expect(rowsOf(dry)).toEqual(rowsOf(report));
    expect(report.notes.map(({ sentence }) => sentence)).toContain(
      'agent:main:telegram:direct:bob has the same transcript as agent:main:telegram:direct:ada, which keeps it.',
    );
    expect(await store.count('sessions', { sessionId: 'main-1' })).toBe(1);
  });

  it('that shares its id with another one and has a transcript of its own is brought too, under the name of its file', async () => {
    const { home, store, run } = await rig();
    await home.writeFiles();
    await home.transcript('bob', talk(user('I am Bob.')));
    await home.sessions({
      'agent:main:telegram:direct:bob': { sessionId: 'main-1', sessionFile: 'bob.jsonl' },
      'agent:main:telegram:direct:ada': { sessionId: 'main-1' },
    });
    await home.transcript('main-1', talk(user('I am the other one.')), 'other');
    await home.sessions({ 'agent:other:main': { sessionId: 'main-1' } }, 'other');
    expect(rowsOf(await run()).conversations).toEqual([3, 0, 0, 0]);
    expect(await saidIn(store, 'bob')).toEqual([['user', 'I am Bob.']]);
    expect(await saidIn(store, 'main-1')).toHaveLength(4);
    const [other] = await store.select('sessions', { where: { agentId: 'other' } });
    expect(await saidIn(store, other?.sessionId ?? '')).toEqual([['user', 'I am the other one.']]);
    expect(rowsOf(await run()).conversations).toEqual([0, 0, 3, 0]);
  });

  it.each([
    [
      'of a topic is found under the name that OpenClaw gives its file',
      'agent:main:telegram:group:-1001:topic:7',
      { sessionId: 'forum' },
      'forum-topic-7',
    ],
    [
      'in a home that was copied is found in its folder',
      'agent:main:main',
      { sessionId: 'moved', sessionFile: '/home/before/.openclaw/agents/main/sessions/named.jsonl' },
      'named',
    ],
    [
      'in a home that was copied from Windows is found in its folder',
      'agent:main:main',
      { sessionId: 'moved', sessionFile: 'C:\\before\\sessions\\named.jsonl' },
      'named',
    ],
  ])('%s', async (_, sessionKey, entry, name) => {
    const { home, store, run } = await rig();
    await home.transcript(name, talk(user('Found.')));
    await home.sessions({ [sessionKey]: entry });
    const report = await run();
    expect(await saidIn(store, entry.sessionId)).toEqual([['user', 'Found.']]);
    expect(report.notes.filter(({ place }) => place.startsWith(home.dir))).toEqual([]);
  });

  it('in a folder that is a link to another disk is brought', async () => {
    const { home, store, run } = await rig();
    await home.writeFiles();
    const [folder, elsewhere] = [join(home.dir, 'agents/main/sessions'), join(dirname(home.dir), 'disk')];
    await rename(folder, elsewhere);
    await symlink(elsewhere, folder);
    await run();
    expect(await store.count('transcript', { sessionId: 'main-1' })).toBe(4);
  });

  it('with an agent that is configured no more is brought, and the agent is named', async () => {
    const { home, run, store } = await rig();
    await home.transcript('a', talk(user('x')), 'old');
    await home.sessions({ 'agent:old:main': { sessionId: 'a' }, 'agent:old:subagent:1': { sessionId: 'b' } }, 'old');
    const report = await run();
    expect(await store.count('sessions', { agentId: 'old' })).toBe(1);
    expect(report.notes.map(({ sentence }) => sentence)).toContain(
      'There is no agent "old" in the configuration. What was said with it (1 conversation) can be read, and goes on when such an agent is added.',
    );
  });

  it('of a subagent or of one run of a job stays where it is, and is counted', async () => {
    const { home, run } = await rig();
    await home.transcript('a', talk(user('x')));
    await home.sessions({
      'agent:main:subagent:1': { sessionId: 'a' },
      'agent:main:cron:j:run:1': { sessionId: 'a' },
      'agent:main:cron:j:run:2': { sessionId: 'removed' },
      global: { sessionId: 'a' },
    });
    const report = await run();
    expect(rowsOf(report).conversations).toEqual([0, 0, 0, 1]);
    expect(report.notes.map(({ sentence }) => sentence)).toEqual([
      expect.stringContaining('of subagents'),
      expect.stringContaining('of single runs of jobs'),
      expect.stringContaining('without an agent'),
    ]);
  });
});

describe('a store that the configuration of OpenClaw names', () => {
  const jobs = JSON.stringify({ version: 1, jobs: JOBS });
  const entries = JSON.stringify({ 'agent:main:main': { sessionId: 'kept' } });

  it('is read in a home that was copied, and what is outside of that home is named and not read', async () => {
    const { home, store, run } = await rig();
    await home.write(
      'openclaw.json',
      '{ cron: { store: "~/.openclaw/cron/cron.json" }, session: { store: "/old/.openclaw/s/{agentId}/list.json" } }',
    );
    await home.write('cron/cron.json', jobs);
    await home.write('s/main/list.json', entries);
    const transcript = await home.transcript('kept', talk(user('Kept elsewhere.')));
    await rename(transcript, join(home.dir, 's/main/kept.jsonl'));
    expect(rowsOf(await run())).toMatchObject({ conversations: [1, 0, 0, 0], jobs: [2, 0, 0, 1] });
    expect(await saidIn(store, 'kept')).toEqual([['user', 'Kept elsewhere.']]);

    await home.write('openclaw.json', '{ cron: { store: "/srv/jobs.json" }, session: { store: "s/gone.json" } }');
    const said = (await run()).notes.map(({ place, sentence }) => `${place}: ${sentence}`).join('\n');
    expect(said).toContain('cron.store names "/srv/jobs.json", which is outside of this home and was not read');
    expect(said).toContain(`${join(home.dir, 's/gone.json')}: session.store names this file, which is not there`);
  });

  it('may be anywhere in the home of the operator, one for all agents, and makes the first start offer an import', async () => {
    const { home, environment, run } = await rig();
    const elsewhere = join(dirname(home.dir), 'elsewhere');
    const config = { cron: { store: '~/elsewhere/jobs.json' }, session: { store: join(elsewhere, 'list.json') } };
    const query = { dir: home.dir, environment: { ...environment, stateDir: home.dir }, config };
    expect(await hasOpenClawState(query)).toBe(false);
    const fixture = new OpenClawHomeFixture(elsewhere);
    await fixture.write('jobs.json', jobs);
    expect(await hasOpenClawState({ ...query, config: { cron: config.cron } })).toBe(true);
    await fixture.write('list.json', entries);
    expect(await hasOpenClawState({ ...query, config: { session: config.session } })).toBe(true);
    await rename(await fixture.transcript('kept', talk(user('Hello.'))), join(elsewhere, 'kept.jsonl'));
    const report = await run({ environment: query.environment, config: config as Config });
    expect(rowsOf(report)).toMatchObject({ conversations: [1, 0, 0, 0], jobs: [2, 0, 0, 1] });
  });

  it('is read only when it is a regular file', async () => {
    const { home, run } = await rig();
    await home.write('openclaw.json', '{ cron: { store: "~/.openclaw/cron" } }');
    await home.write('cron/jobs.json', jobs);
    const { notes } = await run();
    expect(notes).toContainEqual({ place: join(home.dir, 'cron'), sentence: expect.stringContaining('it is no file') });
  });
});

describe('what is said', () => {
  it('is the branch that was active at the end', () => {
    const events = [
      ...chain([
        { type: 'message', message: user('one') },
        { type: 'message', message: assistant('first answer') },
      ]),
      { type: 'message', id: 'e3', parentId: 'e1', message: assistant('second answer') },
      { type: 'model_change', id: 'e4', parentId: 'e3' },
    ];
    expect(textsOf(events)).toEqual(['one', 'second answer']);
  });

  it('is a summary and what it keeps', async () => {
    const { home, store, run } = await rig();
    const events = chain([
      { type: 'message', message: user('old') },
      { type: 'message', message: assistant('older answer') },
      { type: 'custom', customType: 'x', data: {} },
      { type: 'message', message: user('kept') },
      { type: 'message', message: assistant('kept answer') },
      { type: 'compaction', summary: 'They greeted each other.', firstKeptEntryId: 'e3', tokensBefore: 9 },
      { type: 'message', message: user('new') },
    ]);
    await home.transcript('s', events);
    await home.sessions({ 'agent:main:main': { sessionId: 's', updatedAt: STARTED_AT } });
    await run();
    const rows = await store.select('transcript', { where: { sessionId: 's' }, orderBy: [['position', 'asc']] });
    expect(rows.map(({ kind }) => kind)).toEqual(['message', 'message', 'message', 'message', 'compaction', 'message']);
    expect(rows[4]).toMatchObject({
      meta: { summarisedTo: 2 },
      message: { content: expect.stringContaining('They greeted') },
    });
  });

  it('begins with a person, has images as words, and no provider is sent a call without its result', () => {
    const image = {
      role: 'user',
      content: [
        { type: 'image', data: 'AAAA', mimeType: 'image/png' },
        { type: 'text', text: 'see' },
      ],
    };
    const events = talk(
      assistant('Good morning.'),
      image,
      assistant('Wait.', call('weird|id with space', 'exec', { a: 1 })),
      user('never mind'),
      result('weird|id with space', 'exec', 'late'),
      result('unknown', 'exec', 'of nothing'),
    );
    const conversation = new Conversation({ isLinear: false });
    for (const event of events) conversation.add(event);
    const entries = conversation.entries();
    expect(entries.map(({ message }) => message.role)).toEqual(['user', 'assistant', 'user', 'assistant', 'user']);
    expect(conversation.omissions).toEqual(['1 of its images were not brought along.']);
    expect(JSON.stringify(entries)).not.toContain('AAAA');
    const [first] = entries.flatMap(({ message }) => (message.role === 'assistant' ? toolCallsOf(message) : []));
    expect(first?.id).toMatch(/^[\w-]{1,64}$/);
  });

  it('is well-formed whatever a transcript holds', () => {
    const id = fc.constantFrom('a', 'b', 'c', 'd', 'e');
    const message = fc.oneof(
      fc.record({ role: fc.constant('user'), content: fc.string() }),
      fc.record({
        role: fc.constant('assistant'),
        content: fc.array(fc.record({ type: fc.constant('toolCall'), id, name: fc.constant('t') })),
      }),
      fc.record({ role: fc.constant('toolResult'), toolCallId: id, toolName: fc.constant('t'), content: fc.string() }),
      fc.jsonValue(),
    );
    const event = fc.oneof(
      fc.record({
        type: fc.constantFrom('message', 'compaction', 'custom', 'odd'),
        id,
        parentId: fc.option(id),
        message,
        summary: fc.string(),
      }),
      fc.jsonValue(),
    );
    fc.assert(
      fc.property(fc.array(event), fc.boolean(), (events, isLinear) => {
        const conversation = new Conversation({ isLinear });
        for (const each of events) conversation.add(each);
        let open = new Set<string>();
        for (const { message: said, kind } of conversation.entries()) {
          if (said.role === 'tool') expect(open.delete(said.toolCallId)).toBe(true);
          else if (kind === 'message')
            open = new Set(said.role === 'assistant' ? toolCallsOf(said).map((each) => each.id) : []);
        }
      }),
    );
  });
});

function textsOf(events: readonly object[]): readonly string[] {
  const conversation = new Conversation({ isLinear: false });
  for (const event of events) conversation.add(event);
  return conversation.entries().map(({ message }) => {
    if (typeof message.content === 'string') return message.content;
    return message.content.map((part) => ('text' in part ? part.text : '')).join('');
  });
}

const OWN_ENTRY = {
  runId: 'run_own',
  at: NOW,
  kind: 'message',
  message: { role: 'user', content: 'Here.' },
  shown: null,
  meta: {},
} as const;

const OWN_SESSION = {
  agentId: 'main',
  startedAt: NOW,
  activeAt: NOW,
  endedAt: null,
  endReason: null,
  surface: null,
  resumedFrom: null,
  endToTell: false,
  title: null,
  archivedAt: null,
  seenAt: null,
  branchOf: null,
  branchAt: null,
  state: {},
} as const;

async function rig() {
  const folder = await folderForTest();
  const home = new OpenClawHomeFixture(join(folder, 'old'));
  await home.write('openclaw.json', '{}');
  const scratch = await ScratchStore.create();
  onTestFinished(() => scratch.remove());
  const environment = readEnvironment({ HOME: folder, TZ: 'UTC' }, () => folder, folder);
  const place = { store: scratch.store, config: {}, environment, from: home.dir };
  const usual = { ...place, isDryRun: false, now: () => NOW, mostChars: 1_000_000 };
  const run = (others: Partial<ImportParts> = {}): Promise<ImportReport> => importOpenClaw({ ...usual, ...others });
  return { home, store: scratch.store, run, stateDir: environment.stateDir, environment };
}

function rowsOf({ rows }: ImportReport): Record<string, readonly number[]> {
  return Object.fromEntries(
    rows.map(({ what, brought, grown, unchanged, left }) => [what, [brought, grown, unchanged, left]]),
  );
}

async function saidIn(store: ScratchStore['store'], sessionId: string) {
  const rows = await store.select('transcript', { where: { sessionId }, orderBy: [['position', 'asc']] });
  return rows.map(({ message }) => {
    const text =
      typeof message.content === 'string'
        ? message.content
        : message.content.map((part) => ('text' in part ? part.text : '')).join('');
    return [message.role, text];
  });
}

/** Every file below a folder with its size, time and content. */
async function snapshotOf(dir: string): Promise<readonly unknown[]> {
  const names = (await readdir(dir, { recursive: true })).toSorted();
  return Promise.all(
    names.map(async (name) => {
      const facts = await stat(join(dir, name));
      return [
        name,
        facts.mtimeMs,
        facts.isFile()
          ? createHash('sha256')
              .update(await readFile(join(dir, name)))
              .digest('hex')
          : '',
      ];
    }),
  );
}
