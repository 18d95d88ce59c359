// Approvals on the page, with the whole gateway behind it: a real run waits while a real browser shows its question.

import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ApprovalRequest } from '../../hooks/tool-hooks.ts';
import { gatewayForTest } from '../../testkit/gateway-for-test.ts';
import { reply, toolCall, toolCalls } from '../../testkit/model-server.ts';
import { on } from '../../testkit/on.ts';
import type { ScratchGateway } from '../../testkit/scratch-gateway.ts';
import { recordingTool } from '../../testkit/tool-for-test.ts';
import { browserPath, launchBrowser, openPageOf, say } from './fixtures/browser-page.ts';

describe.skipIf(!browserPath)('an approval on the page (skipped where there is no Chromium)', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser();
  }, 60_000);
  afterAll(() => browser?.close());

  it('shows what would run as text, is answered with the keyboard, and says what became of it', async () => {
    const { scratch, page, ran } = await open();
    scratch.model.script([
      toolCall('stamp', { text: '<img src=x onerror=alert(1)>' }, 'Let me stamp it.'),
      reply('Stamped.'),
    ]);
    await say(page, 'stamp it');
    const card = page.getByRole('region', { name: 'Use the <b>stamp</b>' });
    await card.waitFor();
    expect(await card.locator('pre').innerText()).toContain('stamp {\n  "text": "<img src=x onerror=alert(1)>"\n}');
    expect(await card.locator('img, b').count()).toBe(0);
    expect(await card.innerText()).toMatch(/critical[\s\S]*30 min left/);
    expect(await page.getByText('Answer with /approve').count()).toBe(0);
    await page.getByRole('button', { name: 'Stop' }).waitFor();
    const allow = card.getByRole('button', { name: 'Allow once' });
    // In the first moment nothing can be pressed.
    await expect.poll(() => allow.isEnabled()).toBe(true);
    await allow.focus();
    await page.keyboard.press('Enter');
    await card.getByText('Allowed once by web.').waitFor();
    await page.getByText('Stamped.', { exact: true }).waitFor();
    await page.getByText('Let me stamp it.').waitFor();
    expect(await card.getByRole('button').count()).toBe(0);
    expect(ran).toHaveLength(1);
  });

  it('is there again after a reload, and can be answered elsewhere', async () => {
    const { scratch, page, ran } = await open();
    scratch.model.script([
      toolCalls([
        { name: 'stamp', params: { n: 1 } },
        { name: 'stamp', params: { n: 2 } },
      ]),
      reply('Done.'),
    ]);
    await say(page, 'stamp both');
    await page.locator('.approval').nth(1).waitFor();
    await page.reload();
    await page.locator('.approval').nth(1).waitFor();
    const [one, two] = await scratch.store.select('approvals', { orderBy: [['seq', 'asc']] });
    await scratch.services.approvals.answer(one?.id ?? '', 'deny', { by: 'cli' });
    await page.getByText('Denied by cli.').waitFor();
    await page.locator('.approval').nth(1).getByRole('button', { name: 'Deny' }).waitFor();
    await say(page, 'and then?');
    await page
      .getByText(`This waits behind an approval: Use the <b>stamp</b>. Answer it with /approve ${two?.id}`)
      .waitFor();
    scratch.model.script([reply('Done.'), reply('Then this.')]);
    await say(page, `/approve ${two?.id} allow-once`);
    await page.getByText('Allowed once by web.').waitFor();
    await page.getByText('Then this.', { exact: true }).waitFor();
    expect(await page.getByText('This waits behind an approval').count()).toBe(0);
    expect(ran).toEqual([{ n: 2 }]);
  });

  it('ends with the Escape key, and fits a telephone', async () => {
    const { scratch, page, ran } = await open();
    await page.setViewportSize({ width: 360, height: 700 });
    scratch.model.script([toolCall('stamp', { text: 'x'.repeat(300) })]);
    await say(page, 'stamp it');
    const card = page.locator('.approval');
    await card.waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth > window.innerWidth')).toBe(false);
    await page.keyboard.press('Escape');
    await page.getByText('Cancelled: the run was stopped.').waitFor();
    await page.getByText('Stopped.', { exact: true }).first().waitFor();
    expect(ran).toEqual([]);
  });

  async function open(): Promise<{ scratch: ScratchGateway; page: Page; ran: unknown[] }> {
    const stamp = recordingTool('stamp', 'stamped');
    const requireApproval: ApprovalRequest = {
      title: 'Use the <b>stamp</b>',
      description: 'It leaves a mark.',
      severity: 'critical',
    };
    const scratch = await gatewayForTest({
      tools: [stamp],
      register: (hooks) => on(hooks, 'before_tool_call', 'careful', () => ({ requireApproval })),
    });
    const page = await openPageOf(scratch, browser);
    return { scratch, page, ran: stamp.ran };
  }
});
