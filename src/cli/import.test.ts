// `atrium import openclaw` as a person runs it, and the gateway that goes on with what was brought.

import { writeFile } from 'node:fs/promises';
import { expect, it, onTestFinished } from 'vitest';
import { assistant, OpenClawHomeFixture, talk, user } from '../gateway/import/fixtures/openclaw-home.ts';
import { gatewayForTest } from '../testkit/gateway-for-test.ts';
import { reply } from '../testkit/model-server.ts';
import { CliHome } from './fixtures/cli-home.ts';
import { fakeOpenClaw } from './fixtures/fake-openclaw.ts';

async function homeForTest(): Promise<CliHome> {
  const home = await CliHome.create();
  onTestFinished(() => home.remove());
  return home;
}

it('shows what it found, what it would do, and then what it did', async () => {
  const home = await homeForTest();
  await new OpenClawHomeFixture(home.stateDir).writeFiles();
  const tried = await home.run(['import', 'openclaw', '--dry-run']);
  expect(tried.out).toMatch(/conversations +2 +brought into the store/);
  expect(tried.out).toMatch(/memory files +2 +used where they are/);
  expect(tried.out).toContain('Nothing was written.');
  expect((await home.run(['sessions', 'list'])).out).not.toContain('agent:main:main');
  const done = await home.run(['import', 'openclaw']);
  expect(done.out).toMatch(/conversations +2 +0 +0 +0/);
  expect(done.out).toContain('The job "Once upon a time" was left');
  expect(done.out).toContain('Set session.dmScope to "main"');
  expect([done.code, done.err]).toEqual([1, '']);
  expect((await home.run(['sessions', 'show', 'agent:main:main'])).out).toContain('My dog is called Rex.');
  expect((await home.run(['cron', 'list'])).out).toContain('Morning report');
  expect((await home.run(['pairing', 'list'])).out).toContain('42');
});

it('refuses a folder that is not there, and one that is no home of OpenClaw', async () => {
  const home = await homeForTest();
  const missing = await home.run(['import', 'openclaw', '--from', '/does/not/exist']);
  expect([missing.code, missing.err]).toEqual([2, expect.stringContaining('a folder that exists')]);
  await writeFile(home.path('../note.txt'), '');
  const another = await home.run(['import', 'openclaw', '--from', home.home]);
  expect([another.code, another.out, another.err]).toEqual([2, '', expect.stringContaining('a home of OpenClaw')]);
  await new OpenClawHomeFixture(home.path('old')).write('openclaw.json', '{}');
  expect(await home.run(['import', 'openclaw', '--from', home.path('old')])).toMatchObject({ code: 0 });
});

it('exits with 1 when a file cannot be read, and says that OpenClaw is running', async () => {
  const port = await fakeOpenClaw();
  const home = await homeForTest();
  await home.write('openclaw.json', JSON.stringify({ gateway: { port } }));
  await new OpenClawHomeFixture(home.stateDir).write('cron/jobs.json', '{ "jobs": [');
  const { code, out, err } = await home.run(['import', 'openclaw']);
  expect(out).toContain('jobs.json: It cannot be read: ');
  expect(err).toContain(`OpenClaw is running at http://127.0.0.1:${port}. Stop it before you start the gateway`);
  expect(code).toBe(1);
});

it('must have the state directory for itself; a dry run need not', async () => {
  const scratch = await gatewayForTest();
  const home = new CliHome(scratch.home.home);
  await new OpenClawHomeFixture(home.stateDir).writeFiles();
  const refused = await home.run(['import', 'openclaw']);
  expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('is in use by')]);
  expect((await home.run(['import', 'openclaw', '--dry-run'])).out).toMatch(/conversations +2 +0 +0 +0/);
});

it('lets the next message go on where the conversation stopped', async () => {
  // As OpenClaw does it by default: direct messages share the main session.
  const agents = { defaults: { model: 'fake/small' } };
  const scratch = await gatewayForTest({ config: { session: { dmScope: 'main' }, agents } });
  await scratch.stop();
  await new OpenClawHomeFixture(scratch.home.stateDir).writeFiles();
  await new CliHome(scratch.home.home).run(['import', 'openclaw'], { now: new Date() });
  await scratch.start();
  scratch.model.script([reply('Rex.')]);
  await scratch.channel.asks({ sender: 'ana' }, 'What is my dog called?', 'Rex.');
  const { messages } = scratch.model.requests.at(-1)?.json as { messages: { role: string; content: string }[] };
  expect(messages.slice(1).map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant', 'user']);
  expect(messages[1]?.content).toBe('My dog is called Rex.');
  expect(messages.at(-2)?.content).toBe('Noted: Rex.');
  expect(await scratch.store.count('sessions', { sessionKey: 'agent:main:main' })).toBe(1);
});

it('shows a bar on a terminal, and none elsewhere', async () => {
  const home = await homeForTest();
  const old = new OpenClawHomeFixture(home.stateDir);
  const ids = Array.from({ length: 60 }, (_, index) => `s-${index}`);
  await old.sessions(Object.fromEntries(ids.map((id) => [`agent:main:web:direct:${id}`, { sessionId: id }])));
  for (const id of ids) await old.transcript(id, talk(user('Hello.'), assistant('Hi.')));
  const dry = ['import', 'openclaw', '--dry-run'];
  expect((await home.run(dry)).err).toBe('');
  const { err } = await home.run(dry, { columns: 100 });
  expect(err).toMatch(/^\r█+░+ 50 of 60 conversations\r█+ 60 of 60 conversations\n$/);
});
