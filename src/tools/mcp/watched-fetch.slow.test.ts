import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { watchFetch } from './watched-fetch.ts';

const eventually = { timeout: 5_000, interval: 20 };
const CALL = { method: 'POST', body: JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'tools/call' }) };

async function serve(answer: (response: ServerResponse) => void): Promise<string> {
  const server = createServer((_, response) => answer(response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

function watching(maxBytes = 1_000) {
  const onLost = vi.fn();
  return { ...watchFetch({ maxBytes, onLost }), onLost };
}

const STREAM = { 'content-type': 'text/event-stream' };

describe('a watched fetch', () => {
  it('hands on what it is answered', async () => {
    const url = await serve((response) => response.writeHead(200, { 'x-own': '1' }).end('{"ok":true}'));
    const { fetch, answered, onLost } = watching();
    const response = await fetch(url, CALL);
    expect([response.status, response.headers.get('x-own'), await response.text()]).toEqual([200, '1', '{"ok":true}']);
    answered(7);
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect(onLost).not.toHaveBeenCalled();
  });

  it('notices a stream that ends, or breaks, without the answer', async () => {
    const ends = await serve((response) => response.writeHead(200, STREAM).end(': nothing\n\n'));
    const breaks = await serve((response) => {
      response.writeHead(200, STREAM).write(': nothing\n\n');
      setTimeout(() => response.destroy(), 20);
    });
    for (const url of [ends, breaks]) {
      const { fetch, onLost } = watching();
      await (await fetch(url, CALL)).text().catch(() => undefined);
      await vi.waitFor(() => expect(onLost).toHaveBeenCalledTimes(1), eventually);
    }
  });

  it('leaves a stream that can be taken up again to the library, and a call that was given up to nobody', async () => {
    const resumable = await serve((response) => response.writeHead(200, STREAM).end('id: 1\ndata:\n\n'));
    const given = await serve((response) => response.writeHead(200, STREAM).end(': nothing\n\n'));
    const { fetch, onLost } = watching();
    await (await fetch(resumable, CALL)).text();
    const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } };
    const answer = await fetch(given, CALL);
    await fetch(given, { method: 'POST', body: JSON.stringify(cancel) });
    await answer.text();
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect(onLost).not.toHaveBeenCalled();
  });

  it('reads no answer and no event beyond its bound, and any number of events below it', async () => {
    const long = 'x'.repeat(1_000_000);
    const plain = await serve((response) => response.end(long));
    const event = await serve((response) => response.writeHead(200, STREAM).end(`data: ${long}\n\n`));
    const events = await serve((response) =>
      response.writeHead(200, STREAM).end(`data: ${'x'.repeat(992)}\n\n`.repeat(1_000)),
    );
    const { fetch, onLost } = watching(200_000);
    const read = async (url: string) => (await fetch(url)).text();
    await expect(read(plain)).rejects.toThrow('more than 200000 bytes');
    await expect(read(event)).rejects.toThrow('more than 200000 bytes');
    expect(onLost.mock.calls).toEqual([
      ['it sent more than 200000 bytes at once'],
      ['it sent more than 200000 bytes at once'],
    ]);
    expect(await read(events)).toHaveLength(1_000_000);
    expect(onLost).toHaveBeenCalledTimes(2);
  });
});
