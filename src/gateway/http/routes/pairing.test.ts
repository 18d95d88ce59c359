import { expect, it, onTestFinished } from 'vitest';
import type { AccessRules } from '../../../channels/access.ts';
import { reply } from '../../../testkit/model-server.ts';
import { TestApi } from '../fixtures/test-api.ts';

const PAIRING: AccessRules = {
  kind: 'direct',
  policy: 'pairing',
  allowFrom: { entries: [], matchesNames: false },
  setting: 'channels.test.dmPolicy',
};

async function asked(): Promise<{ readonly api: TestApi; readonly code: string }> {
  const api = await TestApi.open({
    channel: { can: ['access'], accounts: ['one', 'two'], access: () => PAIRING },
  });
  onTestFinished(() => api.close());
  const { channel } = api.scratch;
  await channel.says({ sender: 'ann' }, 'May I come in?');
  const { text } = await channel.expectDelivered(/Your code/);
  return { api, code: /Your code: (\S+)/.exec(text)?.[1] ?? '' };
}

it('lists who waits, approves a code, and the person is told once and then heard', async () => {
  const { api, code } = await asked();
  const { channel, model } = api.scratch;
  const listed = await api.call('GET', '/api/pairing?channel=test');
  expect(listed.json).toMatchObject({ pairings: [{ senderId: 'ann', accountId: 'one', code, status: 'waiting' }] });
  expect(JSON.stringify(listed.json)).not.toContain('May I come in');
  expect((await api.call('GET', '/api/pairing?channel=other')).json).toEqual({ pairings: [] });
  expect((await api.call('GET', '/api/status')).json).toMatchObject({ pairing: { waiting: 1, refused: 1 } });

  const body = { channel: 'test', code: ` ${code.toLowerCase()} `, from: 'cli' };
  const approved = await api.call('POST', '/api/pairing/approve', body);
  expect(approved).toMatchObject({
    status: 200,
    json: { pairing: { status: 'approved', code: null, approvedBy: 'cli' } },
  });
  await channel.expectDelivered(/approved you/, { sender: 'ann' });
  expect((await api.call('POST', '/api/pairing/approve', body)).status).toBe(404);
  channel.expectNothingMore();
  expect((await api.call('GET', '/api/status')).json).toMatchObject({ pairing: { waiting: 0 } });

  model.script([reply('Welcome.')]);
  await channel.asks({ sender: 'ann' }, 'Hello', 'Welcome.');
  // Who was approved on one account is not known on another.
  expect(await channel.says({ sender: 'ann', account: 'two' }, 'Hello')).toMatchObject({ outcome: 'refused' });
});

it('takes an approval back, refuses a request, and says when there is nothing to take back', async () => {
  const { api, code } = await asked();
  const { channel } = api.scratch;
  const revoke = () => api.call('POST', '/api/pairing/revoke', { channel: 'test', senderId: 'ann' });
  await api.call('POST', '/api/pairing/approve', { channel: 'test', code });
  expect((await revoke()).json).toEqual({ channel: 'test', senderId: 'ann', revoked: 1 });
  expect(await channel.says({ sender: 'ann' }, 'Hello?')).toMatchObject({ outcome: 'refused' });
  expect((await revoke()).json).toMatchObject({ revoked: 1 });
  const gone = await revoke();
  expect(gone).toMatchObject({ status: 404, json: { error: { code: 'ATRIUM_PAIRING_UNKNOWN' } } });
});

it('knows no code of another channel, and none that is too old', async () => {
  let now = Date.now();
  const api = await TestApi.open({ channel: { can: ['access'], access: () => PAIRING }, now: () => now });
  onTestFinished(() => api.close());
  await api.scratch.channel.says({ sender: 'ann' }, 'Hi');
  const { text } = await api.scratch.channel.expectDelivered(/Your code/);
  const code = /Your code: (\S+)/.exec(text)?.[1] ?? '';
  expect((await api.call('POST', '/api/pairing/approve', { channel: 'other', code })).status).toBe(404);
  expect((await api.call('POST', '/api/pairing/approve', { channel: 'test', code: 'AAAAAAAA' })).status).toBe(404);
  now += 3_600_001;
  expect((await api.call('POST', '/api/pairing/approve', { channel: 'test', code })).status).toBe(404);
});
