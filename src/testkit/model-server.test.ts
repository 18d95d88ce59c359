import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { after, fail, ModelServer, reply, toolCall } from './model-server.ts';

describe('the scripted model server', () => {
  let server: ModelServer;

  beforeAll(async () => {
    server = await ModelServer.start();
  });
  afterAll(() => server.close());

  const post = async (path: string, body: object) => {
    const response = await fetch(`${server.baseUrl}${path}`, { method: 'POST', body: JSON.stringify(body) });
    return { status: response.status, body: await response.text() };
  };

  it('answers in the order of its script and then says that it is over', async () => {
    server.script([reply('one'), fail(529), reply('three')]);
    const statuses: number[] = [];
    for (let turn = 0; turn < 4; turn++) statuses.push((await post('/messages', {})).status);
    expect(statuses).toEqual([200, 529, 200, 400]);
    expect((await post('/messages', {})).body).toContain('No reply is scripted for request');
  });

  it('answers without a stream in both protocols', async () => {
    server.script([toolCall('read', { path: 'A' }, 'Let me look.'), toolCall('read', { path: 'A' }, 'Let me look.')]);
    expect(JSON.parse((await post('/messages', { model: 'm' })).body)).toMatchObject({
      type: 'message',
      model: 'm',
      content: [
        { type: 'text', text: 'Let me look.' },
        { type: 'tool_use', id: 'toolu_1', name: 'read', input: { path: 'A' } },
      ],
      stop_reason: 'tool_use',
      usage: { input_tokens: 10, output_tokens: 5 },
    });
    expect(JSON.parse((await post('/chat/completions', { model: 'm' })).body)).toMatchObject({
      object: 'chat.completion',
      choices: [
        {
          message: {
            content: 'Let me look.',
            tool_calls: [{ id: 'call_2', function: { name: 'read', arguments: '{"path":"A"}' } }],
          },
          finish_reason: 'tool_calls',
        },
      ],
    });
  });

  it('answers as a function of the request, and keeps every byte of it', async () => {
    server.script(({ json }) => reply(`You said ${String(json.said)}`));
    expect((await post('/chat/completions', { said: 'ü' })).body).toContain('You said ü');
    expect(server.requests.at(-1)).toMatchObject({ protocol: 'openai', body: '{"said":"ü"}' });
  });

  it('holds an answer back until something has happened', async () => {
    let release = () => {};
    server.script([after(new Promise<void>((resolve) => (release = resolve)), reply('now'))]);
    const count = server.requests.length;
    const answer = post('/messages', {});
    await server.waitForRequests(count + 1);
    release();
    expect((await answer).body).toContain('now');
  });

  it('can be left to forget', async () => {
    const forgetful = await ModelServer.start({ record: false });
    forgetful.script(() => reply('hi'));
    await fetch(`${forgetful.baseUrl}/messages`, { method: 'POST', body: '{}' });
    await forgetful.waitForRequests(1);
    expect(forgetful.requests).toEqual([]);
    await forgetful.close();
  });
});
