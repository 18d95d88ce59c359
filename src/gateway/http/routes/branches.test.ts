import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../protocol/json.ts';
import { gate } from '../../../testkit/gate.ts';
import { after, reply, thought } from '../../../testkit/model-server.ts';
import { type Answered, echo, TestApi } from '../fixtures/test-api.ts';

const KEY = 'agent:main:web:direct:tab';

describe('a branch of a session', () => {
  let api: TestApi;
  beforeEach(async () => {
    api = await TestApi.open();
  });
  afterEach(() => api.close());

  async function say(text: string, sessionKey = KEY): Promise<string> {
    const { runId } = await api.scratch.services.inbox.receive({
      surface: { channel: 'web', accountId: 'default', peer: { kind: 'direct', id: 'tab' } },
      sender: { id: 'tab' },
      text,
      at: Date.now(),
      eventId: text,
      sessionKey,
    });
    await api.scratch.services.runs.wait(runId, AbortSignal.timeout(20_000));
    return runId;
  }

  const branch = async (body: object, session = KEY): Promise<Answered> =>
    api.call('POST', `/api/sessions/${session}/branch`, body);
  const keyOf = ({ json }: Answered) => String((json.session as JsonObject).sessionKey);
  const said = async (session: string) => {
    const { json } = await api.call('GET', `/api/sessions/${session}/transcript`);
    return (json.entries as { message: { role: string; content: unknown } }[]).map(
      ({ message: { role, content } }) => `${role}: ${typeof content === 'string' ? content : JSON.stringify(content)}`,
    );
  };
  const lastMessages = () => api.model.requests.at(-1)?.json.messages;

  it('begins with an exact copy, and the session that it comes from is not changed', async () => {
    await say('one');
    await say('two');
    const before = await said(KEY);
    const answer = await branch({});
    expect(answer.json.session).toMatchObject({ title: 'Branch of one', branchAt: 4, agentId: 'main', endedAt: null });
    expect(await said(keyOf(answer))).toEqual(before);
    await say('three', keyOf(answer));
    expect(await said(KEY)).toEqual(before);
    expect(await said(keyOf(answer))).toHaveLength(6);
  });

  it('sends the history that the next request there would have sent', async () => {
    await say('one');
    const answer = await branch({});
    await say('again', keyOf(answer));
    const inBranch = lastMessages();
    await say('again');
    expect(inBranch).toEqual(lastMessages());
  });

  it('shows in its preview what it then sends', async () => {
    await say('one');
    const sessionKey = keyOf(await branch({}));
    const look = await api.call('POST', '/api/context/look', { message: 'two', sessionKey });
    const { wire } = look.json.request as { wire: { body: string } };
    await say('two', sessionKey);
    expect(api.model.requests.at(-1)?.body).toBe(wire.body);
  });

  it('goes on behind a run, or before one', async () => {
    const first = await say('one');
    const second = await say('two');
    expect(await said(keyOf(await branch({ through: first })))).toHaveLength(2);
    expect(await said(keyOf(await branch({ before: second })))).toHaveLength(2);
    expect(await said(keyOf(await branch({ before: first })))).toEqual([]);
    const wrong = await branch({ through: 'run_0nobody' });
    expect(wrong).toMatchObject({ status: 400, json: { error: { code: 'ATRIUM_SESSION_BRANCH_POINT_UNKNOWN' } } });
    expect((await branch({ through: first, before: second })).status).toBe(400);
    expect((await branch({}, 'agent:main:nothing')).status).toBe(404);
  });

  it('leaves out what a run has said that is not over', async () => {
    await say('one');
    const isOver = gate();
    api.model.script(() => after(isOver.opened, reply('late')));
    const going = say('two');
    await expect.poll(() => api.model.requests.length).toBe(2);
    expect(await said(keyOf(await branch({})))).toHaveLength(2);
    isOver.open();
    await going;
    api.model.script(echo);
  });

  it('is made once under one name, is listed as a branch, and stays when the other one is deleted', async () => {
    await say('a word about herons');
    const answer = await branch({ name: 'the-other', title: 'Another\nway' });
    expect(answer.json.session).toMatchObject({ sessionKey: 'agent:main:web:direct:the-other', title: 'Another way' });
    expect(keyOf(await branch({ name: 'the-other' }))).toBe(keyOf(answer));
    const origin = (await api.store.select('sessions', { where: { sessionKey: KEY } }))[0]?.sessionId ?? '';
    const listed = await api.call('GET', `/api/sessions?branchOf=${origin}`);
    expect((listed.json.sessions as JsonObject[]).map(({ sessionKey }) => sessionKey)).toEqual([keyOf(answer)]);
    await api.call('DELETE', `/api/sessions/${KEY}`);
    expect(await said(keyOf(answer))).toHaveLength(2);
    expect((await branch({ name: 'too-late' })).status).not.toBe(200);
  });

  it('keeps the files of its messages when the session that it comes from is deleted', async () => {
    const up = await api.call('POST', '/api/attachments', {
      name: 'note.txt',
      data: Buffer.from('hi').toString('base64'),
    });
    const { hash } = up.json as { hash: string };
    const { runId } = await api.scratch.services.inbox.receive({
      surface: { channel: 'web', accountId: 'default', peer: { kind: 'direct', id: 'tab' } },
      sender: { id: 'tab' },
      text: 'a file',
      attachments: [await api.scratch.services.inbox.findUpload(String(up.json.id))],
      at: Date.now(),
      eventId: 'file',
      sessionKey: KEY,
    });
    await api.scratch.services.runs.wait(runId, AbortSignal.timeout(20_000));
    const answer = await branch({});
    await api.call('DELETE', `/api/sessions/${KEY}`);
    const response = await api.app.request(`http://127.0.0.1/api/sessions/${keyOf(answer)}/attachments/${hash}`, {
      headers: { authorization: 'Bearer test-token-0123456789abcdef' },
    });
    expect(await response.text()).toBe('hi');
  });

  it('keeps the thoughts of a model beside its answer, and never sends them', async () => {
    api.model.script(() => thought('First I look left.', 'Done.'));
    await say('one');
    const { json } = await api.call('GET', `/api/sessions/${KEY}/transcript`);
    const entries = json.entries as { meta: JsonObject }[];
    expect(entries.at(-1)?.meta).toMatchObject({ thoughts: 'First I look left.' });
    await say('two');
    expect(api.model.requests.at(-1)?.body).not.toContain('First I look left.');
  });
});

describe('the model of a session', () => {
  it('is told, chosen and given back', async () => {
    const api = await TestApi.open({
      config: {
        agents: { defaults: { model: 'fake/small' }, list: [{ id: 'main', default: true }] },
      },
    });
    try {
      const key = 'agent:main:main';
      const { runId } = await api.scratch.services.inbox.receive({
        surface: { channel: 'web', accountId: 'default', peer: { kind: 'direct', id: 'tab' } },
        sender: { id: 'tab' },
        text: 'hi',
        at: Date.now(),
        eventId: '1',
        sessionKey: key,
      });
      await api.scratch.services.runs.wait(runId, AbortSignal.timeout(20_000));
      const path = `/api/sessions/${key}/model`;
      expect((await api.call('GET', path)).json).toMatchObject({ model: 'fake/small', chosen: null });
      const heard: string[] = [];
      const undo = api.scratch.services.subscribe((event) => {
        if (event.type === 'session-change') heard.push(event.what);
      });
      expect((await api.call('POST', path, { model: 'nobody/knows' })).status).toBeGreaterThanOrEqual(400);
      expect((await api.call('POST', path, { model: 'mirror/mirror' })).json).toMatchObject({
        model: 'mirror/mirror',
        chosen: 'mirror/mirror',
        own: 'fake/small',
      });
      expect((await api.call('POST', path, { model: null })).json).toMatchObject({ model: 'fake/small', chosen: null });
      await api.call('POST', `/api/sessions/${key}/marks`, { title: 'Named' });
      expect(heard).toEqual(['model', 'model', 'marked']);
      undo();
      const { json } = await api.call('GET', '/api/models');
      expect((json.models as JsonObject[]).map(({ name }) => name)).toContain('fake/small');
      const usable = await api.call('GET', '/api/models?usable=true');
      expect((usable.json.models as JsonObject[]).every(({ problem }) => problem === null)).toBe(true);
    } finally {
      await api.close();
    }
  });

  it('is one that the list of the agent allows, and others are neither offered nor taken', async () => {
    const api = await TestApi.open({
      config: {
        agents: {
          defaults: { model: 'fake/small', models: { 'fake/other': {} } },
          list: [
            { id: 'main', default: true },
            { id: 'coder', modelPolicy: { allow: ['fake/large'] } },
          ],
        },
      },
    });
    try {
      const names = async (query: string) =>
        ((await api.call('GET', `/api/models?usable=true${query}`)).json.models as JsonObject[]).map(
          ({ name }) => name,
        );
      expect(await names('')).toEqual(['fake/small', 'fake/other']);
      expect(await names('&agentId=coder')).toEqual(['fake/small', 'fake/large']);
      expect((await api.call('GET', '/api/models?agentId=nobody')).status).toBe(404);
      const { runId } = await api.scratch.services.inbox.receive({
        surface: { channel: 'web', accountId: 'default', peer: { kind: 'direct', id: 'tab' } },
        sender: { id: 'tab' },
        text: 'hi',
        at: Date.now(),
        eventId: '1',
        sessionKey: 'agent:main:main',
      });
      await api.scratch.services.runs.wait(runId, AbortSignal.timeout(20_000));
      const refused = await api.call('POST', '/api/sessions/agent:main:main/model', { model: 'fake/large' });
      expect([refused.status, (refused.json.error as JsonObject).code]).toEqual([403, 'ATRIUM_MODEL_NOT_ALLOWED']);
    } finally {
      await api.close();
    }
  });
});
