// What plugins decide about an answer holds on every surface, including clients that wait for it: OpenAI's own client,
// the page's socket, the API and the command line, all against one gateway process with a plugin in its worker.

import { setTimeout as sleep } from 'node:timers/promises';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { GatewayProcess } from '../testkit/gateway-process.ts';
import { reply } from '../testkit/model-server.ts';
import { WebClient } from '../testkit/web-client.ts';

const POLICY = `export default (api: any) => {
  const note = (line: string) => process.getBuiltinModule('node:fs').appendFileSync(api.rootDir + '/sent.txt', line + '\\n');
  api.on('message_sending', ({ content }: any) => {
    if (content.includes('forbidden')) return { cancel: true, cancelReason: 'not for your eyes' };
    if (content.includes('open-sesame')) return { content: content.replaceAll('open-sesame', '[redacted]') };
  });
  api.on('reply_dispatch', ({ payloads }: any) => (payloads[0].text.includes('taken over') ? { handled: true } : undefined));
  api.on('message_sent', ({ content, success }: any) => note(success + ' ' + content));
};`;

const WORDS =
  'The door code is open-sesame, and it is the same for all of the doors of this house, upstairs and downstairs.';

let gateway: GatewayProcess;
let client: OpenAI;
beforeAll(async () => {
  gateway = await GatewayProcess.create({ files: { 'extensions/policy/index.ts': POLICY } });
  await gateway.start();
  client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.token, maxRetries: 0 });
});
afterAll(() => gateway.close());

const ask = (content: string) => ({ model: 'atrium/main', messages: [{ role: 'user', content } as const] });

async function api(path: string, body?: object): Promise<Record<string, unknown>> {
  const answer = await fetch(`${gateway.url}${path}`, {
    headers: { authorization: `Bearer ${gateway.token}`, 'content-type': 'application/json' },
    ...(body ? { method: 'POST', body: JSON.stringify(body) } : {}),
  });
  return (await answer.json()) as Record<string, unknown>;
}

describe('an answer that a plugin has a say in', () => {
  test('is rewritten for a client of /v1', async () => {
    gateway.model.script([reply(WORDS)]);
    const { choices } = await client.chat.completions.create(ask('the code?'));
    expect(choices[0]).toMatchObject({
      message: { content: WORDS.replace('open-sesame', '[redacted]') },
      finish_reason: 'stop',
    });
  });

  test('is held back until it is decided when a client streams', async () => {
    gateway.model.script([reply(WORDS)]);
    let text = '';
    for await (const chunk of await client.chat.completions.create({ ...ask('the code?'), stream: true })) {
      text += chunk.choices[0]?.delta?.content ?? '';
      expect(text).not.toContain('open-sesame');
    }
    expect(text).toBe(WORDS.replace('open-sesame', '[redacted]'));
  });

  test('that is cancelled is no answer, streamed or not, and the run says who cancelled it', async () => {
    gateway.model.script([reply('This is forbidden.'), reply('This is forbidden.')]);
    const { choices } = await client.chat.completions.create(ask('tell me'));
    expect(choices[0]).toMatchObject({ message: { content: '' }, finish_reason: 'content_filter' });
    let text = '';
    let finish: string | null = null;
    for await (const chunk of await client.chat.completions.create({ ...ask('tell me'), stream: true })) {
      text += chunk.choices[0]?.delta?.content ?? '';
      finish = chunk.choices[0]?.finish_reason ?? finish;
    }
    expect([text, finish]).toEqual(['', 'content_filter']);
  });

  test('is what /api tells of the run', async () => {
    gateway.model.script([reply(WORDS), reply('This is forbidden.'), reply('It is taken over.')]);
    const outcomes: unknown[] = [];
    for (const text of ['the code?', 'tell me', 'and now?']) {
      const { runId } = await api('/api/messages', { text });
      const { run } = await api(`/api/runs/${runId}/wait?timeoutMs=30000`);
      outcomes.push((run as { outcome: unknown }).outcome);
    }
    expect(outcomes).toMatchObject([
      { reply: WORDS.replace('open-sesame', '[redacted]') },
      { reply: '', suppressed: { hook: 'message_sending', by: 'policy', cancelReason: 'not for your eyes' } },
      { reply: '', suppressed: { hook: 'reply_dispatch', by: 'policy' } },
    ]);
  });

  test('is never drafted on the page, which gets it as it was decided', async () => {
    gateway.model.script([reply(WORDS), reply('This is forbidden.')]);
    const page = new WebClient(gateway, 'outbound');
    onTestFinished(() => page.close());
    page.say('one', 'the code?');
    await page.until(({ texts }) => texts.length === 1, 'for an answer');
    page.say('two', 'tell me');
    await page.until(({ frames }) => frames.filter(({ type }) => type === 'run-end').length === 2, 'for the end');
    expect(page.texts).toEqual([WORDS.replace('open-sesame', '[redacted]')]);
    expect(JSON.stringify(page.frames)).not.toMatch(/open-sesame|forbidden/);
  });

  test('is told to observers as it was really sent', async () => {
    const sent = async () => (await gateway.home.read('extensions/policy/sent.txt')).split('\n').slice(0, -1);
    // Observers are told without delaying the run, so the test waits for them.
    for (let tries = 0; tries < 100 && (await sent()).length < 4; tries++) await sleep(50);
    expect((await sent()).every((line) => !line.includes('open-sesame'))).toBe(true);
    expect(await sent()).toContain(`true ${WORDS.replace('open-sesame', '[redacted]')}`);
  });
});
