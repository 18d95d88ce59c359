import { expect, it } from 'vitest';
import { gatewayForTest } from '../testkit/gateway-for-test.ts';
import { reply } from '../testkit/model-server.ts';

const CONFIG = { agents: { defaults: { model: 'fake/small' } }, hooks: { internal: { enabled: true } } };

it('tells hook packs of messages, commands and the end, and says what they want said', async () => {
  const scratch = await gatewayForTest({
    config: { ...CONFIG },
    files: pack(['message:received', 'message:sent', 'command:new', 'gateway:shutdown']),
  });
  scratch.model.script([reply('Hello Ann.')]);
  await scratch.channel.asks({ sender: 'ann' }, 'I am Ann', 'Hello Ann.');
  await scratch.channel.asks({ sender: 'ann' }, '/new', 'The pack says hello.\n\nA new session has begun.');
  await scratch.stop();
  const lines = (await scratch.home.read('seen.txt')).trim().split('\n');
  expect(lines.slice(0, 2)).toEqual(['message:received I am Ann', 'message:sent Hello Ann.']);
  expect(lines).toContain('command:new');
  expect(lines.at(-1)).toBe('gateway:shutdown');
  expect(scratch.warnings).toEqual([]);
});

it('goes on when a pack fails, and says whose', async () => {
  const scratch = await gatewayForTest({
    config: { ...CONFIG },
    files: {
      ...pack(['message:received']),
      'hooks/diary/handler.ts': 'export default () => { throw new Error("no ink"); }',
    },
  });
  scratch.model.script([reply('Hello.')]);
  await scratch.channel.asks({}, 'Hi', 'Hello.');
  expect(scratch.warnings).toEqual([expect.stringMatching(/of diary on message:received failed: it threw: no ink/)]);
});

it('tells of every event with what the contract promises, and records each call under the event’s name', async () => {
  let now = Date.parse('2026-01-05T10:00:00Z');
  const scratch = await gatewayForTest({
    now: () => now++,
    config: { ...CONFIG },
    files: { ...pack(['message', 'command', 'session', 'gateway']), 'hooks/diary/handler.ts': LISTENER },
  });
  await scratch.opened.listensAt('http://127.0.0.1:1');
  scratch.model.script([reply('Hello Ann.'), reply('Hello again.')]);
  const { sessionKey } = await scratch.channel.asks({ sender: 'ann' }, 'I am Ann', 'Hello Ann.', { messageId: 'm1' });
  await scratch.channel.asks({ sender: 'ann' }, '/reset and now?', 'Hello again.');
  await scratch.channel.asks({ sender: 'ann' }, '/stop', /running here|Stopping/);
  await scratch.stop();
  const heard = (await scratch.home.read('heard.jsonl'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const { workspaceDir } = scratch;
  const place = { channelId: 'test', conversationId: 'ann', workspaceDir, cfg: true };
  const first = (event: string) => heard.find((each) => each.event === event);
  const entry = (sessionId: unknown = expect.stringMatching(/^ses_/)) =>
    expect.objectContaining({ sessionId, sessionKey, agentId: 'main' });
  expect(first('gateway:startup')).toEqual({
    event: 'gateway:startup',
    sessionKey: '',
    context: { workspaceDir, cfg: true },
  });
  expect(first('message:received')).toEqual({
    event: 'message:received',
    sessionKey,
    context: {
      ...place,
      from: 'ann',
      content: 'I am Ann',
      timestamp: expect.any(Number),
      accountId: 'default',
      messageId: 'm1',
      metadata: { to: 'ann', provider: 'test', surface: 'test', senderId: 'ann', senderName: 'ann' },
    },
  });
  expect(first('message:preprocessed').context).toEqual({
    ...place,
    from: 'ann',
    to: 'ann',
    body: 'I am Ann',
    bodyForAgent: 'I am Ann',
    timestamp: expect.any(Number),
    messageId: 'm1',
    senderId: 'ann',
    senderName: 'ann',
    provider: 'test',
    surface: 'test',
    isGroup: false,
  });
  expect(first('message:sent').context).toEqual({
    ...place,
    to: 'ann',
    content: 'Hello Ann.',
    success: true,
    accountId: 'default',
    messageId: 'message-1',
    isGroup: false,
  });
  const runId = expect.stringMatching(/^run_/);
  const sessionId = expect.stringMatching(/^ses_/);
  expect(first('session:start').context).toEqual({
    ...{ workspaceDir, cfg: true, runId, sessionId },
    sessionEntry: entry(),
    resumedFrom: null,
  });
  const ended = first('session:start').context.sessionId;
  expect(first('command:reset').context).toEqual({
    ...{ workspaceDir, cfg: true, runId },
    sessionEntry: entry(),
    previousSessionEntry: entry(ended),
    commandSource: 'test',
    senderId: 'ann',
  });
  expect(first('session:end').context).toEqual({
    ...{ workspaceDir, cfg: true, runId },
    sessionId: ended,
    sessionEntry: entry(ended),
    reason: 'reset',
    messageCount: 2,
    nextSessionId: sessionId,
  });
  expect(first('command:stop').context).toEqual({
    ...{ workspaceDir, cfg: true, sessionId, commandSource: 'test', senderId: 'ann' },
    sessionEntry: entry(),
  });
  expect(first('gateway:shutdown').context).toEqual({
    workspaceDir,
    cfg: true,
    reason: 'shutdown',
    restartExpectedMs: null,
  });
  await scratch.start();
  const records = await scratch.store.select('hookRecords', { where: { owner: 'diary' } });
  expect(records.every(({ handler, outcome }) => handler === 'hook:diary' && outcome === 'done')).toBe(true);
  expect(new Set(records.map(({ hook }) => hook))).toEqual(new Set(heard.map(({ event }) => event)));
  expect(scratch.warnings).toEqual([]);
});

it('tells of a message that did not arrive, and why', async () => {
  const scratch = await gatewayForTest({
    config: { ...CONFIG },
    files: { ...pack(['message:sent']), 'hooks/diary/handler.ts': LISTENER },
  });
  scratch.model.script([reply('Hello.')]);
  scratch.channel.script({ fail: 'nobody lives here' });
  await scratch.services.runs.wait((await scratch.channel.says({ sender: 'ann' }, 'Hi')).runId);
  await scratch.stop();
  expect(JSON.parse(await scratch.home.read('heard.jsonl')).context).toMatchObject({
    content: 'Hello.',
    success: false,
    error: 'nobody lives here',
  });
});

it('tells of a command that is the first thing said in a session', async () => {
  const scratch = await gatewayForTest({ config: { ...CONFIG }, files: pack(['command:new']) });
  await scratch.channel.asks({ sender: 'ann' }, '/new', 'The pack says hello.\n\nA new session has begun.');
});

it('gives up on a pack that hangs, names it, and lets the others speak', async () => {
  const events = { openclaw: { events: ['command:new'], timeoutMs: 20 } };
  const scratch = await gatewayForTest({
    config: { ...CONFIG },
    files: {
      ...pack(['command:new']),
      'hooks/a-sleeper/HOOK.md': `---\nname: a-sleeper\nmetadata: ${JSON.stringify(events)}\n---\n`,
      'hooks/a-sleeper/handler.ts': 'export default () => new Promise(() => {});',
    },
  });
  scratch.model.script([reply('Hello Ann.')]);
  await scratch.channel.asks({ sender: 'ann' }, 'I am Ann', 'Hello Ann.');
  await scratch.channel.asks({ sender: 'ann' }, '/new', 'The pack says hello.\n\nA new session has begun.');
  expect(scratch.warnings).toContainEqual(
    expect.stringMatching(/of a-sleeper on command:new failed: it timed out after 20ms/),
  );
});

it('keeps the words of a message out of the log and the records, also when a handler throws them', async () => {
  const scratch = await gatewayForTest({
    config: { ...CONFIG },
    files: {
      ...pack(['message:received']),
      'hooks/diary/handler.ts':
        'export default (event) => { throw new Error("cannot file " + event.context.content); }',
    },
  });
  scratch.model.script([reply('Hello.')]);
  await scratch.channel.asks({}, 'my secret is blue', 'Hello.');
  await scratch.stop();
  expect(scratch.warnings).toEqual([
    expect.stringMatching(/of diary on message:received failed: it threw: an error that quotes/),
  ]);
  await scratch.start();
  const [record] = await scratch.store.select('hookRecords', { where: { hook: 'message:received' } });
  expect(record).toMatchObject({ outcome: 'threw', error: 'an error that quotes the message' });
});

/** Records every event whole; of the configuration it records only that it is present. */
const LISTENER = `
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
export default ({ type, action, sessionKey, context }) => {
  const line = { event: type + ':' + action, sessionKey, context: { ...context, cfg: context.cfg?.hooks?.internal?.enabled } };
  appendFileSync(join(import.meta.dirname, '..', '..', 'heard.jsonl'), JSON.stringify(line) + '\\n');
};
`;

/** A pack that writes the events that it receives into the state directory. */
function pack(events: readonly string[]): Record<string, string> {
  return {
    'hooks/diary/HOOK.md': `---\nname: diary\ndescription: A diary\nmetadata: ${JSON.stringify({ openclaw: { events } })}\n---\n`,
    'hooks/diary/handler.ts': `
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
export default (event) => {
  const words = event.context.content === undefined ? '' : ' ' + event.context.content;
  if (event.type === 'message' && /session|hello\\./.test(event.context.content)) return;
  if (event.context.content === '/new') return;
  appendFileSync(join(import.meta.dirname, '..', '..', 'seen.txt'), event.type + ':' + event.action + words + '\\n');
  if (event.type === 'command') event.messages.push('The pack says hello.');
};
`,
  };
}
