import { describe, expect, it } from 'vitest';
import { storeForEachTest } from '../testkit/for-each-test.ts';
import { captureRequest, partSizeOf, readCapture } from './capture.ts';

const scratch = storeForEachTest();

const sentence = (turn: number) =>
  `In turn ${turn} a person said something, ${'and then a little more, '.repeat(12)}enough.`;

function bodyOf(turns: number): string {
  const messages = Array.from({ length: turns }, (_, turn) => ({
    role: turn % 2 ? 'assistant' : 'user',
    content: [{ type: 'text', text: sentence(turn) }],
  }));
  const system = [{ type: 'text', text: 'Be kind. '.repeat(500), cache_control: { type: 'ephemeral' } }];
  const tools = [{ name: 'read', description: 'Reads a file. '.repeat(100), input_schema: { type: 'object' } }];
  return JSON.stringify({ model: 'm', max_tokens: 100, system, messages, tools, stream: true });
}

async function capture(runId: string, call: number, body: string, at = call): Promise<void> {
  const wire = { url: 'http://127.0.0.1/v1/messages', headers: { 'content-type': 'application/json' }, body };
  const writes = captureRequest({ runId, call, at, provider: 'anthropic', model: 'm', wire });
  await scratch.store.commit(writes, { site: 'request' });
}

async function storedBytes(): Promise<number> {
  const parts = await scratch.store.select('parts');
  const captures = await scratch.store.select('captures');
  return (
    parts.reduce((total, part) => total + Buffer.byteLength(part.text), 0) +
    captures.reduce((total, row) => total + JSON.stringify(row).length, 0)
  );
}

describe('a captured request', () => {
  it('is read back byte for byte', async () => {
    const bodies = [bodyOf(3), bodyOf(60), '{"text":"Grüße 😀 \\u0000 \\ud800"}', 'no JSON at all', ''];
    for (const [index, body] of bodies.entries()) await capture('run_a', index + 1, body);
    for (const [index, body] of bodies.entries()) {
      const found = await readCapture(scratch.store, 'run_a', index + 1);
      expect(found?.body).toBe(body);
      expect(found?.size).toBe(Buffer.byteLength(body));
      expect(found?.missing).toEqual([]);
    }
  });

  it('is the last one of its run unless a call is named', async () => {
    await capture('run_a', 1, 'first');
    await capture('run_a', 2, 'second');
    expect((await readCapture(scratch.store, 'run_a'))?.body).toBe('second');
    expect((await readCapture(scratch.store, 'run_a', 1))?.body).toBe('first');
    expect(await readCapture(scratch.store, 'run_a', 3)).toBeUndefined();
    expect(await readCapture(scratch.store, 'run_b')).toBeUndefined();
  });

  it('does not store a long conversation again with each request', async () => {
    let sent = 0;
    let atFifty = 0;
    for (let turn = 1; turn <= 100; turn++) {
      const body = bodyOf(turn);
      sent += body.length;
      await capture(`run_${turn}`, 1, body, turn);
      if (turn === 50) atFifty = await storedBytes();
    }
    const atHundred = await storedBytes();
    expect(atHundred).toBeLessThan(atFifty * 2.5);
    expect(atHundred).toBeLessThan(sent / 5);
    for (const turn of [1, 37, 100]) expect((await readCapture(scratch.store, `run_${turn}`))?.body).toBe(bodyOf(turn));
  });

  it('tells which of its parts are gone, and shows nothing in their place', async () => {
    await capture('run_a', 1, bodyOf(60));
    const [part] = (await scratch.store.select('parts')).filter((row) => row.text.includes('In turn 30 '));
    await scratch.store.commit([{ remove: 'parts', where: { hash: part?.hash ?? '' } }], { site: 'prune' });
    const found = await readCapture(scratch.store, 'run_a');
    expect(found?.body).toBeUndefined();
    expect(found?.missing).toEqual([part?.hash]);
    expect(found?.size).toBe(bodyOf(60).length);
  });

  it('does not show a part that is no longer what it was', async () => {
    await capture('run_a', 1, 'as it was sent');
    await scratch.store.commit([{ update: 'parts', where: {}, set: { text: 'changed by hand' } }], {
      site: 'prune',
    });
    const found = await readCapture(scratch.store, 'run_a');
    expect(found?.body).toBeUndefined();
    expect(found?.missing).toHaveLength(1);
  });

  it('keeps address and headers without secrets', async () => {
    const wire = {
      url: 'https://me:hidden@models.example/v1/chat?key=hidden&alt=sse',
      headers: { 'x-api-key': 'hidden', authorization: 'Bearer hidden', accept: 'text/event-stream' },
      body: '{}',
    };
    const request = { runId: 'run_a', call: 1, at: 1, provider: 'p', model: 'm', wire };
    await scratch.store.commit(captureRequest(request), { site: 'request' });
    const found = await readCapture(scratch.store, 'run_a');
    expect(JSON.stringify(found)).not.toContain('hidden');
    expect(found?.headers.accept).toBe('text/event-stream');
    expect(found?.url).toContain('alt=sse');
  });

  it('says when each part was last used, and never goes back', async () => {
    await capture('run_a', 1, 'the same', 50);
    await capture('run_b', 1, 'the same', 20);
    const parts = await scratch.store.select('parts');
    expect(parts.map(({ usedAt, size, hash }) => ({ usedAt, size, told: partSizeOf(hash) }))).toEqual([
      { usedAt: 50, size: 8, told: 8 },
    ]);
  });
});
