// The chat record of an openboa agent over many kills of a real gateway process: it only grows, and after each start it
// tells what the store tells, each message once.

import { appendFile, readdir, readFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Message } from '../protocol/message.ts';
import type { ChatLine } from '../recorder/chat-records.ts';
import { askOverApi } from '../testkit/api-client.ts';
import { GatewayProcess } from '../testkit/gateway-process.ts';
import { reply } from '../testkit/model-server.ts';

const LONG = 'So it was said. '.repeat(1_000).trim();

describe('the chat record of a gateway that is killed', { timeout: 240_000 }, () => {
  let gateway: GatewayProcess;

  beforeEach(async () => {
    gateway = await GatewayProcess.create({
      config: {
        agents: { defaults: { model: 'fake/small' }, list: [{ id: 'boa', default: true, taxonomy: 'openboa' }] },
      },
      recordsRequests: false,
    });
    // Long answers make it likely that a kill hits a line that is being written.
    gateway.model.script(() => reply(LONG));
    await gateway.start();
  });

  afterEach(() => gateway.close());

  const chatDir = () => join(gateway.home.stateDir, '.openboa', 'chat', 'chats');

  async function record(): Promise<{ readonly file: string; readonly text: string }> {
    const [name = ''] = (await readdir(chatDir()).catch(() => [])).filter((each) => each.endsWith('.jsonl'));
    const file = join(chatDir(), name);
    return { file, text: name === '' ? '' : await readFile(file, 'utf8') };
  }

  const whole = (text: string) => text.slice(0, text.lastIndexOf('\n') + 1);
  const linesOf = (text: string) =>
    whole(text)
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as ChatLine);

  /** What the store tells through the API. */
  async function told(sessionKey: string): Promise<readonly string[]> {
    const path = `/api/sessions/${encodeURIComponent(sessionKey)}/transcript?limit=100`;
    const { entries } = await gateway.json<{ entries: readonly { readonly message: Message }[] }>(path);
    return entries.map(({ message }) => message.role);
  }

  it('holds every answered message once, in order, and what was written stays', async () => {
    const asked: string[] = [];
    let kept = '';
    for (let round = 0; round < 6; round++) {
      for (let each = 0; each < 2; each++) {
        const text = `message ${asked.length}`;
        asked.push(text);
        expect((await askOverApi(gateway, { text, user: 'ana', key: text })).status).toBe(200);
      }
      // The kill comes while lines are written, or just before, or just after.
      await sleep(round * 3);
      await gateway.kill();
      const { file, text } = await record();
      // Only the end can be incomplete; what was complete before is still there, byte for byte.
      expect(text.startsWith(kept)).toBe(true);
      expect(
        linesOf(text)
          .filter(({ role }) => role === 'user')
          .map((line) => line.text),
      ).toEqual(asked.slice(0, linesOf(text).filter(({ role }) => role === 'user').length));
      if (round === 2) await truncate(file, Math.max(0, Buffer.byteLength(text) - 7));
      if (round === 3) await appendFile(file, '{"id":"never","te');
      if (round === 4) await writeFile(`${file}.new`, 'left behind by a kill');
      await gateway.start();
      await vi.waitFor(async () => {
        const { text: healed } = await record();
        expect(healed.endsWith('\n')).toBe(true);
        const said = linesOf(healed);
        expect(said.filter(({ role }) => role === 'user').map((line) => line.text)).toEqual(asked);
        expect(said.filter((line) => line.role === 'assistant' && line.text === LONG)).toHaveLength(asked.length);
        expect(new Set(said.map(({ id }) => id)).size).toBe(said.length);
      }, 30_000);
      kept = (await record()).text;
    }
    const [{ sessionKey } = { sessionKey: '' }] = linesOf(kept);
    expect(linesOf(kept).map(({ role }) => role)).toEqual(await told(sessionKey));
    await gateway.stop();
    expect((await record()).text).toBe(kept);
    expect((await readdir(chatDir())).filter((name) => name.endsWith('.new'))).toHaveLength(1);
  });
});
