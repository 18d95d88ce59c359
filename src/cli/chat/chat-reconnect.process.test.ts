// A chat whose connection breaks in the middle of an answer, with the built commands and a gateway of its own process.
// The connection goes through a proxy that the test can cut.

import { readFile, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { AtriumProcess, hasTerminals } from '../../testkit/atrium-process.ts';
import { GatewayProcess } from '../../testkit/gateway-process.ts';
import { type ModelReply, reply, toolCall } from '../../testkit/model-server.ts';
import { VirtualScreen } from '../fixtures/virtual-screen.ts';

let gateway: GatewayProcess;
beforeAll(async () => {
  gateway = await GatewayProcess.create();
  await gateway.start();
});
afterAll(() => gateway.close());

/** Stands before the gateway from now on. Returns what cuts every connection. */
async function putProxy(): Promise<() => void> {
  const target = Number(new URL(gateway.url ?? '').port);
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(target, '127.0.0.1');
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        client.destroy();
        upstream.destroy();
      });
    }
    client.pipe(upstream).pipe(client);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const file = join(gateway.home.stateDir, 'atrium', 'owner.json');
  const owner = await readFile(file, 'utf8');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await writeFile(file, JSON.stringify({ ...JSON.parse(owner), url }));
  const cut = () => {
    for (const socket of sockets) socket.destroy();
    sockets.clear();
  };
  onTestFinished(async () => {
    await writeFile(file, owner);
    cut();
    server.close();
  });
  return cut;
}

/** An answer whose second half waits. */
function halted(text: string): { answer: ModelReply; goOn: () => void } {
  let goOn: () => void = () => {};
  const rest = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  return { answer: { ...reply(text), rest }, goOn };
}

describe.skipIf(!hasTerminals)('a connection that is cut in the middle of an answer', () => {
  test.each(['xterm', 'dumb'])('loses nothing and prints nothing twice (%s)', async (TERM) => {
    const cut = await putProxy();
    const middle = 'It has many words. '.repeat(20);
    const { answer, goOn } = halted(`First paragraph of all.\n\nSecond paragraph. ${middle}It ends here.`);
    gateway.model.script([toolCall('read', { path: 'missing.txt' }, 'Let me look at it.'), answer]);
    const chat = new AtriumProcess(['chat'], { home: gateway.home.home, isTerminal: true, env: { TERM } });
    onTestFinished(() => chat.kill());
    const seen = () => {
      const screen = new VirtualScreen(80, 40);
      screen.write(chat.out);
      return screen.text;
    };
    await chat.until('> ');
    chat.type('question\r');
    await expect.poll(seen, { timeout: 30_000 }).toMatch(/read failed[\s\S]*First/);
    for (let round = 1; round <= 2; round++) {
      cut();
      expect(seen()).not.toContain('ends here');
      await expect.poll(() => seen().split('connected again').length, { timeout: 30_000 }).toBe(round + 1);
    }
    goOn();
    await expect.poll(seen, { timeout: 30_000 }).toMatch(/ends\s+here\.[\s\S]*\n> *$/);
    // Each kind of terminal breaks lines elsewhere.
    const words = seen()
      .split('\n')
      .filter((line) => !/· (the connection|connected)/.test(line))
      .join('')
      .replaceAll(/\s/g, '');
    expect(words).toMatch(
      />questionLetmelookatit\.·read\{[^}]*\}·readfailed:[^·]*Firstparagraphofall\.Secondparagraph\.(Ithasmanywords\.){20}Itendshere\.>$/,
    );
    for (const once of ['Letmelook', '·read{', 'readfailed', 'First', 'Second'])
      expect(words.split(once), once).toHaveLength(2);
    chat.type('\x04');
    expect(await chat.ended()).toBe(0);
  });
});
