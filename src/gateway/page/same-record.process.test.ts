// The record of a conversation is the same for everyone who looks at it, whenever they look: before and after a reload, in
// two tabs, on a device that was away, and with another token. One gateway and one browser for all tests.

import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { gate } from '../../testkit/gate.ts';
import { type ModelScript, reply, thought, toolCall } from '../../testkit/model-server.ts';
import { on } from '../../testkit/on.ts';
import { ScratchGateway } from '../../testkit/scratch-gateway.ts';
import { recordingTool } from '../../testkit/tool-for-test.ts';
import { lastSaid, TEST_TOKEN } from '../http/fixtures/test-api.ts';
import type { Listening } from '../http/listen.ts';
import { browserPath, launchBrowser, say, serve } from './fixtures/browser-page.ts';

const echo: ModelScript = (request) => reply(`Heard: ${lastSaid(request)}`);
/** Frames have only the beginning of it. */
const LONG_RESULT = `begin ${'of a long result '.repeat(600)}end`;

describe.skipIf(!browserPath)('the record of a conversation (skipped where there is no Chromium)', () => {
  let browser: Browser;
  let scratch: ScratchGateway;
  let server: Listening;
  let contexts: BrowserContext[] = [];
  const faults: string[] = [];

  beforeAll(async () => {
    scratch = await ScratchGateway.open({ tools: [recordingTool('stamp', LONG_RESULT)] });
    browser = await launchBrowser();
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await scratch?.close();
  });
  beforeEach(async () => {
    scratch.model.script(echo);
    server = await serve(scratch);
  });
  afterEach(async () => {
    for (const context of contexts) await context.close();
    contexts = [];
    await server.close(50);
    expect(faults.splice(0)).toEqual([]);
  });

  async function device(address = '/new', of = server): Promise<Page> {
    const context = await browser.newContext({ viewport: { width: 1200, height: 800 } });
    contexts.push(context);
    return tab(context, address, of);
  }

  async function tab(context: BrowserContext, address = '/new', of = server): Promise<Page> {
    const page = await context.newPage();
    page.on('pageerror', (error) => faults.push(String(error)));
    await page.goto(`${of.url}${address}#token=${TEST_TOKEN}`);
    await page.getByText('Connected', { exact: true }).waitFor();
    return page;
  }

  const pathOf = (page: Page) => new URL(page.url()).pathname;
  // A tab behind another one is not drawn, so the text of its elements is read.
  const said = (page: Page) => page.locator('.said').allTextContents();
  const words = (page: Page) => page.locator('.words').allInnerTexts();
  const heard = (page: Page, text: string) =>
    page.locator('.words').getByText(`Heard: ${text}`, { exact: true }).waitFor();
  const isQuiet = (page: Page) => page.locator('#stop').waitFor({ state: 'hidden' });

  it('has messages that wait for their turn, after a reload and on another device', async () => {
    const isOver = gate();
    scratch.model.script((request) =>
      lastSaid(request).includes('first') ? { ...reply('The first answer.'), rest: isOver.opened } : echo(request),
    );
    const page = await device();
    await say(page, 'first');
    await page.locator('.flow.live .words').waitFor();
    await say(page, 'second');
    await say(page, 'third');
    await expect.poll(() => page.locator('.said.waiting').count()).toBe(0);
    await page.reload();
    const all = ['first', 'second', 'third'];
    await expect.poll(() => said(page)).toEqual(all);
    const other = await device(pathOf(page));
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
    const elsewhere = await serve(scratch);
    const page = await device();
    await say(page, 'before');
    await heard(page, 'before');
    const away = await device(pathOf(page), elsewhere);
    await heard(away, 'before');
    const { port } = elsewhere;
    await elsewhere.close(0);
    await away.locator('#link[data-state="wait"]').waitFor();
    await say(page, 'meanwhile');
    await heard(page, 'meanwhile');
    const again = await serve(scratch, port);
    await heard(away, 'meanwhile');
    await say(away, 'and back');
    await heard(away, 'and back');
    await heard(page, 'and back');
    for (const each of [page, away]) {
      expect(await said(each)).toEqual(['before', 'meanwhile', 'and back']);
      expect(await words(each)).toEqual(['Heard: before', 'Heard: meanwhile', 'Heard: and back']);
    }
    await again.close(50);
  });

  it('has one order, whichever tab a message came from', async () => {
    const page = await device();
    await say(page, 'begin');
    await heard(page, 'begin');
    const others = await Promise.all([tab(page.context(), pathOf(page)), device(pathOf(page))]);
    const all = [page, ...others];
    for (const each of all) await heard(each, 'begin');
    const texts = all.map((_, index) => `from ${index}`);
    await Promise.all(all.map((each, index) => say(each, texts[index] ?? '')));
    for (const each of all) for (const text of texts) await heard(each, text);
    const shown = await Promise.all(all.map(said));
    await page.reload();
    await heard(page, 'from 2');
    const record = await said(page);
    expect(record.toSorted()).toEqual(['begin', ...texts]);
    expect(shown).toEqual(all.map(() => record));
  });

  it('has the words before a tool and its whole result, also where a plugin decides what goes out', async () => {
    const leave = on(scratch.hooks, 'message_sending', 'judge', () => {});
    try {
      scratch.model.script([
        { ...thought('I think of it.', 'Let me stamp it.'), ...toolCall('stamp', { what: 'it' }, 'Let me stamp it.') },
        reply('It is stamped.'),
      ]);
      const page = await device();
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
    const page = await device();
    await say(page, 'with the old token');
    await heard(page, 'with the old token');
    const address = pathOf(page);
    await page.getByLabel('Message', { exact: true }).fill('half a sentence');
    const { port } = server;
    await server.close(0);
    server = await serve(scratch, port, 'another-token-0123456789');
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
    await heard(page, 'half a sentence');
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
    const page = await device();
    for (const bomb of bombs) {
      scratch.model.script(() => reply(`Before.\n\n${bomb}\n\nAfter it.`));
      await say(page, 'a bomb');
      await page.locator('.turn').last().getByText('After it.').waitFor();
      await isQuiet(page);
    }
    const letters = (text: string) => text.replace(/\s/g, '');
    expect(letters(await page.locator('.words').last().innerText())).toBe(letters(`Before.${bombs.at(-1)}After it.`));
    scratch.model.script(echo);
    await say(page, 'still there?');
    await heard(page, 'still there?');
  });
});
