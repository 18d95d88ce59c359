// What people meet when they use the page every day, besides talking: ways back to earlier versions, words that are found,
// drafts, long conversations, other scripts, paper, and questions that come at the wrong moment.

import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import type { ApprovalRequest } from '../../hooks/tool-hooks.ts';
import { gate } from '../../testkit/gate.ts';
import { reply, toolCalls } from '../../testkit/model-server.ts';
import { on } from '../../testkit/on.ts';
import { recordingTool } from '../../testkit/tool-for-test.ts';
import { browserPath, say } from './fixtures/browser-page.ts';
import { Devices, heard, isQuiet, keyOf, pathOf } from './fixtures/devices.ts';

const STAMP: ApprovalRequest = { title: 'Use the stamp', description: 'It leaves a mark.' };

describe.skipIf(!browserPath)('the page in daily use (skipped where there is no Chromium)', () => {
  const stamp = recordingTool('stamp', 'stamped');
  const devices = new Devices({
    tools: [stamp],
    provider: { models: [{ id: 'small', cost: { input: 1, output: 4 } }] },
    config: {
      agents: { defaults: { model: 'fake/small', userTimezone: 'Pacific/Kiritimati' } },
      limits: { spend: [{ per: 'day', money: 10 }] },
    },
    register: (hooks) =>
      on(hooks, 'before_tool_call', 'careful', ({ toolName }) =>
        toolName === 'stamp' ? { requireApproval: STAMP } : undefined,
      ),
  });

  const field = (page: Page) => page.getByLabel('Message', { exact: true });
  const turn = (page: Page, text: string) => page.locator('.turn', { has: page.locator('.said').getByText(text) });
  const ways = (page: Page, text: string) => turn(page, text).locator('.ways > span:not(.way)').innerText();

  /** What was said a moment ago is found when it is in the index. */
  async function sought(page: Page, words: string) {
    const search = page.getByLabel('Search all that was said');
    const hit = page.locator('.found a').first();
    const found = async () => {
      await search.fill('');
      await search.fill(words);
      await page.locator('.found li').first().waitFor();
      return hit.count();
    };
    await expect.poll(found, { timeout: 20_000 }).toBe(1);
    return { search, hit };
  }

  it('counts the ways from a place in branches of branches, and leads through all of them', async () => {
    const page = await devices.open();
    for (const text of ['one', 'two']) {
      await say(page, text);
      await heard(page, `Heard: ${text}`);
      await isQuiet(page);
    }
    const change = async (from: string, to: string) => {
      const before = pathOf(page);
      await turn(page, from).hover();
      await turn(page, from).getByRole('button', { name: 'Edit' }).click();
      await page.getByLabel('Edit the message').fill(to);
      await page.keyboard.press('Enter');
      await heard(page, `Heard: ${to}`);
      await isQuiet(page);
      expect(pathOf(page)).not.toBe(before);
    };
    await change('two', 'two, changed');
    expect(await ways(page, 'two, changed')).toBe('2 of 2');
    // The branch that is shown begins behind this message, and is branched before it.
    await change('one', 'one, changed');
    expect(await ways(page, 'one, changed')).toBe('2 of 2');
    await change('one, changed', 'one, once more');
    expect(await ways(page, 'one, once more')).toBe('3 of 3');
    // What was asked in another way can be compared.
    const [run] = await devices.scratch.store.select('runs', {
      where: { sessionKey: keyOf(page) },
      orderBy: [['startedAt', 'desc']],
      limit: 1,
    });
    const beside = await devices.open(`/runs/${run?.runId}`);
    const others = beside.locator('#beside optgroup[label="Said in another way"] option');
    await expect.poll(() => others.count()).toBeGreaterThan(1);
    await beside.locator('#beside').selectOption({ value: (await others.first().getAttribute('value')) ?? '' });
    await beside.getByRole('region', { name: 'Waterfall of the other run' }).waitFor();
    await turn(page, 'one, once more').getByRole('link', { name: 'The way before' }).click();
    await heard(page, 'Heard: one, changed');
    await expect.poll(() => ways(page, 'one, changed')).toBe('2 of 3');
    await turn(page, 'one, changed').getByRole('link', { name: 'The way before' }).click();
    await heard(page, 'Heard: two');
    await expect.poll(() => ways(page, 'one')).toBe('1 of 3');
    await expect.poll(() => ways(page, 'two')).toBe('1 of 2');
  });

  it('shows where words were found, in which conversation, and opens the place by keys', async () => {
    const story = Array.from({ length: 80 }, (_, index) => `Paragraph ${index} is of no use to anybody.`).join('\n\n');
    devices.scratch.model.script(() => reply(story));
    const page = await devices.open();
    await say(page, 'Tell me the tale of the heron');
    await page.getByText('Paragraph 79 is').waitFor();
    await isQuiet(page);
    const { search, hit } = await sought(page, 'paragraph 57');
    expect(await hit.locator('.title').innerText()).toBe('Tell me the tale of the heron');
    expect(await hit.locator('mark').allInnerTexts()).toEqual(expect.arrayContaining(['Paragraph', '57']));
    await search.press('ArrowDown');
    expect(await hit.evaluate((element) => element === element.ownerDocument.activeElement)).toBe(true);
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await expect.poll(() => new URL(page.url()).searchParams.get('find')).toBe('paragraph 57');
    const place = page.locator('.words p').getByText('Paragraph 57 is of no use to anybody.');
    await expect.poll(() => isInSight(place)).toBe(true);
    await search.press('Escape');
    expect(await search.inputValue()).toBe('');
  });

  it('keeps a draft with its files over a reload, and finds that of a conversation that was not begun', async () => {
    const page = await devices.open();
    await field(page).fill('half a thought');
    const file = { name: 'list.txt', mimeType: 'text/plain', buffer: Buffer.from('eggs') };
    await page.locator('#pick-files').setInputFiles([file]);
    await page.locator('#files .file:not(.waiting)').waitFor();
    const begun = keyOf(page);
    await page.reload();
    await page.locator('#files .file').getByText('list.txt').waitFor();
    expect(await field(page).inputValue()).toBe('half a thought');
    const other = await devices.open();
    await say(other, 'an old conversation');
    await heard(other, 'Heard: an old conversation');
    await page.locator('.session-link', { hasText: 'an old conversation' }).click();
    await heard(page, 'Heard: an old conversation');
    expect(await page.locator('#files').count()).toBe(0);
    await page.getByRole('link', { name: 'New conversation' }).first().click();
    await expect.poll(() => keyOf(page)).toBe(begun);
    await page.locator('#files .file').getByText('list.txt').waitFor();
    await field(page).press('Enter');
    await page.locator('.words').getByText('eggs').waitFor();
    expect(await page.locator('.said .file').innerText()).toContain('list.txt');
    await isQuiet(page);
    // It was sent, so the next one is another one.
    await field(page).fill('a draft in a conversation that goes on');
    await page.getByRole('link', { name: 'New conversation' }).first().click();
    await expect.poll(() => keyOf(page)).not.toBe(begun);
    expect(await field(page).inputValue()).toBe('');
    expect(await page.locator('#files').count()).toBe(0);
  });

  it('leads back to the end of a long conversation, and names the tab after it', async () => {
    devices.scratch.model.script(() => reply(Array.from({ length: 60 }, (_, index) => `Line ${index}.`).join('\n\n')));
    const page = await devices.open();
    await say(page, 'a long one');
    await page.getByText('Line 59.').waitFor();
    await isQuiet(page);
    await expect.poll(() => page.title()).toBe('a long one · Atrium');
    const back = page.getByRole('button', { name: 'To the latest words' });
    expect(await back.count()).toBe(0);
    await page.locator('#log').focus();
    await page.keyboard.press('Home');
    await expect.poll(() => page.locator('#log').evaluate((log) => log.scrollTop)).toBe(0);
    await back.click();
    await expect.poll(() => isInSight(page.getByText('Line 59.'))).toBe(true);
    await expect.poll(() => back.count()).toBe(0);
    await page.goto(`${devices.server.url}/hooks`);
    await expect.poll(() => page.title()).toBe('Hooks and plugins · Atrium');
  });

  it('sets words in the direction of their script, and code always from left to right', async () => {
    devices.scratch.model.script(() => reply('שלום עולם.\n\n- אחת\n\nHello.\n\n```\nשלום = 1\n```'));
    const page = await devices.open();
    await field(page).fill('مرحبا');
    expect(await field(page).getAttribute('dir')).toBe('rtl');
    await field(page).press('Enter');
    await page.locator('.words pre').waitFor();
    const direction = (selector: string) =>
      page.evaluate<string>(`getComputedStyle(document.querySelector(${JSON.stringify(selector)})).direction`);
    expect(await direction('.said')).toBe('rtl');
    expect(await direction('.words p')).toBe('rtl');
    expect(await direction('.words ul')).toBe('rtl');
    expect(await direction('.words p:nth-of-type(2)')).toBe('ltr');
    expect(await direction('.words pre')).toBe('ltr');
    await expect.poll(() => direction('.session-link .title')).toBe('rtl');
  });

  it('folds a long message, and shows all of it when it is asked for, sought or printed', async () => {
    const page = await devices.open();
    const log = Array.from({ length: 400 }, (_, line) => `line ${line} of the log`).join('\n');
    await say(page, `${log}\nwhere the walrus stands`);
    await isQuiet(page);
    const said = page.locator('.said');
    const height = async () => (await said.boundingBox())?.height ?? 0;
    expect(await height()).toBeLessThan(450);
    await said.getByRole('button', { name: /^Show all of 7,\d+ characters$/ }).click();
    expect(await height()).toBeGreaterThan(4_000);
    await said.getByRole('button', { name: 'Show less' }).click();
    expect(await height()).toBeLessThan(450);
    await page.emulateMedia({ media: 'print' });
    expect(await height()).toBeGreaterThan(4_000);
    await page.emulateMedia({ media: 'screen' });
    const { hit } = await sought(page, 'walrus');
    await hit.click();
    await expect.poll(height).toBeGreaterThan(4_000);
  });

  it('is printed whole and light, without what can only be pressed', async () => {
    devices.scratch.model.script(() => reply(Array.from({ length: 60 }, (_, index) => `Line ${index}.`).join('\n\n')));
    const page = await devices.open('/new', { colorScheme: 'dark' });
    await say(page, 'for paper');
    await page.getByText('Line 59.').waitFor();
    await isQuiet(page);
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    for (const part of ['.sidebar', '#composer', '.foot', '#panel'])
      expect(await page.locator(part).first().isVisible()).toBe(false);
    const heights = await page.evaluate<[number, number]>(
      "[document.documentElement.scrollHeight, document.getElementById('turns').getBoundingClientRect().height]",
    );
    expect(heights[0]).toBeGreaterThanOrEqual(heights[1]);
    expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe('rgb(250, 249, 246)');
  });

  it('lets no key and no click decide that was meant for something else', async () => {
    const isAsked = gate();
    const calls = [
      { name: 'stamp', params: { n: 1 } },
      { name: 'stamp', params: { n: 2 } },
    ];
    devices.scratch.model.script([{ ...toolCalls(calls), rest: isAsked.opened }, reply('Both are decided.')]);
    const page = await devices.open();
    // The clock of the page stands still, so that the first moment of a card lasts.
    await page.clock.install();
    await say(page, 'stamp both');
    isAsked.open();
    const cards = page.locator('.approval');
    await cards.nth(1).waitFor();
    await expect.poll(() => page.evaluate('document.activeElement.className')).toContain('approval');
    // The first question has the focus, also after the second one has come.
    expect(await cards.first().evaluate((card) => card === card.ownerDocument.activeElement)).toBe(true);
    await page.keyboard.press('y');
    expect(await cards.getByRole('button', { name: 'Allow once' }).first().isDisabled()).toBe(true);
    expect(await devices.scratch.store.count('approvals', { status: 'waiting' })).toBe(2);
    await page.clock.runFor(1_000);
    await page.keyboard.press('n');
    await cards.first().getByText('Denied by web.').waitFor();
    await cards.nth(1).getByRole('button', { name: 'Allow once' }).click();
    await cards.nth(1).getByText('Allowed once by web.').waitFor();
    await heard(page, 'Both are decided.');
    expect(stamp.ran).toEqual([{ n: 2 }]);
    await expect.poll(() => page.locator('.tool .time').first().innerText()).toBe('not run');
  });

  it('says which words a job has sent, and leads to it', async () => {
    const page = await devices.open();
    await say(page, 'good morning');
    await heard(page, 'Heard: good morning');
    const job = await devices.scratch.services.jobs.add({
      name: 'report',
      message: 'the morning report',
      schedule: { every: '1h' },
      deliver: `web:direct:${keyOf(page).split(':').at(-1)}`,
      createdBy: 'api',
    });
    devices.scratch.model.script(() => reply('Nothing happened.'));
    await devices.scratch.services.jobs.run(job.id);
    await heard(page, 'Nothing happened.');
    await page.getByRole('link', { name: 'Sent by a scheduled job' }).click();
    await page.locator('.said').getByText('the morning report').waitFor();
  });

  it('counts tokens by the days of the limits, wherever the reader is', async () => {
    devices.scratch.model.script(() => reply('Good.', { usage: { input: 1_000, output: 100 } }));
    const page = await devices.open();
    await say(page, 'hello');
    await heard(page, 'Good.');
    // It is always a day later on one of these islands than on the other.
    const reader = await devices.open('/operations', { timezoneId: 'Pacific/Niue' });
    const dayIn = (timeZone: string) =>
      new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short' }).format(Date.now());
    expect(dayIn('Pacific/Kiritimati')).not.toBe(dayIn('Pacific/Niue'));
    const days = reader.getByRole('region', { name: 'Tokens by day' }).locator('tbody tr td:first-child');
    await expect.poll(() => days.allInnerTexts(), { timeout: 20_000 }).toContain(dayIn('Pacific/Kiritimati'));
    expect(await days.allInnerTexts()).not.toContain(dayIn('Pacific/Niue'));
    const limit = reader.getByRole('region', { name: 'Spend against limits' });
    await limit.getByText(dayIn('Pacific/Kiritimati')).waitFor();
  });

  it('takes away what a former version has left in the browser', async () => {
    const page = await devices.open();
    await page.evaluate(
      "for (const name of ['visits.a', 'seq.b', 'draft.kept']) localStorage.setItem('atrium.' + name, '1')",
    );
    await page.reload();
    await page.getByText('Connected', { exact: true }).waitFor();
    const names = await page.evaluate<readonly string[]>('Object.keys(localStorage)');
    expect(names.filter((name) => /visits|seq\./.test(name))).toEqual([]);
    expect(names).toContain('atrium.draft.kept');
  });
});

/** Whether an element is in that part of the conversation that can be seen. */
function isInSight(place: ReturnType<Page['getByText']>): Promise<boolean> {
  return place.evaluate((element) => {
    const { top, bottom } = element.getBoundingClientRect();
    const log = element.closest('.log')?.getBoundingClientRect();
    return log !== undefined && top >= log.top && bottom <= log.bottom;
  });
}
