// Subagents on the page, with the whole gateway behind it: real children work while a real browser shows them.

import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { saying } from '../../agent/subagents/fixtures/children-talk.ts';
import { gate } from '../../testkit/gate.ts';
import { gatewayForTest } from '../../testkit/gateway-for-test.ts';
import { after, fail, hang, reply, toolCall, toolCalls } from '../../testkit/model-server.ts';
import type { ScratchGateway } from '../../testkit/scratch-gateway.ts';
import { browserPath, launchBrowser, openPageOf, say } from './fixtures/browser-page.ts';

const EVENT = '[Internal task completion event]';
const usage = { usage: { input: 1_000, output: 200 } };

describe.skipIf(!browserPath)('subagents on the page (skipped where there is no Chromium)', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser();
  }, 60_000);
  afterAll(() => browser?.close());

  it('are a tree below the answer that grows by itself, and can be stopped with all that they started', async () => {
    const { scratch, page } = await open();
    const task = (name: string, more = {}) => ({ name: 'sessions_spawn', params: { task: name, ...more } });
    scratch.model.script(
      saying({
        'Look into it': toolCalls([
          task('Read the logs of last night.', { taskName: 'read_logs' }),
          task('Ask <b>everybody</b>.', { label: 'Ask <b>all</b>' }),
          task('Compare the two releases and say in one sentence what has changed for the people who use them.'),
        ]),
        '{"status":"accepted"': reply('I have asked three others.', usage),
        'Read the logs': reply('Nothing <i>odd</i> was found.', usage),
        'Ask <b>': toolCall('sessions_spawn', { task: 'Ask Bob.', taskName: 'bob' }),
        'Ask Bob.': hang('So far'),
        'Compare the': fail(400, { message: 'This model cannot compare.' }),
        // Results that come together are told together.
        [EVENT]: (told) => {
          const fine = told.includes('read_logs') ? ['The logs are fine.'] : [];
          const other = /^\| (Compare|Ask)/m.test(told) ? ['That did not work out.'] : [];
          return reply([...fine, ...other].join(' '), usage);
        },
      }),
    );
    await say(page, 'Look into it');
    const tree = page.locator('details.subagents');
    await tree.locator('li[data-state="ok"]').getByText('read_logs').waitFor();
    await tree.locator('li li[data-state="running"]').getByText('bob', { exact: true }).waitFor();
    await tree
      .locator('li[data-state="error"]')
      .getByText(/^Compare the two releases/)
      .first()
      .waitFor();
    await page.getByText('The logs are fine.').waitFor();
    expect(await tree.count()).toBe(1);
    const article = page.locator('article', { has: tree });
    expect(await article.innerText()).toContain('I have asked three others.');
    expect(await tree.locator('> summary').innerText()).toMatch(
      /3 subagents\s*1 at work · 1 without a result · cost 0\.\d{4}/,
    );
    expect(await tree.locator('b, i').count()).toBe(0);
    const logs = tree.locator('li[data-state="ok"]');
    expect(await logs.innerText()).toMatch(/done\s*\d+ s · 1,200 tokens · cost 0\.0014/);
    await logs.locator('summary').click();
    await logs.getByRole('group', { name: 'Result' }).getByText('Nothing <i>odd</i> was found.').waitFor();
    expect(await logs.getByRole('button').count()).toBe(0);

    // What people are shown after a reload comes from the gateway, not from frames.
    await page.reload();
    await tree.locator('li li[data-state="running"]').getByText('bob', { exact: true }).waitFor();
    await tree.getByRole('button', { name: 'Stop Ask <b>all</b>' }).focus();
    await page.keyboard.press('Enter');
    await tree.locator('li[data-state="killed"] li[data-state="killed"]').waitFor();
    expect(await tree.getByRole('button').count()).toBe(0);
    expect((await scratch.store.select('children')).map(({ outcome }) => outcome).toSorted()).toEqual([
      'error',
      'killed',
      'killed',
      'ok',
    ]);
    await page.getByText('That did not work out.').nth(1).waitFor();
    expect(await page.getByText('[Internal task completion event]').count()).toBe(0);
  });

  it('says that the answer waits for them, also after a reload', async () => {
    const { scratch, page } = await open();
    const slow = gate();
    scratch.model.script(
      saying({
        'Look into it': toolCall('sessions_spawn', { task: 'Count.', taskName: 'count' }),
        '{"status":"accepted"': toolCall('sessions_wait', {}),
        'Count.': after(slow.opened, reply('Seven.')),
        'They have ended.': reply('It is seven.'),
      }),
    );
    await say(page, 'Look into it');
    await page.getByText('Waits for 1 subagent…').waitFor();
    await page.getByRole('button', { name: 'Stop', exact: true }).first().waitFor();
    await page.reload();
    await page.getByText('Waits for 1 subagent…').waitFor();
    slow.open();
    await page.getByText('It is seven.', { exact: true }).waitFor();
    await page.locator('li[data-state="ok"]').waitFor();
    expect(await page.getByText('Waits for').count()).toBe(0);
    expect(await page.getByText('It is seven.', { exact: true }).count()).toBe(1);
  });

  async function open(): Promise<{ scratch: ScratchGateway; page: Page }> {
    const scratch = await gatewayForTest({
      provider: { models: [{ id: 'small', cost: { input: 1, output: 2 } }] },
      config: { agents: { defaults: { model: 'fake/small', subagents: { maxSpawnDepth: 2 } } } },
    });
    return { scratch, page: await openPageOf(scratch, browser) };
  }
});
