// Approvals at a terminal, with the built commands and a gateway of its own process.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { AtriumProcess, type AtriumProcessSettings, hasTerminals, runAtrium } from '../../testkit/atrium-process.ts';
import { GatewayProcess } from '../../testkit/gateway-process.ts';
import { after, reply, toolCall } from '../../testkit/model-server.ts';
import { VirtualScreen } from '../fixtures/virtual-screen.ts';

let gateway: GatewayProcess;
beforeAll(async () => {
  gateway = await GatewayProcess.create();
  await gateway.start();
});
afterAll(() => gateway.close());

function open(argv: readonly string[], settings: Partial<AtriumProcessSettings> = {}): AtriumProcess {
  const atrium = new AtriumProcess(argv, { home: gateway.home.home, ...settings });
  onTestFinished(() => atrium.kill());
  return atrium;
}

const command = (text: string) => toolCall('exec', { command: text });
const idIn = (text: string) => /\b[a-z2-9]{4}-[a-z2-9]{4}\b/.exec(text)?.[0] ?? '';

describe.skipIf(!hasTerminals)('atrium chat in a terminal', () => {
  test('shows what would run, takes the next message meanwhile, and goes on when it is answered', async () => {
    gateway.model.script([command('echo hello > note.txt'), reply('Written.'), reply('And that too.')]);
    const chat = open(['chat'], { isTerminal: true });
    await chat.until('> ');
    chat.type('write it\r');
    await chat.until(/\$ echo hello > note\.txt/);
    await chat.until('it is denied.');
    await chat.until('> ', chat.out.indexOf('it is denied.'));
    const id = idIn(chat.out);
    chat.type('and that\r');
    await chat.until(/This waits behind an approval/);

    const second = open(['chat'], { isTerminal: true });
    await second.until(new RegExp(`approval ${id} waits \\(allow-once`));
    await second.until('> ');
    expect(second.out.split(`approval ${id} waits`)).toHaveLength(2);
    second.type('\x04');
    expect(await second.ended()).toBe(0);

    chat.type(`/approve ${id} allow-once\r`);
    await chat.until('allowed once.');
    await chat.until('Written.');
    await chat.until('And that too.');
    chat.type('\x04');
    expect(await chat.ended()).toBe(0);
  });
});

describe.skipIf(!hasTerminals)('a chat in a named session', () => {
  test('asks for the approval that waits when it is opened again, and shows that the tool runs', async () => {
    gateway.model.script([command('until [ -e go.txt ]; do sleep 0.1; done; echo hi'), reply('It has run.')]);
    const first = open(['chat', '--session', 'named'], { isTerminal: true });
    await first.until('> ');
    first.type('run it\r');
    await first.until('it is denied.');
    first.type('\x04');
    expect(await first.ended()).toBe(0);

    const chat = open(['chat', '--session', 'named'], { isTerminal: true });
    await chat.until(/\(y once, n deny\) > /);
    chat.type('y');
    await chat.until('allowed once.');
    await chat.until(/running exec · \d+s/, chat.out.indexOf('allowed once.'));
    await writeFile(join(gateway.home.stateDir, 'workspace', 'go.txt'), '');
    await chat.until('It has run.');
    await chat.until('> ', chat.out.indexOf('It has run.'));
    expect(chat.out.split('> /approve')).toHaveLength(2);
    chat.type('\x04');
    expect(await chat.ended()).toBe(0);
  });
});

describe.skipIf(!hasTerminals)('a slow answer behind an approval', () => {
  test('is printed once, in a chat that was opened again and in which /new was typed meanwhile', async () => {
    let finish: () => void = () => {};
    const finished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const answer = `It is written. ${'And this is why it took so long. '.repeat(20)}The end.`;
    gateway.model.script([command('echo hello > note.txt'), after(finished, reply(answer)), reply('Hello again.')]);
    const first = open(['chat', '--session', 'agent:main:slow'], { isTerminal: true });
    await first.until('> ');
    first.type('write it\r');
    await first.until('it is denied.');
    first.type('\x04');
    expect(await first.ended()).toBe(0);

    const before = gateway.model.requests.length;
    const chat = open(['chat', '--session', 'agent:main:slow'], { isTerminal: true });
    await chat.until(/y once, n deny/);
    chat.type('/new hello\r');
    await chat.until(/This waits behind an approval/);
    chat.type(`/approve ${idIn(chat.out)} allow-once\r`);
    await gateway.model.waitForRequests(before + 1);
    finish();
    const seen = () => {
      const screen = new VirtualScreen(80, 40);
      screen.write(chat.out);
      return screen.text;
    };
    await expect.poll(seen, { timeout: 30_000 }).toMatch(/Hello again\./);
    expect(seen().split('It is written.')).toHaveLength(2);
    expect(seen().split('The end.')).toHaveLength(2);
    expect(seen().match(/this is why it\s+took so long|this is why\s+it took so long/g)?.length).toBeLessThanOrEqual(
      20,
    );
    chat.type('\x04');
    expect(await chat.ended()).toBe(0);
  });
});

describe('a script', () => {
  test.each([
    ['atrium chat in a pipe', ['chat', '--session', 'piped'], 'write it\n'],
    ['atrium agent', ['agent', '--session', 'script', '--message', 'write it'], ''],
  ])('%s waits for the operator, who is told on standard error', async (_, argv, input) => {
    gateway.model.script([command('echo hello > note.txt'), reply('Written.')]);
    const script = open(argv);
    if (input !== '') script.type(input);
    script.endInput();
    await expect.poll(() => idIn(script.err), { timeout: 20_000 }).not.toBe('');
    const { out } = await runAtrium(['approvals', 'answer', idIn(script.err), 'allow-once'], {
      home: gateway.home.home,
    });
    expect(out).toContain('allowed once.');
    expect(await script.ended()).toBe(0);
    expect(script.out).toBe('Written.\n');
  });
});
