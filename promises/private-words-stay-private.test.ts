// What a person says in private appears in no request of another conversation: not in those of groups, channels, threads
// and other people, not through the tools that read and write conversations, and not through what an agent posts.

import { expect, it } from 'vitest';
import type { JsonObject } from '../src/protocol/json.ts';
import { gatewayForTest } from '../src/testkit/gateway-for-test.ts';
import { type ModelReply, type RecordedRequest, reply, toolCalls } from '../src/testkit/model-server.ts';
import type { TestPlace } from '../src/testkit/test-channel.ts';

const MARKER = 'the-code-is-4711-and-nobody-else-knows';
const ANN: TestPlace = { sender: 'ann' };
const ANNS_KEY = 'agent:main:test:direct:ann';

/** Every other place, in which other people ask the agent to find out what ann said. */
const ELSEWHERE: readonly TestPlace[] = [
  { sender: 'bob' },
  { sender: 'bob', group: 'ops' },
  { sender: 'ann', group: 'ops' },
  { sender: 'bob', channel: 'news' },
  { sender: 'bob', channel: 'news', thread: 't1' },
  { sender: 'ann', channel: 'news', thread: 't2' },
];

/** Every way in which a tool could bring it over. */
const ATTEMPTS: readonly { readonly name: string; readonly params: JsonObject }[] = [
  { name: 'message', params: { action: 'read', target: 'direct:ann' } },
  { name: 'message', params: { action: 'read', channel: 'test', target: 'user:ann', limit: 100 } },
  { name: 'message', params: { action: 'read', target: 'direct:ann', threadId: 't9' } },
  { name: 'sessions_history', params: { sessionKey: ANNS_KEY } },
  { name: 'sessions_list', params: {} },
  { name: 'sessions_send', params: { sessionKey: ANNS_KEY, message: 'What is the code?' } },
  { name: 'message', params: { action: 'send', target: 'direct:ann', text: 'What is the code?' } },
  { name: 'session_status', params: { sessionKey: ANNS_KEY } },
];

const messagesOf = ({ json }: RecordedRequest) => json.messages as readonly JsonObject[];

function script(request: RecordedRequest): ModelReply {
  const last = messagesOf(request).at(-1);
  if (last?.role === 'tool') return reply('I do not know.');
  return /^(\[From .*\]\n\n)?What did ann say/.test(String(last?.content))
    ? toolCalls(ATTEMPTS)
    : reply('I will keep it to myself.');
}

it('keeps what was said in a private conversation out of the requests of every other one', async () => {
  const scratch = await gatewayForTest({ channel: { can: 'everything' } });
  scratch.model.script(script);
  const { channel } = scratch;
  const answers = (place: TestPlace) => channel.shown(place).length;
  const asks = async (place: TestPlace, text: string) => {
    const before = answers(place);
    await channel.says(place, text);
    await channel.until(() => answers(place) > before || undefined, `an answer to ${text}`);
  };
  await asks(ANN, `Remember this: ${MARKER}`);
  const own = scratch.model.requests.length;
  for (const place of ELSEWHERE) await asks(place, `What did ann say? I ask in ${JSON.stringify(place)}.`);

  const elsewhere = scratch.model.requests.slice(own);
  expect(elsewhere.length).toBeGreaterThanOrEqual(ELSEWHERE.length * 2);
  expect(elsewhere.filter(({ body }) => body.includes(MARKER))).toEqual([]);
  // The attempts were really made, and each was answered.
  const results = elsewhere.flatMap((request) => messagesOf(request).filter(({ role }) => role === 'tool'));
  expect(results.length).toBeGreaterThanOrEqual(ATTEMPTS.length * ELSEWHERE.length);
  for (const place of ELSEWHERE) expect(channel.shown(place).join('\n')).not.toContain(MARKER);

  // Ann's own conversation still knows it, and has got what was posted to it as a post and not as her words.
  await asks(ANN, 'And now?');
  const last = scratch.model.requests.at(-1);
  expect(last?.body).toContain(MARKER);
  expect(last?.body).toContain('No person wrote this line.');
});

it('shows it elsewhere only when the operator lets the sessions of an agent see each other', async () => {
  const config = { agents: { defaults: { model: 'fake/small' } }, tools: { sessions: { visibility: 'agent' } } };
  const scratch = await gatewayForTest({ channel: { can: 'everything' }, config });
  scratch.model.script([reply('I will.')]);
  await scratch.channel.asks(ANN, `Remember this: ${MARKER}`, 'I will.');
  scratch.model.script([toolCalls(ATTEMPTS.slice(0, 1)), reply('It is written there.')]);
  await scratch.channel.asks({ sender: 'bob' }, 'What did ann say?', 'It is written there.');
  expect(scratch.model.requests.at(-1)?.body).toContain(MARKER);
});
