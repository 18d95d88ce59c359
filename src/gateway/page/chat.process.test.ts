// The chat in a real browser: words that are edited and said again, branches, models, thoughts, the list of conversations
// on two devices, dialogs, notifications, hostile words. One gateway and one browser for all tests.

import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { gate } from '../../testkit/gate.ts';
import { fail, type ModelScript, reply, thought, toolCall } from '../../testkit/model-server.ts';
import { on } from '../../testkit/on.ts';
import { ScratchGateway } from '../../testkit/scratch-gateway.ts';
import { recordingTool } from '../../testkit/tool-for-test.ts';
import { lastSaid, TEST_TOKEN } from '../http/fixtures/test-api.ts';
import type { Listening } from '../http/listen.ts';
import { browserPath, launchBrowser, say, serve } from './fixtures/browser-page.ts';

const HOSTILE = '<img src=x onerror="globalThis.hit = 1">';
const echo: ModelScript = (request) => reply(`Heard: ${lastSaid(request)}`, { usage: { input: 10, output: 3 } });

describe.skipIf(!browserPath)('the chat (skipped where there is no Chromium)', () => {
  let browser: Browser;
  let context: BrowserContext;
  let scratch: ScratchGateway;
  let server: Listening;
  let page: Page;
  const faults: string[] = [];
  const stamp = recordingTool('stamp', `stamped ${HOSTILE} [a link](javascript:globalThis.hit=1)`);

  beforeAll(async () => {
    scratch = await ScratchGateway.open({
      tools: [stamp],
      config: { agents: { defaults: { model: { primary: 'fake/small', fallbacks: ['fake/large'] } } } },
      register: (hooks) => {
        on(hooks, 'before_tool_call', 'careful', (event) =>
          JSON.stringify(event.params).includes('ask')
            ? { requireApproval: { title: 'Use the stamp', description: 'It leaves a mark.', severity: 'warning' } }
            : undefined,
        );
      },
    });
    server = await serve(scratch);
    browser = await launchBrowser();
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await server?.close(50);
    await scratch?.close();
  });

  beforeEach(async () => {
    scratch.model.script(echo);
    context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
    page = await open(context);
  });
  afterEach(async () => {
    await context.close();
    expect(faults.splice(0)).toEqual([]);
  });

  /** A page of a device, with a conversation that has not begun. */
  async function open(device: BrowserContext, address = '/new'): Promise<Page> {
    const opened = await device.newPage();
    opened.on('pageerror', (error) => faults.push(String(error)));
    opened.on('console', (message) => {
      if (/Content Security Policy/i.test(message.text())) faults.push(message.text());
    });
    await opened.goto(`${server.url}${address}#token=${TEST_TOKEN}`);
    await opened.getByText('Connected', { exact: true }).waitFor();
    return opened;
  }

  const said = (on = page) => on.locator('.said').allInnerTexts();
  const heard = (text: string, on = page) =>
    on.locator('.words').getByText(`Heard: ${text}`, { exact: true }).waitFor();
  const turn = (text: string) => page.locator('.turn').filter({ has: page.locator('.said', { hasText: text }) });
  const lastRequest = () => JSON.stringify(scratch.model.requests.at(-1)?.json.messages);
  const titles = (on = page) => on.locator('.session-link .title').allInnerTexts();

  it('lets a message be edited and said again, and the old way stays reachable', async () => {
    await say(page, 'the first thing');
    await heard('the first thing');
    await say(page, 'a second thing');
    await heard('a second thing');
    await turn('a second thing').locator('.said').hover();
    await turn('a second thing').getByRole('button', { name: 'Edit' }).click();
    const field = page.getByLabel('Edit the message');
    expect(await field.inputValue()).toBe('a second thing');
    await field.fill('another second thing');
    await page.keyboard.press('Enter');
    await heard('another second thing');
    expect(await said()).toEqual(['the first thing', 'another second thing']);
    expect(lastRequest()).not.toContain('a second thing');
    expect(lastRequest()).toContain('Heard: the first thing');
    const ways = page.getByRole('navigation', { name: 'Ways from here' });
    await ways.getByText('2 of 2').waitFor();
    expect((await titles()).filter((title) => title === 'the first thing')).toHaveLength(1);
    await ways.getByRole('link', { name: /The way before/ }).click();
    await heard('a second thing');
    await ways.getByText('1 of 2').waitFor();
    await page.reload();
    await ways.getByText('1 of 2').waitFor();
    expect(await said()).toEqual(['the first thing', 'a second thing']);
  });

  it('asks for another answer with the same words and the same file', async () => {
    await page
      .locator('#pick-files')
      .setInputFiles({ name: 'note.txt', mimeType: 'text/plain', buffer: Buffer.from('n') });
    await page.locator('#files .state').getByText('1 B').waitFor();
    await say(page, 'with a file');
    await page.locator('.words').first().waitFor();
    await page.getByRole('button', { name: 'Retry' }).click();
    const ways = page.getByRole('navigation', { name: 'Ways from here' });
    await ways.getByText('2 of 2').waitFor();
    await page.getByRole('button', { name: 'Retry' }).waitFor();
    expect(await page.locator('.said .name').allInnerTexts()).toEqual(['note.txt']);
    expect(await page.locator('.said').count()).toBe(1);
  });

  it('branches from an answer into a conversation of its own, and leaves the other one as it is', async () => {
    await say(page, 'trunk one');
    await heard('trunk one');
    await say(page, 'trunk two');
    await heard('trunk two');
    const trunk = page.url();
    await turn('trunk one').getByRole('button', { name: 'Branch from here' }).click();
    await page.getByRole('heading', { name: 'Branch of trunk one' }).waitFor();
    await expect.poll(() => said()).toEqual(['trunk one']);
    await say(page, 'twig two');
    await heard('twig two');
    expect(await titles()).toEqual(expect.arrayContaining(['Branch of trunk one', 'trunk one']));
    // The answers that it began with have their facts too.
    await turn('trunk one').locator('.facts').getByText('small').waitFor();
    await page.goto(trunk);
    await heard('trunk two');
    expect(await said()).toEqual(['trunk one', 'trunk two']);
  });

  it('shows what the model thinks, folded, while it does and after a reload', async () => {
    const isOver = gate();
    const thoughts = `First I look left.\n${'Then right, and left again. '.repeat(20)}`.trim();
    scratch.model.script(() => ({ ...thought(thoughts, 'I go.'), rest: isOver.opened }));
    await say(page, 'cross the street');
    await page.locator('.thoughts.growing').waitFor();
    isOver.open();
    await page.locator('.words').getByText('I go.').waitFor();
    const shown = page.locator('.thoughts');
    expect(await shown.locator('.thought-text').isVisible()).toBe(false);
    await page.reload();
    await page.locator('.words').getByText('I go.').waitFor();
    await shown.locator('summary').click();
    expect(await shown.locator('.thought-text').innerText()).toBe(thoughts);
    expect(await page.locator('.words').allInnerTexts()).toEqual(['I go.']);
  });

  it('chooses the model, before the first message and later, by keyboard', async () => {
    const choose = async (words: string) => {
      await page.locator('#model').focus();
      await page.keyboard.press('Enter');
      await page.getByLabel('Search models').fill(words);
      await page
        .getByRole('option', { name: new RegExp(words) })
        .first()
        .waitFor();
      await page.keyboard.press('Enter');
    };
    const asked = () => scratch.model.requests.at(-1)?.json.model;
    await choose('fake/large');
    await say(page, 'which one are you');
    await heard('which one are you');
    expect(asked()).toBe('large');
    await say(page, 'and now');
    await heard('and now');
    expect(asked()).toBe('large');
    await page.reload();
    await page.locator('#model').getByText('large').waitFor();
    await choose('fake/small');
    await page.locator('#model').getByText('small').waitFor();
    await expect
      .poll(async () => {
        await say(page, 'back again');
        await page.locator('#stop').waitFor({ state: 'hidden' });
        return asked();
      })
      .toBe('small');
  });

  it('renames, puts away, takes out and deletes a conversation, by keyboard and with dialogs of its own', async () => {
    await say(page, 'about tides');
    await heard('about tides');
    await expect.poll(() => titles()).toContain('about tides');
    const menu = page.getByRole('button', { name: 'This conversation' });
    const choose = async (name: string) => {
      await menu.focus();
      await page.keyboard.press('Enter');
      await page.getByRole('menuitem', { name }).press('Enter');
    };
    await choose('Rename');
    expect(await page.getByRole('dialog').getByLabel('Title').inputValue()).toBe('about tides');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    expect(await page.evaluate('document.activeElement.getAttribute("aria-label")')).toBe('This conversation');
    await choose('Rename');
    await page.keyboard.type(`Tides ${HOSTILE}`);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: `Tides ${HOSTILE}` }).waitFor();
    await choose('Put away');
    await expect.poll(() => titles()).not.toContain(`Tides ${HOSTILE}`);
    await page.getByRole('button', { name: /Put away \(\d+\)/ }).click();
    await expect.poll(() => titles()).toContain(`Tides ${HOSTILE}`);
    await choose('Take out again');
    await page.getByRole('button', { name: /Put away \(\d+\)/ }).click();
    await expect.poll(() => titles()).toContain(`Tides ${HOSTILE}`);
    await choose('Delete');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await heard('about tides');
    await choose('Delete');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await expect.poll(() => titles()).not.toContain(`Tides ${HOSTILE}`);
    expect(await page.evaluate('globalThis.hit')).toBeUndefined();
  });

  it('shows the same conversations on a second device, while they change', async () => {
    const other = await browser.newContext({ viewport: { width: 1440, height: 900 } });
    try {
      const second = await open(other);
      await say(page, 'seen on both');
      await heard('seen on both');
      await second.locator('.session-link').getByText('seen on both').click();
      await heard('seen on both', second);
      // Both look at it: what one says, the other one reads once.
      await say(second, 'from the second');
      await heard('from the second');
      await heard('from the second', second);
      expect(await said()).toEqual(['seen on both', 'from the second']);
      expect(await said(second)).toEqual(['seen on both', 'from the second']);
      // The second one looks elsewhere: it is unread there.
      await second.getByRole('link', { name: 'New conversation' }).click();
      await second.getByRole('heading', { name: 'main', exact: true }).waitFor();
      await page.getByRole('link', { name: 'New conversation' }).click();
      const [row] = await scratch.store.select('sessions', {
        where: { title: null },
        orderBy: [['activeAt', 'desc']],
        limit: 1,
      });
      await scratch.services.sessions.mark(row?.sessionKey ?? '', { title: 'Named elsewhere' });
      await second.locator('.session-link .title').getByText('Named elsewhere').waitFor();
      await page.locator('.session-link .title').getByText('Named elsewhere').waitFor();
      await scratch.services.sessions.delete(row?.sessionKey ?? '');
      await expect.poll(() => titles(second)).not.toContain('Named elsewhere');
      await expect.poll(() => titles()).not.toContain('Named elsewhere');
    } finally {
      await other.close();
    }
  });

  it('marks a conversation as unread when something is said in it elsewhere', async () => {
    await say(page, 'read me');
    await heard('read me');
    const [row] = await scratch.store.select('sessions', { orderBy: [['sessionId', 'desc']], limit: 1 });
    await page.getByRole('link', { name: 'New conversation' }).click();
    await expect.poll(async () => (await scratch.services.sessions.find(row?.sessionKey ?? '')).seenAt).not.toBeNull();
    const other = await browser.newContext();
    try {
      const second = await open(other, `/sessions/${row?.sessionKey}`);
      await heard('read me', second);
      await say(second, 'and me');
      await heard('and me', second);
      await other.close();
      await scratch.services.sessions.mark(row?.sessionKey ?? '', { isSeen: true });
      await scratch.store.commit(
        [{ update: 'sessions', where: { sessionId: row?.sessionId ?? '' }, set: { seenAt: 1 } }],
        {
          site: 'session-mark',
        },
      );
      await page.reload();
      await page.locator('.session-link.unread').getByText('read me').waitFor();
      await page.locator('.session-link.unread').getByText('read me').click();
      await expect.poll(() => page.locator('.session-link.unread').getByText('read me').count()).toBe(0);
    } finally {
      await other.close();
    }
  });

  it('goes on with an answer after a connection that broke in the middle of it, without losing or doubling a word', async () => {
    const isOver = gate();
    scratch.model.script(() => ({ ...reply('One two three four five six.'), rest: isOver.opened }));
    await say(page, 'count');
    await page.locator('.flow.live .words').waitFor();
    const { port } = new URL(server.url);
    await server.close(0);
    await page.locator('#link[data-state="wait"]').waitFor();
    server = await serve(scratch, Number(port));
    await page.locator('#link[data-state="on"]').waitFor();
    isOver.open();
    await page.locator('.words').getByText('One two three four five six.', { exact: true }).waitFor();
    expect(await page.locator('.words').allInnerTexts()).toEqual(['One two three four five six.']);
  });

  it('shows hostile words of people, models, tools and files as words, and loads nothing from elsewhere', async () => {
    const asked: string[] = [];
    page.on('request', (request) => {
      if (!request.url().startsWith(server.url) && !request.url().startsWith('blob:')) asked.push(request.url());
    });
    const links = `[click](javascript:globalThis.hit=1) [data](data:text/html,x) ![pixel](http://127.0.0.1:9/pixel.png) ${HOSTILE}`;
    scratch.model.script([toolCall('stamp', { text: HOSTILE }), reply(links)]);
    await page.locator('#pick-files').setInputFiles({
      name: `${HOSTILE.replaceAll('/', '')}.txt`,
      mimeType: 'text/plain',
      buffer: Buffer.from('n'),
    });
    await page.locator('#files .state').getByText('1 B').waitFor();
    await say(page, HOSTILE);
    await page.locator('.words').getByText('click').waitFor();
    await page.locator('.tool summary').click();
    await page.locator('.tool').getByText('stamped <img').waitFor();
    for (const look of ['now', 'after a reload']) {
      expect(await page.evaluate('globalThis.hit'), look).toBeUndefined();
      const hrefs = (await page.evaluate("[...document.querySelectorAll('a')].map(({ href }) => href)")) as string[];
      expect(
        hrefs.filter((href) => !/^https?:/.test(href)),
        look,
      ).toEqual([]);
      expect(await page.locator('#content img').count(), look).toBe(0);
      await page.reload();
      await page.locator('.words').getByText('click').waitFor();
    }
    expect(asked).toEqual([]);
    expect(page.url()).not.toContain('token');
  });

  it('tells of answers and approvals while the person looks elsewhere, where it may', async () => {
    await context.grantPermissions(['notifications'], { origin: server.url });
    await page.addInitScript(`
      globalThis.told = [];
      globalThis.Notification = class { constructor(title, { body }) { told.push(title + ': ' + body); } static permission = 'granted'; };
      Object.defineProperty(document, 'visibilityState', { get: () => globalThis.isAway ? 'hidden' : 'visible' });
    `);
    await page.reload();
    await page.getByText('Connected', { exact: true }).waitFor();
    await say(page, 'hello there');
    await heard('hello there');
    expect(await page.evaluate('told')).toEqual([]);
    await page.evaluate('globalThis.isAway = true');
    await say(page, 'while I am away');
    await heard('while I am away');
    await expect.poll(() => page.evaluate('told')).toContain('Answer of main: Heard: while I am away');
    scratch.model.script([toolCall('stamp', { text: 'ask first' }), reply('Stamped.')]);
    await say(page, 'stamp it');
    await expect.poll(() => page.evaluate('told')).toContain('An approval waits for you: hello there');
    await page.getByRole('button', { name: /Deny/ }).click();
    await page.getByText('Denied by web.').waitFor();
  });

  it('says a failure with the next step, and the words can be said again', async () => {
    scratch.model.script(() => fail(401, { message: 'The key was refused.' }));
    await say(page, 'will it work');
    await page
      .locator('.turn')
      .getByText(/The key was refused|refused/)
      .first()
      .waitFor();
    scratch.model.script(echo);
    await page.getByRole('button', { name: 'Retry' }).click();
    await heard('will it work');
    expect(await said()).toEqual(['will it work']);
  });

  it('can be installed as an app', async () => {
    const session = await context.newCDPSession(page);
    const { installabilityErrors } = await session.send('Page.getInstallabilityErrors');
    expect(installabilityErrors.filter(({ errorId }) => errorId !== 'in-incognito')).toEqual([]);
    const { errors, url } = await session.send('Page.getAppManifest');
    expect({ errors, url }).toEqual({ errors: [], url: `${server.url}/assets/manifest.webmanifest` });
  });

  it.each([
    ['light', 1440],
    ['dark', 1440],
    ['light', 390],
  ] as const)('has no serious faults for people who use it otherwise, %s at %i pixels', async (colorScheme, width) => {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 844 });
    scratch.model.script([
      toolCall('stamp', { text: 'x' }),
      thought('Hm.', 'Done, with `code` and a [link](https://example.org).'),
    ]);
    await say(page, 'stamp for the look');
    await page.locator('.words').getByText('Done').waitFor();
    await page.locator('.tool summary').click();
    const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
    const check = async (what: string) => {
      await page.evaluate(axe);
      const { violations } = (await page.evaluate("axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa'] })")) as {
        violations: readonly { id: string; impact: string; nodes: readonly { html: string }[] }[];
      };
      const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
      expect(serious.map(({ id, nodes }) => `${what}: ${id}: ${nodes[0]?.html}`)).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth > window.innerWidth'), what).toBe(false);
    };
    await check('a conversation');
    await page.locator('#model').click();
    await page.getByRole('option').first().waitFor();
    await check('the models');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'This conversation' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await check('a question');
    await page.keyboard.press('Escape');
  });
});

describe.skipIf(!browserPath)('a first visit without a model (skipped where there is no Chromium)', () => {
  it('shows three steps, lets the mirror answer, and sees the model when there is one', async () => {
    const scratch = await ScratchGateway.open({ config: { agents: { defaults: { model: 'mirror/mirror' } } } });
    const server = await serve(scratch);
    const browser = await launchBrowser();
    try {
      const page = await browser.newPage();
      await page.goto(`${server.url}/#token=${TEST_TOKEN}`);
      await page.getByRole('heading', { name: 'Three steps to the first answer' }).waitFor();
      expect(await page.locator('.first-steps li').count()).toBe(3);
      await page.getByRole('button', { name: 'Say hello' }).click();
      await page.locator('.words').first().waitFor();
    } finally {
      await browser.close();
      await server.close(50);
      await scratch.close();
    }
  });
});
