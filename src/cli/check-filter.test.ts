import { afterAll, beforeAll, expect, it } from 'vitest';
import { RunningGateway } from './fixtures/running-gateway.ts';

let running: RunningGateway;
beforeAll(async () => {
  running = await RunningGateway.create();
  await running.start();
});
afterAll(() => running.remove());

const SESSION = 'agent:mian:web:direct:tab-1';

it.each([
  ['usage', '--session', SESSION],
  ['cache report', '--session', SESSION],
  ['cache report --run last', '--session', SESSION],
  ['receipts words', '--session', SESSION],
  ['run list', '--session', SESSION],
  ['run show last', '--session', SESSION],
  ['approvals list', '--session', SESSION],
  ['subagents list', '--session', SESSION],
  ['run replay last', '--session', SESSION],
  ['runs replay', '--session', SESSION],
  ['usage', '--agent', 'codr'],
  ['cache report', '--agent', 'codr'],
  ['receipts words', '--agent', 'codr'],
  ['sessions list', '--agent', 'codr'],
  ['sessions tree', '--agent', 'codr'],
  ['cron list', '--agent', 'codr'],
])('atrium %s %s %s: a typing mistake is named, and what was probably meant', async (words, flag, value) => {
  const { code, err, out } = await running.home.run([...words.split(' '), flag, value]);
  expect(err).toContain(value);
  expect(err).toMatch(/(?:Did you mean|meant?:?) "?(?:agent:main:|coder)/);
  expect([code, out]).toEqual([2, '']);
});

it.each([
  ['usage', '--agent', 'coder'],
  ['cron list', '--agent', 'coder'],
])('atrium %s %s %s: one that is known and has nothing is no mistake', async (words, flag, value) => {
  expect((await running.home.run([...words.split(' '), flag, value])).code).toBe(0);
});
