import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { reply } from '../../../testkit/model-server.ts';
import { pixel } from '../../../testkit/test-images.ts';
import { TEST_TOKEN, TestApi } from '../fixtures/test-api.ts';

const SEEING = { models: [{ id: 'small', input: ['text', 'image'] }] };
const base64 = pixel().toString('base64');
const hash = createHash('sha256').update(pixel()).digest('hex');

async function open(config: Record<string, unknown> = {}): Promise<TestApi> {
  const api = await TestApi.open({
    provider: SEEING,
    config: { agents: { defaults: { model: 'fake/small' } }, ...config },
  });
  onTestFinished(() => api.close());
  api.model.script(() => reply('A dot.'));
  return api;
}

const chat = (api: TestApi, messages: readonly object[], more: object = {}) =>
  api.call('POST', '/v1/chat/completions', { model: 'atrium/main', messages, ...more });
const image = (url: string) => ({ type: 'image_url', image_url: { url } });
const text = (words: string) => ({ type: 'text', text: words });
const errorOf = ({ json }: { json: Record<string, unknown> }) => json.error as { message: string; param: string };

describe('a chat completion with files', () => {
  it('hands images and files over to the agent', async () => {
    const api = await open();
    const file = {
      file_data: `data:text/plain;base64,${Buffer.from('a, b').toString('base64')}`,
      filename: 'list.csv',
    };
    const parts = [text('Look'), image(`data:image/png;base64,${base64}`), { type: 'file', file }];
    const { status } = await chat(api, [{ role: 'user', content: parts }]);
    expect(status).toBe(200);
    const body = api.model.requests[0]?.body ?? '';
    expect(body).toContain(`data:image/png;base64,${base64}`);
    expect(body).toContain('[Attachment: list.csv, text/plain, 4 bytes. Its lines follow');
    expect(body).toContain('> a, b');
  });

  it('may have no words at all', async () => {
    const api = await open();
    const { status } = await chat(api, [{ role: 'user', content: [image(`data:image/png;base64,${base64}`)] }]);
    expect(status).toBe(200);
  });

  it('keeps the images of the history that a client brings', async () => {
    const api = await open();
    await chat(api, [
      { role: 'user', content: [text('Look'), image(`data:image/png;base64,${base64}`)] },
      { role: 'assistant', content: 'A dot.' },
      { role: 'user', content: 'Which colour?' },
    ]);
    const messages = JSON.parse(api.model.requests[0]?.body ?? '{}').messages as { role: string; content: unknown }[];
    const [first] = messages.filter(({ role }) => role === 'user');
    expect(JSON.stringify(first)).toContain(base64);
    expect(await api.scratch.store.count('attachments')).toBe(1);
  });

  it('takes a repetition with the same files as the same message, and other files as a mistake', async () => {
    const api = await open();
    const ask = (data: string) =>
      api.app.request('http://127.0.0.1/v1/chat/completions', {
        method: 'POST',
        headers: { authorization: `Bearer ${TEST_TOKEN}`, 'idempotency-key': 'k1' },
        body: JSON.stringify({
          model: 'atrium/main',
          user: 'ann',
          messages: [{ role: 'user', content: [text('Look'), image(`data:image/png;base64,${data}`)] }],
        }),
      });
    expect((await ask(base64)).status).toBe(200);
    expect((await ask(base64)).status).toBe(200);
    expect(api.model.requests).toHaveLength(1);
    expect((await ask(pixel(3).toString('base64'))).status).toBe(422);
  });

  it.each([
    [image('data:image/png,raw'), /image_url must be a data: URL in base64/],
    [image('data:image/png;base64,%%%'), /is not valid base64/],
    [image('data:image/png;base64,aGVsbG8='), /its bytes are text\/plain/],
    [image('ftp://example.com/a.png'), /must be a data: URL or an http\(s\) address/],
    [image('/etc/passwd'), /must be a data: URL or an http\(s\) address/],
    [{ type: 'image_url' }, /needs a "url"/],
    [{ type: 'file', file: { file_id: 'file-1' } }, /no files are kept for clients/],
    [{ type: 'file', file: {} }, /needs the content as "file_data"/],
    [{ type: 'input_audio', input_audio: {} }, /of type "input_audio"/],
  ])('refuses what it does not understand, and names the part: %j', async (part, sentence) => {
    const api = await open();
    const answer = await chat(api, [{ role: 'user', content: [text('Look'), part] }]);
    expect(answer.status).toBe(400);
    expect(errorOf(answer).message).toMatch(sentence);
    expect(errorOf(answer).param).toMatch(/^messages\.0\.content\.1/);
    expect(api.model.requests).toHaveLength(0);
  });

  it('refuses files of others than the user, too large ones and too many', async () => {
    const api = await open({ agents: { defaults: { model: 'fake/small', mediaMaxMb: 0.001 } } });
    const part = image(`data:image/png;base64,${base64}`);
    const system = await chat(api, [
      { role: 'system', content: [part] },
      { role: 'user', content: 'x' },
    ]);
    expect(errorOf(system).message).toMatch(/Files belong to user messages/);
    const large = image(`data:image/png;base64,${Buffer.alloc(5_000).toString('base64')}`);
    expect((await chat(api, [{ role: 'user', content: [large] }])).status).toBe(413);
    expect((await chat(api, [{ role: 'user', content: Array.from({ length: 17 }, () => part) }])).status).toBe(413);
    expect(api.model.requests).toHaveLength(0);
  });
});

describe('an image from the web', () => {
  async function serveImage(): Promise<string> {
    let isTaken = false;
    const server = createServer((request, response) => {
      // An address that works once: the second time, nothing is there any more.
      if (request.url === '/once.png' && isTaken) return void response.writeHead(404).end();
      isTaken ||= request.url === '/once.png';
      if (request.url === '/to-private.png') response.writeHead(302, { location: 'http://10.0.0.1/x.png' }).end();
      else if (request.url === '/gone.png') response.writeHead(404).end();
      else response.writeHead(200, { 'content-type': 'text/html' }).end(pixel());
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    return `127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  it('is fetched where web_fetch may go, and judged by its bytes', async () => {
    const host = await serveImage();
    const api = await open({ tools: { web: { fetch: { allowHosts: [host] } } } });
    const { status } = await chat(api, [{ role: 'user', content: [image(`http://${host}/dot%20one.png?x=1`)] }]);
    expect(status).toBe(200);
    expect(api.model.requests[0]?.body).toContain(base64);
    expect(api.model.requests[0]?.body).toContain('[Image: dot one.png, image/png');
    const gone = await chat(api, [{ role: 'user', content: [image(`http://${host}/gone.png`)] }]);
    expect(errorOf(gone).message).toMatch(/status 404/);
    const away = await chat(api, [{ role: 'user', content: [image(`http://${host}/to-private.png`)] }]);
    expect(errorOf(away).message).toMatch(/not on the public internet/);
  });

  it('is fetched once for a message that is sent twice under one key', async () => {
    const host = await serveImage();
    const api = await open({ tools: { web: { fetch: { allowHosts: [host] } } } });
    const ask = (url: string) =>
      api.app.request('http://127.0.0.1/v1/chat/completions', {
        method: 'POST',
        headers: { authorization: `Bearer ${TEST_TOKEN}`, 'idempotency-key': 'k1' },
        body: JSON.stringify({
          model: 'atrium/main',
          user: 'ann',
          messages: [{ role: 'user', content: [image(url)] }],
        }),
      });
    expect((await ask(`http://${host}/once.png`)).status).toBe(200);
    const again = await ask(`http://${host}/once.png`);
    expect(again.status).toBe(200);
    expect(api.model.requests).toHaveLength(1);
    expect((await ask(`http://${host}/other.png`)).status).toBe(422);
  });

  it('is refused at a private address', async () => {
    const host = await serveImage();
    const api = await open();
    for (const url of [`http://${host}/dot.png`, 'http://169.254.169.254/latest', 'http://[::1]/a.png']) {
      const answer = await chat(api, [{ role: 'user', content: [image(url)] }]);
      expect(answer.status).toBe(400);
      expect(errorOf(answer).message).toMatch(/not on the public internet/);
    }
    expect(api.model.requests).toHaveLength(0);
  });
});

describe('an uploaded file', () => {
  it('is named by a message, and read back in its session only', async () => {
    const api = await open();
    const uploaded = await api.call('POST', '/api/attachments', { name: 'photo.png', data: base64 });
    expect(uploaded).toMatchObject({ status: 201, json: { hash, name: 'photo.png', mime: 'image/png' } });
    const { id } = uploaded.json;
    const sent = await api.call('POST', '/api/messages', {
      text: '',
      user: 'ann',
      attachments: [{ id }],
    });
    expect(sent.status).toBe(202);
    const { sessionKey, runId } = sent.json as { sessionKey: string; runId: string };
    await api.call('GET', `/api/runs/${runId}/wait`);
    expect(api.model.requests[0]?.body).toContain(base64);
    const read = (key: string, headers: Record<string, string> = { authorization: `Bearer ${TEST_TOKEN}` }) =>
      api.app.request(`http://127.0.0.1/api/sessions/${encodeURIComponent(key)}/attachments/${hash}`, { headers });
    const answer = await read(sessionKey);
    expect(answer.headers.get('content-type')).toBe('image/png');
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(pixel());
    const request = (query: string) =>
      api.app.request(`http://127.0.0.1/api/runs/${runId}/requests/1${query}`, {
        headers: { authorization: `Bearer ${TEST_TOKEN}` },
      });
    expect(await (await request('')).text()).toContain(`base64,sha256:${hash}`);
    expect(await (await request('?images=inline')).text()).toBe(api.model.requests[0]?.body);
    expect((await read('agent:main:other')).status).toBe(404);
    expect((await read(sessionKey, {})).status).toBe(401);
  });

  it('is not to be had by its hash, whether it was uploaded or came inside of a message', async () => {
    const api = await open();
    const given = Buffer.from('The harbour is mined.');
    const file = { file_data: given.toString('base64'), filename: 'note.txt' };
    const asked = await chat(api, [{ role: 'user', content: [{ type: 'file', file }] }], { user: 'ann' });
    expect(asked.status).toBe(200);
    await api.call('POST', '/api/attachments', { name: 'photo.png', data: base64 });
    const before = api.model.requests.length;
    for (const known of [createHash('sha256').update(given).digest('hex'), hash]) {
      for (const attachments of [
        [{ hash: known, name: 'a' }],
        [{ id: known }],
        [{ id: `upload_${known.slice(0, 32)}` }],
      ]) {
        const said = await api.call('POST', '/api/messages', { text: 'Read it', user: 'thief', attachments });
        const shown = await api.call('POST', '/api/context/preview', { message: 'Read it', attachments });
        for (const { status, json } of [said, shown]) {
          expect(status).toBe('id' in (attachments[0] ?? {}) ? 404 : 400);
          expect(JSON.stringify(json)).not.toContain('harbour');
        }
      }
    }
    expect(api.model.requests).toHaveLength(before);
  });

  it('is for one message, which may be sent again under its id, and for another one when that was refused', async () => {
    const api = await open();
    const upload = async () =>
      (await api.call('POST', '/api/attachments', { name: 'photo.png', data: base64 })).json.id as string;
    const say = (rest: Record<string, unknown>) => api.call('POST', '/api/messages', { user: 'ann', ...rest });
    const attachments = [{ id: await upload() }];
    expect((await say({ text: 'Look', attachments, id: 'm1' })).json).toMatchObject({ outcome: 'accepted' });
    expect((await say({ text: 'Look', attachments, id: 'm1' })).json).toMatchObject({ outcome: 'duplicate' });
    for (const id of ['m2', undefined]) {
      const again = await say({ text: 'Look', attachments, id });
      expect(again.status).toBe(409);
      expect(errorOf(again).message).toMatch(/was sent with another message already. Upload the file again/);
    }
    const other = [{ id: await upload() }];
    const tooMany = [...other, ...Array.from({ length: 99 }, () => other[0])];
    expect((await say({ text: 'Look', attachments: tooMany })).status).toBe(413);
    expect((await say({ text: 'Look', attachments: other })).status).toBe(202);
  });

  it('is shown in a preview as it will be sent', async () => {
    const api = await open();
    const uploaded = await api.call('POST', '/api/attachments', { name: 'photo.png', data: base64 });
    const attachments = [{ id: uploaded.json.id }];
    const sessionKey = 'agent:main:api:direct:ann';
    const { json } = await api.call('POST', '/api/context/preview', { message: 'Look', sessionKey, attachments });
    const { body, images } = json.wire as { body: string; images: readonly { at: number }[] };
    const sent = await api.call('POST', '/api/messages', { text: 'Look', sessionKey, attachments });
    await api.call('GET', `/api/runs/${(sent.json as { runId: string }).runId}/wait`);
    const at = images[0]?.at ?? 0;
    const filled = body.slice(0, at) + base64 + body.slice(at + `sha256:${hash}`.length);
    expect(filled).toBe(api.model.requests.at(-1)?.body);
  });

  it('is refused when it is not there, not base64, or nothing', async () => {
    const api = await open();
    const name = 'a.png';
    const missing = await api.call('POST', '/api/messages', {
      text: 'x',
      attachments: [{ id: `upload_${'a'.repeat(32)}` }],
    });
    expect(missing.status).toBe(404);
    expect((await api.call('POST', '/api/attachments', { name, data: '%%%' })).status).toBe(400);
    const empty = await api.call('POST', '/api/attachments', { name, data: '' });
    expect([empty.status, errorOf(empty).message]).toEqual([
      400,
      'The file "a.png" is empty. Send one that has content.',
    ]);
    expect((await api.call('POST', '/api/messages', { text: '' })).status).toBe(400);
  });
});
