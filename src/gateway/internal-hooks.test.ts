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
  await scratch.channel.says({ sender: 'ann' }, 'I am Ann');
  await scratch.channel.expectDelivered('Hello Ann.');
  await scratch.channel.says({ sender: 'ann' }, '/new');
  await scratch.channel.expectDelivered('The pack says hello.\n\nA new session has begun.');
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
  await scratch.channel.says({}, 'Hi');
  await scratch.channel.expectDelivered('Hello.');
  expect(scratch.warnings).toEqual([expect.stringMatching(/"[^"]*diary[^"]*" failed on message:received: no ink/)]);
});

/** Writes what it hears into the state directory. */
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
