// The record of a conversation is the same for everyone who looks at it, whenever they look: before and after a reload, in
// two tabs, on a device that was away, and with another token. One gateway and one browser for all tests.

import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { gate } from '../../testkit/gate.ts';
import { reply, thought, toolCall } from '../../testkit/model-server.ts';
import { on } from '../../testkit/on.ts';
import { recordingTool } from '../../testkit/tool-for-test.ts';
import { lastSaid } from '../http/fixtures/test-api.ts';
import { browserPath, say, serve } from './fixtures/browser-page.ts';
import { Devices, echo, heard, isQuiet, pathOf } from './fixtures/devices.ts';

/** Frames have only the beginning of it. */
const LONG_RESULT = `begin ${'of a long result '.repeat(600)}end`;

describe.skipIf(!browserPath)('the record of a conversation (skipped where there is no Chromium)', () => {
  const devices = new Devices({ tools: [recordingTool('stamp', LONG_RESULT)] });

  // A tab behind another one is not drawn, so the text of its elements is read.
  const said = (page: Page) => page.locator('.said').allTextContents();
  const words = (page: Page) => page.locator('.words').allInnerTexts();

  it('has messages that wait for their turn, after a reload and on another device', async () => {
    const isOver = gate();
    devices.scratch.model.script((request) =>
      lastSaid(request).includes('first') ? { ...reply('The first answer.'), rest: isOver.opened } : echo(request),
    );
    const page = await devices.open();
    await say(page, 'first');
    await page.locator('.flow.live .words').waitFor();
    await say(page, 'second');
    await say(page, 'third');
    await expect.poll(() => page.locator('.said.waiting').count()).toBe(0);
    await page.reload();
    const all = ['first', 'second', 'third'];
    await expect.poll(() => said(page)).toEqual(all);
    const other = await devices.open(pathOf(page));
    await expect.poll(() => said(other)).toEqual(all);
    isOver.open();
    const answers = ['The first answer.', 'Heard: second', 'Heard: third'];
    for (const each of [page, other]) await expect.poll(() => words(each)).toEqual(answers);
    expect(await said(page)).toEqual(all);
    expect(await said(other)).toEqual(all);
    await page.reload();
    await expect.poll(() => words(page)).toEqual(answers);
    expect(await said(page)).toEqual(all);
  });

  it('has what others said while a device was away', async () => {
    const elsewhere = await serve(devices.scratch);
    const page = await devices.open();
    await say(page, 'before');
    await heard(page, 'Heard: before');
    const away = await devices.open(pathOf(page), { of: elsewhere });
    await heard(away, 'Heard: before');
    const { port } = elsewhere;
    await elsewhere.close(0);
    await away.locator('#link[data-state="wait"]').waitFor();
    await say(page, 'meanwhile');
    await heard(page, 'Heard: meanwhile');
    const again = await serve(devices.scratch, port);
    await heard(away, 'Heard: meanwhile');
    await say(away, 'and back');
    await heard(away, 'Heard: and back');
    await heard(page, 'Heard: and back');
    for (const each of [page, away]) {
      expect(await said(each)).toEqual(['before', 'meanwhile', 'and back']);
      expect(await words(each)).toEqual(['Heard: before', 'Heard: meanwhile', 'Heard: and back']);
    }
    await again.close(50);
  });

  it('has one order, whichever tab a message came from', async () => {
    const page = await devices.open();
    await say(page, 'begin');
    await heard(page, 'Heard: begin');
    const others = await Promise.all([devices.openTab(page.context(), pathOf(page)), devices.open(pathOf(page))]);
    const all = [page, ...others];
    for (const each of all) await heard(each, 'Heard: begin');
    const texts = all.map((_, index) => `from ${index}`);
    await Promise.all(all.map((each, index) => say(each, texts[index] ?? '')));
    for (const each of all) for (const text of texts) await heard(each, `Heard: ${text}`);
    const shown = await Promise.all(all.map(said));
    await page.reload();
    await heard(page, 'Heard: from 2');
    const record = await said(page);
    expect(record.toSorted()).toEqual(['begin', ...texts]);
    expect(shown).toEqual(all.map(() => record));
  });

  it('has the words before a tool and its whole result, also where a plugin decides what goes out', async () => {
    const leave = on(devices.scratch.hooks, 'message_sending', 'judge', () => {});
    try {
      devices.scratch.model.script([
        { ...thought('I think of it.', 'Let me stamp it.'), ...toolCall('stamp', { what: 'it' }, 'Let me stamp it.') },
        reply('It is stamped.'),
      ]);
      const page = await devices.open();
      await say(page, 'stamp it');
      await page.locator('.words').getByText('It is stamped.').waitFor();
      await isQuiet(page);
      const flow = async () => {
        const tool = page.locator('details.tool');
        return { words: await words(page), tools: await tool.locator('pre').allTextContents() };
      };
      const record = { words: ['Let me stamp it.', 'It is stamped.'], tools: [expect.anything(), LONG_RESULT] };
      await expect.poll(flow).toEqual(record);
      await page.reload();
      await expect.poll(flow).toEqual(record);
    } finally {
      leave();
    }
  });

  it('asks for the token again when the gateway has another one, and goes on where it was', async () => {
    const page = await devices.open();
    await say(page, 'with the old token');
    await heard(page, 'Heard: with the old token');
    const address = pathOf(page);
    await page.getByLabel('Message', { exact: true }).fill('half a sentence');
    await devices.serveAgain('another-token-0123456789');
    await page.locator('#gate').waitFor();
    await page.getByText('does not accept the token any more').waitFor();
    // It does not ask again and again with the wrong one.
    await page.locator('#link[data-state="off"]').waitFor();
    await page.locator('#gate-token').fill('another-token-0123456789');
    await page.keyboard.press('Enter');
    await page.locator('#gate').waitFor({ state: 'hidden' });
    await page.locator('#link[data-state="on"]').waitFor();
    expect(pathOf(page)).toBe(address);
    expect(await page.getByLabel('Message', { exact: true }).inputValue()).toBe('half a sentence');
    await page.getByLabel('Message', { exact: true }).focus();
    await page.keyboard.press('Enter');
    await heard(page, 'Heard: half a sentence');
    expect(await said(page)).toEqual(['with the old token', 'half a sentence']);
  });

  it('shows every letter of an answer that no parser likes, and stays usable', async () => {
    const bombs = [
      `${'*'.repeat(3_000)}x${'*'.repeat(3_000)}`,
      `${'> '.repeat(800)}deep quotes`,
      `${'- '.repeat(500)}deep lists`,
      `${'['.repeat(5_000)}brackets${']'.repeat(5_000)}`,
      '_a'.repeat(10_000),
    ];
    const page = await devices.open();
    for (const bomb of bombs) {
      devices.scratch.model.script(() => reply(`Before.\n\n${bomb}\n\nAfter it.`));
      await say(page, 'a bomb');
      await page.locator('.turn').last().getByText('After it.').waitFor();
      await isQuiet(page);
    }
    const letters = (text: string) => text.replace(/\s/g, '');
    expect(letters(await page.locator('.words').last().innerText())).toBe(letters(`Before.${bombs.at(-1)}After it.`));
    devices.scratch.model.script(echo);
    await say(page, 'still there?');
    await heard(page, 'Heard: still there?');
  });
});
