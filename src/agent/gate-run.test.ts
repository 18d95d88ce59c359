import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { HookHandlers } from '../hooks/hook-types.ts';
import { gate } from '../testkit/gate.ts';
import { gatewayForTest } from '../testkit/gateway-for-test.ts';
import { reply } from '../testkit/model-server.ts';
import { on } from '../testkit/on.ts';
import type { ScratchGateway } from '../testkit/scratch-gateway.ts';

const SECRET = 'the-launch-code-is-0000';

describe('a gate', () => {
  it.each<[string, HookHandlers['before_agent_run'], string]>([
    [
      'that says no',
      () => ({ outcome: 'block', reason: `leaks ${SECRET}`, message: 'No codes in here.' }),
      'Your message could not be sent: No codes in here. (blocked by guard)',
    ],
    ['that throws', () => Promise.reject(new Error(SECRET)), FAILED()],
    ['that answers nonsense', () => ({ outcome: 'maybe' }) as never, FAILED()],
    ['that never answers', () => new Promise(() => {}), FAILED()],
  ])('%s keeps the model from reading, and nothing of what was said is kept', async (_, handler, told) => {
    const scratch = await gatewayForTest({
      register: (hooks) => {
        on(hooks, 'before_agent_run', { owner: 'guard', timeoutMs: 50 }, handler);
        on(hooks, 'before_prompt_build', 'quote', ({ prompt }) => ({ prependContext: `They said ${prompt}` }));
      },
      variables: { OPENCLAW_RAW_STREAM: '1', OPENCLAW_CACHE_TRACE: '1' },
    });
    const { runId } = await scratch.channel.asks({}, SECRET, told);
    expect(await scratch.services.runs.wait(runId)).toMatchObject({ status: 'blocked' });
    expect(scratch.model.requests).toEqual([]);
    expect(await scratch.store.select('inbox')).toMatchObject([{ status: 'done', payload: null }]);
    expect(await everything(scratch)).not.toContain(SECRET);
    expect(scratch.warnings.join('\n')).not.toContain(SECRET);
    await scratch.stop();
    expect(await filesWith(scratch.home.stateDir, SECRET)).toEqual([]);
    expect(await filesWith(scratch.home.stateDir, 'prompt.skipped')).toHaveLength(1);
  });

  it('leaves a note that something was blocked, and the talk goes on', async () => {
    const scratch = await gatewayForTest({
      register: (hooks) =>
        on(hooks, 'before_agent_run', 'guard', ({ prompt }) =>
          prompt === SECRET ? { outcome: 'block', reason: 'a code', message: 'No codes.' } : { outcome: 'pass' },
        ),
    });
    scratch.model.script([reply('Hello.')]);
    await scratch.channel.says({}, SECRET);
    await scratch.channel.asks({}, 'Hi', /No codes/);
    await scratch.channel.expectDelivered('Hello.');
    expect(scratch.model.requests[0]?.body).not.toContain(SECRET);
    expect(scratch.model.requests[0]?.body).toContain('No codes.');
  });

  it('that was not asked yet leaves nothing for a later model to read', async () => {
    const { opened: asked, open: ask } = gate();
    const scratch = await gatewayForTest({
      register: (hooks) =>
        on(hooks, 'before_agent_run', 'guard', ({ prompt }) => {
          if (prompt !== SECRET) return { outcome: 'pass' };
          ask();
          return new Promise(() => {});
        }),
    });
    scratch.model.script([reply('Hello.')]);
    await scratch.channel.says({}, SECRET);
    await asked;
    await scratch.channel.says({}, '/stop');
    await scratch.channel.says({}, 'Hi');
    await scratch.model.waitForRequests(1);
    expect(scratch.model.requests[0]?.body).not.toContain(SECRET);
  });
});

describe('before_agent_reply', () => {
  it('answers in the place of the model', async () => {
    const scratch = await gatewayForTest({
      register: (hooks) =>
        on(hooks, 'before_agent_reply', 'faq', ({ cleanedBody }) =>
          cleanedBody === 'Opening hours?' ? { handled: true, reply: { text: 'Nine to five.' } } : undefined,
        ),
    });
    scratch.model.script([reply('You asked about our hours.')]);
    await scratch.channel.asks({}, 'Opening hours?', 'Nine to five.');
    expect(scratch.model.requests).toEqual([]);
    expect(scratch.store.commits).toMatchObject({ accept: 1, request: 0, result: 1 });
    await scratch.channel.asks({}, 'What did I ask?', 'You asked about our hours.');
    expect(scratch.model.requests[0]?.json.messages).toMatchObject([
      { role: 'system' },
      { role: 'user', content: 'Opening hours?' },
      { role: 'assistant', content: 'Nine to five.' },
      { role: 'user', content: 'What did I ask?' },
    ]);
  });

  it('may choose silence', async () => {
    const scratch = await gatewayForTest({
      register: (hooks) => on(hooks, 'before_agent_reply', 'mute', () => ({ handled: true })),
    });
    const { runId } = await scratch.channel.says({}, 'Hello?');
    expect(await scratch.services.runs.wait(runId)).toMatchObject({ status: 'done', outcome: { reply: '' } });
    expect(await scratch.store.select('outbox')).toEqual([]);
    expect(scratch.model.requests).toEqual([]);
  });
});

function FAILED(): string {
  return 'Your message could not be sent: blocked by before_agent_run';
}

async function everything({ store }: ScratchGateway): Promise<string> {
  const tables = [
    'inbox',
    'transcript',
    'journal',
    'outbox',
    'deadLetters',
    'parts',
    'captures',
    'hookRecords',
    'runs',
  ];
  const rows = await Promise.all(tables.map((table) => store.select(table as 'inbox')));
  return JSON.stringify(rows);
}

async function filesWith(dir: string, text: string): Promise<string[]> {
  const names = await readdir(dir, { recursive: true, withFileTypes: true });
  const files = names.filter((name) => name.isFile()).map((name) => join(name.parentPath, name.name));
  const found: string[] = [];
  for (const file of files) if ((await readFile(file, 'latin1')).includes(text)) found.push(file.slice(dir.length));
  return found;
}
