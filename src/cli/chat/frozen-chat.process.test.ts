// A chat whose gateway stops answering while somebody waits: a program gets the reason and an exit code, a person is
// told and decides.

import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from 'vitest';
import { AtriumProcess, type AtriumProcessSettings, hasTerminals } from '../../testkit/atrium-process.ts';
import { GatewayProcess } from '../../testkit/gateway-process.ts';
import { reply } from '../../testkit/model-server.ts';
import { LONGEST_UNTOLD_MS } from './watch-silence.ts';

let gateway: GatewayProcess;
beforeAll(async () => {
  gateway = await GatewayProcess.create();
  gateway.model.script(() => reply('Fine.'));
  await gateway.start();
});
afterEach(() => gateway.signal('SIGCONT'));
afterAll(() => gateway.close());

async function talk(settings: Partial<AtriumProcessSettings> = {}): Promise<AtriumProcess> {
  const chat = new AtriumProcess(['chat'], { home: gateway.home.home, ...settings });
  onTestFinished(() => chat.kill());
  chat.type('how are you?\n');
  await chat.until('Fine.');
  return chat;
}

const FROZEN = /The gateway at http:\S+ runs \(process \d+\) and does not answer: its process was stopped/;

test('is told within five seconds', () => {
  expect(LONGEST_UNTOLD_MS).toBeLessThanOrEqual(5_000);
});

test('a program gets the sentence and an exit code', async () => {
  const chat = await talk();
  gateway.signal('SIGSTOP');
  chat.type('and now?\n');
  expect(await chat.ended()).toBe(2);
  expect(chat.err).toMatch(FROZEN);
});

test.runIf(hasTerminals)('a person is told once, and gets the answer when the gateway goes on', async () => {
  const chat = await talk({ isTerminal: true });
  gateway.signal('SIGSTOP');
  const from = chat.out.length;
  chat.type('and now?\n');
  await chat.until('does not answer', from);
  gateway.signal('SIGCONT');
  await chat.until('Fine.', from);
  await chat.until('the gateway answers again', from);
  expect(chat.out.slice(from).match(/does not answer/g)).toHaveLength(1);
  chat.type('\u0004');
  expect(await chat.ended()).toBe(0);
});
