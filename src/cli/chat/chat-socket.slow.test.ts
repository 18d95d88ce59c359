import { type AddressInfo, createServer } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import type { ClientFrame } from '../../channels/client-frame.ts';
import type { ServerFrame } from '../../channels/server-frame.ts';
import { ChatSocket, type ChatSocketSettings } from './chat-socket.ts';

type Answer = (frame: ClientFrame, socket: WebSocket, connection: number) => ServerFrame | undefined;

/** A gateway's end of the socket that does what the test says. */
async function listen(answer: Answer): Promise<{ server: WebSocketServer; url: string; heard: ClientFrame[] }> {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  onTestFinished(() => {
    for (const client of server.clients) client.terminate();
    server.close();
  });
  const heard: ClientFrame[] = [];
  let connections = 0;
  server.on('connection', (socket) => {
    const connection = ++connections;
    socket.on('message', (data) => {
      const frame = JSON.parse(String(data)) as ClientFrame;
      heard.push(frame);
      const told = answer(frame, socket, connection);
      if (told) socket.send(JSON.stringify(told));
    });
  });
  await new Promise((resolve) => server.once('listening', resolve));
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, heard };
}

function chatSocket(url: string, settings: Partial<ChatSocketSettings> = {}): ChatSocket {
  const socket = new ChatSocket({ find: async () => ({ url, token: 't' }), hello: {}, after: () => 7, ...settings });
  onTestFinished(() => socket.close());
  return socket;
}

const ready: ServerFrame = { type: 'ready', surface: 'local', last: 7 };

describe('opening', () => {
  test('fails with the reason that the gateway gives', async () => {
    const { url } = await listen(() => ({ type: 'error', message: 'No such session.' }));
    await expect(chatSocket(url).open()).rejects.toThrow('No such session.');
  });

  test('fails when the gateway hangs up instead of greeting', async () => {
    const { url } = await listen((_, socket) => void socket.close(1001));
    await expect(chatSocket(url).open()).rejects.toThrow(/hung up/);
  });

  test('fails when nobody is there', async () => {
    const closed = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => closed.once('listening', resolve));
    const { port } = closed.address() as AddressInfo;
    await new Promise((resolve) => closed.close(resolve));
    await expect(chatSocket(`http://127.0.0.1:${port}`).open()).rejects.toThrow(/gone \(ECONNREFUSED\)/);
  });
});

describe('a connection that breaks', () => {
  test('is made again, asks for what it missed, and says again what was not acknowledged', async () => {
    const { url, heard } = await listen((frame, socket, connection) => {
      if (frame.type === 'hello') return ready;
      if (frame.type !== 'message') return undefined;
      if (connection === 1) return void socket.terminate();
      return { type: 'accepted', id: frame.id, runId: 'run_1', sessionKey: 'agent:main:main' };
    });
    const socket = chatSocket(url, { hello: { agent: 'main' } });
    const breaks: boolean[] = [];
    socket.onBroken((isBroken) => breaks.push(isBroken));
    await socket.open();
    expect(await socket.say('m1', 'hello')).toMatchObject({ runId: 'run_1' });
    expect(socket.hasUnanswered).toBe(false);
    expect(heard).toEqual([
      { type: 'hello', agent: 'main' },
      { type: 'message', id: 'm1', text: 'hello' },
      { type: 'hello', agent: 'main', surface: 'local', after: 7 },
      { type: 'message', id: 'm1', text: 'hello' },
    ]);
    expect(breaks).toEqual([true, false]);
  });

  test('and stays so is told once, when patience is over', async () => {
    const { server, url } = await listen(() => ready);
    const socket = chatSocket(url, { patienceMs: 300 });
    await socket.open();
    const lost = new Promise<Error>((resolve) => socket.onLost(resolve));
    for (const client of server.clients) client.terminate();
    server.close();
    expect((await lost).message).toContain('ECONNREFUSED');
  });

  test('says what to do when the gateway has another token now', async () => {
    const { server, url } = await listen(() => ready);
    const socket = chatSocket(url);
    await socket.open();
    const lost = new Promise<Error>((resolve) => socket.onLost(resolve));
    server.options.verifyClient = (_, allow) => allow(false, 401);
    for (const client of server.clients) client.terminate();
    expect((await lost).message).toMatch(/has another token now.*OPENCLAW_GATEWAY_TOKEN.*open the chat again/);
  });

  test('is left alone once the chat is closed', async () => {
    const { url, heard } = await listen(() => ready);
    const socket = chatSocket(url);
    socket.onLost(() => {
      throw new Error('nobody wants to know');
    });
    await socket.open();
    await socket.close();
    await new Promise((resolve) => setTimeout(resolve, 400));
    expect(heard).toHaveLength(1);
  });
});
