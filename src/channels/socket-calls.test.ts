import { afterEach, describe, expect, it } from 'vitest';
import { UnknownMethodError } from './errors.ts';
import { NO_FILES } from './fixtures/no-files.ts';
import type { ServerFrame } from './server-frame.ts';
import type { SocketChannelPorts } from './socket-channel.ts';
import { SocketPage, type SocketServer, serveSockets } from './socket-rig.ts';
import { WebChannel } from './web/web-channel.ts';

let server: SocketServer | undefined;
afterEach(() => server?.close());

async function open(call?: SocketChannelPorts['call']): Promise<SocketPage> {
  const mailbox = { history: async () => [], last: async () => undefined, withMore: async () => [] };
  const channel = new WebChannel({ mailbox, stop: () => {}, now: Date.now, call });
  await channel.open({
    ...NO_FILES,
    receive: async () => ({ outcome: 'accepted', runId: 'run_1', sessionKey: 'agent:main:x' }),
    receiveChange: () => Promise.reject(new Error('no changes')),
  });
  server = await serveSockets(channel);
  return SocketPage.open(server.url);
}

async function result(page: SocketPage, id: string): Promise<ServerFrame | undefined> {
  const found = () => page.of('result').find((frame) => frame.id === id);
  await page.until(() => found() !== undefined);
  return found();
}

describe('a call over a socket', () => {
  it('is answered under its id, with what the method gives', async () => {
    const calls: unknown[] = [];
    const page = await open(async (method, params, { clientId }) => {
      calls.push([method, params, clientId]);
      return { said: params.text ?? null };
    });
    page.send({ type: 'call', id: 'c1', method: 'p.echo', params: { text: 'hi' } });
    expect(await result(page, 'c1')).toEqual({ type: 'result', id: 'c1', ok: true, payload: { said: 'hi' } });
    page.send({ type: 'call', id: 'c2', method: 'p.echo' });
    expect(await result(page, 'c2')).toEqual({ type: 'result', id: 'c2', ok: true, payload: { said: null } });
    expect(calls[0]).toEqual(['p.echo', { text: 'hi' }, 'client-1']);
  });

  it('that fails says why as far as the client may know', async () => {
    const page = await open(async (method) => {
      if (method === 'bug') throw new Error('a secret');
      throw new UnknownMethodError({ method, suggestion: undefined });
    });
    page.send({ type: 'call', id: 'c1', method: 'nope' });
    page.send({ type: 'call', id: 'c2', method: 'bug' });
    expect(await result(page, 'c1')).toMatchObject({ ok: false, error: { code: 'ATRIUM_HTTP_METHOD_UNKNOWN' } });
    expect(JSON.stringify(await result(page, 'c2'))).not.toContain('secret');
  });

  it('that takes its time holds nothing else up, and there are only so many of them', async () => {
    let finish: (value: string) => void = () => {};
    const slow = new Promise<string>((resolve) => {
      finish = resolve;
    });
    const page = await open(() => slow);
    for (let count = 1; count <= 17; count++) page.send({ type: 'call', id: `c${count}`, method: 'slow' });
    expect(await result(page, 'c17')).toMatchObject({ ok: false, error: { code: 'too_many_calls' } });
    expect(await page.says('hello', 'm1')).toMatchObject({ type: 'accepted' });
    finish('done');
    expect(await result(page, 'c16')).toMatchObject({ ok: true, payload: 'done' });
  });

  it('that makes no sense is told so', async () => {
    const page = await open();
    page.send({ type: 'call', method: 'x' });
    page.send({ type: 'call', id: 'c1', method: 'two words' });
    page.send({ type: 'call', id: 'c2', method: 'x', params: [] });
    page.send({ type: 'call', id: 'c3', method: 'x' });
    expect(await result(page, 'c3')).toMatchObject({ ok: false, error: { code: 'ATRIUM_HTTP_METHOD_UNKNOWN' } });
    expect(page.of('error').map(({ message }) => message)).toEqual([
      'A call needs an "id" of its own, of up to 128 characters.',
      'A call needs the name of a "method".',
      'The "params" of a call are an object.',
    ]);
  });
});
