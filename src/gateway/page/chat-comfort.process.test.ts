// What makes the page pleasant with much in it: words that are found are shown where they were said, what is not wanted is
// put aside, lists follow what happens, and the threads of subagents are read where they began.

import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gate } from '../../testkit/gate.ts';
import { gatewayForTest } from '../../testkit/gateway-for-test.ts';
import { after, fail, type ModelScript, reply, toolCall } from '../../testkit/model-server.ts';
import { on } from '../../testkit/on.ts';
import { lastSaid } from '../http/fixtures/test-api.ts';
import { browserPath, launchBrowser, openPageOf, say } from './fixtures/browser-page.ts';

const echo: ModelScript = (request) => reply(`Heard: ${lastSaid(request)}`);

describe.skipIf(!browserPath)('the comfort of the page (skipped where there is no Chromium)', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser();
  }, 60_000);
  afterAll(() => browser?.close());

  const heard = (page: Page, text: string) =>
    page.locator('.words').getByText(`Heard: ${text}`, { exact: true }).waitFor();

  it('shows found words where they were said, also far back', async () => {
    const scratch = await gatewayForTest();
    scratch.model.script(echo);
    const page = await openPageOf(scratch, browser);
    await say(page, 'The word is xylophone');
    await heard(page, 'The word is xylophone');
    const [session] = await scratch.store.select('sessions');
    if (!session?.surface) throw new Error('nothing was said');
    const address = page.url();
    await page.goto('about:blank');
    // So much is said after it that the page does not load all of it at once.
    for (let number = 1; number <= 60; number++) {
      const { runId } = await scratch.services.inbox.receive({
        surface: session.surface,
        sender: { id: session.surface.peer.id },
        text: `Something else ${number}`,
        at: Date.now(),
        eventId: `more-${number}`,
        sessionKey: session.sessionKey,
      });
      await scratch.services.runs.wait(runId);
    }
    await page.goto(address);
    await page.locator('.said').getByText('Something else 60', { exact: true }).waitFor();
    expect(await page.locator('.said').getByText('The word is xylophone').count()).toBe(0);
    // What was said a moment ago is found when it is in the index.
    await expect
      .poll(async () => {
        await page.getByLabel('Search all that was said').fill('');
        await page.getByLabel('Search all that was said').fill('xylophone');
        await page.locator('.found').waitFor();
        return page.locator('.found').getByRole('link').count();
      })
      .toBeGreaterThan(0);
    await page.locator('.found').getByRole('link').last().press('Enter');
    await page.locator('.turn.sought .said').getByText('The word is xylophone').waitFor();
    await expect
      .poll(() =>
        page.evaluate(
          "(({ top }) => top >= 0 && top < innerHeight / 2)(document.querySelector('.turn.sought').getBoundingClientRect())",
        ),
      )
      .toBe(true);
  });

  it('lets the warnings and the report be put aside, until there is another warning', async () => {
    const scratch = await gatewayForTest();
    const page = await openPageOf(scratch, browser);
    await page.setViewportSize({ width: 1440, height: 900 });
    scratch.model.script(() => fail(401, { message: 'The key expired.' }));
    await say(page, 'one');
    // A failure says what to do next.
    await page.locator('.fault').getByText('"atrium models test fake/small"').waitFor();
    await page.getByText('The gateway: 1 warning').waitFor();
    await page.getByRole('button', { name: 'Hide', exact: true }).click();
    await page.locator('.notes').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Close the context' }).click();
    await page.reload();
    await page.locator('.fault').waitFor();
    expect(await page.locator('.notes').count()).toBe(0);
    expect(await page.locator('#panel').isVisible()).toBe(false);
    scratch.model.script(() => fail(403, { message: 'The account is closed.' }));
    await say(page, 'two');
    await page.locator('.notes').waitFor();
    await page.locator('#panel-toggle').click();
    await page.locator('#panel').getByText('The account is closed.').waitFor();
    // In a narrow window it would lie over the conversation.
    await page.setViewportSize({ width: 390, height: 844 });
    await page.locator('#panel').waitFor({ state: 'hidden' });
  });

  it('lists runs by the names of their conversations, as they happen, and counts the approvals that wait', async () => {
    const scratch = await gatewayForTest({
      register: (hooks) => {
        on(hooks, 'before_tool_call', 'careful', () => ({
          requireApproval: { title: 'Look', description: 'It looks.', severity: 'warning' },
        }));
      },
    });
    scratch.model.script(echo);
    const page = await openPageOf(scratch, browser);
    await say(page, 'About the tides');
    await heard(page, 'About the tides');
    await page.getByRole('link', { name: 'Runs', exact: true }).click();
    const rows = page.locator('.runs-list tbody tr');
    await rows.getByText('About the tides').waitFor();
    scratch.model.script([toolCall('read', { path: 'AGENTS.md' })]);
    await scratch.channel.says({ sender: 'ann' }, 'From elsewhere');
    await rows.getByText('From elsewhere').waitFor();
    await page.locator('.page-link .badge').getByText('1', { exact: true }).waitFor();
    // Conversations of one place only.
    await page.locator('#place').selectOption('web');
    await expect.poll(() => page.locator('.session-link .title').allInnerTexts()).toEqual(['About the tides']);
  });

  it('shows what a subagent does as a thread, without asking again and again', async () => {
    const scratch = await gatewayForTest();
    const goOn = gate();
    scratch.model.script((request) => {
      const told = JSON.stringify((request.json.messages as readonly object[]).at(-1));
      if (told.includes('Look into it')) return toolCall('sessions_spawn', { task: 'Count all.', taskName: 'count' });
      if (told.includes('accepted')) return toolCall('sessions_wait', {});
      if (told.includes('Count all.')) return toolCall('read', { path: 'AGENTS.md' }, 'I look at the rules first.');
      return told.includes('They have ended') ? reply('It is seven.') : after(goOn.opened, reply('Seven.'));
    });
    const page = await openPageOf(scratch, browser);
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await say(page, 'Look into it');
    const thread = page.locator('.subagents li');
    await thread.locator('summary').first().click();
    await thread.locator('.thread').getByText('I look at the rules first.').waitFor();
    await thread.locator('.thread details.tool').getByText('AGENTS.md', { exact: true }).waitFor();
    // The subagent works and nothing changes, so nothing is asked.
    await expect
      .poll(
        async () => {
          const before = asked.length;
          await page.waitForTimeout(3_000);
          return asked.slice(before).filter((url) => url.includes('/api/subagents'));
        },
        { timeout: 25_000 },
      )
      .toEqual([]);
    goOn.open();
    await page.getByText('It is seven.', { exact: true }).waitFor();
    await thread.getByRole('group', { name: 'Result' }).getByText('Seven.').waitFor();
    expect(await thread.locator('.thread').getByText('Seven.').count()).toBe(0);
    // It is called by its task.
    await page.getByRole('button', { name: 'Subagents (1)' }).click();
    await page.locator('.session-link .title').getByText('Count all.', { exact: true }).waitFor();
  });
});
