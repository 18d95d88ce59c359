// The pages about the gateway in a real browser: a run as a waterfall, the hooks with their handlers, operations. And the
// conversations: a new one, its draft, one that has ended. One gateway and one browser for all tests.

import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fail, reply, toolCall } from '../../testkit/model-server.ts';
import { on } from '../../testkit/on.ts';
import { ScratchGateway } from '../../testkit/scratch-gateway.ts';
import { recordingTool } from '../../testkit/tool-for-test.ts';
import { TEST_TOKEN } from '../http/fixtures/test-api.ts';
import type { Listening } from '../http/listen.ts';
import { browserPath, launchBrowser, say, serve } from './fixtures/browser-page.ts';

const HOSTILE = '<img src=x onerror="globalThis.hit = 1">';

describe.skipIf(!browserPath)('the pages about the gateway (skipped where there is no Chromium)', () => {
  let browser: Browser;
  let scratch: ScratchGateway;
  let server: Listening;
  let page: Page;
  const stamp = recordingTool('stamp', 'stamped');
  const faults: string[] = [];

  beforeAll(async () => {
    scratch = await ScratchGateway.open({
      tools: [stamp],
      register: (hooks) => {
        on(hooks, 'before_prompt_build', `painter ${HOSTILE}`, () => {
          throw new Error('the paint is dry');
        });
        on(hooks, 'before_tool_call', 'careful', () => ({
          requireApproval: { title: 'Use the stamp', description: 'It leaves a mark.', severity: 'warning' },
        }));
      },
    });
    server = await serve(scratch);
    browser = await launchBrowser();
    page = await (await browser.newContext({ viewport: { width: 1440, height: 900 } })).newPage();
    page.on('pageerror', (error) => faults.push(String(error)));
    await page.goto(`${server.url}/#token=${TEST_TOKEN}`);
    await page.getByText('Connected', { exact: true }).waitFor();
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await server?.close(50);
    await scratch?.close();
    expect(faults).toEqual([]);
  });

  const field = () => page.getByLabel('Message', { exact: true });

  it('lets an approval be given with one key, and keeps it in the record', async () => {
    scratch.model.script([toolCall('stamp', { n: 1 }), reply('Stamped.')]);
    await say(page, 'stamp it');
    const card = page.getByRole('region', { name: 'Use the stamp' });
    await card.waitFor();
    await expect
      .poll(() => page.evaluate('document.activeElement.className'), { timeout: 20_000 })
      .toContain('approval');
    // The first press may come in the moment in which keys do nothing yet.
    await expect
      .poll(
        async () => {
          await card.press('y').catch(() => {});
          return card.innerText();
        },
        { timeout: 20_000 },
      )
      .toContain('Allowed once by web.');
    await page.getByText('Stamped.', { exact: true }).waitFor();
    expect(stamp.ran).toHaveLength(1);
    await page.reload();
    await page.getByText('Allowed once by web.').waitFor();
    const order = "[...document.querySelectorAll('.approval, .tool')].map(({ className }) => className.split(' ')[0])";
    expect(await page.evaluate(order)).toEqual(['approval', 'tool']);
  });

  it('shows a run as a waterfall, with what failed in it', async () => {
    await page.getByRole('link', { name: 'Run', exact: true }).click();
    const waterfall = page.getByRole('region', { name: 'Waterfall' });
    await waterfall.getByText('Model call 2').waitFor();
    const labels = await waterfall.locator('li b').allInnerTexts();
    expect(labels).toEqual(expect.arrayContaining(['Model call 1', 'Use the stamp', 'stamp', 'before_prompt_build']));
    expect(await waterfall.locator('.fault-row').innerText()).toContain('the paint is dry');
    expect(await page.evaluate('globalThis.hit')).toBeUndefined();
    const kinds = await waterfall.locator('li').evaluateAll((rows) => rows.map((row) => row.getAttribute('data-kind')));
    expect(kinds[0]).toBe('inbox');
    expect(kinds).toEqual(expect.arrayContaining(['composition', 'hook', 'model', 'tool', 'approval', 'delivery']));
    await waterfall.locator('[data-kind="model"] small').getByText('first token').first().waitFor();
    // What a handler decided can be opened.
    const careful = waterfall.locator('li', { hasText: 'careful' }).first();
    await careful.locator('summary').click();
    await careful.locator('ins').getByText('Use the stamp').first().waitFor();
  });

  it('shows the handlers at their places, with their errors', async () => {
    await page.getByRole('link', { name: 'Hooks and plugins' }).click();
    const handler = page.locator('.handler', { hasText: 'painter' });
    await handler.getByText('the paint is dry').waitFor();
    expect(await handler.innerText()).toContain(HOSTILE);
    expect(
      await page.locator('.station', { hasText: 'Prepare' }).locator('.handler', { hasText: 'painter' }).count(),
    ).toBe(1);
    expect(await page.evaluate('globalThis.hit')).toBeUndefined();
  });

  it('keeps a draft with its conversation, and begins new ones', async () => {
    await page.locator('.session-link').first().click();
    await field().fill('not yet');
    await page.getByRole('link', { name: 'New conversation' }).first().click();
    await page.getByText('Talk to main').waitFor();
    expect(await field().inputValue()).toBe('');
    scratch.model.script([fail(401, { message: 'The key was refused.' })]);
    await say(page, 'second talk');
    await page.getByText('The key was refused.').first().waitFor();
    await page.locator('.session-link', { hasText: 'stamp it' }).click();
    await page.getByText('Stamped.', { exact: true }).waitFor();
    expect(await field().inputValue()).toBe('not yet');
    expect(await page.locator('.said').allInnerTexts()).toEqual(['stamp it']);
    await page.goBack();
    await page.locator('.said').getByText('second talk').waitFor();
  });

  it('shows what was given up, and lets it be removed', async () => {
    await page.getByRole('link', { name: 'Operations' }).click();
    const letters = page.getByRole('region', { name: 'Dead letters' });
    await letters.getByText('The key was refused.').first().waitFor();
    await letters.getByRole('button', { name: 'Remove' }).click();
    await letters.getByText('Nothing was given up.').waitFor();
    expect(await scratch.store.count('deadLetters')).toBe(0);
    await page.getByRole('region', { name: 'Channels' }).getByText('web', { exact: true }).waitFor();
  });

  it('finds what was said, and lets a conversation be renamed', async () => {
    const search = page.getByLabel('Search all that was said');
    const found = page.locator('.found .session-link');
    // What was said a moment ago may not be in the index yet; then it is searched again.
    await expect
      .poll(
        async () => {
          await search.fill('');
          await search.fill('stamp');
          await page.locator('.found li').first().waitFor();
          return found.count();
        },
        { timeout: 20_000 },
      )
      .toBeGreaterThan(0);
    await found.first().click();
    await page.locator('.words').getByText('Stamped.', { exact: true }).waitFor();
    await search.fill('');
    await page.getByRole('button', { name: 'This conversation' }).click();
    await page.getByRole('menuitem', { name: 'Rename' }).click();
    await page.getByRole('dialog').getByLabel('Title').fill(`Marks ${HOSTILE}`);
    await page.keyboard.press('Enter');
    await page.locator('.session-link .title').getByText(`Marks ${HOSTILE}`).waitFor();
    expect(await page.evaluate('globalThis.hit')).toBeUndefined();
  });

  it('lets an ended conversation be read, and continued', async () => {
    const sessions = await scratch.store.select('sessions', { orderBy: [['sessionId', 'asc']] });
    const [first] = sessions;
    await scratch.services.sessions.reset(first?.sessionKey ?? '');
    await page.goto(`${server.url}/sessions/${first?.sessionId}`);
    await page.getByText('Stamped.', { exact: true }).waitFor();
    await page.getByText('This conversation has ended.').waitFor();
    expect(await field().count()).toBe(0);
    await page.getByRole('link', { name: 'Go on with it' }).click();
    scratch.model.script([reply('Here again.')]);
    await field().waitFor();
    await say(page, 'go on');
    await page.getByText('Here again.').waitFor();
  });

  it('says that there is nothing at an unknown address', async () => {
    await page.goto(`${server.url}/sessions/nowhere`);
    await page.getByText('There is no conversation here').waitFor();
  });

  it.each([
    '/nope',
    '/index.php',
    '/hooksx/1',
  ])('tells a browser at %s that there is nothing, and a program in JSON', async (path) => {
    const answer = await page.goto(`${server.url}${path}`);
    expect(answer?.status()).toBe(404);
    await page.getByText('There is nothing at this address').waitFor();
    const told = await fetch(`${server.url}${path}`);
    expect([told.status, told.headers.get('content-type')]).toEqual([401, expect.stringContaining('json')]);
    const api = await fetch(`${server.url}/api/nope`, { headers: { accept: 'text/html' } });
    expect([api.status, api.headers.get('content-type')]).toEqual([401, expect.stringContaining('json')]);
    await page.getByRole('link', { name: 'To the conversations' }).click();
    await field().waitFor();
  });

  it('has no serious faults for people who use it otherwise, and fits a telephone', async () => {
    const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
    for (const address of ['/runs', '/hooks', '/operations']) {
      await page.setViewportSize({ width: 1440, height: 900 });
      await page.goto(`${server.url}${address}`);
      await page.locator('.plain-page').waitFor();
      await page.evaluate(axe);
      const { violations } = (await page.evaluate("axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa'] })")) as {
        violations: readonly { id: string; impact: string; nodes: readonly { html: string }[] }[];
      };
      const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
      expect(serious.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)).toEqual([]);
      await page.setViewportSize({ width: 390, height: 844 });
      expect(await page.evaluate('document.documentElement.scrollWidth > window.innerWidth'), address).toBe(false);
    }
  });
});
