import { afterAll, beforeAll, expect, it } from 'vitest';
import { RunningGateway } from './fixtures/running-gateway.ts';

let running: RunningGateway;
beforeAll(async () => {
  running = await RunningGateway.create();
});
afterAll(() => running.remove());

/** The times that a command prints, without their dates. */
async function timesOf(words: string): Promise<readonly string[]> {
  const { out } = await running.home.run(words.split(' '));
  return [...out.matchAll(/\d{4}-\d\d-\d\d (\d\d:\d\d:\d\d)/g)].map(([, time = '']) => time);
}

it.each([
  'sessions list',
  'run list',
  'receipts e',
])('atrium %s writes times in the zone of the people', async (words) => {
  await running.home.write('openclaw.json', '{}');
  const machine = await timesOf(words);
  await running.home.write('openclaw.json', '{ agents: { defaults: { userTimezone: "Asia/Kolkata" } } }');
  const people = await timesOf(words);
  expect(machine.length).toBeGreaterThan(0);
  expect(people).toEqual(machine.map(later));
});

/** India is five and a half hours ahead of UTC. */
function later(time: string): string {
  return new Date(Date.parse(`2026-05-06T${time}Z`) + 5.5 * 3_600_000).toISOString().slice(11, 19);
}
