// Commands against a real gateway whose process is stopped: each answers soon, with what it knows, and says why it is
// not more. When the process goes on, so do the commands.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { runAtrium } from '../../testkit/atrium-process.ts';
import { GatewayProcess } from '../../testkit/gateway-process.ts';
import { reply } from '../../testkit/model-server.ts';

let gateway: GatewayProcess;
beforeAll(async () => {
  gateway = await GatewayProcess.create();
  gateway.model.script(() => reply('Fine.'));
  await gateway.start();
  expect((await atrium('agent', '--message', 'how are you?', '--session', 'work')).out).toBe('Fine.\n');
  gateway.signal('SIGSTOP');
});
afterAll(async () => {
  gateway.signal('SIGCONT');
  await gateway.close();
});

/** Each of them would wait for ever without a limit of its own; the test's limit ends that. */
const atrium = (...args: readonly string[]) => runAtrium(args, { home: gateway.home.home });

const FROZEN =
  /The gateway at http:\S+ runs \(process \d+\) and does not answer: its process was stopped\. Let it go on/;

it('status says who does not answer, and what its store says', async () => {
  const { code, out, err } = await atrium('status');
  expect([code, err]).toEqual([1, '']);
  expect(out).toMatch(FROZEN);
  expect(out).toMatch(/runs +0 running, 0 waiting/);
  const { isRunning, isAnswering, waiting } = JSON.parse((await atrium('status', '--json')).out);
  expect({ isRunning, isAnswering, waiting }).toEqual({ isRunning: true, isAnswering: false, waiting: 0 });
});

it.each([
  [['sessions', 'list'], /agent:main:work/],
  [['usage'], /./],
  [['deadletters', 'list'], /./],
  [['approvals', 'list'], /./],
  [['cron', 'list'], /./],
])('%s reads the store instead', async (args, shown) => {
  const { code, out, err } = await atrium(...args);
  expect(err).toMatch(FROZEN);
  expect(err.trim().split('\n')).toHaveLength(1);
  expect([code, out]).toEqual([0, expect.stringMatching(shown)]);
});

it.each([
  [['plugins', 'list']],
  [['hooks', 'list']],

  [['doctor']],
])('%s shows what the files say, and says so', async (args) => {
  const { out, err } = await atrium(...args);
  expect(out).not.toBe('');
  expect(err).toMatch(FROZEN);
});

it.each([
  [['agent', '--message', 'are you there?']],
  [['chat']],
  [['cron', 'run', 'job']],
  [['approvals', 'answer', 'a', 'allow-once']],
])('%s fails with the sentence', async (args) => {
  const { code, out, err } = await atrium(...args);
  expect(code).not.toBe(0);
  expect([out, err]).toEqual(['', expect.stringMatching(FROZEN)]);
});

it('a second gateway is refused at once', async () => {
  const { code, err } = await atrium('start', '--port', '0');
  expect([code, err]).toEqual([2, expect.stringMatching(/in use by the gateway at http/)]);
});

it('everything goes on with the process', async () => {
  gateway.signal('SIGCONT');
  expect((await atrium('status')).code).toBe(0);
  expect(await atrium('agent', '--message', 'and now?')).toEqual({ code: 0, out: 'Fine.\n', err: '' });
});
